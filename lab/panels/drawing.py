"""Panels of a dashboard, drawn where Grafana would put them."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

from components.spec.monitoring.dashboards.values import GRID, Level, Panel, Section
from lab.panels.told import STEP

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Answer", "Answers", "broken", "draw"]

_WIDTH, _ROW, _GAP = 16.0, 0.42, 0.16
_COLOURS = {"green": "#3f8f4f", "orange": "#d98200", "red": "#c4342d"}
_LINES = ("#2b7bba", "#d98200", "#4f9d69", "#c9699f", "#8b6fc0", "#8b9099", "#b5532a")
_GREY, _INK, _FRAME = "#8b9099", "#23272e", "#d5d8dc"
_LONGEST_LEGEND = 9
_SETTINGS: dict[Any, Any] = {
    "axes.edgecolor": _FRAME,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "grid.alpha": 0.4,
    "svg.fonttype": "none",
    "svg.hashsalt": "panels",
    "text.color": _INK,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """
    A series that a query returned.

    Args:
        query: Number of the query in its panel.
        title: Its legend.
        labels: Its labels.
        points: Seconds since the begin, and values; one in a number or a table.
    """

    query: int
    title: str
    labels: Mapping[str, str]
    points: Sequence[tuple[float, float]]


Answers = Mapping[str, Sequence[Answer]]
"""What the queries of each panel returned, by its title."""


def draw(sections: Sequence[Section], answers: Answers, seconds: float) -> str:
    """
    Return a picture of panels, as SVG that is the same each time.

    Args:
        sections: The panels.
        answers: What they show; a panel without is left grey.
        seconds: Length of the time that graphs show.
    """
    import matplotlib
    from matplotlib.figure import Figure

    rows = sum(section.height + 1 for section in sections)
    text = StringIO()
    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(_WIDTH, rows * _ROW), facecolor="white")
        top = 0
        for section in sections:
            place = 1 - (top + 0.7) / rows
            figure.text(0.008, place, section.title, fontsize=11, weight="bold")
            for panel, column, row in section.placed():
                axes = _place(figure, panel, (column, top + 1 + row), rows)
                found = answers.get(panel.title, ())
                if found:
                    _LOOKS[panel.kind](axes, panel, found)
                else:
                    _nothing(axes, panel)
                if panel.kind == "timeseries":
                    axes.set_xlim(0, seconds / 60)
            top += section.height + 1
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _place(figure: "Figure", panel: Panel, at: tuple[int, int], rows: int) -> "Axes":
    """Write the title of a panel and return the room below it."""
    tall = panel.height * _ROW
    left = at[0] / GRID * _WIDTH + _GAP
    bottom = (rows - at[1] - panel.height) * _ROW
    head = 0.3
    # A scale on the left and times below take room of graphs alone.
    side, foot = (0.5, 0.75) if panel.kind == "timeseries" else (0.0, 0.05)
    box = (
        (left + side) / _WIDTH,
        (bottom + foot) / (rows * _ROW),
        (panel.width / GRID * _WIDTH - 2 * _GAP - side) / _WIDTH,
        (tall - head - foot) / (rows * _ROW),
    )
    axes = figure.add_axes(box)
    figure.text(
        left / _WIDTH,
        (bottom + tall - 0.2) / (rows * _ROW),
        panel.title,
        fontsize=9,
        weight="bold",
    )
    return axes


def _nothing(axes: "Axes", panel: Panel) -> None:
    _bare(axes)
    if panel.kind == "stat":
        axes.set_facecolor("#eef0f2")
    _middle(axes, panel.empty or "no data", color=_GREY)


def _number(axes: "Axes", panel: Panel, found: Sequence[Answer]) -> None:
    _bare(axes)
    worst = max(one.points[-1][1] for one in found)
    axes.set_facecolor(_COLOURS[_colour(panel.levels, worst)])
    text = "   ".join(_written(one.points[-1][1], panel) for one in found)
    _middle(axes, text, color="white", fontsize=15)


def _graph(axes: "Axes", panel: Panel, found: Sequence[Answer]) -> None:
    from matplotlib.ticker import FuncFormatter

    axes.margins(y=0.1)
    for number, one in enumerate(found):
        colour = _LINES[number % len(_LINES)]
        axes.plot(*broken(one.points), lw=1.2, color=colour, label=one.title)
    for level in panel.levels:
        if level.value is not None:
            colour = _COLOURS[level.colour]
            axes.axhline(level.value, color=colour, lw=0.8, ls=(0, (4, 3)))
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    axes.tick_params(length=0, labelsize=7, colors=_GREY)
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: _written(value, panel))
    )
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} min"))
    axes.legend(
        *_first(axes),
        loc="upper left",
        bbox_to_anchor=(-0.08, -0.1),
        ncols=3,
        frameon=False,
        fontsize=6.5,
        handlelength=1,
        borderpad=0,
    )


def broken(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return minutes and values, without a line where there was nothing."""
    minutes, values = [], []
    for number, (at, value) in enumerate(points):
        if number and at > points[number - 1][0] + STEP:
            minutes.append(at / 60)
            values.append(math.nan)
        minutes.append(at / 60)
        values.append(value)
    return minutes, values


def _first(axes: "Axes") -> tuple[Sequence[Any], Sequence[str]]:
    """Return what of the legend fits below a graph."""
    handles, titles = axes.get_legend_handles_labels()
    return handles[:_LONGEST_LEGEND], titles[:_LONGEST_LEGEND]


def _table(axes: "Axes", panel: Panel, found: Sequence[Answer]) -> None:
    _bare(axes)
    axes.patch.set_visible(False)
    rows: dict[tuple[str, ...], dict[int, float]] = {}
    for one in found:
        key = tuple(one.labels.get(label, "") for label in panel.columns)
        rows.setdefault(key, {})[one.query] = one.points[-1][1]
    titles = [*panel.columns.values(), *(query.legend for query in panel.queries)]
    # The room is that of the panel in Grafana, which scrolls.
    height = 1 / (panel.height * _ROW / 0.21)
    widths = [3.0] + [1.0] * (len(titles) - 1)
    begins = [sum(widths[:at]) / sum(widths) for at in range(len(widths))]
    for begin, title in zip(begins, titles, strict=True):
        axes.text(begin, 1 - height, title, color=_GREY, va="bottom", fontsize=7.5)
    for number, (key, values) in enumerate(rows.items(), start=2):
        cells = [
            *key,
            *(
                _written(values[at], panel, at) if at in values else ""
                for at in range(len(panel.queries))
            ),
        ]
        for begin, cell in zip(begins, cells, strict=True):
            axes.text(begin, 1 - number * height, cell, va="bottom", fontsize=7.5)


_LOOKS: dict[str, Callable[["Axes", Panel, Sequence[Answer]], None]] = {
    "stat": _number,
    "table": _table,
    "timeseries": _graph,
}


def _middle(axes: "Axes", text: str, **looks: Any) -> None:
    axes.text(
        0.5, 0.5, text, ha="center", va="center", transform=axes.transAxes, **looks
    )


def _bare(axes: "Axes") -> None:
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)


def _colour(levels: Sequence[Level], value: float) -> str:
    """Return the colour of the last level that begins at or below a value."""
    reached = [one for one in levels if one.value is None or value >= one.value]
    return reached[-1].colour if reached else "green"


def _written(value: float, panel: Panel, query: int = 0) -> str:
    """Write a value with its unit, about as Grafana does."""
    unit = panel.queries[query].unit
    if unit == "percentunit":
        # Zero is added because what is rounded to zero may be -0.
        return f"{round(100 * value, 1) + 0.0:.1f} %".replace(".0 ", " ")
    if unit == "s" and abs(value) >= 60:
        return f"{value / 60:.1f} min"
    ending = {"s": " s", "h": " h"}.get(unit, "")
    return f"{value:.2f}".rstrip("0").rstrip(".") + ending
