"""What goes wrong in a run, on request."""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, get_args

from components.spec.problems import refuse
from components.spec.scaler.duration import spelled
from lab.model import Load
from sandbox.cluster_api import ClusterApi, RefusedError

__all__ = [
    "FAULTS",
    "MOMENTS",
    "Fault",
    "busiest",
    "chosen_faults",
    "drift",
    "expiry",
    "lose_node",
    "lose_zone",
]

Manifest = Mapping[str, Any]

Fault = Literal["drift", "expiry", "node-lost", "zone"]
"""
`drift` changes the pools, so that no node is as they want it; `expiry` lets nodes
live for a part of the load; `node-lost` ends the machine of the busiest node; `zone`
ends all of the busiest zone, where no more can be had until the end.
"""

FAULTS: tuple[Fault, ...] = get_args(Fault)

MOMENTS: Mapping[Fault, tuple[float, ...]] = {
    "drift": (0.35, 0.7),
    "node-lost": (0.5,),
    "zone": (0.6,),
}
"""When each happens, as parts of the load. Expiry needs no moment."""

# Nodes of the first wave expire while jobs come. Jobs of the built-in load take half of
# its time at most: one that is interrupted must find a node that lives as long.
_EXPIRY, _LEAST_EXPIRY = 0.6, 120

_DRIFT_LABEL = "eks-jobs/lab-drift"
_ZONE = "topology.kubernetes.io/zone"
_CONFLICT, _GONE = 409, 404
_COLLECTED = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "DeletionByPodGC",
    "message": "PodGC: node no longer exists",
}


def chosen_faults(names: str) -> tuple[Fault, ...]:
    """
    Return the faults of a list such as `drift,expiry`, empty for none.

    Raises:
        ValueError: A name is not known.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    refuse(
        f"FAULTS must be of {', '.join(FAULTS)}, got {name}"
        for name in wanted
        if name not in FAULTS
    )
    return tuple(fault for fault in FAULTS if fault in wanted)


def expiry(load: Load) -> str:
    """Return the age at which nodes expire, in time of the load."""
    end = max((job.start for job in load.jobs), default=0.0)
    return spelled(max(_LEAST_EXPIRY, round(end * _EXPIRY)))


def drift(api: ClusterApi, pools: Iterable[Manifest], round_: int) -> None:
    """Give the nodes to come a label that those before have not."""
    labels = {_DRIFT_LABEL: str(round_)}
    for pool in pools:
        template = {"metadata": {"labels": labels}}
        api.merge(pool, {"spec": {"template": template}})


def busiest(pods: Iterable[Manifest], places: Mapping[str, str]) -> str | None:
    """
    Return the place where most pods run, None where none runs.

    Args:
        pods: Pods of all phases.
        places: The place of a node, by the name of the node.
    """
    counts = Counter(
        places[pod["spec"]["nodeName"]]
        for pod in pods
        if pod["spec"].get("nodeName") in places
        and pod.get("status", {}).get("phase") == "Running"
    )
    # Equal counts are told apart by name, so that equal runs lose the same.
    ordered = sorted(counts, key=lambda place: (-counts[place], place))
    return ordered[0] if ordered else None


def lose_node(api: ClusterApi) -> str:
    """End the machine of the busiest node, with its pods; say which it was."""
    nodes = {one["metadata"]["name"]: one for one in _nodes(api)}
    name = busiest(_pods(api), {name: name for name in nodes})
    if name is None:
        return "no node held a running pod"
    _end(api, [nodes[name]])
    return name


def lose_zone(api: ClusterApi, pools: Iterable[Manifest]) -> str:
    """End all machines of the busiest zone, and let no more be had there."""
    nodes = _nodes(api)
    zones = {one["metadata"]["name"]: one["metadata"]["labels"][_ZONE] for one in nodes}
    zone = busiest(_pods(api), zones)
    if zone is None:
        return "no zone held a running pod"
    elsewhere = {"key": _ZONE, "operator": "NotIn", "values": [zone]}
    for pool in pools:
        spec = api.get(pool)["spec"]["template"]["spec"]
        wanted = {"requirements": [*spec["requirements"], elsewhere]}
        api.merge(pool, {"spec": {"template": {"spec": wanted}}})
    _end(api, [one for one in nodes if zones[one["metadata"]["name"]] == zone])
    return zone


def _nodes(api: ClusterApi) -> list[dict[str, Any]]:
    found = api.items({"apiVersion": "v1", "kind": "Node", "metadata": {}})
    named = {"apiVersion": "v1", "kind": "Node"}
    return [named | one for one in found if _ZONE in one["metadata"]["labels"]]


def _pods(api: ClusterApi) -> list[dict[str, Any]]:
    named = {"apiVersion": "v1", "kind": "Pod"}
    return [named | one for one in api.items({**named, "metadata": {}})]


def _end(api: ClusterApi, nodes: Sequence[Manifest]) -> None:
    """
    Let machines be gone without a drain, and then what ran on them.

    In this order no pod comes meanwhile, and kwok lets none end well on a machine
    that is gone. The collector of pods would wait for 40 s whether the node comes
    back, which no speed makes shorter; until then no Job makes another pod.
    """
    names = {node["metadata"]["name"] for node in nodes}
    claims = {node["metadata"]["labels"]["kubernetes.io/hostname"] for node in nodes}
    for node in nodes:
        with _unless_gone():
            api.merge(node, {"spec": {"unschedulable": True}})
    for node in nodes:
        _remove(api, node)
    for claim in sorted(claims):
        _remove(
            api,
            {
                "apiVersion": "karpenter.sh/v1",
                "kind": "NodeClaim",
                "metadata": {"name": claim},
            },
        )
    for pod in _pods(api):
        if pod["spec"].get("nodeName") in names:
            _collect(api, pod)


def _collect(api: ClusterApi, pod: Manifest) -> None:
    """
    Delete a pod as Kubernetes does when its node no longer exists.

    One that has ended is not told otherwise, also if it ends meanwhile.

    Sources: Kubernetes, pkg/controller/podgc, markFailedAndDeletePodWithCondition.
    """
    with _unless_gone():
        _fail(api, pod)
        api.delete(pod)


def _fail(api: ClusterApi, pod: Manifest) -> None:
    while pod.get("status", {}).get("phase") not in ("Succeeded", "Failed"):
        try:
            api.merge(pod, _failed(pod), "/status")
        except RefusedError as error:
            if error.status != _CONFLICT:
                raise
        else:
            return
        pod = api.get(pod)


def _failed(pod: Manifest) -> Manifest:
    """Return the change of a pod as it was seen: another must not be changed."""
    conditions = [*pod.get("status", {}).get("conditions", ()), _COLLECTED]
    return {
        "metadata": {"resourceVersion": pod["metadata"]["resourceVersion"]},
        "status": {"phase": "Failed", "conditions": conditions},
    }


def _remove(api: ClusterApi, manifest: Manifest) -> None:
    """Delete an object without what its finalizers wait for."""
    with _unless_gone():
        api.merge(manifest, {"metadata": {"finalizers": None}})
        api.delete(manifest)


@contextmanager
def _unless_gone() -> Generator[None]:
    """Let it pass that an object is gone already, and nothing else."""
    try:
        yield
    except RefusedError as error:
        if error.status != _GONE:
            raise
