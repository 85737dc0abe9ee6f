"""The file store: a file is named by the sha256 of its bytes, written once and never changed.

A reader sees a whole file or none: bytes go to `incoming/`, are flushed to the disk, and get their name by a
rename. A crash or a full disk leaves at most an unnamed file in `incoming/`.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from synops.store.locations import store_dir

CHUNK = 1 << 20
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Readable(Protocol):
    """What bytes are read from: a file, an upload, a download."""

    def read(self, size: int = ..., /) -> bytes: ...


class UnknownFile(LookupError):
    """The store holds no file of this digest, or the text is no sha256 digest at all."""


class StoreAway(Exception):
    """The store on another machine does not answer now; the text says which, and why. Trying again later may help."""


class StoreRefused(Exception):
    """The store on another machine does not let this one in; a person must act."""


class DamagedFile(ValueError):
    """The bytes under this name no longer have the digest that names them: a bad disk, or a write past the store."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in the store: its sha256 digest (64 hexadecimal characters) and its size in bytes."""

    digest: str
    size: int


class FileStore:
    """A folder of content-addressed files, `<first two of the digest>/<digest>`, safe for any number of writers."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> FileStore:
        """The store that STORE_DIR names (default `store/` under SYNOPS_VAR).

        With STORE_URL that folder is a cache of the store on another machine (`synops.store.remote`).
        """
        if environ.get("STORE_URL"):
            from synops.store.remote import RemoteStore

            return RemoteStore.from_settings(environ)
        return cls(store_dir(environ))

    def put(self, stream: Readable, expected: str | None = None) -> StoredFile:
        """Store everything that `stream` gives, and return its digest once it is safe on the disk.

        The same bytes are kept once, whoever brings them; bringing them again repairs a damaged file. Bytes whose digest
        is not the `expected` one are not kept: raises DamagedFile.
        """
        descriptor, name = tempfile.mkstemp(dir=_make_folder(self.root / "incoming"))
        part = Path(name)
        try:
            stored = _write(stream, descriptor)
            if expected not in (None, stored.digest):
                raise DamagedFile(f"what came for {expected} has the digest {stored.digest}")
            place = self._place(stored.digest)
            _make_folder(place.parent)
            part.replace(place)
            _flush_folder(place.parent)
        finally:
            part.unlink(missing_ok=True)
        return stored

    def put_bytes(self, data: bytes) -> StoredFile:
        """Store `data`."""
        return self.put(io.BytesIO(data))

    def put_path(self, path: Path) -> StoredFile:
        """Store a copy of the file at `path`."""
        with path.open("rb") as stream:
            return self.put(stream)

    def open(self, digest: str) -> BinaryIO:
        """The file for reading. Raises UnknownFile."""
        return self.path(digest).open("rb")

    def path(self, digest: str) -> Path:
        """Where the file lies, for a library that wants a path; never write to it. Raises UnknownFile."""
        place = self._place(digest)
        if not place.is_file():
            raise UnknownFile(f"the file store {self.root} holds no file {digest}")
        return place

    def exists(self, digest: str) -> bool:
        """Is there a file of this digest? Malformed digests name no file."""
        return self.is_digest(digest) and self._place(digest).is_file()

    @staticmethod
    def is_digest(text: str) -> bool:
        """Could this name a file?"""
        return _DIGEST.fullmatch(text) is not None

    def verify(self, digest: str) -> StoredFile:
        """Read the whole file and compare its digest with its name. Raises UnknownFile, DamagedFile."""
        with self.open(digest) as stream:
            hasher, size = hashlib.sha256(), 0
            while chunk := stream.read(CHUNK):
                hasher.update(chunk)
                size += len(chunk)
        if hasher.hexdigest() != digest:
            raise DamagedFile(f"{digest} in the file store {self.root} now has the digest {hasher.hexdigest()}")
        return StoredFile(digest, size)

    def _place(self, digest: str) -> Path:
        # Only hexadecimal characters reach a path: a payload's "../../etc/passwd" stops here.
        if not self.is_digest(digest):
            raise UnknownFile(f"{digest!r} is no sha256 digest (64 characters of 0-9 and a-f)")
        return self.root / digest[:2] / digest


def _write(stream: Readable, descriptor: int) -> StoredFile:
    """Copy `stream` to the open file, flush it to the disk, and say what was written."""
    hasher, size = hashlib.sha256(), 0
    with os.fdopen(descriptor, "wb") as part:
        while chunk := stream.read(CHUNK):
            part.write(chunk)
            hasher.update(chunk)
            size += len(chunk)
        part.flush()
        # Readable by all and writable by none: the folders keep strangers out, and a published file is a link to
        # this one, which another program's web server must be able to read and nobody may change.
        os.fchmod(part.fileno(), 0o444)
        os.fsync(part.fileno())
    return StoredFile(hasher.hexdigest(), size)


def _make_folder(folder: Path) -> Path:
    # mkdir's mode is cut by the umask and does not reach parents, hence the walk down from the first missing one.
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=0o750, exist_ok=True)
    return folder


def _flush_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
