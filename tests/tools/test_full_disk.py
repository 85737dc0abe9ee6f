"""Each tool that writes files, on a disk that is full half-way: no part of a file is visible, and the database is as before."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

from synops.demo.cases import demo_cases
from synops.demo.data import DemoNodes
from tests.tools.conftest import Workshop
from tests.tools.forked import End
from tests.tools.newsroom import PUBLISHED, Errand, Newsroom, open_newsroom
from tests.tools.test_killed_after_commit import differences, everything

ROOM = 8_192
CUES = 1_000


def errands(newsroom: Newsroom) -> dict[str, Errand]:
    """Those that write files, with work that needs more than there is room for."""
    known = newsroom.errands()
    srt = "".join(f"{n}\n00:00:{n % 60:02},000 --> 00:00:{n % 60:02},900\nSetning {n}.\n\n" for n in range(CUES))
    store = newsroom.workshop.store
    subtitles, letter = (store.put_bytes(text.encode()).digest for text in (srt, "Sak 1 om en ny skole. " * 500))
    newsroom.add("long srt", "media", "Lange", cas_hash=subtitles)
    sound = f"--cas-hash={newsroom.files['sound']}"
    case = Path(newsroom.environ["CASES_SOURCE"]) / "cases" / demo_cases()[0].number.replace("/", "-")
    (case / "documents" / "9-long.txt").write_text("Sak 1 om en ny skole. " * 500)
    long = newsroom.add("long", "article", "Lang", "Sak 1 om en ny skole. " * 500, PUBLISHED)
    more = {
        "synops-render": (f"--node-id={long}",),
        "synops-transcribe": (sound, f"--srt-hash={subtitles}", "--source=srt"),
        "synops-audio": (sound, "--format=wav"),
        "synops-waveform": (f"--cas-hash={newsroom.demo.cas_hash}", "--pixels-per-second=100"),
        "synops-extract": (f"--cas-hash={letter}",),
    }
    same = ("synops-case-fetch", "synops-tts", "synops-rss")
    own = {name: dataclasses.replace(known[name], flags=flags) for name, flags in more.items()}
    return own | {name: known[name] for name in same}


def test_a_full_disk_half_way(database_workshop: Workshop, demo: DemoNodes) -> None:
    with open_newsroom(database_workshop, demo) as newsroom:
        sync = newsroom.errands()["synops-case-sync"]
        assert newsroom.start(sync, newsroom.job(sync), "--write").outcome().code == 0
        wanted = errands(newsroom)
        before, files = everything(), files_of(database_workshop)
        started = {
            name: newsroom.start(errand, newsroom.job(errand), "--write", end=End(bytes=ROOM))
            for name, errand in wanted.items()
        }
        ended = {name: running.outcome() for name, running in started.items()}
    assert {name: (done.code, done.stdout) for name, done in ended.items()} == dict.fromkeys(wanted, (75, "")), [
        done.stderr for done in ended.values()
    ]
    assert {name for name, done in ended.items() if "nothing was written" not in done.stderr.splitlines()[-1]} == set()
    assert differences(before, everything()) == {}
    var = database_workshop.root / "var"
    assert [name for name in files_of(database_workshop) - files if not whole(var / name)] == []


def whole(path: Path) -> bool:
    """What is named by its digest has it, a page or feed has its end; an unfinished file has neither."""
    if path.suffix in (".xml", ".html"):
        return path.read_text().rstrip().endswith(("</rss>", "</html>"))
    return hashlib.sha256(path.read_bytes()).hexdigest() == path.stem


def files_of(workshop: Workshop) -> set[str]:
    """Everything that lies in the file store and the public folder, unfinished files too."""
    var = workshop.root / "var"
    return {str(path.relative_to(var)) for path in var.rglob("*") if path.is_file() and path.suffix != ".lock"}
