"""What a team says about the monitoring of its jobs."""

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ..labels import label_problems
from ..policy.checks import idle_problems, namespace_problems
from ..problems import choices, refuse
from ..scaler.duration import duration_problems, seconds
from .metrics import METRICS
from .thresholds import ALERTS, Thresholds

__all__ = ["CLUSTER_LABEL", "Monitoring", "PrometheusAccount", "Scrapes"]

CLUSTER_LABEL = "cluster"
"""Label of the cluster on everything that is recorded, unless a team names another."""

_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_DEVICE = re.compile(r"[a-z][a-z0-9]*")
_RUNBOOKS = "docs/runbooks"
# Rules read each other's samples, which Prometheus forgets after 5 minutes: one
# evaluation may be lost.
_LONGEST = 120
# Labels that rules read or write: one value for all of them would make one series of
# several, and Prometheus then refuses to evaluate the rule.
_TAKEN = frozenset(
    ("alertname", "architecture", "group", "le", "missing", "severity")
).union(*(one.labels for one in METRICS))


@dataclass(frozen=True, kw_only=True, slots=True)
class PrometheusAccount:
    """
    Who asks EKS for the metrics of its scheduler.

    Args:
        namespace: Namespace of the service account of Prometheus.
        name: Its name.

    Raises:
        ValueError: Kubernetes would refuse one of them.

    Sources:
        The names: chart kube-prometheus-stack, installed under its own name.
    """

    namespace: str = "monitoring"
    name: str = "kube-prometheus-stack-prometheus"

    def __post_init__(self) -> None:
        refuse(
            [
                *namespace_problems("namespace", (self.namespace,)),
                *_account_problems(self.name),
            ]
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Scrapes:
    """
    What the Prometheus operator is told to scrape, beside what it has already.

    Args:
        scaler: Karpenter or Cluster Autoscaler.
        vpc_cni: The VPC CNI on every node, for addresses that were refused.
        scheduler: Who may read the metrics of the scheduler that EKS runs; it gets a
            ClusterRole for that. None leaves preemptions uncounted.

    Raises:
        ValueError: Nothing is scraped.

    Sources:
        EKS user guide, control plane metrics: Kubernetes 1.28 and newer.
    """

    scaler: bool = True
    vpc_cni: bool = True
    scheduler: PrometheusAccount | None = None

    def __post_init__(self) -> None:
        if not (self.scaler or self.vpc_cni or self.scheduler):
            raise ValueError(
                "scaler, vpc_cni or scheduler must be set, got none: leave scrapes out"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class Monitoring:
    """
    Rules, scrapes and dashboards for clusters with the Prometheus operator.

    The operator must be there, with its definitions, before them: it is not installed
    here. For everybody else `make render` writes rules and dashboards as plain files.

    Args:
        enabled: Whether anything is created in the cluster. false is for clusters
            without the operator: only the files are written.
        rules: Whether the recording rules and alerts are created.
        scrapes: What is scraped beside what kube-prometheus scrapes. None: nothing.
        dashboards: Whether the dashboards are created.
        namespace: Where all of it is created; it must exist.
        labels: Labels of rules and scrapes, by which the operator finds them.
        dashboard_labels: Labels of dashboards, by which Grafana's sidecar does.
        interval: How often rules are evaluated, 1s to 2m. Amazon Managed Prometheus
            wants 30s at least (unconfirmed).
        cluster_label: Label that a Prometheus of several clusters tells them apart
            by; every rule then asks for it. None: it holds this cluster only.
        cluster_value: Its value for this cluster. None: the cluster's name.
        runbook_url: Address of the folder of the runbooks, to which alerts link.
        thresholds: From when on alerts fire.
        muted: Alerts that are left out, by name.
        alert_labels: Labels of every alert, for its way through Alertmanager.
        volume_device: Root volume on the nodes, as node_exporter calls it.

    Raises:
        ValueError: Something in here would be refused, or would do nothing. All
            problems are named, one a line.

    Sources:
        release: chart kube-prometheus-stack, installed under its own name, selects
        its own release. grafana_dashboard: the sidecar of Grafana's chart. 1m:
        default of Prometheus and of Amazon Managed Prometheus. nvme0n1: EC2 user
        guide, the root volume of Nitro instances.
    """

    enabled: bool = True
    rules: bool = True
    scrapes: Scrapes | None = field(default_factory=Scrapes)
    dashboards: bool = True
    namespace: str = "monitoring"
    labels: Mapping[str, str] = field(
        default_factory=lambda: {"release": "kube-prometheus-stack"}
    )
    dashboard_labels: Mapping[str, str] = field(
        default_factory=lambda: {"grafana_dashboard": "1"}
    )
    interval: str = "1m"
    cluster_label: str | None = None
    cluster_value: str | None = None
    runbook_url: str | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)
    muted: tuple[str, ...] = ()
    alert_labels: Mapping[str, str] = field(default_factory=dict)
    volume_device: str = "nvme0n1"

    def __post_init__(self) -> None:
        refuse(self._problems())

    def runbook(self, alert: str) -> str:
        """Return the address of the runbook of an alert, or its path in the project."""
        return f"{(self.runbook_url or _RUNBOOKS).rstrip('/')}/{alert}.md"

    def _problems(self) -> Iterator[str]:
        if not (self.rules or self.scrapes or self.dashboards):
            yield (
                "rules, scrapes or dashboards must be set, got none: leave monitoring "
                "out"
            )
        yield from namespace_problems("namespace", (self.namespace,))
        yield from label_problems("labels", self.labels)
        yield from label_problems("dashboard_labels", self.dashboard_labels)
        yield from _interval_problems(self.interval)
        yield from self._cluster_problems()
        yield from _address_problems(self.runbook_url)
        yield from choices("muted", self.muted, ALERTS)
        yield from _alert_label_problems(
            self.alert_labels, _TAKEN | {self.cluster_label or CLUSTER_LABEL}
        )
        if not _DEVICE.fullmatch(self.volume_device):
            yield (
                "volume_device must be a device without /dev/, such as nvme0n1, "
                f"got volume_device={self.volume_device}"
            )

    def _cluster_problems(self) -> Iterator[str]:
        label, value = self.cluster_label, self.cluster_value
        if label is None:
            yield from idle_problems(self, ("cluster_value",), "cluster_label")
        elif label in _TAKEN or not _LABEL.fullmatch(label):
            yield (
                "cluster_label must be a label of Prometheus that no rule uses, such "
                f"as cluster, got cluster_label={label}"
            )
        if value is not None and (not value or set(value) & set('"\\\n{}')):
            yield (
                "cluster_value must be text without quotes, braces and backslashes, "
                f"got cluster_value={value!r}"
            )


def _interval_problems(interval: str) -> Iterator[str]:
    problems = duration_problems("interval", interval)
    if not problems and seconds(interval) > _LONGEST:
        problems = [f"interval must be 1s to 2m, got interval={interval}"]
    yield from problems


def _account_problems(name: str) -> Iterator[str]:
    if not re.fullmatch(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?", name):
        yield f"name must be that of a service account, got name={name}"


def _address_problems(address: str | None) -> Iterator[str]:
    if address is None:
        return
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        yield (
            "runbook_url must begin with https:// or http://, "
            f"got runbook_url={address}"
        )


def _alert_label_problems(labels: Mapping[str, str], taken: Set[str]) -> Iterator[str]:
    for key, value in labels.items():
        if key in taken or not isinstance(key, str) or not _LABEL.fullmatch(key):
            yield (
                "key of alert_labels must be a label of Prometheus that no rule uses, "
                f"such as team, got {key}"
            )
        if not isinstance(value, str):
            yield f"alert_labels[{key}] must be text, got {value!r}: put it in quotes"
        elif "{{" in value:
            yield f"alert_labels[{key}] must be plain text, got {value}"
