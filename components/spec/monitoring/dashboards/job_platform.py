"""
The dashboard of who is on call: is a job in danger, and where.

What must be seen first fits on one screen: numbers that turn to the colour of their
alert, what fires, and the load of the moment. Below it is what explains them.
"""

from collections.abc import Iterator

from ...scaler.duration import seconds
from ..rules import Scope
from .explained import BY_OWNER, jobs, load, scaling
from .figures import Figures, chosen_by_reader, figures
from .panels import Line, alerts, below, from_on, graph, number
from .values import Dashboard, Panel, Section

__all__ = ["job_platform"]


def job_platform(scope: Scope) -> Dashboard:
    """
    Return the dashboard of who is on call.

    Args:
        scope: The settings and the cluster; what it does not record is left out.
    """
    known = figures(scope)
    sections = (
        Section(title="Now", panels=(*_numbers(known), *_now(known))),
        Section(title="Nodes under load", panels=tuple(load(known))),
        Section(title="Jobs", panels=tuple(jobs(known))),
        Section(title="Scaling", panels=tuple(scaling(known))),
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
        [Line(name="group_owner:eks_jobs_pods_running:count", legend=BY_OWNER)],
    )
    yield from alerts(known, 8)
    yield from graph(
        known,
        "Time until a job starts",
        [
            Line(
                name=f"group_owner:eks_jobs_pending_seconds:{operation}",
                legend=f"{BY_OWNER} {operation}",
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


def _worst(name: str, how: str, legend: str) -> Line:
    """Reduce a figure to one number."""
    return Line(name=name, legend=legend, around=f"{how}({{}})")
