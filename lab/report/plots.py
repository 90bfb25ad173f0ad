"""The drawings of a report, as SVG that is the same each time."""

import re
from collections.abc import Callable, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from lab.figures import Figures
from lab.node_life import Steps
from lab.report.measures import percent
from lab.report.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["INK", "Draw", "costs", "nodes", "shares", "svg", "waits"]

INK = "#010203"
"""What becomes `currentColor`: text and lines take the colour of the page."""

# Colours of Okabe and Ito, which the colour-blind tell apart; they stand out on white
# and on black alike. Grey is what others are compared with.
_BLUE, _ORANGE, _PURPLE, _GREY = "#2b7bba", "#d98200", "#c9699f", "#8b9099"

_USES = (
    ("jobs", "jobs", _BLUE),
    ("balloons", "balloons alone", _PURPLE),
    ("starting", "starting", _ORANGE),
    ("empty", "empty", _GREY),
)

Draw = Callable[["Figure", Study], None]
"""Draws into an empty figure."""

_COLUMNS = 3
_WIDTH = 9.0

_SETTINGS: dict[str, Any] = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "grid.alpha": 0.15,
    "grid.color": INK,
    "grid.linewidth": 0.6,
    "lines.solid_joinstyle": "miter",
    "svg.fonttype": "none",
    "text.color": INK,
    "xtick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.color": INK,
    "ytick.major.width": 0.6,
}

# The first wait that a panel tells from none, and the marks of its axis.
_SHORTEST = 1.0
_MARKS = (
    (1, "1 s"),
    (10, "10 s"),
    (60, "1 min"),
    (600, "10 min"),
    (3_600, "1 h"),
    (36_000, "10 h"),
)


def svg(name: str, draw: Draw, study: Study) -> str:
    """
    Return a drawing that takes the colour of the page and is the same each time.

    Args:
        name: Begins its ids, so that several drawings fit into one page.
        draw: Draws it.
        study: What is drawn.
    """
    import matplotlib
    from matplotlib.figure import Figure

    settings: dict[Any, Any] = {**_SETTINGS, "svg.hashsalt": f"lab-{name}"}
    with matplotlib.rc_context(settings):
        figure = Figure(layout="constrained")
        draw(figure, study)
        text = StringIO()
        figure.savefig(text, format="svg", transparent=True)
    return _inline(text.getvalue(), name)


def costs(figure: "Figure", study: Study) -> None:
    """Draw the node-hours of each scenario by what they were paid for."""
    rows = list(reversed(study.figures))
    figure.set_size_inches(_WIDTH, 1.3 + 0.34 * len(rows))
    axes = figure.subplots()
    places = range(len(rows))
    begins = [0.0] * len(rows)
    for key, title, colour in _USES:
        parts = [getattr(each.total, key) for each in rows]
        axes.barh(places, parts, left=begins, height=0.62, color=colour, label=title)
        begins = [begin + part for begin, part in zip(begins, parts, strict=True)]
    for place, each in zip(places, rows, strict=True):
        axes.annotate(
            _total(each, study.first),
            (each.total.total, place),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
        )
    _reference_lines(axes, study, len(rows))
    lengths = [each.total.total for each in rows]
    lengths += [reference.total for reference in study.references]
    axes.set_xlim(0, 1.22 * (max(lengths) or 1.0))
    axes.set_ylim(-0.6, len(rows) - 0.1)
    axes.set_yticks(places, [each.scenario for each in rows])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("node-hours")
    figure.legend(
        loc="outside lower center", ncols=len(_USES), frameon=False, handlelength=1
    )


def nodes(figure: "Figure", study: Study) -> None:
    """Draw how many nodes there are over time, a panel for each scenario."""
    from matplotlib.ticker import MaxNLocator

    panels = _panels(figure, study.figures)
    reference = study.references[1]
    end = max(each.seconds for each in study.figures) / 60
    top = max(
        1,
        *(each.peak_nodes for each in study.figures),
        *(count for _, count in reference.nodes),
    )
    for axes, each in panels:
        axes.fill_between(
            *_stairs(reference.nodes, end), step="post", color=_GREY, alpha=0.35, lw=0
        )
        axes.step(*_stairs(each.all_nodes, end), where="post", color=_BLUE, lw=1.4)
        axes.set_title(each.scenario)
        axes.set_xlim(0, end)
        axes.set_ylim(0, 1.12 * top)
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.grid(axis="y")
        axes.annotate(
            f"most: {each.peak_nodes}",
            (1, 1),
            xycoords="axes fraction",
            ha="right",
            va="bottom",
            xytext=(0, 4),
            textcoords="offset points",
        )
    figure.supxlabel("minutes since the begin of the load", fontsize=9)
    figure.supylabel("nodes", fontsize=9)
    _legend(figure, [("nodes", _BLUE), (reference.name, _GREY)])


def waits(figure: "Figure", study: Study) -> None:
    """Draw which share of the pods waits no longer than a time, for each scenario."""
    longest = max(each.waits.percentile(100) or 0.0 for each in study.figures)
    alone = len(study.figures) == 1
    for axes, each in _panels(figure, study.figures):
        colour = _GREY if each is study.first and not alone else _BLUE
        axes.plot(*shares(study.first.waits.values), color=_GREY, lw=1.4)
        if colour == _BLUE:
            axes.plot(*shares(each.waits.values), color=_BLUE, lw=1.6)
        _marks(axes, each, colour)
        axes.set_title(each.scenario)
        axes.set_xscale("log")
        axes.set_xlim(_SHORTEST, max(20.0, 1.6 * longest))
        axes.set_ylim(0, 104)
        axes.set_xticks(*zip(*_within(1.6 * longest), strict=True))
        axes.minorticks_off()
        axes.set_yticks([0, 25, 50, 75, 100])
        axes.grid()
    figure.supxlabel("wait until the container starts (logarithmic)", fontsize=9)
    figure.supylabel("% of the pods wait no longer", fontsize=9)
    if not alone:
        _legend(figure, [("this scenario", _BLUE), (study.first.scenario, _GREY)])


def _total(each: Figures, first: Figures) -> str:
    text = f"{each.total.total:,.2f}"
    if each is first or not first.total.total:
        return text
    change = 100 * (each.total.total / first.total.total - 1)
    return f"{text}  ({percent(change)})"


def _reference_lines(axes: "Axes", study: Study, rows: int) -> None:
    """Mark the references, the lower one to the left of its line."""
    marked = sorted(study.references, key=lambda reference: reference.total)
    for reference, side in zip(marked, ("right", "left"), strict=True):
        axes.axvline(reference.total, color=INK, lw=1.0, ls=(0, (4, 2)))
        axes.annotate(
            f" {reference.name} {reference.total:,.2f} ",
            (reference.total, rows - 0.1),
            ha=side,
            va="bottom",
            annotation_clip=False,
        )


def _panels(figure: "Figure", each: Sequence[Figures]) -> list[tuple["Axes", Figures]]:
    columns = min(_COLUMNS, len(each))
    rows = -(-len(each) // columns)
    figure.set_size_inches(_WIDTH, 0.9 + 1.75 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    places = list(grid.flat)
    for axes in places[len(each) :]:
        axes.set_visible(False)
    # A panel without one below shows the axis itself.
    for axes in places[max(0, len(each) - columns) : len(each)]:
        axes.tick_params(labelbottom=True)
    return list(zip(places, each, strict=False))


def _legend(figure: "Figure", entries: Sequence[tuple[str, str]]) -> None:
    from matplotlib.patches import Patch

    figure.legend(
        handles=[Patch(color=colour, label=title) for title, colour in entries],
        loc="outside upper right",
        ncols=len(entries),
        frameon=False,
        handlelength=1,
    )


def _stairs(steps: Steps, end: float) -> tuple[list[float], list[int]]:
    """Return minutes and counts, up to the end of the picture."""
    times = [time / 60 for time, _ in steps]
    counts = [count for _, count in steps]
    last = counts[-1] if counts else 0
    return [0.0, *times, max(end, *times, 0.0)], [0, *counts, last]


def shares(values: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return waits and the percentage of pods that wait no longer, 200 points or so."""
    size = len(values)
    if not size:
        return [_SHORTEST], [0.0]
    places = sorted({*range(0, size, max(1, size // 200)), size - 1})
    seconds = [max(_SHORTEST, values[place]) for place in places]
    return [_SHORTEST, *seconds], [0.0, *(100 * (place + 1) / size for place in places)]


def _marks(axes: "Axes", each: Figures, colour: str) -> None:
    """Mark the percentiles, and name them where no line comes: below to the right."""
    found = [(share, each.waits.percentile(share)) for share in (50, 95, 99)]
    marked = [(share, seconds) for share, seconds in found if seconds is not None]
    axes.plot(
        [max(_SHORTEST, seconds) for _, seconds in marked],
        [share for share, _ in marked],
        "o",
        ms=4,
        color=colour,
    )
    axes.annotate(
        "\n".join(f"p{share}  {seconds:,.0f} s" for share, seconds in marked),
        (0.97, 0.05),
        xycoords="axes fraction",
        ha="right",
        va="bottom",
    )


def _within(longest: float) -> list[tuple[float, str]]:
    return [mark for mark in _MARKS if mark[0] <= max(20.0, longest)]


def _inline(text: str, name: str) -> str:
    """Leave out what HTML has no use for, such as a date, and keep ids apart."""
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = text.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", text)
