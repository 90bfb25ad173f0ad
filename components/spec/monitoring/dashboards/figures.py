"""Figures of the rules, as dashboards ask for them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..alerts import alert_group
from ..metrics import SOURCES, Metric, metric_of
from ..promql import names
from ..recordings import recording_groups
from ..rules import Alert, Recording, Scope
from .values import Level, Query, Variable

__all__ = ["Figures", "chosen_by_reader", "figures"]

_GROUPED = ('group=~"$group"', 'architecture=~"$architecture"')
_NODES = "group:eks_jobs_nodes:count"


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """
    What this cluster records, by name.

    Args:
        scope: The settings and the cluster.
        known: The recording rules by name, the first where several share it.
        reads: What the rules of a name read.
        alerts: Names of the alerts that may fire.
    """

    scope: Scope
    known: Mapping[str, Recording]
    reads: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    alerts: tuple[str, ...] = ()

    @property
    def cluster_label(self) -> str:
        """Label that tells clusters apart in everything that is recorded."""
        return next(iter(self.scope.queries.own))

    def has(self, name: str) -> bool:
        """Whether this cluster records it: what no scaler tells is not recorded."""
        return name in self.known

    def select(self, name: str, *matchers: str) -> str:
        """
        Select a figure for what the reader chose.

        Raises:
            KeyError: No rule records it.
        """
        level = self.known[name].name.split(":", 1)[0]
        grouped = _GROUPED if level in ("group", "group_owner", "node", "pod") else ()
        own = f'{self.cluster_label}="$cluster"'
        return f"{name}{{{','.join((own, *grouped, *matchers))}}}"

    def query(
        self,
        name: str,
        legend: str,
        around: str = "{}",
        levels: tuple[Level, ...] = (),
    ) -> Query:
        """
        Ask for a figure.

        Args:
            name: Its name.
            legend: What its series are called.
            around: What is done with it, `{}` being the selector.
            levels: Colours of its values in a table.
        """
        expr = around.replace("{}", self.select(name))
        unit = self.known[name].unit
        return Query(expr=expr, legend=legend, unit=unit, levels=levels)

    def meaning(self, *recorded: str) -> str:
        """Say what figures mean and who tells them, alpha metrics by their names."""
        said = dict.fromkeys(self.known[name].meaning for name in recorded)
        told = dict.fromkeys(one for name in recorded for one in self.metrics(name))
        by = sorted({one.source for one in told})
        alpha = sorted({one.name for one in told if one.stability == "alpha"})
        text = f"{'; '.join(said)}.\n\nTold by {', '.join(map(_exporter, by))}."
        if alpha:
            text += f"\n\nAlpha, may be renamed: {', '.join(alpha)}."
        return text

    def metrics(self, name: str) -> Iterator[Metric]:
        """Yield what exporters tell for a figure, by way of other figures too."""
        for read in self.reads[name]:
            if read in self.known:
                yield from self.metrics(read)
            else:
                yield metric_of(read)


def figures(scope: Scope) -> Figures:
    """Return what the rules of a cluster record."""
    known: dict[str, Recording] = {}
    reads: dict[str, tuple[str, ...]] = {}
    for group in recording_groups(scope):
        for rule in group.rules:
            if isinstance(rule, Recording):
                known.setdefault(rule.name, rule)
                reads[rule.name] = (*reads.get(rule.name, ()), *names(rule.expr))
    alerts = tuple(
        one.name for one in alert_group(scope).rules if isinstance(one, Alert)
    )
    return Figures(scope=scope, known=known, reads=reads, alerts=alerts)


def chosen_by_reader(known: Figures) -> tuple[Variable, ...]:
    """Return the variables of every dashboard: data source, cluster, group."""
    label = known.cluster_label
    here = f'{label}="$cluster"'
    return (
        Variable(
            name="datasource",
            title="Data source",
            kind="datasource",
            values="prometheus",
        ),
        Variable(
            name="cluster",
            title="Cluster",
            kind="query",
            values=f"label_values({_NODES}, {label})",
            chosen=known.scope.queries.cluster,
        ),
        Variable(
            name="architecture",
            title="Architecture",
            kind="query",
            values=f"label_values({_NODES}{{{here}}}, architecture)",
            several=True,
        ),
        Variable(
            name="group",
            title="Group",
            kind="query",
            values=f"label_values({_NODES}{{{here},{_GROUPED[1]}}}, group)",
            several=True,
        ),
    )


def _exporter(name: str) -> str:
    return f"{name} {SOURCES[name].version}"
