"""NodePool: the same object for Karpenter and for EKS Auto Mode."""

from typing import Any

from ..groups import NodeGroup
from ..instance_types import InstanceTypes
from ..labels import Taint
from .lifetime import Lifetime
from .pool import PoolRules
from .versions import (
    AUTO_NODE_CLASS_API,
    EC2_NODE_CLASS_API,
    NODE_POOL_API,
)

__all__ = ["AUTO_NODE_CLASS", "EC2_NODE_CLASS", "label_problems", "node_pool"]

EC2_NODE_CLASS = (EC2_NODE_CLASS_API, "EC2NodeClass")
AUTO_NODE_CLASS = (AUTO_NODE_CLASS_API, "NodeClass")

# Karpenter compares the end of the domain, so these take in any that ends so.
_TAKEN_DOMAINS = ("karpenter.sh", "karpenter.k8s.aws")


# Cores too: below zero, a limit of nodes is not looked at. Source: karpenter 1.14,
# pkg/controllers/provisioning/scheduling/scheduler.go.
_NOTHING = {"nodes": "0", "cpu": "0"}


def node_pool(
    group: NodeGroup,
    rules: PoolRules,
    life: Lifetime,
    node_class: tuple[str, str],
    instance_types: InstanceTypes,
    *,
    retiring: bool = False,
) -> dict[str, Any]:
    """
    Return the NodePool of a group. Its class has the same name.

    Of the instance types the cheapest that fits is taken, not the first.

    Args:
        group: Job group or server pool.
        rules: When it gives nodes back.
        life: How long its nodes live.
        node_class: `EC2_NODE_CLASS` or `AUTO_NODE_CLASS`.
        instance_types: Facts about its types, for the limit of cores, which older
            versions keep to better than that of nodes.
        retiring: Whether the pool gets no new nodes, while those it has let their
            jobs finish. A change of limits moves no node.

    Shape:
        NodePool of karpenter.sh/v1, with the defaults of its CRD written out.
    """
    api, kind = node_class
    return {
        "apiVersion": NODE_POOL_API,
        "kind": "NodePool",
        "metadata": {"name": group.name},
        "spec": {
            "template": {
                "metadata": {"labels": group.all_labels},
                "spec": {
                    "nodeClassRef": {
                        "group": api.partition("/")[0],
                        "kind": kind,
                        "name": group.name,
                    },
                    "requirements": _requirements(group, rules),
                    **_taints(group),
                    "expireAfter": life.expire_after,
                    **_grace(life),
                },
            },
            "disruption": rules.disruption(),
            "limits": (dict(_NOTHING) if retiring else _limits(group, instance_types)),
            **({} if rules.weight is None else {"weight": rules.weight}),
        },
    }


def label_problems(group: NodeGroup) -> list[str]:
    """
    List labels that Kubernetes takes and Karpenter refuses.

    Sources:
        CRD of NodePool, Karpenter 1.15.
    """
    return [
        f"labels must leave out {key}: domains that end with {domain} belong to "
        f"Karpenter"
        for key in group.labels
        for domain in _TAKEN_DOMAINS
        if key.partition("/")[0].endswith(domain)
    ]


def _requirements(group: NodeGroup, rules: PoolRules) -> list[dict[str, Any]]:
    wanted = {
        "kubernetes.io/arch": [group.architecture],
        "kubernetes.io/os": ["linux"],
        "karpenter.sh/capacity-type": list(rules.capacity_types),
        "node.kubernetes.io/instance-type": list(group.instance_types),
    }
    return [
        {"key": key, "operator": "In", "values": values}
        for key, values in wanted.items()
    ]


def _taints(group: NodeGroup) -> dict[str, Any]:
    fields = {
        "taints": [_taint(taint) for taint in group.lasting_taints],
        "startupTaints": [_taint(taint) for taint in group.taints if taint.startup],
    }
    return {name: taints for name, taints in fields.items() if taints}


def _taint(taint: Taint) -> dict[str, str]:
    """Leave an empty value out: the CRD refuses it, and means the same without."""
    value = {"value": taint.value} if taint.value else {}
    return {"key": taint.key, **value, "effect": taint.effect}


def _grace(life: Lifetime) -> dict[str, str]:
    grace = life.termination_grace_period
    return {} if grace is None else {"terminationGracePeriod": grace}


def _limits(group: NodeGroup, instance_types: InstanceTypes) -> dict[str, str]:
    found = [instance_types.find(name) for name in group.instance_types]
    known = [one.vcpus for one in found if one is not None]
    # A type that is not known may be the largest.
    whole = len(known) == len(found)
    cores = {"cpu": str(group.size.max * max(known))} if whole else {}
    return {"nodes": str(group.size.max), **cores}
