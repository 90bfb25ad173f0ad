"""Values for the charts of Karpenter."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..groups import ServerGroup
from ..helm import KEPT
from .feature_gates import AWS_GATES, CORE_GATES
from .karpenter import Karpenter
from .placement import on_servers

__all__ = ["SERVICE_ACCOUNT", "definition_values", "karpenter_values"]

SERVICE_ACCOUNT = "karpenter"
"""Service account of the controller, in `kube-system`."""


def definition_values() -> dict[str, Any]:
    """
    Return the values of the chart `karpenter-crd`.

    Helm would take the definitions along with the release, and Kubernetes with them
    every pool and node of the cluster. So they stay; a release of the same name and
    namespace takes them over again.

    Shape:
        Values of chart karpenter-crd 1.15.

    Sources:
        Chart karpenter-crd 1.15.1; 1.3.3 and 1.8.2 know the value too.
    """
    return {"additionalAnnotations": dict(KEPT)}


def karpenter_values(
    karpenter: Karpenter,
    *,
    cluster_name: str,
    queue_name: Any,
    servers: Sequence[ServerGroup] = (),
) -> dict[str, Any]:
    """
    Return the values of the chart `karpenter`.

    Args:
        karpenter: The settings.
        cluster_name: Name of the cluster.
        queue_name: Name of the queue of interruptions, or an output with it.
        servers: Server groups, on which the controller runs. Without them the chart
            keeps it off nodes of its own.

    Shape:
        Values of chart karpenter 1.15; left out is what its defaults do already.

    Sources:
        Chart karpenter 1.15.1, values.yaml and templates.
    """
    return {
        "serviceAccount": {"create": True, "name": SERVICE_ACCOUNT},
        "replicas": karpenter.replicas,
        **on_servers(servers, keep_off="karpenter.sh/nodepool"),
        "controller": {"resources": karpenter.resources.requirements()},
        "settings": {
            "clusterName": cluster_name,
            "interruptionQueue": queue_name,
            "preferencePolicy": karpenter.preference_policy,
            "batchIdleDuration": karpenter.batch_idle_duration,
            "batchMaxDuration": karpenter.batch_max_duration,
            **_gates("featureGates", CORE_GATES, karpenter.feature_gates),
            **_gates("awsFeatureGates", AWS_GATES, karpenter.feature_gates),
        },
    }


def _gates(
    key: str, known: Mapping[str, Any], given: Mapping[str, bool]
) -> dict[str, Any]:
    chosen = {name: given[name] for name in sorted(given) if name in known}
    return {key: chosen} if chosen else {}
