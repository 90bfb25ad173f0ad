"""
The dashboard of who is on call: is a job in danger, and where.

What must be seen first fits on one screen: numbers that turn to the colour of their
alert, what fires, and the load of the moment. Below it is what explains them.
"""

from collections.abc import Iterator

from ...scaler.duration import seconds
from ..rules import Scope
from .figures import Figures, chosen_by_reader, figures
from .panels import Line, alerts, below, from_on, graph, number, tabled
from .values import Dashboard, Panel, Section

__all__ = ["job_platform"]

_BY_OWNER = "{{group}} {{owner_kind}}"


def job_platform(scope: Scope) -> Dashboard:
    """
    Return the dashboard of who is on call.

    Args:
        scope: The settings and the cluster; what it does not record is left out.
    """
    known = figures(scope)
    sections = (
        Section(title="Now", panels=(*_numbers(known), *_now(known))),
        Section(title="Nodes under load", panels=tuple(_load(known))),
        Section(title="Jobs", panels=tuple(_jobs(known))),
        Section(title="Scaling", panels=tuple(_scaling(known))),
    )
    return Dashboard(
        name="eks-jobs-platform",
        title="Job platform",
        description="Jobs of a cluster and the nodes that they run on.",
        begin="now-6h",
        refresh="1m",
        variables=chosen_by_reader(known),
        sections=tuple(one for one in sections if one.panels),
    )


def _numbers(known: Figures) -> Iterator[Panel]:
    yield from _job_numbers(known)
    yield from _node_numbers(known)


def _job_numbers(known: Figures) -> Iterator[Panel]:
    limits = known.scope.settings.thresholds
    yield from number(
        known,
        "Job pods interrupted",
        [_worst("group_owner:eks_jobs_pods_interrupted:count", "sum", "pods")],
        from_on(1, urgent=True),
        "JobInterrupted",
    )
    yield from number(
        known,
        "Longest wait for a node",
        [_worst("owner:eks_jobs_unschedulable_seconds:max", "max", "wait")],
        from_on(seconds(limits.unschedulable), urgent=True),
        "JobPodsUnschedulable",
    )
    yield from number(
        known,
        "Group nearest its limit",
        [_worst("group:eks_jobs_limit:ratio", "max", "of size.max")],
        from_on(limits.limit_ratio),
        "JobGroupAtItsLimit",
        empty="no data",
    )
    yield from number(
        known,
        "Missed by the job policy",
        [_worst("namespace_owner:eks_jobs_policy_misses:count", "sum", "pods")],
        from_on(1),
        "JobPolicyNotApplied",
    )
    yield from number(
        known,
        "Nodes kept by one pod",
        [_worst("group:eks_jobs_nodes_with_one_pod:count", "sum", "nodes")],
        (),
        "JobNodeKeptByOnePod",
        empty="no data",
    )
    yield from number(
        known,
        "Worst packing",
        [
            Line(
                name="group:eks_jobs_packing:ratio",
                legend="requested",
                around="min(max by (group) ({}))",
            )
        ],
        below(limits.packing_ratio),
        "JobPackingPoor",
        empty="no jobs",
    )


def _node_numbers(known: Figures) -> Iterator[Panel]:
    limits = known.scope.settings.thresholds
    yield from number(
        known,
        "Slowest kubelet, p99",
        [_worst("node:eks_jobs_pleg_relist_seconds:p99", "max", "relist")],
        from_on(limits.pleg_p99_seconds, urgent=True),
        "JobNodeKubeletOverloaded",
        empty="no data",
    )
    yield from number(
        known,
        "Pulls rejected on a node",
        [_worst("node:eks_jobs_pulls_rejected:count", "max", "pods")],
        from_on(limits.rejected_pulls),
        "JobImagePullsRejected",
    )
    yield from number(
        known,
        "Pulls waiting on a node",
        [_worst("node:eks_jobs_pulls_waiting:count", "max", "pods")],
        from_on(1),
        "JobImagePullsFailing",
    )
    yield from number(
        known,
        "Busiest root volume",
        [
            _worst("node:eks_jobs_volume_iops:ratio", "max", "IOPS"),
            _worst("node:eks_jobs_volume_throughput:ratio", "max", "throughput"),
        ],
        from_on(limits.volume_ratio),
        "JobNodeVolumeThrottled",
        empty="no data",
    )
    yield from number(
        known,
        "Addresses refused",
        [_worst("node:eks_jobs_addresses_refused:increase15m", "max", "by the CNI")],
        from_on(1),
        "JobPodAddressesShort",
    )
    yield from number(
        known,
        "Pods without a sandbox",
        [_worst("node:eks_jobs_sandbox_errors:increase15m", "max", "on a node")],
        from_on(limits.sandbox_errors),
        "JobPodAddressesShort",
    )


def _now(known: Figures) -> Iterator[Panel]:
    limits = known.scope.settings.thresholds
    yield from graph(
        known,
        "Nodes",
        [Line(name="group:eks_jobs_nodes:count", legend="{{group}}")],
    )
    yield from graph(
        known,
        "Job pods that run",
        [Line(name="group_owner:eks_jobs_pods_running:count", legend=_BY_OWNER)],
    )
    yield from alerts(known, 8)
    yield from graph(
        known,
        "Time until a job starts",
        [
            Line(
                name=f"group_owner:eks_jobs_pending_seconds:{operation}",
                legend=f"{_BY_OWNER} {operation}",
            )
            for operation in ("avg", "p99")
        ],
    )
    yield from graph(
        known,
        "Job pods without a node",
        [
            Line(
                name="owner:eks_jobs_pods_unschedulable:count",
                legend="{{owner_kind}}",
            ),
            Line(
                name="cluster:eks_jobs_scaler_unschedulable_pods:max",
                legend="as the scaler sees it, servers included",
            ),
        ],
        alerts=("JobPodsUnschedulable",),
    )
    yield from graph(
        known,
        "Packing",
        [Line(name="group:eks_jobs_packing:ratio", legend="{{group}} {{resource}}")],
        levels=below(limits.packing_ratio),
        alerts=("JobPackingPoor",),
    )


def _load(known: Figures) -> Iterator[Panel]:
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
    yield from _nodes(known)


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


def _jobs(known: Figures) -> Iterator[Panel]:
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
                    legend=f"{_BY_OWNER} {operation}",
                )
                for operation in ("avg", "p99", "max")
            ],
        )
    yield from graph(
        known,
        "Job pods interrupted, by reason",
        [
            Line(
                name="group_owner:eks_jobs_pods_interrupted:count",
                legend=f"{_BY_OWNER} {{{{reason}}}}",
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


def _scaling(known: Figures) -> Iterator[Panel]:
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


def _worst(name: str, how: str, legend: str) -> Line:
    """Reduce a figure to one number."""
    return Line(name=name, legend=legend, around=f"{how}({{}})")


def _of_group(name: str, legend: str, how: str = "max") -> Line:
    """Reduce a figure of nodes to one number a group."""
    return Line(
        name=name,
        legend=f"{{{{group}}}} {legend}",
        around=f"{how} by (group) ({{}})",
    )
