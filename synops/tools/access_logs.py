"""Reads Caddy's access logs (one JSON object a line) from where the last reading ended, through rotation and packing.

A log is known by its first line: rotation gives it another name, packing other bytes, and neither a new first line. A last
line without an end is still being written and waits for the next reading.
"""

from __future__ import annotations

import datetime
import glob
import gzip
import hashlib
import ipaddress
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from synops.tools.failures import BadInput
from synops.tools.listening import Request

LONGEST_LINE: Final = 1 << 20
#: An episode's address, as synops-rss publishes it: the collection's folder, and the file by its digest.
EPISODE: Final = re.compile(r"(?:^|/)([a-z0-9][a-z0-9-]*/episodes/[0-9a-f]{64}\.[a-z0-9]{2,4})(?:[?#]|$)")
_RANGE: Final = re.compile(r"bytes (\d+)-(\d+)/")


@dataclass(frozen=True)
class Log:
    """A log file. `identity` is the digest of its first line; `size` is that of the file as it lies there."""

    path: Path
    identity: str
    size: int

    @property
    def packed(self) -> bool:
        """Whether it has to be unpacked to know how long it is."""
        return self.path.suffix == ".gz"


@dataclass(frozen=True)
class Line:
    """A whole line and the position behind it; `request` is None where it says nothing about an episode."""

    end: int
    request: Request | None = None
    damaged: bool = False


def find_logs(place: Path) -> list[Log]:
    """The logs that `place` means (a folder, a file with its rotated ones, or a pattern), oldest first. Raises BadInput."""
    if place.is_dir():
        paths = [path for path in place.iterdir() if re.search(r"\.log(\.|$|-)|\.log\.gz$", path.name)]
    elif any(sign in place.name for sign in "*?["):
        paths = list(place.parent.glob(place.name))
    else:
        rotated = glob.escape(place.stem) + "-*" + glob.escape(place.suffix)
        paths = [place, *(found for end in ("", ".gz") for found in place.parent.glob(rotated + end))]
    found = {log.identity: log for path in paths if path.is_file() and (log := _log(path))}
    if not found and not any(path.exists() for path in paths):
        raise BadInput(f"there is no access log at {place}")
    return sorted(found.values(), key=lambda log: (log.path.stat().st_mtime_ns, log.path.name))


def read_lines(log: Log, start: int) -> Iterator[Line]:
    """The whole lines from a position on; positions count unpacked bytes. A packed file that is cut gives what is there."""
    with _open(log.path) as stream:
        try:
            stream.seek(start)
            at = start
            while line := stream.readline(LONGEST_LINE):
                at += len(line)
                if not line.endswith(b"\n") and len(line) < LONGEST_LINE:
                    return
                while not line.endswith(b"\n"):  # longer than any line of a log: skipped to its end
                    line = stream.readline(LONGEST_LINE)
                    at += len(line)
                    if not line:
                        return
                    if line.endswith(b"\n"):
                        line = b"\n"
                yield read_line(line, at)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return


def read_line(line: bytes, end: int) -> Line:
    """One line. What is no JSON object of Caddy's is damaged: cut by a crash, or of another program."""
    if not line.strip():
        return Line(end)
    try:
        record = json.loads(line)
        request = record["request"]
        found = EPISODE.search(request["uri"])
        return Line(end, _request(record, request, found[1]) if found else None)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        return Line(end, damaged=True)


def _request(record: Mapping[str, Any], request: Mapping[str, Any], path: str) -> Request:
    headers = {name.lower(): values[0] for name, values in (request.get("headers") or {}).items() if values}
    answered = {name.lower(): values[0] for name, values in (record.get("resp_headers") or {}).items() if values}
    size = int(record["size"])
    return Request(
        at=datetime.datetime.fromtimestamp(float(record["ts"]), datetime.UTC),
        method=request["method"],
        status=int(record["status"]),
        path=path,
        # Older versions of Caddy do not know client_ip; it is the better one behind a proxy.
        address=_network(request.get("client_ip") or request["remote_ip"]),
        agent=headers.get("user-agent", ""),
        asked_range=headers.get("range", ""),
        sent=_sent(size, answered.get("content-range", "")),
    )


def _sent(size: int, content_range: str) -> tuple[int, int]:
    """`size` is what was really written: a listener that left early got less than was promised."""
    start = int(found[1]) if (found := _RANGE.match(content_range)) else 0
    return start, start + size


def _network(address: str) -> str:
    """One household: the address, of version 6 the first 64 bits, behind which addresses change."""
    plain = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(plain, ipaddress.IPv6Address):
        if plain.ipv4_mapped:
            return str(plain.ipv4_mapped)
        return str(ipaddress.IPv6Network((plain, 64), strict=False))
    return str(plain)


def _log(path: Path) -> Log | None:
    """None for a log without a whole first line."""
    try:
        with _open(path) as stream:
            first = stream.readline(LONGEST_LINE)
    except (OSError, EOFError, zlib.error):
        return None
    if not first.endswith(b"\n"):
        return None
    return Log(path, hashlib.sha256(first).hexdigest(), path.stat().st_size)


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]
