"""Which figures each exporter tells, so that an empty panel has a reason."""

from collections.abc import Mapping, Set
from dataclasses import dataclass

from .dashboards.figures import figures
from .metrics import SOURCES, MetricSource
from .rules import Scope

__all__ = ["ToldBy", "told_by"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToldBy:
    """
    What is known by one exporter.

    Args:
        exporter: The exporter.
        figures: Names of the figures that it tells, in the order of the rules.
        others: Names of the figures that it has no part in.
    """

    exporter: MetricSource
    figures: tuple[str, ...]
    others: tuple[str, ...]


def told_by(scope: Scope) -> tuple[ToldBy, ...]:
    """
    Return the exporters that the rules of a cluster read, with their figures.

    Args:
        scope: The settings and the cluster.
    """
    known = figures(scope)
    sources = {
        name: {one.source for one in known.metrics(name)} for name in known.known
    }
    found = (_told(one, sources) for one in SOURCES.values())
    return tuple(one for one in found if one.figures)


def _told(exporter: MetricSource, sources: Mapping[str, Set[str]]) -> ToldBy:
    told = tuple(name for name in sources if exporter.name in sources[name])
    return ToldBy(
        exporter=exporter,
        figures=told,
        others=tuple(name for name in sources if name not in told),
    )
