"""What kind of file some bytes are, from their first few: names may lie, and the store keeps none."""

from __future__ import annotations

from typing import Final

UNKNOWN: Final = "application/octet-stream"

# (offset, bytes, media type), the more telling first. Sources: RFC 9559, RFC 3533, the formats' own specifications.
_MARKS: Final = (
    (0, b"ID3", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (8, b"WAVE", "audio/wav"),
    (8, b"WEBP", "image/webp"),
    (8, b"AVI ", "video/x-msvideo"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftypM4B", "audio/mp4"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftyp", "video/mp4"),
)

EXTENSIONS: Final = {
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/ogg": "ogg",
    "audio/flac": "flac",
    "audio/wav": "wav",
    "audio/aac": "aac",
    "video/mp4": "mp4",
    "video/webm": "webm",
}


def media_type(head: bytes) -> str:
    """The media type of a file that begins with `head` (4 kB are plenty); application/octet-stream when unknown."""
    for offset, mark, found in _MARKS:
        if head.startswith(mark, offset):
            return found
    if head.startswith(b"OggS"):
        return "video/ogg" if b"theora" in head[:256] else "audio/ogg"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "video/webm" if b"webm" in head[:256] else "video/x-matroska"
    if len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0:
        return _mpeg_frame(head[1])
    return _textual(head)


def _mpeg_frame(second: int) -> str:
    # Layer bits 00 are ADTS (AAC); any other layer is MPEG audio.
    return "audio/mpeg" if second & 0x06 else "audio/aac"


def _textual(head: bytes) -> str:
    if not head or b"\x00" in head:
        return UNKNOWN
    try:
        # A cut multi-byte letter at the end is no mistake.
        text = head.decode("utf-8", errors="strict" if len(head) < 4096 else "ignore")
    except UnicodeDecodeError:
        return UNKNOWN
    start = text.lstrip("\ufeff \t\r\n").lower()
    if start.startswith(("<!doctype html", "<html")):
        return "text/html"
    if start.startswith("<?xml"):
        return "application/xml"
    return "text/plain"
