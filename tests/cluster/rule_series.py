"""Series as exporters would write them, for a cluster that was made up."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from components.spec.monitoring.settings import Monitoring
from components.spec.monitoring.watched import Watched, watched
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from tests.spec.scaler.builders import job

__all__ = [
    "BALLOONS",
    "MINUTES",
    "SCALERS",
    "SETTINGS",
    "Labels",
    "Series",
    "flat",
    "histogram",
    "job_group",
    "node",
    "pod",
    "series",
    "taint",
    "watch",
]

Series = dict[str, str]
Labels = Mapping[str, str]

MINUTES = 600
"""How long series last, unless they say otherwise; rules are read within."""

SCALERS = {
    "karpenter": Karpenter(),
    "cluster-autoscaler": ClusterAutoscaler(),
    "auto-mode": AutoMode(),
}
SETTINGS = Monitoring(runbook_url="https://example.com/runbooks")
BALLOONS = "balloon-job-minus-10"


def job_group(**labels: Any) -> dict[str, str]:
    """Return the labels of a figure of the group `job`."""
    return {"cluster": "prod", "group": "job", "architecture": "amd64", **labels}


def watch(scaler: str, policy: JobPolicySettings | None = None) -> Watched:
    """Return the cluster `prod` with its groups `job` and `job-arm`."""
    return watched(
        "prod",
        (job(), job(architecture="arm64")),
        (SCALERS[scaler],),
        policy or JobPolicySettings(),
        (BALLOONS,),
    )


def flat(value: float) -> str:
    """Write a value that does not change."""
    return f"{value}x{MINUTES}"


def series(name: str, values: float | str, **labels: str) -> Series:
    """Return a series; a number is one that does not change."""
    text = ",".join(f'{key}="{value}"' for key, value in labels.items())
    written = values if isinstance(values, str) else flat(values)
    return {"series": f"{name}{{{text}}}", "values": written}


def histogram(
    name: str, buckets: Sequence[tuple[str, int]], total: float, **labels: str
) -> Iterator[Series]:
    """Return a histogram that grows in each minute by what is said."""
    for edge, count in buckets:
        yield series(f"{name}_bucket", f"0+{count}x{MINUTES}", le=edge, **labels)
    count = buckets[-1][1]
    yield series(f"{name}_count", f"0+{count}x{MINUTES}", **labels)
    yield series(f"{name}_sum", f"0+{total}x{MINUTES}", **labels)


def node(
    name: str, group: str = "job", *, created: int = 0, values: str | None = None
) -> Iterator[Series]:
    """
    Return what is told of a node of 16 cores, 64 GB and 60 pods.

    Args:
        name: Its name.
        group: Its group.
        created: When it was made.
        values: Presence, as `1x10`; None is always.
    """
    there = values or flat(1)
    yield series("kube_node_labels", there, node=name, label_eks_jobs_group=group)
    yield series("kube_node_created", created, node=name)
    for resource, amount in (("cpu", 16), ("memory", 64_000_000_000), ("pods", 60)):
        yield series(
            "kube_node_status_allocatable", amount, node=name, resource=resource
        )
    yield series("kubelet_node_name", 1, instance=f"{name}:10250", node=name)
    yield series("node_uname_info", 1, instance=f"{name}:9100", nodename=name)


def taint(name: str, key: str, values: str | None = None) -> Series:
    """Return a taint of a node; *values* is its presence, None is always."""
    return series(
        "kube_node_spec_taint",
        values or flat(1),
        node=name,
        key=key,
        value="",
        effect="NoSchedule",
    )


def pod(
    name: str,
    place: str | None = "job-1",
    *,
    owner: str | None = "Job",
    labels: dict[str, str] | None = None,
    space: str = "team",
    phase: str = "Running",
    priority: str = "",
    values: str | None = None,
    **times: int,
) -> Iterator[Series]:
    """
    Return what is told of a pod.

    Args:
        name: Its name.
        place: Its node, None while it has none.
        owner: Kind of its controlling owner, None without any.
        labels: Its labels, as kube-state-metrics spells them.
        space: Its namespace.
        phase: Its phase.
        priority: Its PriorityClass.
        values: Presence, as `1x10`; None is always.
        times: Seconds of `created`, `scheduled_time`, `start_time`, `started` and
            `completion_time`.
    """
    there = values or flat(1)
    key = {"namespace": space, "pod": name, "uid": name}
    given = {"label_eks_jobs_workload": "job"} if labels is None else labels
    controls = {} if owner is None else {"owner_is_controller": "true"}
    yield series(
        "kube_pod_info", there, node=place or "", priority_class=priority, **key
    )
    yield series(
        "kube_pod_owner",
        there,
        owner_kind=owner or "",
        owner_name="",
        **controls,
        **key,
    )
    yield series("kube_pod_labels", there, **given, **key)
    for one in ("Pending", "Running", "Succeeded", "Failed"):
        value = there if one == phase else flat(0)
        yield series("kube_pod_status_phase", value, phase=one, **key)
    names = {"started": "kube_pod_container_state_started"}
    names |= {"scheduled_time": "kube_pod_status_scheduled_time"}
    for time, value in times.items():
        more = {"container": "main"} if time == "started" else {}
        yield series(names.get(time, f"kube_pod_{time}"), value, **more, **key)
