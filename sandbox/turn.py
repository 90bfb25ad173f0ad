"""One run at a time: a lock that a killed run cannot leave behind."""

import fcntl
import json
import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO

from sandbox.environment import Layout

__all__ = ["Turn", "TurnError", "take"]


class TurnError(Exception):
    """Somebody else is at work; the text names the process."""


class Turn:
    """
    The right to change the sandbox.

    Args:
        file: The open lock file; what it says is for whoever comes second.
        what: What is done, such as `up of stack sandbox`.
    """

    def __init__(self, file: TextIO, what: str) -> None:
        self._file = file
        self._what = what
        self.note(None)

    def note(self, cli: int | None) -> None:
        """Write down the process of the CLI, or that none runs."""
        self._file.seek(0)
        self._file.truncate()
        json.dump({"runner": os.getpid(), "cli": cli, "what": self._what}, self._file)
        self._file.flush()


@contextmanager
def take(layout: Layout, what: str) -> Generator[Turn]:
    """
    Hold the lock of the state folder.

    Raises:
        TurnError: A run is at work, or the CLI of a killed run still is.
    """
    layout.state.mkdir(parents=True, exist_ok=True)
    with layout.lock.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TurnError(_busy(_read(file), "runner")) from None
        noted = _read(file)
        if _is_pulumi(noted.get("cli")):
            raise TurnError(_busy(noted, "cli"))
        turn = Turn(file, what)
        yield turn
        turn.note(None)


def _read(file: TextIO) -> dict[str, object]:
    file.seek(0)
    try:
        return json.load(file)
    except ValueError:
        return {}


def _busy(noted: dict[str, object], who: str) -> str:
    what, process = noted.get("what", "another run"), noted.get(who, "unknown")
    return f"{what} is at work as process {process}: wait for it, or press Ctrl-C there"


def _is_pulumi(process: object) -> bool:
    """Tell whether a process runs the CLI; its number may be somebody else's now."""
    if process is None:
        return False
    answer = subprocess.run(
        ["ps", "-o", "stat=,comm=", "-p", str(process)],
        capture_output=True,
        text=True,
        check=False,
    )
    state, _, command = answer.stdout.strip().partition(" ")
    return command.strip().endswith("pulumi") and not state.startswith("Z")
