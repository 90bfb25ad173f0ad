"""A fork stands in for a process that starts from nothing."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.engine import forks
from tests.engine.forks_client import SCRIPT

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="forks are made on Linux"
)

FACTS = """
import json, os, sys
early = [name for name in ("pulumi", "pulumi_aws", "components") if name in sys.modules]
import components
print(json.dumps({
    "arguments": sys.argv[1:],
    "input": sys.stdin.read(),
    "folder": os.getcwd(),
    "given": os.environ["GIVEN"],
    "of the tests": os.environ.get("PYTEST_CURRENT_TEST"),
    "interpreter": sys.executable,
    "early": early,
    "components": components.__file__,
}))
"""
ENDS = """
import os, signal, sys
{}
"""
WAITS = """
import os, time
print(os.getpid(), flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return forks.checkout(tmp_path_factory.mktemp("forks") / "checkout")


@pytest.fixture
def start(checkout):
    """Start a text as the language host starts a program."""

    def start(text, *arguments, **environ):
        script = checkout / SCRIPT
        script.write_text(text)
        return subprocess.Popen(
            [checkout / ".venv" / "bin" / "python", script, *arguments],
            cwd=checkout,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def test_a_program_has_all_that_its_process_was_given(start, checkout):
    said, error = start(FACTS, "--stack", "dev", GIVEN="é\n").communicate("in")

    assert error == ""
    assert json.loads(said) == {
        "arguments": ["--stack", "dev"],
        "input": "in",
        "folder": str(checkout),
        "given": "é\n",
        "of the tests": None,
        "interpreter": str(checkout / ".venv" / "bin" / "python-itself"),
        "early": ["pulumi", "pulumi_aws"],
        "components": str(checkout / "components" / "__init__.py"),
    }


@pytest.mark.parametrize(
    ("text", "status", "error"),
    [
        ("pass", 0, ""),
        ("sys.exit(32)", 32, ""),
        ("sys.exit('no stack')", 1, "no stack\n"),
        ("raise OSError('no engine')", 1, "OSError: no engine\n"),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ""),
    ],
)
def test_a_program_ends_as_its_process_would(start, text, status, error):
    with start(ENDS.format(text)) as process:
        _, said = process.communicate()

    assert process.returncode == status
    assert said.endswith(error)
    assert bool(said) == bool(error)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_reaches_the_program(start, number):
    with start(WAITS) as process:
        fork = int(process.stdout.readline())
        process.send_signal(number)
        status = process.wait(timeout=20)
        wait_for_the_end_of(fork)

    assert status == -number


def wait_for_the_end_of(process):
    deadline = time.monotonic() + 20
    while Path(f"/proc/{process}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_is_no_program_starts_from_nothing(checkout):
    text = "import sys; print('pulumi' in sys.modules, sys.executable)"
    python = checkout / ".venv" / "bin" / "python"
    said = subprocess.check_output([python, "-c", text], text=True)

    assert said == f"False {checkout}/.venv/bin/python-itself\n"
