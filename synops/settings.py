"""The one settings file: every value comes from the environment (see .env.example) or has a working default.

Reading it starts nothing: the address of the embedded PostgreSQL is only computed here.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from synops import database

BASE_DIR = Path(__file__).resolve().parent.parent

# interpolate=False: a secret may begin with "$", which django-environ would take for a reference.
env = environ.Env(interpolate=False)
ENVIRONMENT_NAMES = frozenset(os.environ)  # the settings page tells these from what .env adds
_env_file = BASE_DIR / os.environ.get("SYNOPS_ENV_FILE", ".env")
if _env_file.name != "none" and _env_file.exists():  # read_env logs a missing one, at every command
    environ.Env.read_env(_env_file)
ENV_FILE_NAMES = frozenset(os.environ) - ENVIRONMENT_NAMES


def env_list(name: str, default: list[str]) -> list[str]:
    """A comma-separated value without the spaces that django-environ keeps."""
    return [item.strip() for item in env.list(name, default=default) if item.strip()]


def secret(name: str) -> str:
    """A secret from NAME, or from the file that NAME_FILE names; empty when neither is set."""
    if path := os.environ.get(f"{name}_FILE"):
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ImproperlyConfigured(f"{name}_FILE names {path}, which can't be read: {error}") from error
    return os.environ.get(name, "")


def generated_secret_key(path: Path) -> str:
    """The key in `path`, made once with mode 0600; O_EXCL decides between processes that start together."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    key = secrets.token_urlsafe(50)
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    return key


VAR = Path(env.str("SYNOPS_VAR", default=str(BASE_DIR / "var")))
os.environ.setdefault("SYNOPS_VAR", str(VAR))  # the tools and synops.database read it from there

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = secret("SECRET_KEY") or generated_secret_key(VAR / "secret-key")
SECRET_KEY_FALLBACKS = env_list("SECRET_KEY_FALLBACKS", [])

SITE_URL = env.str("SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
_site = urlsplit(SITE_URL)
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", [_site.hostname or "127.0.0.1", "127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS", [SITE_URL] if _site.scheme == "https" else [])

# daphne is no app here, though it serves the web: as one it does no more than replace runserver, and for that every
# command and every worker would import Twisted, 26 MB and half a second.
INSTALLED_APPS = [
    "synops.graph",
    "resources",
    "jobs",  # before channels, which ships a `runworker` command too
    "jobs.pipelines.cases.apps.CasesConfig",
    "orchestration",
    "synops.site.apps.SiteConfig",
    "channels",
    "django_filters",
    "synops.site.apps.SynopsAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "synops.site.middleware.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "synops.site.middleware.NorwegianMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "synops.site.language.PersonsLanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "synops.urls"
ASGI_APPLICATION = "synops.asgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES: dict[str, dict[str, Any]] = {"default": environ.Env.db_url_config(database.address(os.environ))}
DATABASES["default"]["ENGINE"] = "django.db.backends.postgresql"
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# A name per role makes pg_stat_activity readable.
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("application_name", "synops")
DATABASE_DIRECT_URL = database.direct_address(os.environ)
# A server-side cursor lives in a session, and behind a pooler in transaction mode there is none to speak of.
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = database.address(os.environ) != DATABASE_DIRECT_URL
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "nb"
LANGUAGES = [("nb", _("Norwegian Bokmål")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "synops" / "locale"]
TIME_ZONE = env.str("TIME_ZONE", default="Europe/Oslo")
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "synops" / "static"]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "admin:login"

X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SAMESITE = "Lax"
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
if _site.scheme == "https":
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=31_536_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# Where files live. Published files are the one thing that strangers can read.
STORE_DIR = Path(env.str("STORE_DIR", default=str(VAR / "store")))
STORE_URL = env.str("STORE_URL", default="").rstrip("/")
STORE_CACHE_MB = env.int("STORE_CACHE_MB", default=10_240)
PUBLISH_DIR = Path(env.str("PUBLISH_DIR", default=str(VAR / "public")))
PUBLISH_URL = env.str("PUBLISH_URL", default=f"{SITE_URL}/public").rstrip("/")
PUBLISH_SERVE = env.bool("PUBLISH_SERVE", default=True)
SYNOPS_TOOLS_PATH = env.str("SYNOPS_TOOLS_PATH", default="")

# What a machine can carry, and when a worker counts as gone. Seconds.
MAX_TOTAL_WEIGHT = env.int("MAX_TOTAL_WEIGHT", default=8)
LIVE_CALL_WEIGHT = env.int("LIVE_CALL_WEIGHT", default=2)
LIVE_CALL_MAX_HOURS = env.int("LIVE_CALL_MAX_HOURS", default=12)
HEARTBEAT_SECONDS = env.float("HEARTBEAT_SECONDS", default=10.0)
WORKER_TTL_SECONDS = env.float("WORKER_TTL_SECONDS", default=30.0)
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=10.0)
DRAIN_SECONDS = env.float("DRAIN_SECONDS", default=30.0)
TERM_GRACE_SECONDS = env.float("TERM_GRACE_SECONDS", default=10.0)
DISK_CHECK_SECONDS = env.float("DISK_CHECK_SECONDS", default=60.0)

# How long finished jobs and their logs are kept. Days.
JOB_RETENTION_DAYS = env.int("JOB_RETENTION_DAYS", default=30)
LOG_RETENTION_DAYS = env.int("LOG_RETENTION_DAYS", default=14)

# Recipes.
EVENT_SETTLE_SECONDS = env.float("EVENT_SETTLE_SECONDS", default=5.0)
MAX_CASCADE_DEPTH = env.int("MAX_CASCADE_DEPTH", default=10)
DRAFT_TIMEOUT_SECONDS = env.float("DRAFT_TIMEOUT_SECONDS", default=180.0)

# Pipelines. Seconds where nothing else is said.
PIPELINE_MAX_CASES_PER_TICK = env.int("PIPELINE_MAX_CASES_PER_TICK", default=25)
PIPELINE_DOCUMENT_TIMEOUT_SECONDS = env.int("PIPELINE_DOCUMENT_TIMEOUT_SECONDS", default=300)
PIPELINE_EVALUATION_TIMEOUT_SECONDS = env.int("PIPELINE_EVALUATION_TIMEOUT_SECONDS", default=600)
PIPELINE_MAX_FAILED_ATTEMPTS = env.int("PIPELINE_MAX_FAILED_ATTEMPTS", default=5)
PIPELINE_RETRY_INTERVALS_SECONDS = env.list(
    "PIPELINE_RETRY_INTERVALS_SECONDS", cast=int, default=[30, 120, 300, 900, 1800]
)
PIPELINE_LLM_MAX_CONCURRENT = env.int("PIPELINE_LLM_MAX_CONCURRENT", default=4)
PIPELINE_RECONCILIATION_CRON = env.str("PIPELINE_RECONCILIATION_CRON", default="*/10 * * * *")
PIPELINE_STALE_AFTER_SECONDS = env.int("PIPELINE_STALE_AFTER_SECONDS", default=3600)
PIPELINE_STALE_IN_PROGRESS_MINUTES = env.int("PIPELINE_STALE_IN_PROGRESS_MINUTES", default=60)

# Where cases come from, and what they are read and judged with.
CASES_SOURCE = env.str("CASES_SOURCE", default=str(VAR / "cases"))
CASES_SOURCE_TOKEN = secret("CASES_SOURCE_TOKEN")
CASES_DIR = Path(env.str("CASES_DIR", default=str(BASE_DIR / "jobs" / "pipelines" / "cases" / "shipped")))

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
}
