"""Every metric that rules and dashboards may use: who exports it, since when."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

__all__ = ["METRICS", "SOURCES", "Metric", "MetricSource", "Stability", "metric_of"]

Stability = Literal["stable", "alpha", "unmarked"]
"""
What the exporter promises; `unmarked` is one that promises nothing about metrics.

An alpha metric may be renamed or dropped by any minor version of its exporter.
"""

SourceName = Literal[
    "kube-state-metrics",
    "kubelet",
    "kube-scheduler",
    "node-exporter",
    "vpc-cni",
    "karpenter",
    "cluster-autoscaler",
]

_PARTS = ("_bucket", "_count", "_sum")


@dataclass(frozen=True, kw_only=True, slots=True)
class MetricSource:
    """
    An exporter.

    Args:
        name: Its name.
        version: Version whose metrics were read.
        scraped_by: Who has it scraped.
    """

    name: SourceName
    version: str
    scraped_by: str


SOURCES: Mapping[str, MetricSource] = MappingProxyType(
    {
        one.name: one
        for one in (
            MetricSource(
                name="kube-state-metrics",
                version="2.20",
                scraped_by="kube-prometheus, with our labels allowed",
            ),
            MetricSource(
                name="kubelet", version="1.37.2", scraped_by="kube-prometheus"
            ),
            MetricSource(
                name="kube-scheduler",
                version="1.37.2",
                scraped_by="our ServiceMonitor, once scrapes.scheduler names who asks",
            ),
            MetricSource(
                name="node-exporter", version="1.12.1", scraped_by="kube-prometheus"
            ),
            MetricSource(name="vpc-cni", version="1.23.2", scraped_by="our PodMonitor"),
            MetricSource(
                name="karpenter", version="1.15.0", scraped_by="our ServiceMonitor"
            ),
            MetricSource(
                name="cluster-autoscaler",
                version="1.36",
                scraped_by="our ServiceMonitor",
            ),
        )
    }
)
"""
Exporters by name.

Sources: kube-state-metrics, docs/metrics and CHANGELOG. Kubernetes,
pkg/kubelet/metrics/metrics.go and pkg/scheduler/metrics/metrics.go. node_exporter,
collector/diskstats_common.go and uname.go. amazon-vpc-cni-k8s,
utils/prometheusmetrics. Karpenter, pkg/metrics and pkg/controllers/metrics. Cluster
Autoscaler, metrics/metrics.go.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """
    A metric.

    Args:
        name: Its name; a histogram without `_bucket`, `_count` and `_sum`.
        source: Its exporter.
        stability: What the exporter promises.
        labels: Labels that rules read, without those of the scrape.
        histogram: Whether its series have the three endings.
        since: First version of the exporter that has it, None for long ago.
    """

    name: str
    source: SourceName
    stability: Stability
    labels: tuple[str, ...] = ()
    histogram: bool = False
    since: str | None = None


def _state(
    name: str,
    *labels: str,
    stability: Stability = "stable",
    since: str | None = None,
) -> Metric:
    return Metric(
        name=name,
        source="kube-state-metrics",
        stability=stability,
        labels=labels,
        since=since,
    )


def _pod(name: str, *labels: str, stability: Stability = "stable") -> Metric:
    return _state(name, "namespace", "pod", "uid", *labels, stability=stability)


def _kubelet(
    name: str, *labels: str, histogram: bool = False, since: str | None = None
) -> Metric:
    return Metric(
        name=name,
        source="kubelet",
        stability="alpha",
        labels=("instance", *labels),
        histogram=histogram,
        since=since,
    )


def _disk(name: str) -> Metric:
    return Metric(
        name=name,
        source="node-exporter",
        stability="unmarked",
        labels=("instance", "device"),
    )


def _karpenter(name: str, *labels: str, stability: Stability = "stable") -> Metric:
    return Metric(name=name, source="karpenter", stability=stability, labels=labels)


def _autoscaler(name: str, *labels: str) -> Metric:
    return Metric(
        name=name, source="cluster-autoscaler", stability="alpha", labels=labels
    )


METRICS: tuple[Metric, ...] = (
    _state("kube_node_labels", "node"),
    _state("kube_node_created", "node"),
    _state("kube_node_spec_taint", "node", "key"),
    _state("kube_node_status_allocatable", "node", "resource"),
    _pod("kube_pod_info", "node", "priority_class"),
    _pod("kube_pod_labels"),
    _pod("kube_pod_owner", "owner_kind", "owner_is_controller"),
    _pod("kube_pod_created"),
    _pod("kube_pod_deletion_timestamp", stability="alpha"),
    _pod("kube_pod_start_time"),
    _pod("kube_pod_completion_time"),
    _pod("kube_pod_status_phase", "phase"),
    _pod("kube_pod_status_scheduled_time"),
    _pod("kube_pod_status_unschedulable"),
    _pod("kube_pod_status_reason", "reason", stability="alpha"),
    _state(
        "kube_pod_status_disruption_reason",
        *("namespace", "pod", "uid", "reason"),
        stability="alpha",
        since="2.20",
    ),
    _pod("kube_pod_container_state_started", "container"),
    _pod("kube_pod_container_status_restarts_total", "container"),
    _pod("kube_pod_container_status_waiting_reason", "container", "reason"),
    _pod(
        "kube_pod_init_container_status_waiting_reason",
        *("container", "reason"),
        stability="alpha",
    ),
    _pod(
        "kube_pod_container_resource_requests",
        *("container", "node", "resource"),
    ),
    _kubelet("kubelet_node_name", "node"),
    _kubelet("kubelet_pleg_relist_duration_seconds", histogram=True),
    _kubelet("kubelet_started_pods_total"),
    _kubelet(
        "kubelet_image_pull_duration_seconds",
        "image_size_in_bytes",
        histogram=True,
        since="1.30",
    ),
    _kubelet("kubelet_runtime_operations_errors_total", "operation_type"),
    _kubelet("kubelet_run_podsandbox_errors_total", "runtime_handler"),
    Metric(
        name="scheduler_preemption_victims",
        source="kube-scheduler",
        stability="stable",
        histogram=True,
    ),
    Metric(
        name="node_uname_info",
        source="node-exporter",
        stability="unmarked",
        labels=("instance", "nodename"),
    ),
    _disk("node_disk_reads_completed_total"),
    _disk("node_disk_writes_completed_total"),
    _disk("node_disk_read_bytes_total"),
    _disk("node_disk_written_bytes_total"),
    Metric(
        name="awscni_no_available_ip_addresses",
        source="vpc-cni",
        stability="unmarked",
        labels=("node",),
    ),
    _karpenter("karpenter_nodepools_usage", "nodepool", "resource_type"),
    _karpenter("karpenter_nodepools_limit", "nodepool", "resource_type"),
    _karpenter(
        "karpenter_nodeclaims_disrupted_total", "nodepool", "reason", stability="alpha"
    ),
    _karpenter("karpenter_scheduler_unschedulable_pods_count", stability="alpha"),
    _autoscaler("cluster_autoscaler_evicted_pods_total", "eviction_result"),
    _autoscaler("cluster_autoscaler_failed_scale_ups_total", "reason"),
    _autoscaler("cluster_autoscaler_unschedulable_pods_count"),
)
"""
All metrics, by exporter.

Sources: see `SOURCES`. What kube-state-metrics calls experimental is alpha here, and
what Karpenter calls GA is stable. Cluster Autoscaler marks none of its metrics, which
Kubernetes counts as alpha. `eviction_result` is missing in older Cluster Autoscalers.
"""

_BY_NAME = {
    f"{one.name}{part}": one
    for one in METRICS
    for part in (_PARTS if one.histogram else ("",))
}


def metric_of(name: str) -> Metric:
    """
    Return what is known about a series name.

    Raises:
        KeyError: No rule may use it.
    """
    return _BY_NAME[name]
