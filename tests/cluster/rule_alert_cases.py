"""When every alert fires, when it is silent, and what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.cluster.rule_cases import OTHER, kubelet, pulls
from tests.cluster.rule_series import (
    MINUTES,
    Series,
    histogram,
    job_group,
    node,
    pod,
    series,
    taint,
)

__all__ = ["CASES", "AlertCase", "Firing", "healthy"]

_KEY = {"namespace": "team"}
_DAY = 86_400


@dataclass(frozen=True, kw_only=True)
class Firing:
    """
    An alert as somebody receives it.

    Args:
        labels: Its labels, without name and severity.
        summary: Its summary.
        description: Its description.
    """

    labels: Mapping[str, str]
    summary: str
    description: str


@dataclass(frozen=True, kw_only=True)
class AlertCase:
    """
    A cluster, and what one alert says of it.

    Args:
        alert: The alert.
        name: What is told.
        severity: Its severity.
        told: The series of exporters.
        firing: What it says, by minute; nothing is silence.
        scaler: The scaler of the cluster.
    """

    alert: str
    name: str
    severity: str
    told: Sequence[Series]
    firing: Mapping[int, Sequence[Firing]] = field(default_factory=dict)
    scaler: str = "karpenter"


def healthy(scaler: str) -> list[Series]:
    """Return a cluster where all is well: five nodes, jobs on each, nothing waits."""
    told: list[Series] = [series("kube_pod_labels", 1, **_KEY, pod="any", uid="any")]
    for number in range(5):
        name = f"job-{number}"
        told += node(name)
        told.append(kubelet("started_pods_total", 6, name))
        told += histogram(
            "kubelet_pleg_relist_duration_seconds",
            (("0.1", 60), ("2.5", 60), ("+Inf", 60)),
            1,
            instance=f"{name}:10250",
        )
        told += [
            series(
                f"node_disk_{what}_total", f"0+600x{MINUTES}", instance=f"{name}:9100"
            )
            for what in ("reads_completed", "writes_completed")
        ]
        for one in ("a", "b"):
            pod_name = f"{name}-{one}"
            told += pod(pod_name, name, created=0, start_time=5, started=5)
            told.append(_requests(pod_name, name))
        told.append(series("awscni_no_available_ip_addresses", 3, node=name))
    if scaler == "karpenter":
        told.append(
            series(
                "karpenter_nodepools_limit", 50, nodepool="job", resource_type="nodes"
            )
        )
        told.append(
            series(
                "karpenter_nodeclaims_disrupted_total",
                f"0+1x{MINUTES}",
                nodepool="job",
                reason="empty",
            )
        )
    if scaler == "cluster-autoscaler":
        told.append(series("cluster_autoscaler_unschedulable_pods_count", 0))
        told.append(series("cluster_autoscaler_evicted_pods_total", 12))
    return told


def _requests(of: str, on: str) -> Series:
    return series(
        "kube_pod_container_resource_requests",
        4,
        namespace="team",
        pod=of,
        uid=of,
        container="main",
        node=on,
        resource="cpu",
    )


def _of(name: str, metric: str, values: float | str = 1, **labels: str) -> Series:
    return series(metric, values, **_KEY, pod=name, uid=name, **labels)


def _node(name: str) -> dict[str, str]:
    return job_group(node=name)


def _waiting(owner: str = "Job") -> list[Series]:
    return [
        *pod("waits", None, owner=owner, phase="Pending", created=0),
        _of("waits", "kube_pod_status_unschedulable"),
    ]


def _gate(values: str) -> Series:
    """Return that a gate holds the pod back that waits."""
    return _of("waits", "kube_pod_status_reason", values, reason="SchedulingGated")


def _stuck(since: str, owner: str = "Job") -> Firing:
    return Firing(
        labels={"cluster": "prod", "owner_kind": owner},
        summary=f"Job pods of {owner} find no node since {since}",
        description="No node of a job group takes them, and no new one comes.",
    )


def _evicted(name: str, values: str) -> list[Series]:
    """Return a pod that was ended, and when it is listed as such."""
    metric, reason = "kube_pod_status_disruption_reason", "EvictionByEvictionAPI"
    return [
        *pod(name, phase="Failed", values=values),
        _of(name, metric, values, reason=reason),
    ]


def _ended(count: int, reason: str = "EvictionByEvictionAPI") -> Firing:
    return Firing(
        labels=job_group(owner_kind="Job", reason=reason),
        summary=f"{count} job pods of group job were ended: {reason}",
        description="Pods owned by Job were ended from outside before they were done. "
        "Their work is lost unless the job tries again.",
    )


_RELIST = "kubelet_pleg_relist_duration_seconds"
_SLOW = Firing(
    labels=_node("job-1"),
    summary="The kubelet of job-1 of group job is slow",
    description="It takes 9.95s to look at its containers, and after 3 minutes the "
    "node counts as lost with all its jobs.",
)
_REJECTED = Firing(
    labels=_node("job-1"),
    summary="The kubelet of job-1 of group job refuses pulls",
    description="3 job pods wait for their image although no pull failed: more pods "
    "came at once than registry_pull_qps lets pull.",
)
_PULL_ERRORS = kubelet(
    "runtime_operations_errors_total", 1, "job-1", operation_type="pull_image"
)
_BUSY = [
    *node("job-1"),
    *(
        series(
            f"node_disk_{what}_total",
            f"0+{60 * 3_900}x20 {60 * 3_900 * 20}x{MINUTES}",
            instance="job-1:9100",
            device="nvme0n1",
        )
        for what in ("reads_completed", "writes_completed")
    ),
]
_FULL = [
    one
    for number in range(50)
    for one in node(f"job-{number}", values="1x29 stale" if number == 0 else None)
    if one["series"].startswith("kube_node_labels")
]
_BLIND = "Rules that need this metric are silent, whatever happens."

_OF_JOBS = [
    AlertCase(
        alert="JobInterrupted",
        name="at once and for a quarter of an hour, though the pod is gone",
        severity="critical",
        told=[*node("job-1"), *_evicted("a", "_x10 1x2 stale")],
        firing={9: [], 10: [_ended(1)], 24: [_ended(1)], 25: []},
    ),
    AlertCase(
        alert="JobInterrupted",
        name="once for each pod, while the first is still listed",
        severity="critical",
        told=[
            *node("job-1"),
            *_evicted("first", f"_x10 1x{MINUTES}"),
            *_evicted("second", f"_x60 1x{MINUTES}"),
            *_evicted("third", f"_x63 1x{MINUTES}"),
        ],
        firing={
            10: [_ended(1)],
            25: [],
            59: [],
            60: [_ended(1)],
            63: [_ended(2)],
            75: [_ended(1)],
            78: [],
        },
    ),
    AlertCase(
        alert="JobInterrupted",
        name="not once more when its exporter was away for half an hour",
        severity="critical",
        told=[
            *node("job-1"),
            *_evicted("first", f"1x60 stale _x30 1x{MINUTES}"),
        ],
        firing={14: [_ended(1)], 60: [], 92: [], 110: []},
    ),
    *(
        AlertCase(
            alert="JobInterrupted",
            name="H095: at the end of a drain, once, though its pod is collected later",
            severity="critical",
            told=[
                *node("job-1", values="1x12 stale"),
                taint("job-1", "karpenter.sh/disrupted", "_x5 1x7 stale"),
                *pod("a", values="1x14 stale"),
                _of("a", "kube_pod_deletion_timestamp", "_x10 660x4 stale"),
                _of(
                    "a",
                    "kube_pod_status_disruption_reason",
                    "_x13 1x1 stale",
                    reason="DeletionByPodGC",
                ),
            ],
            firing={
                9: [],
                10: [_ended(1, "EndOfDrain")],
                14: [_ended(1, "EndOfDrain")],
                24: [_ended(1, "EndOfDrain")],
                40: [],
            },
            scaler=scaler,
        )
        for scaler in ("karpenter", "auto-mode")
    ),
    AlertCase(
        alert="JobInterrupted",
        name="not for servers",
        severity="critical",
        told=[
            *node("job-1"),
            *pod("web", owner="ReplicaSet", labels={}, phase="Failed"),
            _of("web", "kube_pod_status_reason", reason="Evicted"),
        ],
        firing={30: []},
    ),
    AlertCase(
        alert="JobPodsUnschedulable",
        name="after a quarter of an hour",
        severity="critical",
        told=_waiting("Workflow"),
        firing={15: [], 18: [_stuck("18m 0s", "Workflow")]},
    ),
    AlertCase(
        alert="JobPodsUnschedulable",
        name="H096: never while a gate holds the pod back",
        severity="critical",
        told=[*_waiting(), _gate(f"1x{MINUTES}")],
        firing={18: [], 90: []},
    ),
    AlertCase(
        alert="JobPodsUnschedulable",
        name="H096: a quarter of an hour after the gate is gone",
        severity="critical",
        told=[*_waiting(), _gate("1x60 stale")],
        firing={
            62: [],
            75: [],
            78: [_stuck("18m 0s")],
            134: [_stuck("1h 14m 0s")],
            # Beyond an hour and the threshold the gate is forgotten.
            137: [_stuck("2h 17m 0s")],
        },
    ),
    AlertCase(
        alert="JobScaleUpsFailing",
        name="H096: not for pods that a gate holds back",
        severity="warning",
        told=[
            *_waiting(),
            _gate(f"1x{MINUTES}"),
            series(
                "karpenter_nodeclaims_disrupted_total",
                f"_x9 2x{MINUTES}",
                nodepool="job",
                reason="insufficient_capacity",
            ),
        ],
        firing={40: []},
    ),
]

_OF_KUBELETS = [
    AlertCase(
        alert="JobNodeKubeletOverloaded",
        name="when looks take long",
        severity="critical",
        told=[
            *node("job-1"),
            *node("job-2"),
            *histogram(
                _RELIST, (("5", 0), ("10", 9), ("+Inf", 9)), 70, instance="job-1:10250"
            ),
            *histogram(
                _RELIST, (("1", 9), ("10", 9), ("+Inf", 9)), 5, instance="job-2:10250"
            ),
        ],
        firing={4: [], 10: [_SLOW]},
    ),
    AlertCase(
        alert="JobImagePullsRejected",
        name="when three pods of a node wait and no pull failed",
        severity="warning",
        told=[
            *node("job-1"),
            kubelet("started_pods_total", 1, "job-1"),
            *pulls("ErrImagePull", "a", "b", "c"),
        ],
        firing={5: [], 10: [_REJECTED]},
    ),
    AlertCase(
        alert="JobImagePullsRejected",
        name="not when the pulls failed",
        severity="warning",
        told=[
            *node("job-1"),
            kubelet("started_pods_total", 1, "job-1"),
            _PULL_ERRORS,
            *pulls("ErrImagePull", "a", "b", "c"),
        ],
        firing={30: []},
    ),
    AlertCase(
        alert="JobImagePullsFailing",
        name="when a pod waits and pulls fail",
        severity="warning",
        told=[*node("job-1"), _PULL_ERRORS, *pulls("ImagePullBackOff", "a")],
        firing={
            14: [],
            20: [
                Firing(
                    labels=_node("job-1"),
                    summary="Pulls of job-1 of group job fail",
                    description="1 job pods wait for an image that the registry or "
                    "the container runtime does not deliver.",
                )
            ],
        },
    ),
    AlertCase(
        alert="JobNodeVolumeThrottled",
        name="while the volume is at its limit, and no longer",
        severity="warning",
        told=_BUSY,
        firing={
            9: [],
            15: [
                Firing(
                    labels=_node("job-1"),
                    summary="The root volume of job-1 of group job is at its limit",
                    description="It runs at 97.5% of what it was given. Starts and "
                    "pulls wait for it, and names of containers stay taken.",
                )
            ],
            30: [],
        },
    ),
    AlertCase(
        alert="JobPodAddressesShort",
        name="when the VPC CNI refuses",
        severity="warning",
        told=[
            *node("job-1"),
            series(
                "awscni_no_available_ip_addresses",
                f"0x30 0+2x10 20x{MINUTES}",
                node="job-1",
            ),
        ],
        firing={
            30: [],
            40: [
                Firing(
                    labels=_node("job-1"),
                    summary="Pods of job-1 of group job get no address",
                    description="18 times in a quarter of an hour a pod got no address "
                    "or no sandbox.",
                )
            ],
            70: [],
        },
    ),
    AlertCase(
        alert="JobPodAddressesShort",
        name="when the kubelet gets no sandboxes, where the CNI is not scraped",
        severity="warning",
        told=[
            *node("job-1"),
            kubelet("run_podsandbox_errors_total", f"_x9 4x{MINUTES}", "job-1"),
        ],
        scaler="auto-mode",
        firing={
            9: [],
            16: [
                Firing(
                    labels=_node("job-1"),
                    summary="Pods of job-1 of group job get no address",
                    description="4 times in a quarter of an hour a pod got no address "
                    "or no sandbox.",
                )
            ],
            30: [],
        },
    ),
]

_OF_SCALING = [
    AlertCase(
        alert="JobPolicyNotApplied",
        name="when a job has no label",
        severity="warning",
        told=[*pod("a", labels={}), *pod("b")],
        firing={
            9: [],
            11: [
                Firing(
                    labels={
                        "cluster": "prod",
                        "namespace": "team",
                        "owner_kind": "Job",
                    },
                    summary="1 job pods in team were missed by the job policy",
                    description="Pods owned by Job carry no label of the policy: they "
                    "are neither packed nor protected, and a scaler may end them.",
                )
            ],
        },
    ),
    AlertCase(
        alert="JobGroupAtItsLimit",
        name="while all nodes that may be are there",
        severity="warning",
        told=_FULL,
        firing={
            9: [],
            11: [
                Firing(
                    labels=job_group(),
                    summary="Group job is at its limit",
                    description="It has 100% of its size.max. What comes next waits "
                    "until a job ends.",
                )
            ],
            31: [],
        },
        scaler="cluster-autoscaler",
    ),
    AlertCase(
        alert="JobScaleUpsFailing",
        name="when Cluster Autoscaler fails and jobs wait",
        severity="warning",
        told=[
            *_waiting(),
            series(
                "cluster_autoscaler_failed_scale_ups_total",
                f"_x9 1x{MINUTES}",
                reason="apiCallError",
            ),
        ],
        firing={
            20: [],
            26: [
                Firing(
                    labels={"cluster": "prod", "reason": "apiCallError"},
                    summary="Nodes for jobs do not come: apiCallError",
                    description="1 times in an hour the scaler asked for a node and "
                    "did not get it, and job pods wait.",
                )
            ],
            80: [],
        },
        scaler="cluster-autoscaler",
    ),
    AlertCase(
        alert="JobScaleUpsFailing",
        name="when Karpenter fails and jobs wait",
        severity="warning",
        told=[
            *_waiting(),
            *(
                series(
                    "karpenter_nodeclaims_disrupted_total",
                    f"_x9 2x{MINUTES}",
                    nodepool="job-arm",
                    reason=reason,
                )
                for reason in ("insufficient_capacity", "empty")
            ),
        ],
        firing={
            20: [],
            26: [
                Firing(
                    labels={**OTHER, "reason": "insufficient_capacity"},
                    summary="Nodes for jobs do not come: insufficient_capacity",
                    description="2 times in an hour the scaler asked for a node and "
                    "did not get it, and job pods wait.",
                )
            ],
            80: [],
        },
    ),
    AlertCase(
        alert="JobScaleUpsFailing",
        name="not when the next try was a success",
        severity="warning",
        told=[
            series(
                "karpenter_nodeclaims_disrupted_total",
                f"_x9 2x{MINUTES}",
                nodepool="job",
                reason="insufficient_capacity",
            ),
        ],
        firing={40: []},
    ),
    AlertCase(
        alert="JobNodeOverItsExpiry",
        name="when a node is older than its age and its drain",
        severity="warning",
        # Two weeks are the age; without a longest job the drain has no end.
        told=[
            *node("job-1", created=-14 * _DAY - 3_600),
            *node("job-2", created=-14 * _DAY + 7_200),
        ],
        firing={
            10: [],
            20: [
                Firing(
                    labels=_node("job-1"),
                    summary="Node job-1 of group job outlived its pool's age",
                    description="It is 14d 1h 20m 0s old and should be gone with its "
                    "drain. It runs an old image and takes no new pods.",
                )
            ],
        },
    ),
]

_OF_WASTE = [
    AlertCase(
        alert="JobNodeKeptByOnePod",
        name="when it is the same pod for six hours",
        severity="info",
        told=[*node("job-1"), *pod("hangs", start_time=0)],
        firing={
            360: [],
            375: [
                Firing(
                    labels=_node("job-1"),
                    summary="One job pod keeps job-1 of group job",
                    description="It runs since 6h 15m 0s and no other came to it. A "
                    "pod that hangs keeps its node for ever.",
                )
            ],
        },
    ),
    AlertCase(
        alert="JobNodeKeptByOnePod",
        name="not when others came and went",
        severity="info",
        told=[
            *node("job-1"),
            *pod("long", start_time=0),
            *pod("short", start_time=7_200, values="_x120 1x10 stale"),
        ],
        firing={380: []},
    ),
    AlertCase(
        alert="JobPackingPoor",
        name="when three nodes hold little",
        severity="info",
        told=[
            one
            for number in range(3)
            for one in (
                *node(f"job-{number}"),
                *pod(f"p-{number}", f"job-{number}"),
                _requests(f"p-{number}", f"job-{number}"),
            )
        ],
        firing={
            59: [],
            65: [
                Firing(
                    labels=job_group(),
                    summary="Jobs of group job are spread thin",
                    description="Their nodes are requested at 25% at most; fewer nodes "
                    "would do.",
                )
            ],
        },
    ),
    AlertCase(
        alert="JobPackingPoor",
        name="not when two nodes hold little",
        severity="info",
        told=[
            one
            for number in range(2)
            for one in (*node(f"job-{number}"), *pod(f"p-{number}", f"job-{number}"))
        ],
        firing={90: []},
    ),
    *(
        AlertCase(
            alert="JobMonitoringBlind",
            name="when nothing is told at all",
            severity="warning",
            told=[],
            firing={
                14: [],
                16: [
                    Firing(
                        labels={"cluster": "prod", "missing": missing},
                        summary=f"Nothing is known of jobs: {missing} is missing",
                        description=_BLIND,
                    )
                    for missing in (
                        "kube_node_labels",
                        "kube_pod_labels",
                        "kubelet_node_name",
                        "node_uname_info",
                        *more,
                    )
                ],
            },
            scaler=scaler,
        )
        for scaler, more in (
            ("karpenter", ("karpenter_nodepools_limit",)),
            ("cluster-autoscaler", ("cluster_autoscaler_unschedulable_pods_count",)),
            ("auto-mode", ()),
        )
    ),
]

CASES = (*_OF_JOBS, *_OF_KUBELETS, *_OF_SCALING, *_OF_WASTE)
"""All cases; together they fire every alert."""
