"""From a key that makes a mistake to its marker in the open editor, in a real browser; prints JSON.

The editor's own pause of 250 ms before it asks the compiler is part of the figure.
"""

from __future__ import annotations

import json
import os
import sys
from statistics import median, quantiles
from typing import Any

import django

TEXT = "NÅR innspilling avsluttet\nHVIS samling har podcast OG lyd\n\n1. transkriber lydfilen\n2. oppsummer samtalen\n"
ARM = """() => {
  window.marked = new Promise((done) => {
    const root = document.querySelector(".editor-host").shadowRoot;
    let pressed = 0;
    root.addEventListener("keydown", () => { pressed = performance.now(); }, { once: true, capture: true });
    const watcher = new MutationObserver(() => {
      if (!pressed || !root.querySelector(".cm-lintRange-error")) return;
      watcher.disconnect();
      done(performance.now() - pressed);
    });
    watcher.observe(root, { childList: true, subtree: true, attributes: true });
  });
}"""
WITHOUT_MARKER = """() => document.getElementById("editor-verdict").dataset.kind === "clean"
  && !document.querySelector(".editor-host").shadowRoot.querySelector(".cm-lintRange-error")"""


def main(keystrokes: int) -> None:
    django.setup()
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # playwright's loop runs in this thread
    from synops.tools import notify, rss, summarize, transcribe
    from tests.orchestration.arrange import add_tools
    from tests.people import make_collection, make_user
    from tests.site.browsing import browser
    from tests.web import web_server

    add_tools(*(tool.DESCRIPTION.to_json() for tool in (notify, rss, summarize, transcribe)))
    writer = make_user("writer", superuser=True)
    make_collection("Bench", writer)
    with web_server(LOG_LEVEL="INFO") as server, browser(server, writer) as browsing:
        page = browsing.open("/admin/orchestration/orchestration/add/")
        page.locator(".cm-content").click()
        page.keyboard.insert_text(TEXT)
        page.wait_for_function(WITHOUT_MARKER)
        page.keyboard.press("Control+Home")
        taken = [keystroke(page) for _ in range(keystrokes)]
    json.dump({"keystrokes": len(taken), "p50": median(taken), "p95": quantiles(taken, n=20)[18]}, sys.stdout)


def keystroke(page: Any) -> float:
    """Milliseconds from a letter before the first word to its marker; the text is whole again afterwards."""
    page.evaluate(ARM)
    page.keyboard.press("x")
    milliseconds: float = page.evaluate("window.marked")
    page.keyboard.press("Backspace")
    page.wait_for_function(WITHOUT_MARKER)
    return milliseconds


if __name__ == "__main__":
    main(int(sys.argv[1]))
