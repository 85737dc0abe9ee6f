"""Files that strangers read, in one collection's folder of PUBLISH_DIR: each appears whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from synops.store.locations import publish_dir, publish_url

# A web server reads them, whoever runs it.
FILE_MODE = 0o644
FOLDER_MODE = 0o755
PART = ".part-"
_NO_LINK = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES)


class PublicFolder:
    """The published files of one collection, and their addresses."""

    def __init__(self, environ: Mapping[str, str], slug: str) -> None:
        self.path = publish_dir(environ) / slug
        self.url = f"{publish_url(environ)}/{slug}"

    def address(self, name: str) -> str:
        """The address of a published file; `name` is its path within the folder."""
        return f"{self.url}/{name}"

    def write(self, name: str, data: bytes) -> Path:
        """Publish `data`, in place of what was there; readers see the old file or the new one."""
        return self._publish(name, lambda part: _write(part, data))

    def publish(self, name: str, stored: Path) -> Path:
        """Publish a stored file: a hard link where the file system allows it, else a copy."""
        place = self.path / name
        if place.is_file() and place.stat().st_size == stored.stat().st_size:
            return place  # named by its digest, so the same size is the same file
        return self._publish(name, lambda part: _link(part, stored))

    def keep_only(self, folder: str, names: Collection[str]) -> list[str]:
        """Remove published files of a sub-folder that are no longer wanted; returns their names."""
        place = self.path / folder
        gone = [path for path in sorted(place.iterdir()) if path.name not in names] if place.is_dir() else []
        for path in gone:
            if path.is_dir():  # what a killed writer left behind
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        return [path.name for path in gone if not path.name.startswith(PART)]

    def _publish(self, name: str, fill: Callable[[Path], None]) -> Path:
        place = self.path / name
        _make_folder(place.parent)
        # A folder of its own inside the target's, so that the rename stays on one file system.
        with tempfile.TemporaryDirectory(prefix=PART, dir=place.parent) as folder:
            part = Path(folder) / "file"
            fill(part)
            part.replace(place)
        return place


def _write(part: Path, data: bytes) -> None:
    with part.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    part.chmod(FILE_MODE)


def _link(part: Path, stored: Path) -> None:
    try:
        os.link(stored, part)
    except OSError as error:
        if error.errno not in _NO_LINK:
            raise
        shutil.copyfile(stored, part)
        part.chmod(FILE_MODE)


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        folder.chmod(FOLDER_MODE)  # the umask must not shut the web server out
