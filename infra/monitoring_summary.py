"""The part of `summary.md` that describes who is told what about jobs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.spec.monitoring.alerts import alert_group
from components.spec.monitoring.exporters import ToldBy, told_by
from components.spec.monitoring.manifests import kube_state_metrics_labels
from components.spec.monitoring.plan import monitoring_manifests, watched_stack
from components.spec.monitoring.rules import Alert, Scope
from components.spec.monitoring.settings import Monitoring
from components.spec.monitoring.watched import Watched
from infra import scaled_groups
from infra.markdown import pairs, table
from infra.settings import Settings

__all__ = ["monitoring_summary", "watched_by"]


def watched_by(settings: Settings) -> Watched:
    """Return what the rules of a stack are written from."""
    return watched_stack(
        str(settings.cluster.name),
        jobs=settings.jobs,
        scalers=scaled_groups.scalers(settings),
        policy=settings.policy,
        balloons=settings.balloons,
    )


def monitoring_summary(settings: Settings) -> Iterator[list[str]]:
    """
    Describe the monitoring: what is created, who is told, and what others must run.

    Returns:
        Blocks of lines.
    """
    monitoring = settings.monitoring
    yield ["## Monitoring"]
    if monitoring is None:
        yield ["None: no rules, alerts and dashboards."]
        return
    scope = Scope(settings=monitoring, watched=watched_by(settings))
    objects = monitoring_manifests(monitoring, scope.watched)
    yield table(("setting", "value"), _rows(monitoring, scope, objects))
    yield ["kube-state-metrics must be told to show the labels of nodes and pods:"]
    labels = ",".join(kube_state_metrics_labels(scope.watched))
    yield ["```", f"--metric-labels-allowlist={labels}", "```"]
    yield [
        "Figures are empty without their exporter; docs/monitoring.md says what they "
        "mean."
    ]
    yield table(
        ("exporter", "scraped by", "figures"),
        [_told(one, objects) for one in told_by(scope)],
    )
    yield [
        "Rules and dashboards are in `monitoring/` too, for Amazon Managed Prometheus "
        "and every Grafana.",
    ]


def _rows(
    monitoring: Monitoring, scope: Scope, objects: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str]]:
    yield "created in the cluster", _objects(objects)
    if monitoring.enabled:
        yield "namespace, which must exist", monitoring.namespace
        yield "labels of rules and scrapes", pairs(monitoring.labels)
        yield "labels of dashboards", pairs(monitoring.dashboard_labels)
    yield "evaluated every", monitoring.interval
    alerts = [one for one in alert_group(scope).rules if isinstance(one, Alert)]
    for severity in ("critical", "warning", "info"):
        names = [one.name for one in alerts if one.severity == severity]
        yield f"alerts, {severity}", ", ".join(names) or "none"
    yield "muted", ", ".join(monitoring.muted) or "none"
    yield "runbooks", f"`{monitoring.runbook('<alert>')}`"


def _objects(objects: Sequence[Mapping[str, Any]]) -> str:
    named = (f"{one['kind']} `{one['metadata']['name']}`" for one in objects)
    return ", ".join(named) or "nothing"


def _told(one: ToldBy, objects: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    called = f"eks-jobs-{one.exporter.name.removeprefix('kube-')}"
    ours = (
        f"{monitor['kind']} `{called}`"
        for monitor in objects
        if monitor["metadata"]["name"] == called
    )
    exporter = f"{one.exporter.name}, read in {one.exporter.version}"
    return exporter, next(ours, "others"), _figures(one)


def _figures(one: ToldBy) -> str:
    """Name the figures, or those that are left out, whichever are fewer."""
    few = len(one.figures) <= len(one.others)
    named = ", ".join(f"`{name}`" for name in (one.figures if few else one.others))
    if few:
        return named
    return f"all but {named}" if named else "all"
