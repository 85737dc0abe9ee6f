"""`python -m tests.screenshots [NAME …]`: pictures of the pages into docs/screenshots, small enough for a repository."""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "screenshots"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
LARGEST = 60 * 1024
TALLEST = 2000
SHAPES = (
    ("", {"width": 1280, "height": 900}, "light"),
    ("-dark", {"width": 1280, "height": 900}, "dark"),
    ("-narrow", {"width": 390, "height": 844}, "light"),
    ("-narrow-dark", {"width": 390, "height": 844}, "dark"),
)

AS_WEBP = """async ([png, quality]) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


def webp(page: Any, png: bytes) -> bytes:
    """The picture as WebP, by the browser itself; as good as fits into 60 KiB."""
    for quality in (0.7, 0.5, 0.3, 0.15, 0.05):
        made = base64.b64decode(page.evaluate(AS_WEBP, [base64.b64encode(png).decode(), quality]))
        if len(made) <= LARGEST:
            return made
    return made


def picture(page: Any, width: int) -> bytes:
    """The page from its top, cut where a picture of it would only be long."""
    height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
    taken: bytes = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": width, "height": height})
    return taken


def main(wanted: list[str]) -> None:
    from synops.database import temporary_cluster

    with tempfile.TemporaryDirectory(prefix="synops-pictures-") as folder:
        Path(folder).chmod(0o711)  # as root the server runs as another user, who must be able to pass
        with temporary_cluster(Path(folder) / "cluster", None, ("fsync=off",)) as url:
            os.environ |= {
                "DATABASE_URL": url,
                "SYNOPS_VAR": str(Path(folder) / "var"),
                "SYNOPS_ENV_FILE": "none",
                "DJANGO_SETTINGS_MODULE": "synops.settings",
                "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
                "LOG_LEVEL": "WARNING",
            }
            take(wanted)


def take(wanted: list[str]) -> None:
    """Build the scene, start the web server, and take each page in each shape."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from playwright.sync_api import sync_playwright

    from tests.screenshots.pages import pages, pose
    from tests.screenshots.scene import PASSWORD, build
    from tests.web import web_server

    shown = pages(build())
    FOLDER.mkdir(exist_ok=True)
    with web_server(LOG_LEVEL="INFO") as server, sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        painter = browser.new_page()
        for suffix, size, scheme in SHAPES:
            context = browser.new_context(viewport=size, color_scheme=scheme, locale="nb-NO", timezone_id="Europe/Oslo")
            page = context.new_page()
            page.goto(f"{server.url}/admin/login/")
            page.fill("#id_username", "kari")
            page.fill("#id_password", PASSWORD)
            page.click(".submit-row [type=submit]")
            for name, address in shown.items():
                if not wanted or name in wanted:
                    answer = page.goto(server.url + address)
                    assert answer.ok, f"{address}: {answer.status}\n{server.log()[-3000:]}"
                    page.wait_for_load_state("networkidle")
                    pose(page, name)
                    made = webp(painter, picture(page, size["width"]))
                    (FOLDER / f"{name}{suffix}.webp").write_bytes(made)
                    print(f"{name}{suffix}.webp {len(made) // 1024} KiB", flush=True)
            context.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
