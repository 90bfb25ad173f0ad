"""How job pods are drawn to few nodes, and what each way needs."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

__all__ = [
    "PACKS_BY_AFFINITY",
    "PACKS_BY_SCHEDULER",
    "Packing",
    "affinity_term",
    "resource_weights",
    "scoring_problems",
    "weight_warnings",
]

Packing = Literal["affinity", "scheduler", "both", "none"]

PACKS_BY_AFFINITY: tuple[Packing, ...] = ("affinity", "both")
PACKS_BY_SCHEDULER: tuple[Packing, ...] = ("scheduler", "both")

_SCORING_SINCE = 31
# Below half a percent of a node one more pod moves the score by less than the
# scheduler's rounding step, as measured; a rule of thumb.
_SMALLEST_SHARE = 0.005
# A single resource pulls c - |c - m| / 2, which turns negative when m is above 3 c.
_MOST_LOPSIDED = 3


def affinity_term(
    key: str, value: str, *, all_namespaces: bool, unpacked: tuple[str, ...]
) -> dict[str, Any]:
    """
    Return the term that draws a pod to the nodes with most pods of one label.

    Shape:
        A PodAffinityTerm. Without a namespace selector it would count pods of its
        own namespace alone. Pods of *unpacked* namespaces keep the label, so they
        are left out here: a term works both ways, from the pods on a node as well.
    """
    term: dict[str, Any] = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {key: value}},
    }
    if all_namespaces:
        term["namespaceSelector"] = (
            {
                "matchExpressions": [
                    {
                        "key": "kubernetes.io/metadata.name",
                        "operator": "NotIn",
                        "values": list(unpacked),
                    }
                ]
            }
            if unpacked
            else {}
        )
    return term


def resource_weights(packing: Packing) -> dict[str, int]:
    """
    Return the weights that the cluster's MostAllocated scoring needs, if any.

    Sources:
        cpu and memory, 1 each: EKS's own default, and the pair that packs pods of
        every shape, by the score formulas of kube-scheduler.
    """
    return {"cpu": 1, "memory": 1} if packing in PACKS_BY_SCHEDULER else {}


def scoring_problems(
    packing: Packing, cluster_version: str, strategy: str | None
) -> Iterator[str]:
    """
    Say why the scheduler of this cluster would not pack.

    Args:
        packing: The packing asked for.
        cluster_version: Version of Kubernetes, as `1.36`.
        strategy: Scoring strategy set for the cluster, None when there is none.

    Sources:
        EKS user guide, control plane configuration: since Kubernetes 1.31.
    """
    if packing not in PACKS_BY_SCHEDULER:
        return
    if int(cluster_version.split(".")[1]) < _SCORING_SINCE:
        yield (
            f"packing must be affinity or none before Kubernetes 1.{_SCORING_SINCE}, "
            f"got packing={packing!r} with version {cluster_version}"
        )
    if strategy != "MostAllocated":
        yield (
            f"packing={packing!r} needs the cluster's scheduler strategy to be "
            f"MostAllocated, got {strategy}"
        )


def weight_warnings(
    weights: Mapping[str, int], *, cpu_share: float, memory_share: float
) -> Iterator[str]:
    """
    Say when MostAllocated hardly packs pods of one shape.

    Args:
        weights: Weights of `cpu` and `memory`; a missing one is 0.
        cpu_share: Part of a node's CPU that one pod requests, 0 to 1.
        memory_share: The same of memory.

    Sources:
        Score formulas of kube-scheduler 1.34, NodeResourcesFit less
        NodeResourcesBalancedAllocation.
    """
    cpu, memory = weights.get("cpu", 0), weights.get("memory", 0)
    shares = (
        f"a pod asks {cpu_share:.2%} of a node's CPU and {memory_share:.2%} of its "
        "memory"
    )
    if cpu and memory:
        if min(cpu_share, memory_share) < _SMALLEST_SHARE:
            yield (
                f"{shares}: below {_SMALLEST_SHARE:.1%} the scheduler hardly packs; "
                "use packing affinity, or weigh the larger one alone"
            )
        return
    used, other, name = (
        (cpu_share, memory_share, "cpu") if cpu else (memory_share, cpu_share, "memory")
    )
    if used * _MOST_LOPSIDED < other:
        yield (
            f"{shares}: weighing {name} alone spreads such pods; weigh cpu and "
            "memory, or use packing affinity"
        )
