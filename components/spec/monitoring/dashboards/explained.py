"""What explains the first screen of the on-call: load, jobs and scaling over time."""

from collections.abc import Iterator

from ...scaler.duration import seconds
from .figures import Figures
from .panels import Line, from_on, graph, tabled
from .values import Panel

__all__ = ["BY_OWNER", "jobs", "load", "scaling"]

BY_OWNER = "{{group}} {{owner_kind}}"
"""Legend of figures that are told by group and owner."""


def load(known: Figures) -> Iterator[Panel]:
    """Return what nodes have to do, and which of them has too much."""
    yield from _kubelets(known)
    yield from _machines(known)
    yield from _nodes(known)


def _kubelets(known: Figures) -> Iterator[Panel]:
    limits = known.scope.settings.thresholds
    yield from graph(
        known,
        "Kubelet: time to look at all containers, p99",
        [
            Line(name="group:eks_jobs_pleg_relist_seconds:p99", legend="{{group}}"),
            _of_group("node:eks_jobs_pleg_relist_seconds:p99", "slowest node"),
        ],
        levels=from_on(limits.pleg_p99_seconds, urgent=True),
        alerts=("JobNodeKubeletOverloaded",),
    )
    yield from graph(
        known,
        "Pods that the busiest node starts in a minute",
        [Line(name="group:eks_jobs_pods_started:max", legend="{{group}}")],
    )
    yield from graph(
        known,
        "Image pulls, with the wait in the queue",
        [
            Line(
                name="group:eks_jobs_image_pull_seconds:avg1h", legend="{{group}} avg"
            ),
            Line(
                name="group:eks_jobs_image_pull_seconds:p99_1h", legend="{{group}} p99"
            ),
        ],
    )
    yield from graph(
        known,
        "Pulls that do not succeed",
        [
            Line(name="group:eks_jobs_pulls_rejected:sum", legend="{{group}} rejected"),
            _of_group("node:eks_jobs_pulls_waiting:count", "waiting", "sum"),
            _of_group("node:eks_jobs_pull_errors:increase15m", "failed", "sum"),
        ],
        alerts=("JobImagePullsRejected", "JobImagePullsFailing"),
    )


def _machines(known: Figures) -> Iterator[Panel]:
    limits = known.scope.settings.thresholds
    yield from graph(
        known,
        "Root volume of the busiest node",
        [
            _of_group("node:eks_jobs_volume_iops:ratio", "IOPS"),
            _of_group("node:eks_jobs_volume_throughput:ratio", "throughput"),
        ],
        levels=from_on(limits.volume_ratio),
        alerts=("JobNodeVolumeThrottled",),
    )
    yield from graph(
        known,
        "Pods that do not come up, in a quarter of an hour",
        [
            _of_group(f"node:eks_jobs_{what}:increase15m", legend)
            for what, legend in (
                ("addresses_refused", "no address"),
                ("sandbox_errors", "no sandbox"),
                ("container_errors", "no container"),
            )
        ],
        levels=from_on(limits.sandbox_errors),
        alerts=("JobPodAddressesShort",),
        note="Of the worst node. ",
    )


def _nodes(known: Figures) -> Iterator[Panel]:
    limits = known.scope.settings.thresholds
    cells = (
        ("node:eks_jobs_pods:count", "Job pods", ()),
        ("node:eks_jobs_pods_started:rate5m", "Starts a minute", ()),
        (
            "node:eks_jobs_pleg_relist_seconds:p99",
            "Kubelet p99",
            from_on(limits.pleg_p99_seconds, urgent=True),
        ),
        ("node:eks_jobs_volume_iops:ratio", "IOPS", from_on(limits.volume_ratio)),
        (
            "node:eks_jobs_volume_throughput:ratio",
            "Throughput",
            from_on(limits.volume_ratio),
        ),
        (
            "node:eks_jobs_oldest_pod_seconds:max",
            "Oldest job pod",
            from_on(seconds(limits.kept_by_one_pod)),
        ),
        ("node:eks_jobs_node_age_seconds:max", "Age", ()),
    )
    yield from tabled(
        known,
        "Job nodes",
        [
            Line(
                name=name,
                legend=legend,
                around="max by (group, node) ({})",
                levels=levels,
            )
            for name, legend, levels in cells
        ],
        {"group": "Group", "node": "Node"},
    )


def jobs(known: Figures) -> Iterator[Panel]:
    """Return how long jobs wait and run, and what became of them."""
    yield from _times(known)
    yield from graph(
        known,
        "Job pods interrupted, by reason",
        [
            Line(
                name="group_owner:eks_jobs_pods_interrupted:count",
                legend=f"{BY_OWNER} {{{{reason}}}}",
            )
        ],
        levels=from_on(1, urgent=True),
        alerts=("JobInterrupted",),
    )
    yield from graph(
        known,
        "Job pods missed by the policy",
        [
            Line(
                name="namespace_owner:eks_jobs_policy_misses:count",
                legend="{{namespace}} {{owner_kind}}",
            )
        ],
        levels=from_on(1),
        alerts=("JobPolicyNotApplied",),
    )
    yield from graph(
        known,
        "Nodes kept by one job pod",
        [Line(name="group:eks_jobs_nodes_with_one_pod:count", legend="{{group}}")],
        alerts=("JobNodeKeptByOnePod",),
    )
    yield from graph(
        known,
        "Balloons and pods that made room",
        [
            Line(name="group:eks_jobs_balloons:count", legend="{{group}} balloons"),
            Line(
                name="cluster:eks_jobs_preemption_victims:increase1h",
                legend="preempted in an hour",
            ),
        ],
    )


def _times(known: Figures) -> Iterator[Panel]:
    for metric, title in (
        ("node_wait", "Time until a job has a node"),
        ("running", "Time that jobs run"),
    ):
        yield from graph(
            known,
            title,
            [
                Line(
                    name=f"group_owner:eks_jobs_{metric}_seconds:{operation}",
                    legend=f"{BY_OWNER} {operation}",
                )
                for operation in ("avg", "p99", "max")
            ],
        )


def scaling(known: Figures) -> Iterator[Panel]:
    """Return how near groups are to their limits, and what no scaler could do."""
    limits = known.scope.settings.thresholds
    yield from graph(
        known,
        "Nodes as a share of size.max",
        [Line(name="group:eks_jobs_limit:ratio", legend="{{group}}")],
        levels=from_on(limits.limit_ratio),
        alerts=("JobGroupAtItsLimit",),
    )
    yield from graph(
        known,
        "NodePools as a share of their limits",
        [
            Line(
                name="group:eks_jobs_nodepool_limit:ratio",
                legend="{{group}} {{resource_type}}",
            )
        ],
    )
    yield from graph(
        known,
        "Nodes that Karpenter gave up in an hour",
        [
            Line(
                name="group:eks_jobs_nodes_disrupted:increase1h",
                legend="{{group}} {{reason}}",
            )
        ],
        alerts=("JobScaleUpsFailing",),
    )
    yield from graph(
        known,
        "Nodes that Cluster Autoscaler did not get in an hour",
        [
            Line(
                name="cluster:eks_jobs_scale_ups_failed:increase1h",
                legend="{{reason}}",
            )
        ],
        alerts=("JobScaleUpsFailing",),
    )
    yield from graph(
        known,
        "Pods that Cluster Autoscaler evicted in an hour",
        [
            Line(
                name="cluster:eks_jobs_scaler_evictions:increase1h",
                legend="servers included",
            )
        ],
    )


def _of_group(name: str, legend: str, how: str = "max") -> Line:
    """Reduce a figure of nodes to one number a group."""
    return Line(
        name=name,
        legend=f"{{{{group}}}} {legend}",
        around=f"{how} by (group) ({{}})",
    )
