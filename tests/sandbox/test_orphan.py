"""A plugin does not outlive its engine."""

import contextlib
import os
import signal
import subprocess
import sys
import time

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
WAIT_SECONDS = 20


def state_of(process):
    answer = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)],
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout.strip()[:1]


def test_a_plugin_ends_after_its_engine_was_killed():
    with subprocess.Popen(
        [sys.executable, "-c", ENGINE], stdout=subprocess.PIPE, text=True
    ) as engine:
        plugin = int(engine.stdout.readline())
        while_engine_lives = state_of(plugin)
        engine.kill()
    deadline = time.monotonic() + WAIT_SECONDS
    while state_of(plugin) not in ("", "Z") and time.monotonic() < deadline:
        time.sleep(0.05)
    after = state_of(plugin)
    with contextlib.suppress(ProcessLookupError):
        os.kill(plugin, signal.SIGKILL)

    assert while_engine_lives not in ("", "Z")
    assert after in ("", "Z")
