"""Tables of figures, alerts and metrics, as docs/monitoring.md shows them."""

from collections.abc import Iterable, Iterator

from .alerts import alert_group
from .metrics import METRICS, SOURCES
from .recordings import recording_groups
from .rules import Alert, Recording, Scope

__all__ = ["alert_table", "figure_table", "metric_table"]


def figure_table(scopes: Iterable[Scope]) -> str:
    """Return every figure of some clusters, each once, as a table of Markdown."""
    found: dict[str, Recording] = {}
    for scope in scopes:
        for group in recording_groups(scope):
            for rule in group.rules:
                if isinstance(rule, Recording):
                    found.setdefault(rule.name, rule)
    rows = ((f"`{one.name}`", one.meaning, one.unit) for one in found.values())
    return _table(("figure", "meaning", "unit"), rows)


def alert_table(scopes: Iterable[Scope]) -> str:
    """Return every alert of some clusters, each once, as a table of Markdown."""
    found: dict[str, Alert] = {}
    for scope in scopes:
        for rule in alert_group(scope).rules:
            if isinstance(rule, Alert):
                found.setdefault(rule.name, rule)
    rows = (
        (f"[{one.name}](runbooks/{one.name}.md)", one.severity, one.wait)
        for one in found.values()
    )
    return _table(("alert", "severity", "must last"), rows)


def metric_table() -> str:
    """Return every metric that is read, with its source, as a table of Markdown."""
    rows = (
        (
            f"`{one.name}`",
            f"{one.source} {SOURCES[one.source].version}",
            f"**{one.stability}**" if one.stability == "alpha" else one.stability,
            one.since or "",
        )
        for one in METRICS
    )
    return _table(("metric", "read in", "stability", "since"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(_lines(head, rows)) + "\n"


def _lines(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
