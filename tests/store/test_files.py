from __future__ import annotations

import errno
import hashlib
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from synops.store.files import DamagedFile, FileStore, StoredFile, UnknownFile
from synops.store.locations import publish_url

DATA = b"innspilling" * 1000
DIGEST = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "deep" / "store")


def files_under(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


def test_a_file_comes_back_under_the_digest_of_its_bytes(store: FileStore) -> None:
    assert store.put_bytes(DATA) == StoredFile(DIGEST, len(DATA))
    with store.open(DIGEST) as stream:
        assert stream.read() == DATA
    assert store.exists(DIGEST)
    assert store.verify(DIGEST) == StoredFile(DIGEST, len(DATA))


def test_an_empty_file_is_a_file(store: FileStore) -> None:
    stored = store.put_bytes(b"")
    assert stored == StoredFile(hashlib.sha256(b"").hexdigest(), 0)
    assert store.verify(stored.digest).size == 0


def test_the_same_bytes_are_kept_once(store: FileStore, tmp_path: Path) -> None:
    source = tmp_path / "a.mp3"
    source.write_bytes(DATA)
    assert store.put_bytes(DATA) == store.put_path(source)
    assert files_under(store.root) == [store.path(DIGEST)]


def test_folders_keep_strangers_out_and_files_can_not_be_changed(store: FileStore) -> None:
    place = store.path(store.put_bytes(DATA).digest)
    assert place.stat().st_mode & 0o777 == 0o444
    assert {folder.stat().st_mode & 0o777 for folder in (store.root, place.parent)} == {0o750}


def test_a_source_that_fails_half_way_leaves_nothing(store: FileStore) -> None:
    class Breaking(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 0:
                raise OSError(errno.EIO, "the source broke")
            return super().read(10)

    with pytest.raises(OSError, match="the source broke"):
        store.put(Breaking(DATA))
    assert files_under(store.root) == []


def test_a_full_disk_leaves_nothing(store: FileStore) -> None:
    # RLIMIT_FSIZE is the nearest thing to a full disk that needs no root: write() fails half-way.
    program = (
        "import resource, signal, sys, pathlib; from synops.store.files import FileStore\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "FileStore(pathlib.Path(sys.argv[1])).put_bytes(b'x' * 5000)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(store.root)], capture_output=True, text=True, check=False)
    assert "File too large" in done.stderr
    assert files_under(store.root) == []


def test_a_killed_writer_leaves_no_named_file(store: FileStore) -> None:
    program = (
        "import io, os, signal, sys, pathlib; from synops.store.files import FileStore\n"
        "class Dying(io.BytesIO):\n"
        "    def read(self, size=-1):\n"
        "        if self.tell(): os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return super().read(10)\n"
        "FileStore(pathlib.Path(sys.argv[1])).put(Dying(b'x' * 100))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(store.root)], check=False)
    assert done.returncode == -9
    assert {path.parent.name for path in files_under(store.root)} == {"incoming"}


@pytest.mark.parametrize("digest", ["0" * 64, "../../etc/passwd", "", "A" * 64, DIGEST[:-1], DIGEST + "\n"])
def test_what_is_not_there_is_unknown(store: FileStore, digest: str) -> None:
    store.put_bytes(DATA)
    assert not store.exists(digest)
    for question in (store.open, store.path, store.verify):
        with pytest.raises(UnknownFile):
            question(digest)


def test_a_damaged_file_is_found_and_repaired_by_storing_it_again(store: FileStore) -> None:
    place = store.path(store.put_bytes(DATA).digest)
    place.chmod(0o644)
    place.write_bytes(DATA.replace(b"i", b"j", 1))
    with pytest.raises(DamagedFile, match=DIGEST):
        store.verify(DIGEST)
    store.put_bytes(DATA)
    assert store.verify(DIGEST).size == len(DATA)


def test_many_writers_of_the_same_bytes(store: FileStore) -> None:
    found: list[StoredFile] = []
    threads = [threading.Thread(target=lambda: found.append(store.put_bytes(DATA))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [StoredFile(DIGEST, len(DATA))] * 8
    assert files_under(store.root) == [store.path(DIGEST)]


def test_the_place_comes_from_the_environment(tmp_path: Path) -> None:
    assert FileStore.from_environment({"STORE_DIR": str(tmp_path)}).root == tmp_path
    assert FileStore.from_environment({"SYNOPS_VAR": str(tmp_path)}).root == tmp_path / "store"
    assert FileStore.from_environment({}).root == Path(__file__).parents[2] / "var" / "store"
    assert os.path.isabs(FileStore.from_environment({}).root)  # noqa: PTH117


def test_the_public_address_follows_the_site() -> None:
    assert publish_url({}) == "http://127.0.0.1:8000/public"
    assert publish_url({"SITE_URL": "https://synops.example.org/"}) == "https://synops.example.org/public"
    assert (
        publish_url({"SITE_URL": "https://a", "PUBLISH_URL": "https://cdn.example.org/p/"})
        == "https://cdn.example.org/p"
    )
