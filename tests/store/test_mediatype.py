from __future__ import annotations

import pytest

from synops.store.mediatype import media_type


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"ID3\x04\x00", "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "audio/mpeg"),
        (b"\xff\xf1\x50\x80", "audio/aac"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"RIFF\x24\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"OggS\x00\x02" + b"\x00" * 22 + b"OpusHead", "audio/ogg"),
        (b"OggS\x00\x02" + b"\x00" * 22 + b"\x80theora", "video/ogg"),
        (b"fLaC\x00", "audio/flac"),
        (b"\x00\x00\x00\x20ftypM4A \x00", "audio/mp4"),
        (b"\x00\x00\x00\x20ftypisom", "video/mp4"),
        (b"\x1a\x45\xdf\xa3\x01webm", "video/webm"),
        (b"%PDF-1.7", "application/pdf"),
        (b"\xef\xbb\xbf<!DOCTYPE html><title>", "text/html"),
        (b"<?xml version='1.0'?>", "application/xml"),
        ("blåbær\n".encode(), "text/plain"),
        (("ø" * 3000).encode()[:4096], "text/plain"),
        (b"blue\xff\xfe", "application/octet-stream"),
        (b"a\x00b", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_the_first_bytes_tell(head: bytes, expected: str) -> None:
    assert media_type(head) == expected
