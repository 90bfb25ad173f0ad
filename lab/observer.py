"""
What is seen of pods and nodes, as the API server tells it.

How a pod ended is read from its status and from the time at which it was deleted,
never from a log.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from components.spec.groups import GROUP_LABEL
from components.spec.policy.protection import REGISTRATION
from lab.model import NodeRecord, NodeShape, Outcome, PodRecord
from lab.pods import JOB
from lab.pools import machine_name
from lab.quantities import cpu_millicores, memory_mib

__all__ = ["Observer"]

Manifest = Mapping[str, Any]

_POOL = "karpenter.sh/nodepool"
_TYPE = "node.kubernetes.io/instance-type"
_HOST = "kubernetes.io/hostname"


@dataclass(kw_only=True, slots=True)
class _Pod:
    job: str
    group: str
    balloon: bool
    cpu: int
    memory: int
    created: float
    node: str | None = None
    bound: float | None = None
    started: float | None = None
    finished: float | None = None
    outcome: Outcome = "unfinished"
    reason: str = ""


@dataclass(kw_only=True, slots=True)
class _Node:
    created: float
    name: str = ""
    machine: str = ""
    ready: float | None = None
    deleted: float | None = None
    jobs_when_given_up: int | None = None


@dataclass(kw_only=True)
class Observer:
    """
    Keeps what was seen; several threads may tell it.

    Args:
        shapes: What nodes offer, to know a node again.
        clock: Seconds of real time since the begin of the load.
    """

    shapes: Mapping[str, NodeShape] = field(default_factory=dict)
    clock: Callable[[], float]

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._pods: dict[str, _Pod] = {}
        self._nodes: dict[str, _Node] = {}
        self._ended: set[str] = set()

    @classmethod
    def of(
        cls, shapes: tuple[NodeShape, ...], clock: Callable[[], float]
    ) -> "Observer":
        """Return an observer of nodes of these shapes."""
        named = {machine_name(one.group, one.instance_type): one for one in shapes}
        return cls(shapes=named, clock=clock)

    def pod(self, change: str, pod: Manifest) -> None:
        """
        Take in a change of a pod.

        Args:
            change: `ADDED`, `MODIFIED` or `DELETED`.
            pod: The pod as it is then.
        """
        now = self.clock()
        group = pod["spec"].get("nodeSelector", {}).get(GROUP_LABEL)
        if group is None:
            return
        with self._lock:
            uid = pod["metadata"]["uid"]
            seen = self._pods.get(uid)
            if seen is None:
                seen = self._pods[uid] = _first(pod, group, now)
            _bind(seen, pod, now)
            _end(seen, pod, now, deleted=change == "DELETED")
            if seen.finished is not None and not seen.balloon:
                self._note(seen, pod)

    def claim(self, change: str, claim: Manifest) -> None:
        """Take in a change of a NodeClaim: from its begin on a node is paid."""
        now = self.clock()
        metadata = claim["metadata"]
        with self._lock:
            seen = self._nodes.setdefault(metadata["name"], _Node(created=now))
            seen.machine = metadata["labels"].get(_TYPE, seen.machine)
            if "deletionTimestamp" in metadata and seen.jobs_when_given_up is None:
                seen.jobs_when_given_up = self._jobs_on(seen.name)
            if change == "DELETED" and seen.deleted is None:
                seen.deleted = now

    def node(self, change: str, node: Manifest) -> None:
        """Take in a change of a node that Karpenter made."""
        now = self.clock()
        labels = node["metadata"].get("labels", {})
        if _POOL not in labels:
            return
        with self._lock:
            seen = self._nodes.setdefault(labels[_HOST], _Node(created=now))
            seen.name = node["metadata"]["name"]
            seen.machine = labels.get(_TYPE, seen.machine)
            if seen.ready is None and _is_ready(node):
                seen.ready = now
            if change == "DELETED" and seen.deleted is None:
                seen.deleted = now

    @property
    def ended(self) -> int:
        """How many jobs have come to an end that is not made again."""
        with self._lock:
            return len(self._ended)

    @property
    def nodes_left(self) -> int:
        """How many nodes are there, or on their way."""
        with self._lock:
            return sum(node.deleted is None for node in self._nodes.values())

    @property
    def given_up_busy(self) -> int:
        """How many nodes were told to go while jobs ran on them."""
        with self._lock:
            return sum(bool(node.jobs_when_given_up) for node in self._nodes.values())

    def pods(self) -> tuple[PodRecord, ...]:
        """Return every pod, in the order of their creation."""
        with self._lock:
            found = sorted(self._pods.values(), key=lambda one: (one.created, one.job))
            return tuple(
                PodRecord(
                    job=one.job,
                    group=one.group,
                    balloon=one.balloon,
                    node=one.node,
                    created=one.created,
                    bound=one.bound,
                    started=one.started,
                    finished=one.finished,
                    outcome=one.outcome,
                    reason=one.reason,
                    cpu=one.cpu,
                    memory=one.memory,
                )
                for one in found
            )

    def nodes(self) -> tuple[NodeRecord, ...]:
        """Return every node that was ordered and had a type, oldest first."""
        with self._lock:
            found = sorted(
                self._nodes.items(), key=lambda item: (item[1].created, item[0])
            )
            return tuple(
                NodeRecord(
                    name=one.name or claim,
                    shape=self.shapes[one.machine],
                    created=one.created,
                    ready=one.ready,
                    deleted=one.deleted,
                )
                for claim, one in found
                if one.machine in self.shapes
            )

    def _jobs_on(self, node: str) -> int:
        return sum(
            pod.node == node and pod.finished is None and not pod.balloon
            for pod in self._pods.values()
        )

    def _note(self, seen: _Pod, pod: Manifest) -> None:
        owners = pod["metadata"].get("ownerReferences", [])
        again = any(owner["kind"] == "Job" for owner in owners)
        if seen.outcome == "succeeded" or not again:
            self._ended.add(seen.job)


def _first(pod: Manifest, group: str, now: float) -> _Pod:
    metadata = pod["metadata"]
    job = metadata.get("annotations", {}).get(JOB)
    requests = [
        container.get("resources", {}).get("requests", {})
        for container in pod["spec"]["containers"]
    ]
    return _Pod(
        job=job or metadata.get("generateName", metadata["name"]).rstrip("-"),
        group=group,
        balloon=job is None,
        cpu=sum(cpu_millicores(one.get("cpu", "0")) for one in requests),
        memory=sum(memory_mib(one.get("memory", "0")) for one in requests),
        created=now,
    )


def _bind(seen: _Pod, pod: Manifest, now: float) -> None:
    node = pod["spec"].get("nodeName")
    if node is not None and seen.bound is None:
        seen.node, seen.bound = node, now
    phase = pod.get("status", {}).get("phase")
    if seen.started is None and phase in ("Running", "Succeeded"):
        seen.started = now


def _end(seen: _Pod, pod: Manifest, now: float, *, deleted: bool) -> None:
    status = pod.get("status", {})
    if status.get("phase") == "Succeeded" and seen.outcome != "succeeded":
        # Also of one that was told to go: its Job makes no other then.
        seen.outcome, seen.reason, seen.finished = "succeeded", "", now
    if seen.finished is not None:
        return
    going = deleted or "deletionTimestamp" in pod["metadata"]
    if status.get("phase") == "Failed" or going:
        seen.outcome, seen.reason, seen.finished = "interrupted", _reason(status), now


def _reason(status: Manifest) -> str:
    for condition in status.get("conditions", []):
        if condition["type"] == "DisruptionTarget" and condition["status"] == "True":
            return condition.get("reason", "DisruptionTarget")
    return status.get("reason") or "deleted"


def _is_ready(node: Manifest) -> bool:
    taints = node["spec"].get("taints", [])
    conditions = node.get("status", {}).get("conditions", [])
    return not any(taint["key"] == REGISTRATION["key"] for taint in taints) and any(
        one["type"] == "Ready" and one["status"] == "True" for one in conditions
    )
