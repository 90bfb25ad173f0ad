"""Values for the chart of Cluster Autoscaler."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..groups import JobGroup, NodeGroup, ServerGroup
from ..problems import refuse
from .cluster_autoscaler import ClusterAutoscaler
from .placement import on_servers
from .versions import (
    AUTOSCALER_IMAGE,
    AUTOSCALER_VERSIONS,
    parsed,
)

__all__ = [
    "AUTOSCALER_ACCOUNT",
    "EXPENDABLE_CUTOFF",
    "autoscaler_values",
    "autoscaler_version",
    "managed_pattern",
    "priorities",
    "self_managed_pattern",
    "autoscaler_version_problems",
]

AUTOSCALER_ACCOUNT = "cluster-autoscaler"
"""Service account of the controller, in `kube-system`."""

EXPENDABLE_CUTOFF = -10
"""
Pods below this priority get no node and keep none.

Written out although it is the default, because balloons count on it. Sources:
Cluster Autoscaler FAQ.
"""


# Every cluster has one node, so the limit is reached; scale-down does not ask for it.
# Source: Cluster Autoscaler, core/static_autoscaler.go; not run.
_ADDS_NOTHING = {"max-nodes-total": "1"}


def autoscaler_version_problems(version: str | None, cluster_version: str) -> list[str]:
    """
    List why a version does not fit the cluster.

    Sources:
        Cluster Autoscaler README: its scheduler is that of one minor.
    """
    if version is None and cluster_version not in AUTOSCALER_VERSIONS:
        return [
            f"version must be given for Kubernetes {cluster_version}, whose Cluster "
            f"Autoscaler is not known here ({', '.join(AUTOSCALER_VERSIONS)} are)"
        ]
    if version is not None and _minor(version) != cluster_version:
        return [
            f"version must be of the cluster's minor {cluster_version}, "
            f"got version={version}"
        ]
    return []


def autoscaler_version(version: str | None, cluster_version: str) -> str:
    """
    Return the version of the image.

    Raises:
        ValueError: See `autoscaler_version_problems`.
    """
    refuse(autoscaler_version_problems(version, cluster_version))
    return version or AUTOSCALER_VERSIONS[cluster_version]


def autoscaler_values(
    autoscaler: ClusterAutoscaler,
    *,
    cluster_name: str,
    cluster_version: str,
    region: Any,
    patterns: Mapping[str, str],
    servers: Sequence[ServerGroup] = (),
    jobs: Sequence[JobGroup] = (),
    retiring: bool = False,
) -> dict[str, Any]:
    """
    Return the values of the chart `cluster-autoscaler`.

    Args:
        autoscaler: The settings.
        cluster_name: Name of the cluster; groups are found by its tag.
        cluster_version: Version of Kubernetes, `1.36`.
        region: Region, or an output with it.
        patterns: Expressions for the names of Auto Scaling groups, by job group.
        servers: Server groups, on which the controller runs.
        jobs: Job groups; of both it looks through the taints of the start.
        retiring: Whether it adds no nodes any more, of servers neither, and only
            takes away empty ones.

    Shape:
        Values of chart cluster-autoscaler 9.59; left out is what its defaults do.

    Raises:
        ValueError: No version fits the cluster.

    Sources:
        The chart's values.yaml and templates. Cluster Autoscaler 1.36, flags.
    """
    version = autoscaler_version(autoscaler.version, cluster_version)
    chosen = priorities(autoscaler.priorities, patterns)
    return {
        "fullnameOverride": AUTOSCALER_ACCOUNT,
        "cloudProvider": "aws",
        "awsRegion": region,
        "autoDiscovery": {"clusterName": cluster_name},
        "image": {"repository": AUTOSCALER_IMAGE, "tag": f"v{version}"},
        "rbac": {"serviceAccount": {"create": True, "name": AUTOSCALER_ACCOUNT}},
        "replicaCount": autoscaler.replicas,
        "podDisruptionBudget": {"maxUnavailable": 1},
        "priorityClassName": "system-cluster-critical",
        "nodeSelector": {"kubernetes.io/os": "linux"},
        **on_servers(servers),
        "resources": autoscaler.resources.requirements(),
        "extraArgs": {
            # Texts: a template may take a bare false for "no value", which is true.
            "balance-similar-node-groups": "false",
            "expander": "priority,least-waste" if chosen else "least-waste",
            "expendable-pods-priority-cutoff": str(EXPENDABLE_CUTOFF),
            "max-node-provision-time": autoscaler.max_node_provision_time,
            "scale-down-delay-after-add": autoscaler.scale_down_delay_after_add,
            "skip-nodes-with-local-storage": "true",
            "skip-nodes-with-system-pods": "true",
            **_startup_taints((*servers, *jobs)),
            **(_ADDS_NOTHING if retiring else {}),
        },
        **({"expanderPriorities": chosen} if chosen else {}),
    }


def _startup_taints(groups: Sequence[NodeGroup]) -> dict[str, str]:
    """
    Name the taints that agents take away, one flag for each key.

    Sources:
        The chart's README: what comes after the first _ of a name is left out.
    """
    keys = {taint.key for group in groups for taint in group.taints if taint.startup}
    return {
        f"startup-taint_{place}": key for place, key in enumerate(sorted(keys), start=1)
    }


def priorities(
    groups: Sequence[str], patterns: Mapping[str, str]
) -> dict[str, list[str]]:
    """
    Return the priorities of the expander, the highest first.

    A group that no expression matches would never grow, so the last matches all.

    Args:
        groups: Job groups to prefer, in order.
        patterns: Expressions for the names of their Auto Scaling groups.
    """
    if not groups:
        return {}
    ranked = {
        str(10 * (len(groups) - place)): [patterns[name]]
        for place, name in enumerate(groups)
    }
    return {**ranked, "1": [".*"]}


def self_managed_pattern(component: str) -> str:
    """Match the Auto Scaling group that Pulumi names after a component."""
    return f"^{component}-[0-9a-f]{{7}}$"


def managed_pattern(names: Sequence[str]) -> str:
    """
    Match the Auto Scaling groups that EKS makes for managed groups.

    Args:
        names: Logical names of the managed groups of one job group.
    """
    return f"^eks-({'|'.join(names)})-[0-9a-f]{{7}}-[0-9a-f-]+$"


def _minor(version: str) -> str:
    major, minor, _ = parsed(version)
    return f"{major}.{minor}"
