"""Nodes for servers: a managed node group, updated by EKS node by node."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi

from . import _iam, _nodes
from ._children import children_of
from .cluster_facts import ClusterFacts
from .spec.access import NODE_POLICIES
from .spec.groups import ServerGroup
from .spec.instance_types import InstanceTypes
from .spec.node_config import check_group, managed_user_data
from .spec.tags import check_tags

__all__ = ["ServerNodes", "ServerNodesArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerNodesArgs:
    """
    Arguments of `ServerNodes`.

    Args:
        cluster: The cluster that the nodes join.
        group: The nodes.
        instance_types: Facts about instance types.
        tags: Tags of everything in the group, under those of *group*.

    Raises:
        ValueError: The group does not fit its instance types, or AWS would refuse
            the tags.
    """

    cluster: ClusterFacts
    group: ServerGroup
    instance_types: InstanceTypes = field(default_factory=InstanceTypes.bundled)
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_group(self.group, self.instance_types)
        check_tags({**self.tags, **self.group.tags}, {"Name": ""})


class ServerNodes(pulumi.ComponentResource):
    """
    A managed node group for servers.

    EKS replaces its nodes one at a time and waits for disruption budgets; it also
    makes the access entry. Zone rebalancing cannot be switched off here, so jobs
    belong on `JobNodes`.

    Children: the node group, its launch template and its role, all called *name*;
    the policies of the role, called after the policy.

    Args:
        name: Name of the component and of its children, at most 55 characters.
        args: See `ServerNodesArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        group_name: Name of the node group.
        role_arn: ARN of the role of the nodes.

    Raises:
        ValueError: The name is too long.
    """

    group_name: pulumi.Output[str]
    role_arn: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        args: ServerNodesArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        _nodes.check_name(name, "node_group", "iam_role", "launch_template")
        super().__init__("eks-jobs:index:ServerNodes", name, None, opts)
        child = children_of(self, opts, args.cluster.ready)
        tags = _nodes.tagged(args.cluster.name, args.group, args.tags)

        role, attached = _iam.role(name, _iam.EC2, NODE_POLICIES, tags, child)
        user_data = managed_user_data(args.group, args.instance_types)
        template = _nodes.managed_template(
            name,
            args.group,
            None if user_data is None else _nodes.encoded(user_data),
            tags,
            child,
        )
        group = _nodes.managed_group(
            name,
            args.cluster,
            args.group,
            role=role,
            attached=attached,
            template=template,
            subnet_ids=args.cluster.subnet_ids,
            size=args.group.size,
            tags=tags,
            opts=child,
        )

        self.group_name = group.node_group_name
        self.role_arn = role.arn
        self.register_outputs(
            {"group_name": self.group_name, "role_arn": self.role_arn}
        )
