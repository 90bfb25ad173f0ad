"""What every recording rule says of made-up series, and what it does not say."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from components.spec.policy.matchers import SERVER_OWNERS
from tests.cluster.rule_series import (
    BALLOONS,
    MINUTES,
    Labels,
    Series,
    histogram,
    job_group,
    node,
    pod,
    series,
    taint,
)

__all__ = ["CASES", "EVERY", "OTHER", "Case", "kubelet", "pulls"]

Sample = tuple[Labels, float]

EVERY = ("karpenter", "cluster-autoscaler", "auto-mode")
OTHER = {"cluster": "prod", "group": "job-arm", "architecture": "arm64"}
NOBODY = [(job_group(), 0.0), (OTHER, 0.0)]
CLUSTER = {"cluster": "prod"}
_MIB = 1_048_576


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A cluster at a minute.

    Args:
        name: What is told.
        told: The series of exporters.
        minute: When the rules are read.
        recorded: All samples of rules, by their names.
        scalers: Kinds of scalers with which it is so.
    """

    name: str
    told: Sequence[Series]
    recorded: Mapping[str, Sequence[Sample]]
    minute: int = 90
    scalers: Sequence[str] = ("karpenter",)


def kubelet(name: str, minute_by_minute: int | str, on: str, **labels: str) -> Series:
    """Return a counter of a kubelet; a number is its growth in a minute."""
    text = minute_by_minute
    values = text if isinstance(text, str) else f"0+{text}x{MINUTES}"
    return series(f"kubelet_{name}", values, instance=f"{on}:10250", **labels)


def pulls(reason: str, *names: str, init: bool = False) -> Iterator[Series]:
    """Return pods that wait for their image."""
    part = "init_container" if init else "container"
    for name in names:
        yield from pod(name, phase="Pending")
        key = {"namespace": "team", "pod": name, "uid": name, "container": "main"}
        yield series(f"kube_pod_{part}_status_waiting_reason", 1, reason=reason, **key)


def _grows(name: str, by: int, **labels: str) -> Series:
    return series(name, f"0+{by}x{MINUTES}", **labels)


def _without(name: str, told: Iterable[Series]) -> list[Series]:
    return [one for one in told if not one["series"].startswith(name)]


def _pod_metric(name: str, of: str, value: float | str = 1, **labels: str) -> Series:
    return series(name, value, namespace="team", pod=of, uid=of, **labels)


def _requests(
    of: str, on: str, cpu: str, memory: int, main: str = "main"
) -> Iterator[Series]:
    key = {"container": main, "node": on}
    name = "kube_pod_container_resource_requests"
    yield _pod_metric(name, of, f"{cpu}x{MINUTES}", resource="cpu", **key)
    yield _pod_metric(name, of, memory, resource="memory", **key)


def _job(name: str, owner: str = "Job") -> Labels:
    key = {"namespace": "team", "pod": name, "uid": name}
    return {**CLUSTER, **key, "owner_kind": owner}


def _place(name: str, on: str = "job-1", owner: str = "Job") -> Labels:
    return job_group(**{**_job(name, owner), "node": on})


def _owned(owner: str = "Job", **labels: str) -> Labels:
    return job_group(owner_kind=owner, **labels)


def _on(name: str) -> Labels:
    return job_group(node=name)


def _three(
    metric: str, average: float, p99: float, most: float
) -> dict[str, list[Sample]]:
    name = f"group_owner:eks_jobs_{metric}_seconds"
    values = {"avg": average, "p99": p99, "max": most}
    return {f"{name}:{key}": [(_owned(), value)] for key, value in values.items()}


_NODES = [
    Case(
        name="an empty cluster counts nothing, and divides nothing by nothing",
        told=[],
        scalers=EVERY,
        recorded={
            "group:eks_jobs_nodes:count": NOBODY,
            "group:eks_jobs_limit:ratio": NOBODY,
            "group:eks_jobs_nodes:avg1d": NOBODY,
            "group:eks_jobs_nodes_with_one_pod:count": NOBODY,
            "group:eks_jobs_balloons:count": NOBODY,
            "group:eks_jobs_balloon_hours:sum1d": NOBODY,
            "group:eks_jobs_pulls_rejected:sum": NOBODY,
            "group:eks_jobs_pods_started:max": NOBODY,
        },
    ),
    Case(
        name="nodes are counted by group, and those of servers are not",
        told=[
            *node("job-1"),
            *node("job-2", created=1_800),
            *node("arm", "job-arm"),
            *node("server", "server"),
        ],
        scalers=EVERY,
        recorded={
            "node:eks_jobs_group:info": [
                (_on("job-1"), 1),
                (_on("job-2"), 1),
                ({**OTHER, "node": "arm"}, 1),
            ],
            "group:eks_jobs_nodes:count": [(job_group(), 2), (OTHER, 1)],
            "group:eks_jobs_nodes:avg1d": [(job_group(), 2), (OTHER, 1)],
            "group:eks_jobs_limit:ratio": [(job_group(), 0.04), (OTHER, 0.02)],
            "node:eks_jobs_node_age_seconds:max": [
                (_on("job-1"), 5_400),
                (_on("job-2"), 3_600),
                ({**OTHER, "node": "arm"}, 5_400),
            ],
        },
    ),
    Case(
        name="the average of a day counts the time without nodes",
        told=[*node("job-1", values="1x44 stale")],
        minute=89,
        recorded={
            "group:eks_jobs_nodes:count": NOBODY,
            "group:eks_jobs_nodes:avg1d": [(job_group(), 0.5), (OTHER, 0)],
        },
    ),
    Case(
        name="the root volume is measured by what the stack file gave it",
        told=[
            *node("job-1"),
            *(
                _grows(
                    f"node_disk_{what}_total",
                    60 * rate,
                    instance="job-1:9100",
                    device=device,
                )
                for device in ("nvme0n1", "nvme1n1")
                for what, rate in (
                    ("reads_completed", 4_000),
                    ("writes_completed", 2_000),
                    ("read_bytes", 100 * _MIB),
                    ("written_bytes", 300 * _MIB),
                )
            ),
        ],
        recorded={
            "node:eks_jobs_volume_iops:ratio": [(_on("job-1"), 0.75)],
            "node:eks_jobs_volume_throughput:ratio": [(_on("job-1"), 0.5)],
        },
    ),
]

_PODS = [
    Case(
        name="a job is told by its owner, its label, or that of its producer",
        told=[
            *node("job-1"),
            *pod("by-label", owner=None),
            *pod("by-owner", owner="Workflow", labels={}),
            *pod("by-producer", owner=None, labels={"label_dagster_run_id": "1"}),
            *pod("done", phase="Succeeded"),
            *pod("waiting", None, phase="Pending"),
            *pod("elsewhere", "server"),
            *pod("agent", owner="DaemonSet", labels={}),
            # No label makes a server a job, neither that of a producer nor our own.
            *pod("web", owner="ReplicaSet", labels={"label_dagster_run_id": "1"}),
            *pod("static", owner="Node"),
        ],
        recorded={
            "pod:eks_jobs_job:info": [
                (_job("by-label", "none"), 1),
                (_job("by-owner", "Workflow"), 1),
                (_job("by-producer", "none"), 1),
                (_job("done"), 1),
                (_job("waiting"), 1),
                (_job("elsewhere"), 1),
            ],
            "pod:eks_jobs_place:info": [
                (_place("by-label", owner="none"), 1),
                (_place("by-owner", owner="Workflow"), 1),
                (_place("by-producer", owner="none"), 1),
                (_place("done"), 1),
            ],
            "group_owner:eks_jobs_pods_running:count": [
                (_owned("none"), 2),
                (_owned("Workflow"), 1),
            ],
        },
    ),
    Case(
        name="each pod that started lately counts once, restarts and old ones not",
        told=[
            *node("job-1"),
            *pod("fast", created=5_000, scheduled_time=5_002, started=5_010),
            *pod("slow", created=5_000, scheduled_time=5_060, started=5_100),
            *pod("old", created=10, scheduled_time=20, started=30),
            *pod("again", created=5_000, started=5_300),
            _pod_metric("kube_pod_container_status_restarts_total", "again"),
            *pod("broken", created=5_000, started=-62_135_596_800),
        ],
        recorded={
            "pod:eks_jobs_pending_seconds:recent": [
                (_place("fast"), 10),
                (_place("slow"), 100),
            ],
            **_three("pending", 55, 99.1, 100),
            "pod:eks_jobs_node_wait_seconds:recent": [
                (_place("fast"), 2),
                (_place("slow"), 60),
            ],
            **_three("node_wait", 31, 59.42, 60),
        },
    ),
    Case(
        name="each pod that ended lately counts once",
        told=[
            *node("job-1"),
            *pod("long", phase="Succeeded", start_time=1_000, completion_time=4_000),
            *pod("short", phase="Failed", start_time=4_000, completion_time=5_000),
            *pod("old", phase="Succeeded", start_time=10, completion_time=1_000),
            *pod("runs", start_time=10),
        ],
        recorded={
            "pod:eks_jobs_running_seconds:recent": [
                (_place("long"), 3_000),
                (_place("short"), 1_000),
            ],
            **_three("running", 2_000, 2_980, 3_000),
        },
    ),
    Case(
        name="a job pod that finds no node is counted with its age",
        told=[
            *pod("waits", None, phase="Pending", created=4_500),
            _pod_metric("kube_pod_status_unschedulable", "waits"),
            *pod("web", None, owner="ReplicaSet", labels={}, phase="Pending"),
            _pod_metric("kube_pod_status_unschedulable", "web"),
        ],
        recorded={
            "owner:eks_jobs_pods_unschedulable:count": [
                ({**CLUSTER, "owner_kind": "Job"}, 1)
            ],
            "owner:eks_jobs_unschedulable_seconds:max": [
                ({**CLUSTER, "owner_kind": "Job"}, 900)
            ],
        },
    ),
    Case(
        name="H096: a gate is no wait, and a wait begins when the gate is gone",
        told=[
            *pod("gated", None, phase="Pending", created=0),
            _pod_metric("kube_pod_status_unschedulable", "gated"),
            _pod_metric("kube_pod_status_reason", "gated", reason="SchedulingGated"),
            *pod("freed", None, phase="Pending", created=0),
            _pod_metric("kube_pod_status_unschedulable", "freed"),
            _pod_metric(
                "kube_pod_status_reason",
                "freed",
                "1x79 stale",
                reason="SchedulingGated",
            ),
            *pod("fresh", None, phase="Pending", created=5_340, owner="Workflow"),
            _pod_metric("kube_pod_status_unschedulable", "fresh"),
        ],
        recorded={
            "pod:eks_jobs_gated:info": [(_job("gated"), 1)],
            "owner:eks_jobs_pods_unschedulable:count": [
                ({**CLUSTER, "owner_kind": "Job"}, 1),
                ({**CLUSTER, "owner_kind": "Workflow"}, 1),
            ],
            "owner:eks_jobs_unschedulable_seconds:max": [
                # Last seen with its gate at 79 minutes.
                ({**CLUSTER, "owner_kind": "Job"}, 660),
                ({**CLUSTER, "owner_kind": "Workflow"}, 60),
            ],
        },
        scalers=EVERY,
    ),
    Case(
        name="an ended job counts once, and its node may be gone already",
        told=[
            *node("job-1"),
            *pod("evicted", phase="Failed"),
            _pod_metric(
                "kube_pod_status_disruption_reason",
                "evicted",
                reason="EvictionByEvictionAPI",
            ),
            _pod_metric("kube_pod_status_reason", "evicted", reason="Evicted"),
            *node("job-2", values="1x80 stale"),
            *pod("lost", "job-2", phase="Failed"),
            _pod_metric("kube_pod_status_reason", "lost", reason="NodeLost"),
            _pod_metric("kube_pod_status_reason", "lost", 0, reason="Evicted"),
            *pod("well"),
            _pod_metric("kube_pod_status_reason", "well", 0, reason="Evicted"),
            *pod("web", owner="ReplicaSet", labels={}),
            _pod_metric("kube_pod_status_reason", "web", reason="Evicted"),
        ],
        recorded={
            "pod:eks_jobs_interrupted:info": [
                ({**_place("evicted"), "reason": "EvictionByEvictionAPI"}, 1),
                ({**_place("lost", "job-2"), "reason": "NodeLost"}, 1),
            ],
            "group_owner:eks_jobs_pods_interrupted:count": [
                (_owned(reason="EvictionByEvictionAPI"), 1),
                (_owned(reason="NodeLost"), 1),
            ],
            "group:eks_jobs_nodes:count": [(job_group(), 1), (OTHER, 0)],
        },
        scalers=EVERY,
    ),
    Case(
        name="H095: a job that runs is deleted while its node is taken away",
        told=[
            *node("job-1"),
            taint("job-1", "karpenter.sh/disrupted"),
            *pod("ended"),
            _pod_metric("kube_pod_deletion_timestamp", "ended", 5_430),
            # Exporters may tell reasons that are not there, with 0.
            _pod_metric(
                "kube_pod_status_disruption_reason",
                "ended",
                0,
                reason="EvictionByEvictionAPI",
            ),
            # Told in one scrape, and gone when the rules are read.
            *pod("gone", values="1x89 stale"),
            _pod_metric("kube_pod_deletion_timestamp", "gone", "_x89 5370 stale"),
            *pod("evicted"),
            _pod_metric("kube_pod_deletion_timestamp", "evicted", 5_430),
            _pod_metric(
                "kube_pod_status_disruption_reason",
                "evicted",
                reason="EvictionByEvictionAPI",
            ),
            *pod("evicted-and-gone", values="1x89 stale"),
            _pod_metric(
                "kube_pod_deletion_timestamp", "evicted-and-gone", "_x89 5370 stale"
            ),
            _pod_metric(
                "kube_pod_status_disruption_reason",
                "evicted-and-gone",
                "_x89 1 stale",
                reason="EvictionByEvictionAPI",
            ),
            *pod("done", phase="Succeeded"),
            _pod_metric("kube_pod_deletion_timestamp", "done", 5_430),
            *pod("stays"),
            *pod("web", owner="ReplicaSet", labels={}),
            _pod_metric("kube_pod_deletion_timestamp", "web", 5_430),
            *node("job-2"),
            taint("job-2", "node.kubernetes.io/unschedulable"),
            *pod("by-hand", "job-2"),
            _pod_metric("kube_pod_deletion_timestamp", "by-hand", 5_430),
        ],
        recorded={
            "pod:eks_jobs_interrupted:info": [
                ({**_place("ended"), "reason": "EndOfDrain"}, 1),
                ({**_place("gone"), "reason": "EndOfDrain"}, 1),
                ({**_place("evicted"), "reason": "EvictionByEvictionAPI"}, 1),
            ],
            "group_owner:eks_jobs_pods_interrupted:count": [
                (_owned(reason="EndOfDrain"), 2),
                (_owned(reason="EvictionByEvictionAPI"), 1),
            ],
        },
        scalers=("karpenter", "auto-mode"),
    ),
    Case(
        name="a job without the label was missed, one with another value was not",
        told=[
            *pod("missed", labels={}),
            *pod("produced", owner=None, labels={"label_dagster_run_id": "1"}),
            *pod("own-value", labels={"label_eks_jobs_workload": "mine"}),
            *pod("ended", labels={}, phase="Succeeded"),
            *pod("left-out", labels={}, space="kube-system"),
            *pod("web", owner="ReplicaSet", labels={}),
            *(
                one
                for kind, _ in SERVER_OWNERS
                for one in pod(kind, owner=kind, labels={"label_dagster_run_id": "1"})
            ),
        ],
        recorded={
            "namespace_owner:eks_jobs_policy_misses:count": [
                ({**CLUSTER, "namespace": "team", "owner_kind": "Job"}, 1),
                ({**CLUSTER, "namespace": "team", "owner_kind": "none"}, 1),
            ],
        },
    ),
    Case(
        name="nobody was missed where labels of pods are not told",
        told=[
            one
            for one in pod("a", labels={})
            if not one["series"].startswith("kube_pod_labels")
        ],
        recorded={"namespace_owner:eks_jobs_policy_misses:count": []},
    ),
]

_PACKING = [
    Case(
        name="only nodes with jobs count, and only pods that have not ended",
        told=[
            *node("job-1"),
            *node("job-2"),
            *pod("a", start_time=1_800),
            *_requests("a", "job-1", "4", 8_000_000_000),
            *pod("b", start_time=3_600),
            *_requests("b", "job-1", "1.5", 4_000_000_000),
            *_requests("b", "job-1", "1.5", 4_000_000_000, "side"),
            *pod("done", phase="Succeeded", start_time=60),
            *_requests("done", "job-1", "9", 9_000_000_000),
            *pod("agent", owner="DaemonSet", labels={}),
            *_requests("agent", "job-1", "1", 0),
            *pod("agent-2", "job-2", owner="DaemonSet", labels={}),
            *_requests("agent-2", "job-2", "1", 0),
        ],
        recorded={
            "node:eks_jobs_pods:count": [(_on("job-1"), 2)],
            "node:eks_jobs_oldest_pod_seconds:max": [(_on("job-1"), 3_600)],
            "group:eks_jobs_nodes_with_one_pod:count": NOBODY,
            "group:eks_jobs_packing:ratio": [
                (job_group(resource="cpu"), 0.5),
                (job_group(resource="memory"), 0.25),
                (job_group(resource="pods"), 0.05),
            ],
        },
    ),
    Case(
        name="jobs without requests are packed by their number",
        told=[*node("job-1"), *pod("alone", start_time=0)],
        recorded={
            "node:eks_jobs_pods:count": [(_on("job-1"), 1)],
            "group:eks_jobs_nodes_with_one_pod:count": [(job_group(), 1), (OTHER, 0)],
            "group:eks_jobs_packing:ratio": [
                (job_group(resource="cpu"), 0),
                (job_group(resource="memory"), 0),
                (job_group(resource="pods"), 1 / 60),
            ],
        },
    ),
    Case(
        name="balloons are counted by their class, and are no jobs",
        told=[
            *node("job-1"),
            *pod("air", owner="ReplicaSet", labels={}, priority=BALLOONS),
            *pod(
                "waits",
                None,
                owner="ReplicaSet",
                labels={},
                phase="Pending",
                priority=BALLOONS,
            ),
            _grows("scheduler_preemption_victims_sum", 1, instance="control-plane"),
        ],
        minute=119,
        recorded={
            "group:eks_jobs_balloons:count": [(job_group(), 1), (OTHER, 0)],
            "group:eks_jobs_balloon_hours:sum1d": [(job_group(), 2), (OTHER, 0)],
            "cluster:eks_jobs_preemption_victims:increase1h": [(CLUSTER, 60)],
            "pod:eks_jobs_job:info": [],
        },
    ),
]

_RELIST = "kubelet_pleg_relist_duration_seconds"
_PULL = "kubelet_image_pull_duration_seconds"

_KUBELETS = [
    Case(
        name="a slow kubelet is told from one that told nothing yet",
        told=[
            *node("job-1"),
            *node("job-2"),
            *histogram(
                _RELIST,
                (("1", 0), ("2.5", 60), ("+Inf", 60)),
                100,
                instance="job-1:10250",
            ),
            *histogram(
                _RELIST, (("1", 0), ("2.5", 0), ("+Inf", 0)), 0, instance="job-2:10250"
            ),
            kubelet("started_pods_total", 6, "job-1"),
            kubelet("started_pods_total", 2, "job-2"),
        ],
        recorded={
            "node:eks_jobs_pleg_relist_seconds:p99": [(_on("job-1"), 2.485)],
            "group:eks_jobs_pleg_relist_seconds:p99": [(job_group(), 2.485)],
            "node:eks_jobs_pods_started:rate5m": [
                (_on("job-1"), 6),
                (_on("job-2"), 2),
            ],
            "group:eks_jobs_pods_started:max": [(job_group(), 6), (OTHER, 0)],
        },
    ),
    Case(
        name="errors count from the first, old ones do not",
        told=[
            *node("job-1"),
            *node("job-2"),
            kubelet("run_podsandbox_errors_total", f"_x84 4x{MINUTES}", "job-1"),
            kubelet("run_podsandbox_errors_total", 1, "job-2"),
            *(
                kubelet(
                    "runtime_operations_errors_total", by, "job-1", operation_type=what
                )
                for what, by in (
                    ("create_container", 1),
                    ("pull_image", 2),
                    ("list_containers", 9),
                )
            ),
            kubelet(
                "runtime_operations_errors_total",
                f"5x{MINUTES}",
                "job-2",
                operation_type="pull_image",
            ),
            _grows("awscni_no_available_ip_addresses", 1, node="job-1"),
            series("awscni_no_available_ip_addresses", 7, node="job-2"),
        ],
        recorded={
            "node:eks_jobs_sandbox_errors:increase15m": [
                (_on("job-1"), 4),
                (_on("job-2"), 15),
            ],
            "node:eks_jobs_container_errors:increase15m": [(_on("job-1"), 15)],
            "node:eks_jobs_pull_errors:increase15m": [(_on("job-1"), 30)],
            "node:eks_jobs_addresses_refused:increase15m": [
                (_on("job-1"), 15),
                (_on("job-2"), 0),
            ],
        },
    ),
    Case(
        name="what a kubelet counted before it was scraped again is not new",
        told=[
            one
            for name, created in (("away", 0), ("new", 4_860))
            for one in (
                *_without("kubelet_node_name", node(name, created=created)),
                kubelet("node_name", f"_x81 1x{MINUTES}", name, node=name),
                kubelet("run_podsandbox_errors_total", f"_x81 7x{MINUTES}", name),
            )
        ],
        recorded={
            "node:eks_jobs_sandbox_errors:increase15m": [(_on("new"), 7)],
        },
    ),
    Case(
        name="pulls have an average and a quantile, and no pull has none",
        told=[
            *node("job-1"),
            *node("arm", "job-arm"),
            *histogram(
                _PULL,
                (("10", 0), ("30", 2), ("+Inf", 2)),
                20,
                instance="job-1:10250",
                image_size_in_bytes="0-10MB",
            ),
            *histogram(
                _PULL,
                (("10", 0), ("30", 0), ("+Inf", 0)),
                0,
                instance="arm:10250",
                image_size_in_bytes="0-10MB",
            ),
        ],
        recorded={
            "group:eks_jobs_image_pull_seconds:avg1h": [(job_group(), 10)],
            "group:eks_jobs_image_pull_seconds:p99_1h": [(job_group(), 29.8)],
        },
    ),
    Case(
        name="pods that wait although no pull failed were refused by the kubelet",
        told=[
            *node("job-1"),
            kubelet("started_pods_total", 1, "job-1"),
            *pulls("ErrImagePull", "a"),
            *pulls("ImagePullBackOff", "b"),
            *pulls("ErrImagePull", "c", init=True),
            *pulls("ContainerCreating", "d"),
        ],
        recorded={
            "node:eks_jobs_pulls_waiting:count": [(_on("job-1"), 3)],
            "node:eks_jobs_pulls_rejected:count": [(_on("job-1"), 3)],
            "group:eks_jobs_pulls_rejected:sum": [(job_group(), 3), (OTHER, 0)],
        },
    ),
    Case(
        name="pods that wait for a pull that failed were not refused",
        told=[
            *node("job-1"),
            kubelet("started_pods_total", 1, "job-1"),
            kubelet(
                "runtime_operations_errors_total",
                1,
                "job-1",
                operation_type="pull_image",
            ),
            *pulls("ErrImagePull", "a"),
        ],
        recorded={
            "node:eks_jobs_pulls_waiting:count": [(_on("job-1"), 1)],
            "node:eks_jobs_pulls_rejected:count": [],
            "group:eks_jobs_pulls_rejected:sum": NOBODY,
        },
    ),
    Case(
        name="nothing is said of pulls of a kubelet that is not scraped",
        told=[*node("job-1"), *pulls("ErrImagePull", "a")],
        recorded={
            "node:eks_jobs_pulls_waiting:count": [(_on("job-1"), 1)],
            "node:eks_jobs_pulls_rejected:count": [],
        },
    ),
]

_SCALERS = [
    Case(
        name="Karpenter tells limits, what it gave up, and what it cannot help",
        told=[
            series(
                "karpenter_nodepools_usage", 25, nodepool="job", resource_type="nodes"
            ),
            series(
                "karpenter_nodepools_limit", 50, nodepool="job", resource_type="nodes"
            ),
            series("karpenter_nodepools_usage", 1, nodepool="job", resource_type="cpu"),
            series("karpenter_nodepools_limit", 0, nodepool="job", resource_type="cpu"),
            series(
                "karpenter_nodepools_usage", 1, nodepool="web", resource_type="nodes"
            ),
            series(
                "karpenter_nodepools_limit", 2, nodepool="web", resource_type="nodes"
            ),
            _grows(
                "karpenter_nodeclaims_disrupted_total",
                1,
                nodepool="job",
                reason="drifted",
            ),
            series(
                "karpenter_nodeclaims_disrupted_total",
                f"_x70 2x{MINUTES}",
                nodepool="job-arm",
                reason="empty",
            ),
            series(
                "karpenter_scheduler_unschedulable_pods_count",
                3,
                controller="provisioner",
            ),
            series(
                "karpenter_scheduler_unschedulable_pods_count",
                1,
                controller="disruption",
            ),
        ],
        recorded={
            "group:eks_jobs_nodepool_limit:ratio": [
                (job_group(resource_type="nodes"), 0.5)
            ],
            "group:eks_jobs_nodes_disrupted:increase1h": [
                (job_group(reason="drifted"), 60),
                ({**OTHER, "reason": "empty"}, 2),
            ],
            "cluster:eks_jobs_scaler_unschedulable_pods:max": [(CLUSTER, 3)],
        },
    ),
    Case(
        name="Cluster Autoscaler tells evictions, failures, and what it cannot help",
        told=[
            _grows(
                "cluster_autoscaler_evicted_pods_total",
                1,
                eviction_result="succeeded",
            ),
            _grows(
                "cluster_autoscaler_evicted_pods_total", 5, eviction_result="failed"
            ),
            _grows(
                "cluster_autoscaler_failed_scale_ups_total", 1, reason="apiCallError"
            ),
            series("cluster_autoscaler_unschedulable_pods_count", 4),
        ],
        scalers=("cluster-autoscaler",),
        recorded={
            "cluster:eks_jobs_scaler_evictions:increase1h": [(CLUSTER, 60)],
            "cluster:eks_jobs_scale_ups_failed:increase1h": [
                ({**CLUSTER, "reason": "apiCallError"}, 60)
            ],
            "cluster:eks_jobs_scaler_unschedulable_pods:max": [(CLUSTER, 4)],
        },
    ),
]

CASES = (*_NODES, *_PODS, *_PACKING, *_KUBELETS, *_SCALERS)
"""All cases; together they read every recording rule."""
