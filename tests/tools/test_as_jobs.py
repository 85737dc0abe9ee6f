"""The text tools as what they are for: jobs of a real worker, with the settings that it passes on and no more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection, transaction

from jobs import queue
from synops.demo.data import DemoNodes
from synops.store.edges import Edge, insert_edge
from synops.store.nodes import Node, insert_node
from tests.jobs.arrange import new_job
from tests.llm.server import Reply, Text, model_server
from tests.tools.conftest import BIN, Workshop, rows
from tests.tools.newsroom import vectors
from tests.tools.test_analyze import ANSWER
from tests.tools.test_minutes import MEETING
from tests.tools.test_prompt_eval import SET
from tests.tools.test_summarize import ARTICLE, transcribe
from tests.tools.test_valgomat import ASKED, PROGRAMME


def content(collection: UUID, title: str, text: str, kind: str = "content") -> str:
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(key := uuid4(), kind, title, text))
        insert_edge(cur, Edge(key, "belongs_to", collection))
    return str(key)


def jobs_of(demo: DemoNodes, srt: str) -> dict[str, dict[str, Any]]:
    """One job of each type; `job_type` alone tells minutes from a summary, and subtitles from speech.

    A model answers where any text will do: by rules each program would read a dictionary first, which takes a second.
    """
    here, meeting, rules = demo.collection, str(demo.communication), {"engine": "extractive"}
    article = content(here, "Skolesaken", ARTICLE)
    asked = content(here, "Spørsmål", ASKED)
    content(here, "Skole", "", "topic")
    return {
        "openrouter_analyze": {"node_id": meeting},
        "meeting_summarize": {"communication_id": meeting, **rules},
        "summarize_communication": {"communication_id": meeting},
        "suggest_edges": {"node_id": article, **rules},
        "generate_embeddings": {"node_id": article},
        "ai_text_process": {"task": "extract_facts", "node_id": article},
        "dictation_cleanup": {"node_id": str(demo.media), **rules},
        "ai_process": {"preset": "Oppsummer", "node_id": article},
        "prompt_eval": {"node_id": content(here, "Testsett", json.dumps(SET)), "models": "extractive"},
        "valgomat_generate_profile": {
            "questions_id": asked, "programme_id": content(here, "Program", PROGRAMME), **rules,
        },
        "valgomat_moderation": {"questions_id": asked, **rules},
        "srt_parse": {"cas_hash": demo.cas_hash, "srt_hash": srt},
        "agent_respond": {"communication_id": meeting, "engine": "retrieval"},
    }  # fmt: skip


def test_every_type_runs_in_a_worker(database_workshop: Workshop, demo: DemoNodes) -> None:
    transcribe(demo, MEETING)
    srt = database_workshop.store.put_bytes(b"1\n00:00:01,000 --> 00:00:02,000\nHei.\n").digest
    with transaction.atomic(), connection.cursor() as cur:
        insert_node(cur, Node(held := uuid4(), "media", "Undertekster", "", {"cas_hash": srt}))
        insert_edge(cur, Edge(held, "belongs_to", demo.collection))
        insert_node(cur, Node(message := uuid4(), "message", "", "Hva koster skolen?"))
        insert_edge(cur, Edge(message, "belongs_to", demo.communication))
        insert_edge(cur, Edge(message, "belongs_to", demo.collection))
    wanted = jobs_of(demo, srt)
    with transaction.atomic(), connection.cursor() as cur:
        for job_type, payload in wanted.items():
            # These two read what others write, so they come last.
            priority = 1 if job_type in ("srt_parse", "agent_respond") else 5
            job = new_job(job_type, collection=demo.collection, payload=payload, priority=priority, max_attempts=1)
            assert queue.enqueue(cur, job)
    with model_server(think=answer) as server:
        drain(database_workshop, {**server.environ, "SYNOPS_EMBEDDINGS_MODEL": "vectors"})
    ended = {
        row[0]: (row[1], row[2], json.loads(row[3] or "null"))
        for row in rows("SELECT job_type, outcome, error_msg, result::text FROM job_queue")
    }
    assert {name: how[:2] for name, how in ended.items()} == dict.fromkeys(wanted, ("succeeded", None))
    engines = {name: how[2]["engine"] for name, how in ended.items()}
    by_model = {"openrouter_analyze", "summarize_communication", "ai_text_process", "ai_process"}
    assert {name for name, engine in engines.items() if engine == "llm"} == by_model, (
        "the worker passes the settings on"
    )
    assert (engines["srt_parse"], engines["agent_respond"]) == ("srt", "retrieval")
    assert ended["meeting_summarize"][2]["decisions"]
    assert "decisions" not in ended["summarize_communication"][2]
    assert ended["dictation_cleanup"][2]["task"] == "dictation"
    assert ended["ai_process"][2]["preset"] == "Oppsummer"
    assert ended["valgomat_moderation"][2]["counts"]


def answer(body: dict[str, Any]) -> Reply:
    return vectors(body) if "input" in body else Text(json.dumps({**ANSWER, "chapters": []}))


def drain(workshop: Workshop, environ: dict[str, str]) -> None:
    """A worker that ends when there is nothing left to do."""
    done = subprocess.run(
        [sys.executable, "manage.py", "runworker", "--drain", "--max-concurrent=2", "--poll-interval=200ms"],
        cwd=settings.BASE_DIR,
        env={**os.environ, **workshop.environ, **environ, "SYNOPS_TOOLS_PATH": str(BIN)},
        capture_output=True,
        timeout=500,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
