# Everything that a person or CI does with Synops. `make run` and `make test` are all that a newcomer needs.

SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
BIN := .venv/bin
#: Interpreters to build .venv with; the first that is new enough is taken, unless PYTHON names one.
PYTHONS := $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python)
RUN_REQUIREMENTS := requirements.txt $(wildcard requirements-models.txt)
DEV_REQUIREMENTS := $(RUN_REQUIREMENTS) requirements-dev.txt

.PHONY: help run install install-dev packages test suite coverage lint format migrations messages bench screenshots faults fuzz

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

run: install ## Web server and worker on 127.0.0.1 (PORT=8000), with an embedded PostgreSQL unless DATABASE_URL is set
	@$(if $(PORT),PORT=$(PORT)) exec $(BIN)/python manage.py start --die-with-parent

install: ## .venv with the pinned requirements; nothing when they have not changed
	@$(call installed,run,$(RUN_REQUIREMENTS))

install-dev:
	@$(call installed,dev,$(DEV_REQUIREMENTS)) && $(call fingerprint,$(RUN_REQUIREMENTS)) > .venv/installed-run

# $(call fingerprint,FILES): changes with the requirements and with the clone's place.
fingerprint = { pwd; cat $(1) pyproject.toml; } | sha256sum

# $(call installed,NAME,FILES): installs the requirements unless .venv/installed-NAME says that it was done. A moved
# clone is set up anew, because .venv holds absolute paths.
define installed
wanted=$$($(call fingerprint,$(2))); \
[ "$$wanted" = "$$(cat .venv/installed-$(1) 2>/dev/null)" ] && $(BIN)/python -c '' 2>/dev/null || { \
	$(call virtual_environment) \
	&& $(BIN)/python -m pip install -q --disable-pip-version-check --no-input $(patsubst %,-r %,$(2)) -e . \
	&& echo "$$wanted" > .venv/installed-$(1); \
} || { $(call explain_failure); exit 1; }
endef

define virtual_environment
{ new_enough='import sys; sys.exit(sys.version_info < (3, 11))'; \
echo 'Setting up .venv. The first time this takes a minute or two.'; \
$(BIN)/python -c "$$new_enough" 2>/dev/null || { \
	for python in $(PYTHONS) none; do "$$python" -c "$$new_enough" 2>/dev/null && break; done; \
	if [ $$python = none ]; then \
		echo 'synops: Synops needs Python 3.11 or newer; none of these is: $(PYTHONS). Install one' \
			'(Debian: apt-get install python3 python3-venv), or name it: make PYTHON=/path/to/python3.11' >&2; exit 1; \
	fi; \
	"$$python" -m venv --clear .venv; \
}; }
endef

define explain_failure
free=$$(df -Pm . | awk 'NR == 2 {print $$4}'); \
if [ "$$free" -lt 20 ]; then \
	echo "synops: The disk that holds $(CURDIR) is full ($$free MB free). Free some space and run make again." >&2; \
else \
	echo 'synops: Setting up .venv failed; the reason stands above. Put it right and run make again.' >&2; \
fi
endef

packages: ## Debian packages that the tests use; installs what is missing when root
	@missing=; \
	command -v msgfmt >/dev/null || missing="$$missing gettext"; \
	test -x /usr/bin/chromium || missing="$$missing chromium"; \
	test -x /usr/bin/caddy || missing="$$missing caddy"; \
	command -v pgbouncer >/dev/null || test -x /usr/sbin/pgbouncer || missing="$$missing pgbouncer"; \
	ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="$$missing postgresql"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	elif [ -n "$$missing" ]; then \
		echo "Tests that need these Debian packages are skipped:$$missing"; \
	fi

test: lint suite ## All checks and tests, on the wheel's PostgreSQL and on the system's

suite: install-dev packages
	@$(BIN)/python -m tests.everything

coverage: install-dev packages ## Which lines the tests reach; a quarter slower than the tests alone, so not part of them
	@$(BIN)/python -m pytest -q --numprocesses=4 --dist=loadfile --cov --cov-report=term

lint: install-dev ## Style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/lint-imports

format: install-dev ## Lets the formatter have its way
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

migrations: install ## New migrations for changed models
	$(BIN)/python manage.py makemigrations

messages: install packages ## Collects strings to translate, and compiles the catalogues
	$(BIN)/python manage.py makemessages --locale nb --ignore .venv --ignore var --ignore build
	$(BIN)/python manage.py compilemessages --ignore .venv --ignore var

bench: install-dev packages ## Measures speed and size against their targets (AREA=queue for one area), into bench.json
	@$(BIN)/python -m tests.benchmarks $(AREA)

faults: install-dev packages ## Breaks everything around working workers and proves that nothing is lost (MINUTES=5 of soak, LONG=1)
	@$(BIN)/python -m tests.faults $(CASES)

screenshots: install-dev packages ## A picture of each page, light and dark, wide and narrow, into docs/screenshots
	@$(BIN)/python -m tests.screenshots $(PAGES)

fuzz: install-dev ## Breaks recipes at random and checks what the compiler makes of them (COUNT=20000, SEED=random)
	@$(BIN)/python -m tests.orchestration.language.fuzz $(or $(COUNT),20000) $(SEED)
