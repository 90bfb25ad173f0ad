"""One run at a time."""

import json
import os
import shutil
import subprocess

import pytest

from sandbox.environment import Layout
from sandbox.turn import TurnError, take


@pytest.fixture
def layout(tmp_path):
    return Layout(state=tmp_path / "state")


def killed(layout, cli):
    """Leave the note of a runner that was killed while *cli* ran."""
    layout.state.mkdir()
    layout.lock.write_text(json.dumps({"runner": 1, "cli": cli, "what": "up of a"}))


def test_a_second_run_is_told_who_is_at_work(layout):
    with (
        take(layout, "up of stack sandbox"),
        pytest.raises(TurnError) as caught,
        take(layout, "down of stack sandbox"),
    ):
        pass

    assert (
        f"up of stack sandbox is at work as process {os.getpid()}: "
        "wait for it, or press Ctrl-C there"
    ) == str(caught.value)


def test_turns_follow_each_other(layout):
    with take(layout, "up of stack a"):
        pass
    with take(layout, "up of stack b"):
        noted = json.loads(layout.lock.read_text())

    assert "up of stack b" == noted["what"]


def test_a_failed_turn_ends_too(layout):
    with pytest.raises(ZeroDivisionError), take(layout, "up of stack a"):
        raise ZeroDivisionError
    with take(layout, "up of stack b"):
        noted = json.loads(layout.lock.read_text())

    assert "up of stack b" == noted["what"]


def test_the_cli_of_a_killed_run_is_still_waited_for(layout, tmp_path):
    program = tmp_path / "pulumi"
    shutil.copy(shutil.which("sleep"), program)
    with subprocess.Popen([program, "60"]) as cli:
        killed(layout, cli.pid)
        try:
            with pytest.raises(TurnError) as caught, take(layout, "up of stack b"):
                pass
        finally:
            cli.kill()

    assert (
        f"up of a is at work as process {cli.pid}: wait for it, or press Ctrl-C there"
    ) == str(caught.value)


@pytest.mark.parametrize(
    "cli", [None, os.getpid(), 2**22 + 1], ids=["none", "another program", "nobody"]
)
def test_a_number_that_is_no_cli_any_more_is_no_obstacle(layout, cli):
    killed(layout, cli)
    with take(layout, "up of stack b"):
        noted = json.loads(layout.lock.read_text())

    assert {"runner": os.getpid(), "cli": None, "what": "up of stack b"} == noted


def test_a_torn_note_is_no_obstacle(layout):
    layout.state.mkdir()
    layout.lock.write_text('{"runner": 1,')
    with take(layout, "up of stack b"):
        noted = json.loads(layout.lock.read_text())

    assert "up of stack b" == noted["what"]
