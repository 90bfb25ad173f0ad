"""User data of nodes that Karpenter launches, with what it adds itself."""

from collections.abc import Mapping
from typing import Any

from ..groups import NodeGroup
from ..labels import Taint
from ..node_config import cluster_spec, usual_cluster, with_added

__all__ = ["karpenter_launch_data"]

_UNREGISTERED = Taint(key="karpenter.sh/unregistered", effect="NoExecute")


def karpenter_launch_data(
    group: NodeGroup, node_class: Mapping[str, Any]
) -> str | None:
    """
    Render the text of a class with a NodeConfig like the one that Karpenter adds.

    Args:
        group: Job group or server pool.
        node_class: Its EC2NodeClass.

    Shape:
        A multipart text, or None when the class has none.

    Raises:
        ValueError: The text is above 16 KiB.

    Sources:
        karpenter-provider-aws 1.15.1, pkg/providers/amifamily/bootstrap/nodeadm.go
        and pkg/providers/launchtemplate/launchtemplate.go. Values that only the
        cluster knows have the usual length; EC2 counted none of it.
    """
    spec = node_class["spec"]
    if "userData" not in spec:
        return None
    policy = spec.get("instanceStorePolicy")
    labels = {
        **group.all_labels,
        "karpenter.k8s.aws/ec2nodeclass": group.name,
        "karpenter.sh/capacity-type": "on-demand",
        "karpenter.sh/do-not-sync-taints": "true",
        "karpenter.sh/nodepool": group.name,
    }
    pairs = ",".join(f"{key}={value}" for key, value in labels.items())
    taints = [
        {"key": taint.key, "value": taint.value, "effect": taint.effect}
        for taint in (*group.all_taints, _UNREGISTERED)
    ]
    added = {
        "cluster": cluster_spec(usual_cluster()),
        "containerd": {},
        "instance": {"localStorage": {} if policy is None else {"strategy": policy}},
        "kubelet": {
            "config": {**spec.get("kubelet", {}), "registerWithTaints": taints},
            "flags": [f'--node-labels="{pairs}"'],
        },
    }
    return with_added(spec["userData"], added)
