"""Panels over recorded figures: unit, meaning and runbooks come with the figure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .figures import Figures
from .values import Level, Panel, Query

__all__ = ["Line", "alerts", "below", "from_on", "graph", "number", "tabled"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """
    A figure in a panel.

    Args:
        name: Name of the recording rule.
        legend: What its series are called.
        around: What is done with it, `{}` being the selector.
        levels: Colours of its values in a table.
    """

    name: str
    legend: str
    around: str = "{}"
    levels: tuple[Level, ...] = ()


def from_on(value: float, *, urgent: bool = False) -> tuple[Level, ...]:
    """Return the colour of an alert from a value on: red wakes somebody."""
    return (Level(value=value, colour="red" if urgent else "orange"),)


def below(value: float) -> tuple[Level, ...]:
    """Return the colour of an alert below a value."""
    return (Level(value=None, colour="orange"), Level(value=value, colour="green"))


def number(
    known: Figures,
    title: str,
    lines: Sequence[Line],
    levels: tuple[Level, ...],
    alert: str,
    empty: str = "none",
) -> Iterator[Panel]:
    """Return a figure to see from afar, if this cluster records it."""
    shown = [line for line in lines if known.has(line.name)]
    if shown:
        yield Panel(
            kind="stat",
            title=title,
            description=_description(known, shown, (alert,)),
            queries=_queries(known, shown),
            width=4,
            height=3,
            levels=levels,
            links=_links(known, (alert,)),
            empty=empty,
        )


def graph(
    known: Figures,
    title: str,
    lines: Sequence[Line],
    *,
    levels: tuple[Level, ...] = (),
    alerts: tuple[str, ...] = (),
    note: str = "",
    width: int = 8,
) -> Iterator[Panel]:
    """Return figures over time, if this cluster records any of them."""
    shown = [line for line in lines if known.has(line.name)]
    if shown:
        yield Panel(
            kind="timeseries",
            title=title,
            description=note + _description(known, shown, alerts),
            queries=_queries(known, shown),
            width=width,
            height=7,
            levels=levels,
            links=_links(known, alerts),
        )


def tabled(
    known: Figures,
    title: str,
    lines: Sequence[Line],
    columns: Mapping[str, str],
    *,
    note: str = "",
) -> Iterator[Panel]:
    """Return figures side by side, a row for each set of labels in *columns*."""
    shown = [line for line in lines if known.has(line.name)]
    if shown:
        yield Panel(
            kind="table",
            title=title,
            description=note + _description(known, shown, ()),
            queries=_queries(known, shown),
            width=24,
            height=9,
            columns=columns,
        )


def alerts(known: Figures, width: int) -> Iterator[Panel]:
    """Return what fires now, each with the way to its runbook."""
    own = f'{known.cluster_label}="$cluster"'
    which = "|".join(known.alerts)
    labels = {
        "alertname": "Alert",
        "severity": "Severity",
        "group": "Group",
        "node": "Node",
        "owner_kind": "Owner",
        "reason": "Reason",
    }
    settings = known.scope.settings
    # Grafana puts the text of the cell in place of this.
    page = settings.runbook("${__value.text}")
    if known.alerts:
        yield Panel(
            kind="table",
            title="Alerts that fire",
            description="Alerts of eks-jobs that fire now, of all groups.\n\nTold by "
            f"Prometheus itself. Each has a runbook: {settings.runbook('ALERT')}.",
            queries=(
                Query(
                    expr=f"count by ({', '.join(labels)}) (ALERTS{{{own},"
                    f'alertstate="firing",alertname=~"{which}"}})',
                    legend="How many",
                    unit="short",
                ),
            ),
            width=width,
            height=7,
            columns=labels,
            cell_links={"Alert": page} if settings.runbook_url else {},
            empty="none",
        )


def _queries(known: Figures, lines: Sequence[Line]) -> tuple[Query, ...]:
    return tuple(
        known.query(line.name, line.legend, line.around, line.levels) for line in lines
    )


def _description(known: Figures, lines: Sequence[Line], alerts: tuple[str, ...]) -> str:
    text = known.meaning(*dict.fromkeys(line.name for line in lines))
    settings = known.scope.settings
    pages = [settings.runbook(one) for one in alerts if one in known.alerts]
    return (
        text
        if settings.runbook_url or not pages
        else (f"{text}\n\nRunbook: {', '.join(pages)}.")
    )


def _links(known: Figures, alerts: tuple[str, ...]) -> dict[str, str]:
    settings = known.scope.settings
    if settings.runbook_url is None:
        return {}
    return {
        f"Runbook {one}": settings.runbook(one) for one in alerts if one in known.alerts
    }
