"""The process that programs of tests are forked from, as the launcher forks preloaded tools: their libraries are here.

Multiprocessing's fork server imports it. A run then costs 50 ms of CPU instead of 500 to 4,000; that each program also
starts by itself is shown by tests/tools/test_program.py, test_as_jobs.py and the seed recipes.
"""

from __future__ import annotations

import gc
import importlib
import os

# A fork takes no threads along, so numpy gets none.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

LIBRARIES = (
    "argparse", "av", "httpx2", "jinja2", "jsonschema", "lxml.etree", "markdown_it", "nh3", "numpy", "psycopg",
    "pypdfium2", "simplemma", "trafilatura", "wordfreq", "synops.llm.structured", "synops.tools.running",
    "tests.tools.forked",
)  # fmt: skip


def load() -> None:
    """Import what tools import, and read the dictionaries, which takes the longest."""
    for name in LIBRARIES:
        importlib.import_module(name)
    from simplemma import lemmatize
    from wordfreq import zipf_frequency

    for language in ("nb", "nn", "en"):
        lemmatize("skole", lang=language)
    for language in ("nb", "en"):
        zipf_frequency("skole", language)
    gc.freeze()  # or the first collection in each fork would copy all of it


load()
