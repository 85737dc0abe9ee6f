from __future__ import annotations

import hashlib

from tests.tools.conftest import Workshop

DATA = b"ID3\x04" + b"lyd" * 5000


def test_digest_size_and_media_type_of_a_stored_file(workshop: Workshop) -> None:
    digest = workshop.store.put_bytes(DATA).digest
    done = workshop.run("synops-checksum", f"--cas-hash={digest}")
    assert done.result == {
        "digest": hashlib.sha256(DATA).hexdigest(),
        "size": len(DATA),
        "media_type": "audio/mpeg",
    }
    assert done.told == [{"progress": 0.0, "message": "reading the file"}]


def test_a_file_that_is_not_there(workshop: Workshop) -> None:
    done = workshop.run("synops-checksum", f"--cas-hash={'0' * 64}")
    assert done.code == 66
    assert "holds no file 0000" in done.stderr


def test_a_damaged_file(workshop: Workshop) -> None:
    digest = workshop.store.put_bytes(DATA).digest
    place = workshop.store.path(digest)
    place.chmod(0o644)
    place.write_bytes(DATA[:-1])
    done = workshop.run("synops-checksum", f"--cas-hash={digest}")
    assert done.code == 65
    assert "the stored file is damaged" in done.stderr
