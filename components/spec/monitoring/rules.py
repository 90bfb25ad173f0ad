"""Rules as values, and the text that Prometheus reads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .promql import Queries, lasting
from .settings import CLUSTER_LABEL, Monitoring
from .watched import Watched

__all__ = ["Alert", "Recording", "RuleGroup", "Scope", "Severity"]

Severity = Literal["critical", "warning", "info"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """
    What rules are written for.

    Args:
        settings: What the team said.
        watched: The cluster and its groups.
    """

    settings: Monitoring
    watched: Watched

    @property
    def queries(self) -> Queries:
        """What writes selectors for this cluster."""
        label = self.settings.cluster_label
        return Queries(
            cluster=self.settings.cluster_value or self.watched.cluster,
            label=label or CLUSTER_LABEL,
            shared=label is not None,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """
    A figure that is kept under a name of its own.

    Args:
        name: `level:metric:operation`; the level says which labels it has.
        expr: The expression.
        meaning: What it says, in a line.
        unit: Its unit, as Grafana calls it.
        labels: Labels that are added, beside that of the cluster.
    """

    name: str
    expr: str
    meaning: str
    unit: str
    labels: Mapping[str, str] = field(default_factory=dict)

    def manifest(self, own: Mapping[str, str]) -> dict[str, Any]:
        """Return the rule; *own* is the label of the cluster."""
        return {
            "record": self.name,
            "expr": self.expr,
            "labels": {**own, **self.labels},
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Alert:
    """
    Something that somebody must know.

    Args:
        name: Its name, and that of its runbook.
        expr: When it is so.
        wait: How long it must be so.
        severity: `critical` wakes somebody, `warning` waits for the morning, `info`
            is for the next change of the stack file.
        summary: What is wrong, in a line.
        description: What it leads to, and where to begin.
    """

    name: str
    expr: str
    wait: str
    severity: Severity
    summary: str
    description: str

    def manifest(self, settings: Monitoring, own: Mapping[str, str]) -> dict[str, Any]:
        """Return the rule; *own* is the label of the cluster."""
        return {
            "alert": self.name,
            "expr": self.expr,
            "for": self.wait,
            "labels": {**settings.alert_labels, **own, "severity": self.severity},
            "annotations": {
                "summary": self.summary,
                "description": self.description,
                "runbook_url": settings.runbook(self.name),
            },
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleGroup:
    """
    Rules that are evaluated one after the other.

    Args:
        name: Its name.
        rules: The rules; each sees what those before it recorded.
    """

    name: str
    rules: Sequence[Recording | Alert]

    def manifests(self, scope: Scope, most: int) -> Iterator[dict[str, Any]]:
        """Return it as groups of at most *most* rules."""
        pieces = [self.rules[at : at + most] for at in range(0, len(self.rules), most)]
        for number, rules in enumerate(pieces):
            yield {
                "name": self.name if number == 0 else f"{self.name}-{number + 1}",
                "interval": lasting(scope.settings.interval),
                "rules": [_manifest(rule, scope) for rule in rules],
            }


def _manifest(rule: Recording | Alert, scope: Scope) -> dict[str, Any]:
    own = scope.queries.own
    if isinstance(rule, Alert):
        return rule.manifest(scope.settings, own)
    return rule.manifest(own)
