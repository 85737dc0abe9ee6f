"""The language server over its protocol: a real process, real messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.orchestration.language.stand_in import described

URI = "file:///recipe.ork"
TEXT = """\
NÅR innspilling avsluttet
HVIS samling har podcast

1. transkriber opptaket (stor)
2. opprett oppgave "🎙" (bug)
3. opsummer samtalen (
"""


class Client:
    """A few lines of JSON-RPC; every wait ends when the server does."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.out: IO[bytes] = process.stdin
        self.into: IO[bytes] = process.stdout
        self.asked = 0

    def send(self, method: str, params: Any, asked: int | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if asked is not None:
            message["id"] = asked
        body = json.dumps(message).encode()
        self.out.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.out.flush()

    def receive(self) -> dict[str, Any]:
        length = 0
        while (line := self.into.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            length = int(value) if name.lower() == "content-length" else length
        assert length, "the server has ended"
        found: dict[str, Any] = json.loads(self.into.read(length))
        return found

    def ask(self, method: str, **params: Any) -> Any:
        self.asked += 1
        self.send(method, params, self.asked)
        while True:
            message = self.receive()
            if message.get("id") == self.asked and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def diagnostics(self) -> list[dict[str, Any]]:
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                found: list[dict[str, Any]] = message["params"]["diagnostics"]
                return found

    def write(self, text: str, version: int) -> list[dict[str, Any]]:
        document = {"uri": URI, "version": version}
        self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return self.diagnostics()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps(list(described())), encoding="utf-8")
    environment = {**os.environ, "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"}
    command = [sys.executable, "manage.py", "recipe_language_server", "--tools", str(tools)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=root
    ) as process:
        try:
            client = Client(process)
            client.ask("initialize", processId=None, rootUri=None, capabilities={})
            client.send("initialized", {})
            yield client
            client.ask("shutdown")
            client.send("exit", {})
            assert process.wait(30) == 0
        finally:
            process.kill()


def test_diagnostics_fixes_completion_hover_and_formatting(client: Client) -> None:
    document = {"uri": URI, "languageId": "synops", "version": 1, "text": TEXT}
    client.send("textDocument/didOpen", {"textDocument": document})
    found = client.diagnostics()
    assert [item["code"] for item in found] == ["ORK-301", "ORK-401"]
    wrong = found[0]["range"]
    assert wrong == {"start": {"line": 5, "character": 3}, "end": {"line": 5, "character": 11}}

    fixes = client.ask("textDocument/codeAction", textDocument={"uri": URI}, range=wrong, context={"diagnostics": []})
    assert "Mente du «oppsummer»?" in [fix["title"] for fix in fixes]
    (edit,) = fixes[0]["edit"]["changes"][URI]
    assert (edit["range"], edit["newText"]) == (wrong, "oppsummer")

    def labels(line: int, character: int) -> list[str]:
        place = {"line": line, "character": character}
        return [
            item["label"] for item in client.ask("textDocument/completion", textDocument={"uri": URI}, position=place)
        ]

    assert "innspilling avsluttet" in labels(0, 4)
    assert "samling har podcast" in labels(1, 5)
    assert "oppsummer samtalen" in labels(5, 3)
    assert "medium modell" in labels(3, 25)
    assert "NÅR " in labels(2, 0)

    hover = client.ask("textDocument/hover", textDocument={"uri": URI}, position={"line": 3, "character": 5})
    assert "synops-transcribe --cas-hash {event.cas_hash} --model large" in hover["contents"]["value"]
    options = {"tabSize": 3, "insertSpaces": True}
    assert not client.ask("textDocument/formatting", textDocument={"uri": URI}, options=options)

    assert client.write(TEXT.replace("opsummer samtalen (", "lag referat"), 2) == []
    (edit,) = client.ask("textDocument/formatting", textDocument={"uri": URI}, options=options)
    assert edit["newText"].splitlines()[3:] == [
        "1. transkriber lydfilen (stor modell)",
        '2. opprett oppgave "🎙" (bug)',
        "3. oppsummer samtalen",
    ]
    assert client.write("WHEN recording ended\n1. summarize the conversation\n", 3) == []
    assert client.write("", 4)[0]["code"] == "ORK-201"
