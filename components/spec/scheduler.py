"""How the scheduler of an EKS control plane scores nodes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .problems import duplicates, refuse

__all__ = ["ResourceWeight", "SchedulerScoring"]

_RESOURCE = re.compile(
    r"([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceWeight:
    """
    How much one resource counts when the scheduler scores a node.

    Args:
        name: `cpu`, `memory` or an extended resource such as `nvidia.com/gpu`.
        weight: 1 to 100.

    Raises:
        ValueError: EKS would refuse it.

    Sources:
        EKS API, ResourceWeight.
    """

    name: str
    weight: int = 1

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        if not _RESOURCE.fullmatch(self.name) or len(self.name) > 253:
            yield (
                "name must be a resource such as cpu, memory or nvidia.com/gpu, "
                f"got name={self.name!r}"
            )
        if not 1 <= self.weight <= 100:
            yield f"weight must be 1 to 100, got weight={self.weight}"


@dataclass(frozen=True, kw_only=True, slots=True)
class SchedulerScoring:
    """
    How the scheduler of EKS ranks the nodes that a pod fits on.

    It holds for the whole cluster: with `MostAllocated` servers crowd together as
    well. It sees requests alone, so pods without requests are hardly packed.

    Args:
        strategy: `MostAllocated` packs, `LeastAllocated` spreads (the default of
            Kubernetes).
        resources: What counts, each resource once, 1 to 100 of them.

    Raises:
        ValueError: EKS would refuse it.

    Sources:
        cpu and memory, 1 each: the default of kube-scheduler. Limits: EKS API,
        ScoringStrategy.
    """

    strategy: Literal["MostAllocated", "LeastAllocated"] = "MostAllocated"
    resources: tuple[ResourceWeight, ...] = (
        ResourceWeight(name="cpu"),
        ResourceWeight(name="memory"),
    )

    def __post_init__(self) -> None:
        refuse(self._problems())

    def kube_scheduler_config(self) -> dict[str, Any]:
        """Return the `kubeSchedulerConfig` of an `aws.eks.Cluster`, wire names."""
        return {
            "nodeResourcesFit": {
                "scoringStrategy": {
                    "type": self.strategy,
                    "resources": [
                        {"name": resource.name, "weight": resource.weight}
                        for resource in self.resources
                    ],
                }
            }
        }

    def _problems(self) -> Iterator[str]:
        if self.strategy not in ("MostAllocated", "LeastAllocated"):
            yield (
                "strategy must be MostAllocated or LeastAllocated, "
                f"got strategy={self.strategy!r}"
            )
        if not 1 <= len(self.resources) <= 100:
            yield f"resources must be 1 to 100, got {len(self.resources)}"
        yield from duplicates("resources", [item.name for item in self.resources])
