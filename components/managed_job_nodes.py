"""Nodes for jobs as managed node groups, one for each zone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import pulumi
import pulumi_aws as aws

from . import _iam, _nodes
from ._children import children_of, renamed
from .cluster_facts import ClusterFacts
from .spec.access import NODE_POLICIES
from .spec.groups import JobGroup
from .spec.instance_types import InstanceTypes
from .spec.node_config import (
    check_group,
    job_user_data,
    managed_launch_data,
    managed_user_data,
)
from .spec.problems import refuse, refused
from .spec.scaler.autoscaler_groups import (
    check_group_tags,
    eks_adds_user_data,
    group_driver_problems,
    managed_group_tags,
    managed_problems,
    zone_sizes,
)
from .spec.scaler.cluster_autoscaler import ClusterAutoscaler
from .spec.scaler.generated_names import managed_group_name

__all__ = ["ManagedJobNodes", "ManagedJobNodesArgs"]

_MANAGED = ClusterAutoscaler(groups="managed")


@dataclass(frozen=True, kw_only=True, slots=True)
class ManagedJobNodesArgs:
    """
    Arguments of `ManagedJobNodes`.

    Args:
        cluster: The cluster that the nodes join.
        group: The nodes; its bounds are split over the zones.
        scaler: When nodes go, and the instances that wait; `groups: managed`.
        zones: What tells the zones apart, one text for each subnet, as a part of
            names. Empty takes their numbers.
        former_zones: What told them apart before, in the same order: groups of these
            names stay, with their nodes, and are called after *zones* from now on.
            Empty takes the numbers of the subnets.
        instance_types: Facts about instance types.
        tags: Tags of everything in the group, under those of *group*.

    Raises:
        ValueError: The group does not fit its instance types or a managed group, or
            AWS would refuse the tags. All problems are named, one a line.
    """

    cluster: ClusterFacts
    group: JobGroup
    scaler: ClusterAutoscaler = _MANAGED
    zones: tuple[str, ...] = ()
    former_zones: tuple[str, ...] = ()
    instance_types: InstanceTypes = field(default_factory=InstanceTypes.bundled)
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def zone_keys(self) -> tuple[str, ...]:
        """What tells the zones apart, in the order of the subnets."""
        return self.zones or self._numbers

    @property
    def former_zone_keys(self) -> tuple[str, ...]:
        """What told the zones apart before, in the order of the subnets."""
        return self.former_zones or self._numbers

    @property
    def _numbers(self) -> tuple[str, ...]:
        return tuple(str(place + 1) for place in range(len(self.cluster.subnet_ids)))

    def _problems(self) -> Iterator[str]:
        subnets = len(self.cluster.subnet_ids)
        if self.scaler.groups != "managed":
            yield f"scaler.groups must be managed, got groups={self.scaler.groups}"
        fields = {"zones": self.zone_keys, "former_zones": self.former_zone_keys}
        for name, keys in fields.items():
            if len(keys) != subnets or len(set(keys)) != subnets:
                yield (
                    f"{name} must be {subnets} different texts, one for each subnet, "
                    f"got {', '.join(keys)}"
                )
        yield from group_driver_problems(self.group)
        yield from managed_problems(self.scaler, self.group, subnets)
        check = check_group if self.group.ami_id else managed_launch_data
        yield from refused("", check, self.group, self.instance_types)
        yield from refused(
            "",
            check_group_tags,
            self.cluster.name,
            self.group,
            self.scaler.scale_down(self.group.name),
            self.instance_types,
            self.tags,
        )


class ManagedJobNodes(pulumi.ComponentResource):
    """
    Managed node groups for jobs, scaled by Cluster Autoscaler, one in each zone.

    A group of one zone has no zones to even out, so nothing but the autoscaler takes
    its nodes, and an update: EKS then evicts the jobs of each node, whatever their
    annotations say, and waits only where a disruption budget refuses.

    Children: a node group for each zone, called after `managed_group_name`, and the
    tags of its Auto Scaling group, which add their key to that; a launch template,
    called *name*; a role and its policies, *name* too. EKS makes the access entry.
    What belongs to a zone has its former name as an alias, and keeps its name at AWS.

    Args:
        name: Name of the component and of its children, at most 55 characters.
        args: See `ManagedJobNodesArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        group_names: Names of the node groups, by zone.
        role_arn: ARN of the role of the nodes.

    Raises:
        ValueError: The name is too long.
    """

    group_names: Mapping[str, pulumi.Output[str]]
    role_arn: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        args: ManagedJobNodesArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        _nodes.check_name(name, "node_group", "iam_role", "launch_template")
        super().__init__("eks-jobs:index:ManagedJobNodes", name, None, opts)
        child = children_of(self, opts, args.cluster.ready)
        tags = _nodes.tagged(args.cluster.name, args.group, args.tags)

        role, attached = _iam.role(name, _iam.EC2, NODE_POLICIES, tags, child)
        template = _nodes.managed_template(
            name, args.group, _user_data(args), tags, child, args.group.ami_id
        )
        sizes = zone_sizes(args.group.size, len(args.zone_keys))
        self.group_names = {}
        for zone, former, subnet, size in zip(
            args.zone_keys,
            args.former_zone_keys,
            args.cluster.subnet_ids,
            sizes,
            strict=True,
        ):
            label, before = (managed_group_name(name, key) for key in (zone, former))
            group = _nodes.managed_group(
                label,
                args.cluster,
                args.group,
                role=role,
                attached=attached,
                template=template,
                subnet_ids=[subnet],
                size=size,
                tags=tags,
                opts=renamed(child, label, before),
                image_id=args.group.ami_id,
                warm_pool=_warm_pool(args.scaler),
            )
            _scaling_tags(label, before, args, group, child)
            self.group_names[zone] = group.node_group_name

        self.role_arn = role.arn
        self.register_outputs(
            {"group_names": self.group_names, "role_arn": self.role_arn}
        )


def _user_data(args: ManagedJobNodesArgs) -> pulumi.Input[str] | None:
    """Say everything to an image of one's own: EKS adds nothing to its user data."""
    group, types = args.group, args.instance_types
    if not eks_adds_user_data(args.scaler, group):
        return args.cluster.node_cluster().apply(
            lambda cluster: _nodes.encoded(job_user_data(cluster, group, types))
        )
    text = managed_user_data(group, types)
    return None if text is None else _nodes.encoded(text)


def _warm_pool(
    scaler: ClusterAutoscaler,
) -> aws.eks.NodeGroupWarmPoolConfigArgsDict | None:
    if scaler.warm_pool is None:
        return None
    config = scaler.warm_pool.config()
    return cast("aws.eks.NodeGroupWarmPoolConfigArgsDict", config)


def _scaling_tags(
    name: str,
    former: str,
    args: ManagedJobNodesArgs,
    group: aws.eks.NodeGroup,
    opts: pulumi.ResourceOptions,
) -> None:
    """Tell the autoscaler what EKS does not: with no node it reads tags alone."""
    made = group.resources.apply(
        lambda parts: cast("list[Any]", parts)[0].autoscaling_groups[0].name
    )
    options = args.scaler.scale_down(args.group.name)
    tags = managed_group_tags(
        args.cluster.name, args.group, options, args.instance_types
    )
    for key, value in sorted(tags.items()):
        aws.autoscaling.Tag(
            f"{name}-{key}",
            autoscaling_group_name=made,
            tag={"key": key, "value": value, "propagate_at_launch": False},
            opts=renamed(opts, f"{name}-{key}", f"{former}-{key}"),
        )
