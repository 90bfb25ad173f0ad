"""Values for Kyverno's chart: an engine that never stands in a pod's way."""

from collections.abc import Sequence
from typing import Any

from ..groups import GROUP_LABEL, JobGroup, ServerGroup, open_groups
from ..helm import KEPT
from .checks import SYSTEM_NAMESPACES
from .kyverno_settings import KyvernoSettings

__all__ = ["kyverno_values"]


def kyverno_values(
    kyverno: KyvernoSettings,
    servers: Sequence[ServerGroup],
    jobs: Sequence[JobGroup] = (),
) -> dict[str, Any]:
    """
    Return the values of a release that runs on nodes of servers.

    Only what mutates pods runs: no reports (one object for each mutated pod), no
    background scans, no clean-up. The chart's hooks, which take the webhooks away
    when it is uninstalled, run on the same nodes. Definitions stay then, with the
    policies of all. Its own resource filters leave out the system's namespaces once
    more, nodes and bindings.

    Args:
        kyverno: The settings.
        servers: Server groups of the cluster.
        jobs: Its job groups, which may not hold the engine.

    Shape:
        Values of chart kyverno 3.9; left out is what its defaults do already.

    Raises:
        ValueError: No server group fits, or the one named is none.

    Sources:
        Charts kyverno 3.9.1 and kyverno-api 0.0.1-alpha.3, values.yaml. Kyverno docs,
        high availability.
    """
    group = _group(kyverno, servers, jobs)
    return {
        "global": {
            "nodeSelector": {"kubernetes.io/os": "linux", GROUP_LABEL: group.name},
            "tolerations": [
                {
                    "key": taint.key,
                    "operator": "Equal",
                    "value": taint.value,
                    "effect": taint.effect,
                }
                for taint in group.lasting_taints
            ],
        },
        # The chart has those of its older policies itself, and of newer ones beside it.
        "crds": {"install": True, "annotations": dict(KEPT)},
        "kyverno-api": {"annotations": dict(KEPT)},
        "config": {
            "excludeKyvernoNamespace": True,
            "webhooks": {"namespaceSelector": _namespace_selector()},
        },
        "features": {
            "admissionReports": {"enabled": False},
            "aggregateReports": {"enabled": False},
            "backgroundScan": {"enabled": False},
            "forceFailurePolicyIgnore": {"enabled": kyverno.fail_open},
            "policyReports": {"enabled": False},
            "reporting": {
                "generate": False,
                "imageVerify": False,
                "mutate": False,
                "mutateExisting": False,
                "validate": False,
            },
        },
        "admissionController": _admission_controller(kyverno),
        "backgroundController": {"enabled": False},
        "cleanupController": {"enabled": False},
        "reportsController": {"enabled": False},
        "webhooksCleanup": {"enabled": True},
    }


def _group(
    kyverno: KyvernoSettings, servers: Sequence[ServerGroup], jobs: Sequence[JobGroup]
) -> ServerGroup:
    if kyverno.group is None:
        for group in open_groups(servers):
            return group
        raise ValueError("group must name a server group, as none is without taints")
    for group in servers:
        if group.name == kyverno.group:
            return group
    kind = "a job group" if kyverno.group in [job.name for job in jobs] else "no group"
    offered = ", ".join(group.name for group in servers)
    raise ValueError(
        f"group must be one of the server groups {offered}, got "
        f"group={kyverno.group!r}, which is {kind}"
    )


def _admission_controller(kyverno: KyvernoSettings) -> dict[str, Any]:
    return {
        "replicas": kyverno.replicas,
        "priorityClassName": "system-cluster-critical",
        "podDisruptionBudget": {
            "enabled": True,
            "minAvailable": kyverno.replicas - 1,
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {
                    "matchLabels": {
                        "app.kubernetes.io/component": "admission-controller"
                    }
                },
            }
        ],
        "container": {
            "resources": {
                "requests": {"cpu": "100m", "memory": "128Mi"},
                "limits": {"memory": f"{kyverno.memory_mib}Mi"},
            }
        },
    }


def _namespace_selector() -> dict[str, Any]:
    return {
        "matchExpressions": [
            {
                "key": "kubernetes.io/metadata.name",
                "operator": "NotIn",
                "values": list(SYSTEM_NAMESPACES),
            }
        ]
    }
