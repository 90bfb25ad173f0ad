"""The bar that shows how far a run is."""

import sys
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

__all__ = ["Bars"]


class Bars:
    """
    A bar for each scenario: its jobs, how many of them ended, the time it took.

    Used as a context. Nothing is shown where nobody watches: not on a terminal.

    Args:
        stream: Where to show it.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        console = Console(file=sys.stderr if stream is None else stream)
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=40),
            MofNCompleteColumn(),
            TextColumn("jobs"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[doing]}", markup=False),
            console=console,
            disable=not console.is_terminal,
        )
        self._tasks = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def show(self, scenario: str, done: int, total: int, doing: str = "") -> None:
        """Say that *done* of *total* jobs of a scenario ended, and what goes on."""
        if scenario not in self._tasks:
            for other in self._tasks.values():
                self._bars.stop_task(other)
            self._tasks[scenario] = self._bars.add_task(scenario, doing=doing)
        self._bars.update(
            self._tasks[scenario], completed=done, total=total, doing=doing
        )
