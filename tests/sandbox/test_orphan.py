"""A plugin does not outlive its engine, nor a program who started it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox import processes

PLUGIN = (
    "import time; from sandbox import orphan; orphan._GRACE_SECONDS = 0.1;"
    "orphan._LOOK_SECONDS = 0.1; orphan.end_with_parent();"
    "print('serving', flush=True); time.sleep(60)"
)
# Starts the plugin, says its number, and waits to be killed.
ENGINE = (
    "import subprocess, sys, time;"
    f"plugin = subprocess.Popen([sys.executable, '-c', {PLUGIN!r}],"
    "stdout=subprocess.PIPE);"
    "plugin.stdout.readline(); print(plugin.pid, flush=True); time.sleep(60)"
)
# Starts a program as the lab does, says its number, and waits to be killed.
LAB = (
    "import pathlib, sys, time; from sandbox import processes;"
    "started = processes.start(pathlib.Path('/bin/sleep'), ('60',),"
    "pathlib.Path(sys.argv[1]));"
    "print(started.pid, flush=True); time.sleep(60)"
)
WAIT_SECONDS = 20


def state_of(process):
    answer = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)],
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout.strip()[:1]


@pytest.mark.parametrize("program", [ENGINE, LAB], ids=["plugin", "program"])
def test_a_child_ends_after_its_parent_was_killed(tmp_path, program):
    with subprocess.Popen(
        [sys.executable, "-c", program, tmp_path / "log"],
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        child = int(parent.stdout.readline())
        while_parent_lives = state_of(child)
        parent.kill()
    deadline = time.monotonic() + WAIT_SECONDS
    while state_of(child) not in ("", "Z") and time.monotonic() < deadline:
        time.sleep(0.05)
    after = state_of(child)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)

    assert while_parent_lives not in ("", "Z")
    assert after in ("", "Z")


def test_a_program_that_is_stopped_needs_no_guard(tmp_path):
    process = processes.start(Path("/bin/sleep"), ("60",), tmp_path / "log")
    guard = processes._guards[process.pid]
    processes.stop(process)

    assert -signal.SIGKILL == guard.returncode
    assert process.pid not in processes._guards
