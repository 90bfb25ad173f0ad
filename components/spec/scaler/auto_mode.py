"""EKS Auto Mode: what a team says about it, and what EKS is told."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from ..problems import choices, refuse
from .iam import LAUNCHED, document
from .pool import PoolRules

__all__ = [
    "ACCESS_ENTRY_TYPE",
    "ACCESS_POLICY",
    "CLUSTER_POLICIES",
    "NODE_POLICIES",
    "AutoMode",
    "BuiltInPool",
    "cluster_config",
    "tagging_policy",
]

BuiltInPool = Literal["general-purpose", "system"]

ACCESS_ENTRY_TYPE = "EC2"
"""
Type of the access entry of the node role.

Sources: EKS user guide, Auto Mode, node classes; not confirmed on a cluster.
"""

ACCESS_POLICY = "cluster-access-policy/AmazonEKSAutoNodePolicy"
"""What the access entry is associated with. Sources: as above."""

CLUSTER_POLICIES = (
    "AmazonEKSClusterPolicy",
    "AmazonEKSComputePolicy",
    "AmazonEKSBlockStoragePolicy",
    "AmazonEKSLoadBalancingPolicy",
    "AmazonEKSNetworkingPolicy",
)
"""
What the role of the cluster may do; EKS must also be allowed to tag its sessions.

Sources: EKS user guide, Auto Mode, cluster role.
"""

NODE_POLICIES = (
    "AmazonEKSWorkerNodeMinimalPolicy",
    "AmazonEC2ContainerRegistryPullOnly",
)
"""What a node may do. Sources: EKS user guide, Auto Mode, node role."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AutoMode:
    """
    Nodes by EKS Auto Mode: each job group becomes a NodePool and a NodeClass.

    Args:
        node_pools: Built-in pools that are on. They take what the managed groups of
            servers cannot hold, since nothing else scales those.
        pools: Rules by the name of a job group; the others have those of
            `PoolRules`.

    Raises:
        ValueError: A pool is not one of EKS, or a rule is one that Auto Mode does
            not have.

    Sources:
        Both pools: what EKS turns on by itself.
    """

    kind: ClassVar[Literal["auto-mode"]] = "auto-mode"

    node_pools: tuple[BuiltInPool, ...] = ("general-purpose", "system")
    pools: Mapping[str, PoolRules] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse(self._problems())

    def rules(self, group: str) -> PoolRules:
        """Return the rules of a job group."""
        return self.pools.get(group, PoolRules())

    def _problems(self) -> Iterator[str]:
        yield from choices("node_pools", self.node_pools, get_args(BuiltInPool))
        for name, rules in self.pools.items():
            if rules.consolidation_policy == "Balanced":
                yield (
                    f"pools[{name}].consolidation_policy must be WhenEmpty or "
                    "WhenEmptyOrUnderutilized with EKS Auto Mode, got Balanced"
                )
            for place, budget in enumerate(rules.budgets):
                if "Unhealthy" in budget.reasons:
                    yield (
                        f"pools[{name}].budgets[{place}].reasons must be of Empty, "
                        "Drifted, Underutilized with EKS Auto Mode, which does not "
                        f"tell whether it knows 'Unhealthy', got {list(budget.reasons)}"
                    )


def cluster_config(auto_mode: AutoMode | None, node_role_arn: Any) -> dict[str, Any]:
    """
    Return the three switches of Auto Mode: EKS wants all of them on, or all off.

    Args:
        auto_mode: The settings, None to turn it off.
        node_role_arn: Role of the nodes of built-in pools, or an output with it.
            EKS refuses it without such a pool.

    Shape:
        Inputs of `aws.eks.Cluster`, wire names. `bootstrapSelfManagedAddons` is not
        here: it can only be set when a cluster is made, and must be false.

    Sources:
        EKS API, CreateCluster. pulumi-eks#1585.
    """
    on = auto_mode is not None
    pools = list(auto_mode.node_pools) if auto_mode is not None else []
    built_in = {"nodePools": pools, "nodeRoleArn": node_role_arn} if pools else {}
    return {
        "computeConfig": {"enabled": on, **built_in},
        "kubernetesNetworkConfig": {"elasticLoadBalancing": {"enabled": on}},
        "storageConfig": {"blockStorage": {"enabled": on}},
    }


def tagging_policy(partition: str) -> dict[str, Any]:
    """
    Return what the role of the cluster needs besides, to put tags of yours on nodes.

    Without it Auto Mode launches no node of a class that has tags, and makes no
    network interface for its pods.

    Args:
        partition: Partition, the second part of an ARN.

    Sources:
        EKS user guide, Auto Mode, custom AWS tags, with its resources named; subnets
        and security groups of an interface are allowed by AmazonEKSNetworkingPolicy.
    """
    created = [f"arn:{partition}:ec2:*:*:{kind}/*" for kind in LAUNCHED]
    cluster = "eks:eks-cluster-name"
    of_cluster = {f"aws:RequestTag/{cluster}": f"${{aws:PrincipalTag/{cluster}}}"}
    return document(
        [
            {
                "Sid": "TagNodes",
                "Action": [
                    "ec2:CreateFleet",
                    "ec2:CreateLaunchTemplate",
                    "ec2:RunInstances",
                ],
                "Resource": created,
                "Condition": {
                    "StringEquals": of_cluster,
                    "StringLike": {
                        "aws:RequestTag/eks:kubernetes-node-class-name": "*",
                        "aws:RequestTag/eks:kubernetes-node-pool-name": "*",
                    },
                },
            },
            {
                "Sid": "TagInterfaces",
                "Action": ["ec2:CreateNetworkInterface"],
                "Resource": [f"arn:{partition}:ec2:*:*:network-interface/*"],
                "Condition": {
                    "StringEquals": of_cluster,
                    "StringLike": {"aws:RequestTag/eks:kubernetes-cni-node-name": "*"},
                },
            },
        ]
    )
