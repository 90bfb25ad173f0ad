"""Feature gates of Karpenter: a misspelt one would change nothing, in silence."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from ..problems import choices
from .versions import parsed

__all__ = ["AWS_GATES", "CORE_GATES", "gate_problems"]

CORE_GATES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "nodeRepair": (1, 1),
        "nodeOverlay": (1, 7),
        "reservedCapacity": (1, 3),
        "spotToSpotConsolidation": (0, 34),
        "staticCapacity": (1, 8),
        "capacityBuffer": (1, 14),
        "terminateFirstDrift": (1, 15),
        "terminateFirstRepair": (1, 15),
        "podDeletionCostManagement": (1, 15),
    }
)
"""
Gates below `settings.featureGates` and the version that brought them.

Sources: chart karpenter 1.15.1; the first four: settings of Karpenter 1.7, feature
gates; the others: its release notes. 1.15 for the two that terminate first: not
confirmed to be missing in 1.14.
"""

AWS_GATES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"nodeClassCEL": (1, 15), "rebootForRepair": (1, 15)}
)
"""Gates below `settings.awsFeatureGates`. Sources: see `CORE_GATES`."""


def gate_problems(gates: Mapping[str, bool], version: str) -> Iterator[str]:
    """List gates that this version does not have, and those without effect."""
    every = {**CORE_GATES, **AWS_GATES}
    yield from choices("feature_gates", gates, every)
    for name, on in gates.items():
        since = every.get(name)
        if not isinstance(on, bool):
            yield f"feature_gates[{name}] must be true or false, got {on!r}"
        elif since is not None and parsed(version)[:2] < since:
            yield (
                f"feature_gates[{name}] needs Karpenter {since[0]}.{since[1]} or "
                f"newer, got version={version}"
            )
    for name in ("rebootForRepair", "terminateFirstRepair"):
        if gates.get(name) and not gates.get("nodeRepair"):
            yield f"feature_gates[{name}] needs feature_gates[nodeRepair]"
