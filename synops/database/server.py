"""One running postgres: how it is started on data that a crash may have left, watched and stopped."""

from __future__ import annotations

import collections
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from synops.database.errors import DatabaseUnavailable
from synops.database.leash import leashed

#: Settings of every embedded server. Each worker and web process takes a handful of connections.
SETTINGS = ("listen_addresses=", "max_connections=200", "unix_socket_permissions=0700")
LOG_LIMIT_BYTES = 5_000_000
FAST_SECONDS = 60
IMMEDIATE_SECONDS = 10


class Server:
    """A child that dies with this process. `on_exit` is called, in a thread, when it has ended for whatever reason."""

    def __init__(
        self, binaries: Path, data: Path, sockets: Path, uid: int, gid: int, settings: Sequence[str], log: Path
    ) -> None:
        self.binaries, self.data, self.sockets, self.log = binaries, data, sockets, log
        self.who = (uid, gid) if os.geteuid() != uid else ()
        self.settings = (*SETTINGS, *settings)
        self.last_lines: collections.deque[str] = collections.deque(maxlen=30)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, on_exit: Callable[[], None]) -> None:
        """Starts the process; it is not ready yet."""
        end_former(self.data)
        self.last_lines.clear()
        command = [str(self.binaries / "postgres"), "-D", str(self.data), "-p", "5432", "-k", str(self.sockets)]
        for setting in self.settings:
            command += ["-c", setting]
        self.process = subprocess.Popen(
            leashed(command, signal.SIGINT, *self.who),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=environment(self.data),
        )
        threading.Thread(target=self._watch, args=(self.process, on_exit), daemon=True).start()

    def _watch(self, process: subprocess.Popen[bytes], on_exit: Callable[[], None]) -> None:
        reader = threading.Thread(target=self._copy_log, args=(process,), daemon=True)
        reader.start()
        process.wait()
        reader.join(1)  # its last words; a backend that outlives it may hold the pipe open
        on_exit()

    def _copy_log(self, process: subprocess.Popen[bytes]) -> None:
        for line in process.stdout or ():
            self.last_lines.append(line.decode(errors="replace").rstrip())
            write_log(self.log, line)

    def is_ready(self) -> bool:
        return is_ready(self.binaries, self.sockets)

    def stop(self) -> None:
        """Fast shutdown; immediate, then kill, when that hangs. Returns when the process is gone."""
        if self.process is None:
            return
        for number, seconds in ((signal.SIGINT, FAST_SECONDS), (signal.SIGQUIT, IMMEDIATE_SECONDS)):
            self.process.send_signal(number)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
            return
        self.process.kill()
        self.process.wait()

    @property
    def is_held_up(self) -> bool:
        """True when it ended because children of a killed server have not gone yet; they will, in a moment."""
        return any("pre-existing shared memory block" in line for line in self.last_lines)

    def last_words(self) -> str:
        """Why it ended, in one sentence."""
        text = "\n".join(self.last_lines)
        if "No space left on device" in text:
            return disk_full(self.data)
        fatal = [line.partition("FATAL:")[2].strip() for line in self.last_lines if "FATAL:" in line]
        reason = fatal[-1] if fatal else (self.last_lines[-1] if self.last_lines else "it said nothing")
        return f"The embedded PostgreSQL did not start: {reason} (log: {self.log})"


def environment(data: Path | None = None) -> dict[str, str]:
    """The environment of a server program: ours, without settings of other servers, and with English messages."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    clean["LC_ALL"] = "C.UTF-8"
    if data and (pid := foreign_lock(data)):
        clean["PG_GRANDPARENT_PID"] = str(pid)  # postgres takes a lock file with this pid for a stale one
    return clean


def is_ready(binaries: Path, sockets: Path) -> bool:
    """Whether a server accepts connections on this socket."""
    command = [
        str(binaries / "pg_isready"),
        "-q",
        "-h",
        str(sockets),
        "-p",
        "5432",
        "-U",
        "synops",
        "-d",
        "postgres",
        "-t",
        "5",
    ]
    return subprocess.run(command, env=environment(), stderr=subprocess.DEVNULL).returncode == 0


def locked_by(data: Path) -> int | None:
    """The pid in `postmaster.pid`, or None. Nothing says that this process is a server, or exists."""
    try:
        return int((data / "postmaster.pid").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return None


def is_server_of(data: Path, pid: int) -> bool:
    """Whether a process is a live server of these data. A server's working directory is its data directory."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state not in "ZX" and Path(f"/proc/{pid}/cwd").readlink() == data.resolve()
    except OSError:
        return False


def foreign_lock(data: Path) -> int | None:
    """The pid in a left-over lock file when it is a zombie's or another program's: postgres would refuse to start.

    Pids repeat soon in containers. The process is left alone.
    """
    pid = locked_by(data)
    return None if pid is None or is_server_of(data, pid) else pid


def end_former(data: Path) -> None:
    """Waits for a server whose keeper was killed: it is shutting down already, and holds its data until it is gone."""
    pid = locked_by(data)
    if pid is None or not is_server_of(data, pid):
        return
    os.kill(pid, signal.SIGINT)
    deadline = time.monotonic() + FAST_SECONDS
    while is_server_of(data, pid):
        if time.monotonic() > deadline:
            raise DatabaseUnavailable(
                f"A PostgreSQL (process {pid}) still uses {data} and does not end. Stop it first."
            )
        time.sleep(0.05)


def write_log(path: Path, line: bytes) -> None:
    """Appends to a log of at most two files of `LOG_LIMIT_BYTES`. A full disk loses lines, never the server."""
    try:
        with open(path, "ab", opener=private) as file:  # private: statements in it may hold what people wrote
            file.write(line)
            size = file.tell()
        if size > LOG_LIMIT_BYTES:
            path.replace(path.with_name(path.name + ".1"))
    except OSError:
        pass


def private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def disk_full(path: Path | str) -> str:
    return f"The disk that holds {path} is full. Free some space there, or set SYNOPS_VAR to a place on another disk."
