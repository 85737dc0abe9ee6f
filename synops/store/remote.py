"""The file store of another machine, fetched by hash over HTTP; the local folder is a bounded cache of it.

For workers that share no folder with the web server. A file that is stored here is sent there before its digest is
handed out, so whoever reads the digest in the database finds the file.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import httpx2

from synops.store.files import CHUNK, FileStore, Readable, StoreAway, StoredFile, StoreRefused, UnknownFile
from synops.store.locations import store_dir

TRIES: Final = 3
TIMEOUT_SECONDS: Final = 60.0
DEFAULT_CACHE_MB: Final = 10_240
IN_USE_SECONDS: Final = 600
"""A file that was asked for so lately is not dropped from the cache: its reader may not have opened it yet."""


class RemoteStore(FileStore):
    """A FileStore whose files come from `address`, the web server's, with a token of scope `store`."""

    def __init__(self, root: Path, address: str, token: str, cache_bytes: int) -> None:
        super().__init__(root)
        self._address = address.rstrip("/")
        self._token = token
        self._cache_bytes = cache_bytes

    @classmethod
    def from_settings(cls, environ: Mapping[str, str]) -> RemoteStore:
        """The store that STORE_URL, STORE_TOKEN (or STORE_TOKEN_FILE) and STORE_CACHE_MB describe. Raises StoreRefused."""
        megabytes = environ.get("STORE_CACHE_MB") or str(DEFAULT_CACHE_MB)
        if not megabytes.isdigit():
            raise StoreRefused(f"STORE_CACHE_MB is {megabytes!r}; write a number of megabytes")
        return cls(store_dir(environ), environ["STORE_URL"], _token(environ), int(megabytes) << 20)

    def path(self, digest: str) -> Path:
        """Where the file lies here, fetched first when it doesn't. Raises UnknownFile, DamagedFile, StoreAway, StoreRefused."""
        place = self._place(digest)
        if not self._touch(place):
            self._fetch(digest)
            self._shrink()
        return place

    def exists(self, digest: str) -> bool:
        """Is there a file of this digest, here or there?"""
        if super().exists(digest):
            return True
        if not self.is_digest(digest):
            return False
        with self._client() as client:
            return self._held(client, digest)

    def put(self, stream: Readable, expected: str | None = None) -> StoredFile:
        """Store it here and there; returns once both have it."""
        stored = super().put(stream, expected)
        self._send(stored)
        self._shrink()
        return stored

    # -- over the network --------------------------------------------------------------------------------------------

    def _client(self) -> httpx2.Client:
        # Redirects are not followed: the token is for this server alone.
        headers = {"Authorization": f"Bearer {self._token}"}
        return httpx2.Client(base_url=self._address, headers=headers, timeout=TIMEOUT_SECONDS, follow_redirects=False)

    def _fetch(self, digest: str) -> None:
        """Into the cache; a broken connection is taken up where it broke."""
        body = _Body(self, digest)
        with contextlib.closing(body):
            super().put(body, expected=digest)

    def _send(self, stored: StoredFile) -> None:
        with self._client() as client:
            if self._held(client, stored.digest):
                return
            with self._place(stored.digest).open("rb") as stream:
                pieces = iter(lambda: stream.read(CHUNK), b"")
                size = {"Content-Length": str(stored.size)}
                try:
                    answer = client.put(f"/store/{stored.digest}", content=pieces, headers=size)
                except httpx2.TransportError as error:
                    raise StoreAway(f"{self._address} did not take {stored.digest}: {error}") from error
        self._check(answer, stored.digest)

    def _held(self, client: httpx2.Client, digest: str) -> bool:
        """Whether the other side has the file."""
        try:
            answer = client.head(f"/store/{digest}")
        except httpx2.TransportError as error:
            raise StoreAway(f"{self._address} does not answer: {error}") from error
        if answer.status_code != 404:
            self._check(answer, digest)
        return answer.status_code != 404

    def _check(self, answer: httpx2.Response, digest: str) -> None:
        status = answer.status_code
        if status == 404:
            raise UnknownFile(f"the file store at {self._address} holds no file {digest}")
        if status in (401, 403):
            raise StoreRefused(f"{self._address} refuses the token ({status}): make one with manage.py create_token")
        if status not in (200, 201, 204, 206):
            raise StoreAway(f"{self._address} answered {status} for {digest}")

    # -- the cache ---------------------------------------------------------------------------------------------------

    def _touch(self, place: Path) -> bool:
        """Note that the file is used; False when it isn't here."""
        try:
            os.utime(place)
        except FileNotFoundError:
            return False
        return True

    def _shrink(self) -> None:
        """Drop what was used longest ago until the cache is within its bound; what is in use stays."""
        files = sorted(self._cached(), key=lambda one: one[1].st_mtime)
        excess = sum(status.st_size for _, status in files) - self._cache_bytes
        for path, status in files:
            if excess <= 0 or status.st_mtime > time.time() - IN_USE_SECONDS:
                return
            path.unlink(missing_ok=True)
            excess -= status.st_size

    def _cached(self) -> Iterator[tuple[Path, os.stat_result]]:
        for path in self.root.glob("??/*"):
            with contextlib.suppress(FileNotFoundError):
                yield path, path.stat()


class _Body:
    """The bytes of a remote file as a stream that can be read, over as many connections as it takes."""

    def __init__(self, store: RemoteStore, digest: str) -> None:
        self._store = store
        self._digest = digest
        self._offset = 0
        self._tries = 0
        self._stack = contextlib.ExitStack()
        self._pieces = self._connect()

    def read(self, _size: int = -1) -> bytes:
        """The next piece, of whatever size it comes in; empty at the end."""
        while True:
            try:
                piece = next(self._pieces, b"")
                self._offset += len(piece)
                return piece
            except httpx2.TransportError as error:
                self._tries += 1
                if self._tries >= TRIES:
                    raise StoreAway(
                        f"{self._store._address} broke off {self._digest} {TRIES} times: {error}"
                    ) from error
                self._pieces = self._connect()

    def close(self) -> None:
        self._stack.close()

    def _connect(self) -> Iterator[bytes]:
        self._stack.close()
        client = self._stack.enter_context(self._store._client())
        wanted = {"Range": f"bytes={self._offset}-"} if self._offset else {}
        try:
            answer = self._stack.enter_context(client.stream("GET", f"/store/{self._digest}", headers=wanted))
        except httpx2.TransportError as error:
            raise StoreAway(f"{self._store._address} does not answer: {error}") from error
        self._store._check(answer, self._digest)
        if self._offset and answer.status_code != 206:
            raise StoreAway(f"{self._store._address} can't go on in the middle of {self._digest}")
        return answer.iter_raw()  # as it comes: what was put together for a larger piece would be lost in a break


def _token(environ: Mapping[str, str]) -> str:
    if path := environ.get("STORE_TOKEN_FILE"):
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise StoreRefused(f"STORE_TOKEN_FILE names {path}, which can't be read: {error.strerror}") from error
    if not environ.get("STORE_TOKEN"):
        raise StoreRefused(
            "STORE_URL is set and STORE_TOKEN is not: make one with manage.py create_token --scope store"
        )
    return environ["STORE_TOKEN"]
