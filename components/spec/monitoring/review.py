"""What is worth knowing before the monitoring of a stack is trusted."""

from collections.abc import Iterator

from ..group_review import Notice
from .manifests import kube_state_metrics_labels
from .settings import Monitoring
from .watched import Watched

__all__ = ["monitoring_notices"]


def monitoring_notices(
    settings: Monitoring | None, watched: Watched
) -> tuple[Notice, ...]:
    """
    List what stays dark, and what others must be told for it to be seen.

    Args:
        settings: What the team said, None without monitoring.
        watched: The cluster and its groups.
    """
    if settings is None:
        return (
            Notice(
                path="monitoring",
                text="none: nobody is told when a job is ended or finds no node",
                severity="info",
            ),
        )
    return tuple(_notices(settings, watched))


def _notices(settings: Monitoring, watched: Watched) -> Iterator[Notice]:
    yield _place_notice(settings)
    if settings.rules or settings.dashboards or not settings.enabled:
        labels = ",".join(kube_state_metrics_labels(watched))
        yield Notice(
            path="monitoring",
            text="kube-state-metrics must run with "
            f"--metric-labels-allowlist={labels}, or every figure is empty",
            severity="info",
        )
    if "auto-mode" in watched.scalers:
        yield Notice(
            path="monitoring",
            text="EKS Auto Mode lets nobody scrape its controllers: why a node did "
            "not come, what was given up and which addresses were refused is not "
            "known; nodes, pods and kubelets are watched all the same",
        )
    if watched.pods.label is None and "JobPolicyNotApplied" not in settings.muted:
        yield Notice(
            path="monitoring",
            text="without a job policy there is no alert JobPolicyNotApplied, and "
            f"jobs are told by their owners ({', '.join(watched.pods.owners)}) and "
            "labels alone",
            severity="info",
        )
    if settings.enabled:
        yield from _scrape_notices(settings, watched)
    if settings.runbook_url is None and (settings.rules or not settings.enabled):
        yield Notice(
            path="monitoring.runbook_url",
            text="none: alerts name the page of their runbook in this project, "
            "docs/runbooks, without an address that can be clicked",
            severity="info",
        )


def _place_notice(settings: Monitoring) -> Notice:
    if settings.enabled:
        text = (
            f"needs the Prometheus operator and the namespace {settings.namespace} in "
            "the cluster, which are not installed here; its objects come last"
        )
        return Notice(path="monitoring", text=text, severity="info")
    return Notice(
        path="monitoring.enabled",
        text="false: nothing is created in the cluster; load the rules and dashboards "
        "that make render writes",
        severity="info",
    )


def _scrape_notices(settings: Monitoring, watched: Watched) -> Iterator[Notice]:
    scrapes = settings.scrapes
    if settings.rules and (scrapes is None or scrapes.scheduler is None):
        yield Notice(
            path="monitoring.scrapes.scheduler",
            text="none: preemptions are not counted unless somebody else scrapes the "
            "scheduler of EKS",
            severity="info",
        )
    if scrapes is not None and scrapes.scaler and set(watched.scalers) == {"auto-mode"}:
        yield Notice(
            path="monitoring.scrapes.scaler",
            text="scaler=true scrapes nothing with EKS Auto Mode",
            severity="info",
        )
