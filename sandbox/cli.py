"""The Pulumi CLI, run in the sealed environment on the program as it is."""

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import FrameType

from sandbox.environment import ROOT, Layout
from sandbox.turn import Turn

__all__ = ["Cli", "CliError"]


class CliError(Exception):
    """A command that should always work did not; the text is what the CLI said."""


class Cli:
    """
    The CLI for one stack.

    Args:
        layout: Where the state is.
        environ: The sealed environment.
        stack: Name of the stack.
        turn: Learns the process of the CLI.
    """

    def __init__(
        self, layout: Layout, environ: Mapping[str, str], stack: str, turn: Turn
    ) -> None:
        self._layout = layout
        self._environ = dict(environ)
        self._stack = stack
        self._turn = turn

    def deploy(self, command: str, *options: str) -> int:
        """
        Run `up`, `preview`, `destroy` or `refresh`, and let the user see it.

        The program is run where it is, the stack file is the copy. Returns the exit
        status, negative for a signal.
        """
        config = self._layout.config(self._stack)
        return self._follow(
            ["-C", str(ROOT), command, "--config-file", str(config), *options]
        )

    def keep(self, *command: str) -> str:
        """
        Run a command that works on the state alone, unseen, and return its output.

        It runs beside the copies, since the CLI writes to the stack file it finds.

        Raises:
            CliError: It failed.
        """
        done = subprocess.run(
            self._command(["-C", str(self._layout.project), *command]),
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise CliError(f"pulumi {' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return ["pulumi", *arguments, "--stack", self._stack]

    def _follow(self, arguments: Sequence[str]) -> int:
        # Ctrl-C of a terminal reaches the CLI by itself; a second one would make it
        # stop without finishing what it has begun. Without a terminal it is passed on.
        terminal = sys.stdin.isatty()
        started: list[subprocess.Popen[bytes]] = []

        def pass_on(number: int, _frame: FrameType | None) -> None:
            if not started:
                raise KeyboardInterrupt
            if number == signal.SIGTERM or not terminal:
                started[0].send_signal(signal.SIGINT)

        # Before the CLI starts: a shell lets what it runs beside it ignore Ctrl-C, and
        # plugins that inherited that would be waited for whenever the CLI ends them.
        before = {
            number: signal.signal(number, pass_on)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            process = subprocess.Popen(
                self._command(arguments),
                env=self._environ,
                stdin=None if terminal else subprocess.DEVNULL,
                process_group=None if terminal else 0,
            )
            started.append(process)
            self._turn.note(process.pid)
            return process.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            self._turn.note(None)
