"""synops-stats: counts how often each episode is downloaded, from the web server's access logs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from synops.tools.describe import Description, Param
from synops.tools.program import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from synops.tools.call import Call
    from synops.tools.counting import Rules, Tally

SALT: Final = "statistics-salt"

DESCRIPTION = Description(
    name="synops-stats",
    version="0.1.0",
    description={
        "nb": "Teller nedlastinger av episodene fra nettjenerens logger, etter IABs regler.",
        "en": "Counts downloads of episodes from the web server's logs, by the IAB's rules.",
    },
    job_types=("stats_parse",),
    aliases={
        "nb": ("tell nedlastinger", "oppdater statistikk"),
        "nn": ("tel nedlastingar", "oppdater statistikk"),
        "en": ("count downloads", "update statistics"),
    },
    params=(
        Param(
            name="window",
            type="string",
            default="calendar",
            enum={
                "calendar": {"nb": ("per dag",), "nn": ("per dag",), "en": ("per day",)},
                "first_touch": {
                    "nb": ("fra første forespørsel",),
                    "nn": ("frå første spørsmål",),
                    "en": ("from the first touch",),
                },
                "last_touch": {
                    "nb": ("fra siste forespørsel",),
                    "nn": ("frå siste spørsmål",),
                    "en": ("from the last touch",),
                },
            },
            description={
                "nb": "Hva som er én nedlasting: alt på en dag, eller i 24 timer fra første eller siste forespørsel.",
                "en": "What is one download: all on a day, or within 24 hours of the first or the latest request.",
            },
        ),
        Param(
            name="log",
            type="string",
            by_hand=True,
            description={
                "nb": "Loggen, eller mappen med logger; ellers SYNOPS_CADDY_LOGS.",
                "en": "The log, or the folder of logs; else SYNOPS_CADDY_LOGS.",
            },
        ),
        Param(
            name="user_agents_dir",
            type="string",
            by_hand=True,
            description={
                "nb": "Mappe med listene i opawg/user-agents-v2; ellers SYNOPS_USER_AGENTS_DIR, ellers våre egne regler.",
                "en": "A folder with the lists of opawg/user-agents-v2; else SYNOPS_USER_AGENTS_DIR, else our own rules.",
            },
        ),
    ),
    outputs={
        "downloads": "integer",
        "apps": "object",
        "requests": "integer",
        "lines": "integer",
        "damaged_lines": "integer",
        "excluded": "object",
        "logs": "list",
        "window": "string",
        "time_zone": "string",
        "user_agents": "string",
        "guidelines": "string",
    },
    timeout=3600,
    database="write",
    settings=("SYNOPS_CADDY_LOGS", "SYNOPS_USER_AGENTS_DIR", "TIME_ZONE", "PUBLISH_DIR", "STORE_DIR", "SYNOPS_VAR"),
    exit_codes="sysexits",
    examples=(
        "synops-stats --log=/var/log/caddy                          # what all the logs there hold",
        "synops-stats --log=/var/log/caddy/access.log --write       # what is new since the last time",
        "synops-stats --log=/var/log/caddy --user-agents-dir=/opt/user-agents-v2/build --write",
    ),
)


def work(call: Call) -> dict[str, Any]:
    """With `--write` each log is read from where the last reading ended; without, all of it, and nothing is kept."""
    from pathlib import Path

    from synops.tools.access_logs import find_logs
    from synops.tools.counting import Tally
    from synops.tools.failures import BadUsage
    from synops.tools.log_readings import read_all, read_new

    if call.collection_id:
        raise BadUsage("the logs are those of all collections: enqueue stats_parse in the collection “system”")
    place = call.payload["log"] or call.environ.get("SYNOPS_CADDY_LOGS")
    if not place:
        return {"skipped": "SYNOPS_CADDY_LOGS names no access logs of the web server", "downloads": 0}
    logs, rules, tally = find_logs(Path(place)), _rules(call), Tally()
    read = read_new(call, logs, rules, tally) if call.write else read_all(call, logs, rules, tally)
    return _result(rules, tally, read)


def _result(rules: Rules, tally: Tally, read: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    from synops.tools.listening import GUIDELINES

    by_app: dict[str, int] = {}
    for download, number in tally.downloads.items():
        by_app[download.app] = by_app.get(download.app, 0) + number
    return {
        "downloads": sum(tally.downloads.values()),
        "apps": dict(sorted(by_app.items(), key=lambda item: (-item[1], item[0]))),
        "requests": tally.requests,
        "lines": sum(log["lines"] for log in read),
        "damaged_lines": sum(log["damaged"] for log in read),
        "excluded": dict(sorted(tally.excluded.items())),
        "logs": list(read),
        "window": rules.window,
        "time_zone": str(rules.zone),
        "user_agents": rules.agents.name,
        "guidelines": GUIDELINES,
    }


def _rules(call: Call) -> Rules:
    from zoneinfo import ZoneInfo

    from synops.store.locations import DEFAULT_TIME_ZONE, var_dir
    from synops.tools.counting import Rules
    from synops.tools.user_agents import user_agents

    folder = call.payload["user_agents_dir"] or call.environ.get("SYNOPS_USER_AGENTS_DIR")
    zone = ZoneInfo(call.environ.get("TIME_ZONE") or DEFAULT_TIME_ZONE)
    secret = _secret(var_dir(call.environ) / SALT) if call.write else bytes(32)
    return Rules(user_agents(folder), call.payload["window"], zone, secret)


def _secret(path: Path) -> bytes:
    """The key of the listeners' hashes: made once, never shown, and on this machine only."""
    import os

    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(os.urandom(32))
        try:
            os.link(part, path)  # fails where another reading was first; then its key counts
        except FileExistsError:
            pass
        finally:
            part.unlink()
    return path.read_bytes()


def main() -> int:
    """The console script."""
    return run(DESCRIPTION, work)
