"""The table that a run ends with."""

from io import StringIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lab.report.measures import (
    BURST_P99,
    INTERRUPTED,
    NODE_HOURS,
    PAID,
    PENDING_P50,
    PENDING_P99,
    STORM,
    cost,
    multiple,
    percent,
)
from lab.report.study import Study

__all__ = ["render"]

_WIDE = 200


def render(study: Study) -> str:
    """Return one line a scenario with the figures that matter most, no colours."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("scenario")
    for title in _head(study):
        table.add_column(title, justify="right")
    for line in _lines(study):
        table.add_row(*(Text(cell) for cell in line))
    console = Console(file=StringIO(), width=_WIDE, color_system=None)
    with console.capture() as capture:
        console.print(table)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    return "\n".join(line for line in lines if line) + "\n"


def _head(study: Study) -> list[str]:
    return [
        "node-\nhours",
        f"to\n{study.first.scenario}",
        *(f"times\n{reference.name}" for reference in study.references),
        "USD",
        "wait\np50, s",
        "wait\np99, s",
        "bursts\np99, s",
        "jobs inter-\nrupted",
        "starts/node\n/minute",
    ]


def _lines(study: Study) -> list[list[str]]:
    return [
        [
            each.scenario,
            NODE_HOURS.text(each),
            percent(PAID.difference(each, study.first)),
            *(multiple(each.paid, reference.paid) for reference in study.references),
            cost(each),
            PENDING_P50.text(each),
            PENDING_P99.text(each),
            BURST_P99.text(each),
            INTERRUPTED.text(each),
            STORM.text(each),
        ]
        for each in study.figures
    ]
