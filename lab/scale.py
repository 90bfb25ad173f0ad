"""
How many pods a scheduler places in a second, with and without affinity.

All nodes and all pods are there before the scheduler starts, so that nothing but the
scheduler is measured, and the API server that stores what it decides.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.spec.groups import JobGroup
from components.spec.policy.packing import PACKS_BY_SCHEDULER, Packing
from components.spec.policy.settings import JobPolicySettings
from components.spec.problems import refuse
from components.spec.scheduler import SchedulerScoring
from lab.cluster import Tools, control_plane, enforce
from lab.model import Job, NodeShape
from lab.pace import Pace
from lab.pods import namespace, workflow_pod
from lab.report import Throughput
from lab.scenario import packed, scheduler_config
from lab.watching import placements
from sandbox.cluster_api import ClusterApi, wait_until

__all__ = ["Scale", "measure"]

Manifest = dict[str, Any]

_PACKINGS: tuple[Packing, ...] = ("none", "scheduler", "affinity")
_HANDS = 4
_NAMESPACES = 10
_LOOK_SECONDS = 0.1
# Sources: measured on two cores; three times the slowest.
_SECONDS_PER_POD = 0.12
_LEAST_SECONDS = 60.0
_CPU, _MEMORY = 100, 256


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """
    How large a cluster is measured.

    Args:
        nodes: How many, 1 to 5,000.
        pods: How many, 2 to 150,000; they must fit.

    Raises:
        ValueError: A number is out of range.

    Sources:
        Kubernetes, considerations for large clusters.
    """

    nodes: int
    pods: int

    def __post_init__(self) -> None:
        refuse(
            f"{name} must be {least} to {most:,}, got {name}={number}"
            for name, number, least, most in (
                ("nodes", self.nodes, 1, 5_000),
                ("pods", self.pods, 2, 150_000),
            )
            if not least <= number <= most
        )

    @property
    def seconds(self) -> float:
        """Time in which one packing is measured, or given up."""
        return max(_LEAST_SECONDS, self.pods * _SECONDS_PER_POD)


def measure(
    tools: Tools,
    scale: Scale,
    *,
    group: JobGroup,
    shape: NodeShape,
    policy: JobPolicySettings,
    logs: Path,
    progress: Callable[[str, int, int, str], None],
) -> list[Throughput]:
    """
    Place pods on nodes of a group, once for each packing.

    Args:
        tools: Programs.
        scale: How many.
        group: Whose nodes.
        shape: What each node offers.
        policy: What happens to job pods; its packing is set.
        logs: Folder that keeps what the programs said.
        progress: Is told the packing, how many pods of how many, what goes on.

    Raises:
        ValueError: The pods do not fit on the nodes.
        TimeoutError: Not all pods were placed in the time of *scale*.
    """
    room = min(shape.pods, shape.cpu // _CPU, shape.memory // _MEMORY) * scale.nodes
    if room < scale.pods:
        raise ValueError(
            f"pods must be at most {room} on nodes={scale.nodes} of "
            f"{shape.instance_type}, got pods={scale.pods}"
        )
    results = []
    for packing in _PACKINGS:

        def told(done: int, doing: str, packing: Packing = packing) -> None:
            progress(f"throughput, {packing}", done, scale.pods, doing)

        seconds = _place(
            tools, scale, group, shape, packed(policy, packing), logs / packing, told
        )
        results.append(
            Throughput(
                packing=packing, nodes=scale.nodes, pods=scale.pods, seconds=seconds
            )
        )
    return results


def _place(
    tools: Tools,
    scale: Scale,
    group: JobGroup,
    shape: NodeShape,
    policy: JobPolicySettings,
    logs: Path,
    told: Callable[[int, str], None],
) -> float:
    scoring = SchedulerScoring() if policy.packing in PACKS_BY_SCHEDULER else None
    config = scheduler_config(scoring)
    with control_plane(tools, config, logs, components=()) as (cluster, plane, _):
        api = cluster.api
        for number in range(_NAMESPACES):
            api.create(namespace(_space(number)))
        enforce(api, policy)
        _create_all(api, _nodes(scale, group, shape), lambda n: told(0, f"{n} nodes"))
        _create_all(api, _pods(scale, group), lambda n: told(0, f"{n} pods wait"))
        with placements(cluster.kubeconfig) as times:

            def all_placed() -> bool:
                time.sleep(_LOOK_SECONDS)
                placed = len(times())
                told(placed, "the scheduler works")
                return placed == scale.pods

            plane.start("kube-scheduler")
            wait_until(all_placed, f"{scale.pods} pods placed", scale.seconds)
            first, *_, last = times()
            return last - first


def _create_all(
    api: ClusterApi, manifests: Sequence[Manifest], told: Callable[[int], None]
) -> None:
    with ThreadPoolExecutor(_HANDS) as hands:
        for number, _ in enumerate(hands.map(api.create, manifests), start=1):
            told(number)


def _space(number: int) -> str:
    return f"lab-{number % _NAMESPACES}"


def _pods(scale: Scale, group: JobGroup) -> list[Manifest]:
    """Return pods of workflows that ended long ago: nobody looks after them."""
    owner = {"metadata": {"uid": "none"}}
    pace = Pace()
    return [
        workflow_pod(_job(number, group), group, pace, owner)
        for number in range(scale.pods)
    ]


def _job(number: int, group: JobGroup) -> Job:
    return Job(
        name=f"pod-{number}",
        namespace=_space(number),
        owner="Workflow",
        start=0.0,
        duration=1.0,
        cpu=_CPU,
        memory=_MEMORY,
        architecture=group.architecture,
        group=group.name,
    )


def _nodes(scale: Scale, group: JobGroup, shape: NodeShape) -> list[Manifest]:
    capacity = {
        "cpu": f"{shape.cpu}m",
        "memory": f"{shape.memory}Mi",
        "pods": str(shape.pods),
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": f"node-{number}",
                "labels": {
                    **group.all_labels,
                    "kubernetes.io/hostname": f"node-{number}",
                    "kubernetes.io/arch": group.architecture,
                    "topology.kubernetes.io/zone": f"zone-{'abc'[number % 3]}",
                },
            },
            "spec": {
                "taints": [
                    {"key": taint.key, "value": taint.value, "effect": taint.effect}
                    for taint in group.all_taints
                ]
            },
            "status": {
                "capacity": capacity,
                "allocatable": capacity,
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        }
        for number in range(scale.nodes)
    ]
