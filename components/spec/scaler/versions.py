"""Versions of charts, controllers and APIs: every one that a scaler needs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = [
    "AUTO_NODE_CLASS_API",
    "AUTOSCALER_CHART",
    "AUTOSCALER_IMAGE",
    "AUTOSCALER_VERSIONS",
    "Chart",
    "EC2_NODE_CLASS_API",
    "KARPENTER_CHART",
    "KARPENTER_CRD_CHART",
    "KARPENTER_NEEDED",
    "KARPENTER_OLDEST",
    "KARPENTER_VERSION",
    "NAMESPACE",
    "NODE_POOL_API",
    "parsed",
    "version_problems",
]

NODE_POOL_API = "karpenter.sh/v1"
EC2_NODE_CLASS_API = "karpenter.k8s.aws/v1"
AUTO_NODE_CLASS_API = "eks.amazonaws.com/v1"

NAMESPACE = "kube-system"
"""Where controllers run: requests from here are not throttled first."""

KARPENTER_VERSION = "1.15.1"
"""
Version of Karpenter when a stack names none.

Sources: release of 2026-10-23; the CRDs and charts of this version were read.
"""

KARPENTER_OLDEST = (1, 4, 0)
"""
Oldest version that the library installs, or makes pools for.

Older ones have no preference policy, ignore the value in silence, and plan packing as
a must. Each version of Kubernetes below has a newer one.

Sources: kubernetes-sigs/karpenter#2122; settings of Karpenter 1.3, which lack
`PREFERENCE_POLICY`, and of 1.4, which have it.
"""

KARPENTER_NEEDED: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        "1.31": (1, 0, 5),
        "1.32": (1, 2, 0),
        "1.33": (1, 5, 0),
        "1.34": (1, 6, 0),
        "1.35": (1, 9, 0),
        "1.36": (1, 13, 0),
        "1.37": (1, 15, 0),
    }
)
"""
Oldest Karpenter for each version of Kubernetes.

Sources: Karpenter 1.15 documentation, compatibility.
"""

AUTOSCALER_VERSIONS: Mapping[str, str] = MappingProxyType(
    {
        "1.32": "1.32.7",
        "1.33": "1.33.6",
        "1.34": "1.34.5",
        "1.35": "1.35.2",
        "1.36": "1.36.1",
    }
)
"""
Newest Cluster Autoscaler that is known for each version of Kubernetes.

Sources: releases of kubernetes/autoscaler, August 2026; 1.32.7: February 2026.
"""

AUTOSCALER_IMAGE = "registry.k8s.io/autoscaling/cluster-autoscaler"
"""Image of Cluster Autoscaler. Source: its releases."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """
    A Helm chart.

    Args:
        name: Name of the chart, or its whole address in an OCI registry.
        repository: Address of its repository; None for an OCI registry.
        version: Version of the chart; None follows the controller.
    """

    name: str
    repository: str | None = None
    version: str | None = None


_REGISTRY = "oci://public.ecr.aws/karpenter"

# Both charts have the version of the controller, so that CRDs never drift from it.
KARPENTER_CRD_CHART = Chart(name=f"{_REGISTRY}/karpenter-crd")
KARPENTER_CHART = Chart(name=f"{_REGISTRY}/karpenter")

# Sources: charts/cluster-autoscaler of kubernetes/autoscaler, August 2026. Its own
# image tag is that of another minor, so the tag is always set.
AUTOSCALER_CHART = Chart(
    name="cluster-autoscaler",
    repository="https://kubernetes.github.io/autoscaler",
    version="9.59.0",
)

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


def version_problems(field: str, version: str) -> list[str]:
    """Say what is wrong with the version of a controller."""
    if isinstance(version, str) and _VERSION.fullmatch(version):
        return []
    return [
        f"{field} must be three numbers such as {KARPENTER_VERSION}, without a v, "
        f"got {field}={version}"
    ]


def parsed(version: str) -> tuple[int, ...]:
    """Split a version without problems into its numbers."""
    return tuple(int(part) for part in version.split("."))
