"""Nodes for jobs: an Auto Scaling group that nothing but the autoscaler shrinks."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from . import _iam, _nodes
from ._children import children_of, invoke_with
from .cluster_facts import ClusterFacts
from .spec.access import NODE_POLICIES
from .spec.architecture import ami_parameter
from .spec.groups import JobGroup
from .spec.instance_types import InstanceTypes
from .spec.node_config import check_group, job_user_data
from .spec.problems import refuse
from .spec.scaler.autoscaler_groups import (
    capacity_tags,
    check_group_tags,
    group_driver_problems,
    option_tags,
    self_managed_group_tags,
)
from .spec.scaler.cluster_autoscaler import ScaleDown
from .spec.tags import autoscaler_tags

__all__ = ["JobNodes", "JobNodesArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobNodesArgs:
    """
    Arguments of `JobNodes`.

    Args:
        cluster: The cluster that the nodes join.
        group: The nodes.
        ami_release: Release of the AL2023 node image, `v20260714`; may be left out
            when *group* names an image of its own.
        instance_types: Facts about instance types.
        instance_profile_arn: Profile of a role that has an access entry already,
            for groups that share one role: EKS refuses a second entry. None makes
            a role, its profile and its entry. Set later it takes these away from
            nodes that run, and their jobs end: give a group of another name the
            profile, and remove the old one when it is empty.
        options: When the autoscaler takes nodes of the group away.
        tags: Tags of everything in the group, under those of *group*.

    Raises:
        ValueError: No image is named, or one without the driver that a type needs;
            the group does not fit its instance types, or AWS would refuse the tags.
    """

    cluster: ClusterFacts
    group: JobGroup
    ami_release: str | None = None
    instance_types: InstanceTypes = field(default_factory=InstanceTypes.bundled)
    instance_profile_arn: pulumi.Input[str] | None = None
    options: ScaleDown = ScaleDown()
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_group(self.group, self.instance_types)
        check_group_tags(
            self.cluster.name,
            self.group,
            self.options,
            self.instance_types,
            self.tags,
        )
        refuse(group_driver_problems(self.group))
        if self.ami_release is None and self.group.ami_id is None:
            raise ValueError(
                "ami_release must be set, such as v20260714, or group.ami_id: nothing "
                "is resolved to the latest image"
            )


class JobNodes(pulumi.ComponentResource):
    """
    A self-managed node group for jobs, scaled by Cluster Autoscaler.

    Nothing on the side of AWS ends a node that runs a job: zone rebalancing is
    suspended, new instances are protected from scale-in, there is no instance
    refresh, no capacity rebalancing and no longest life. A change of the launch
    template reaches new nodes alone.

    Children: the Auto Scaling group and its launch template, called *name*; unless
    a profile is given, a role, its policies, an instance profile and an access
    entry, called *name* too (a policy by its own name).

    Args:
        name: Name of the component and of its children, at most 56 characters.
        args: See `JobNodesArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        group_name: Name of the Auto Scaling group.
        role_arn: ARN of the role of the nodes; None when a profile was given.

    Raises:
        ValueError: The name is too long.
    """

    group_name: pulumi.Output[str]
    role_arn: pulumi.Output[str] | None

    def __init__(
        self,
        name: str,
        args: JobNodesArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        _nodes.check_name(name, "autoscaling_group", "iam_role", "instance_profile")
        super().__init__("eks-jobs:index:JobNodes", name, None, opts)
        child = children_of(self, opts, args.cluster.ready)
        tags = _nodes.tagged(args.cluster.name, args.group, args.tags)

        profile, needed = args.instance_profile_arn, []
        self.role_arn = None
        if profile is None:
            profile, self.role_arn, needed = _identity(name, args, tags, child)
        template = _launch_template(name, args, profile, tags, child)
        after = child.merge(
            pulumi.ResourceOptions(
                depends_on=needed,
                # The autoscaler sets the size; writing it back would end nodes.
                ignore_changes=["desiredCapacity"],
            )
        )
        group = _scaling_group(name, args, template, tags, after)

        self.group_name = group.name
        self.register_outputs(
            {"group_name": self.group_name, "role_arn": self.role_arn}
        )


def _identity(
    name: str,
    args: JobNodesArgs,
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> tuple[pulumi.Output[str], pulumi.Output[str], list[pulumi.Resource]]:
    """Make what lets a node in; nodes wait for the last value."""
    role, attached = _iam.role(name, _iam.EC2, NODE_POLICIES, tags, opts)
    profile = aws.iam.InstanceProfile(name, role=role.name, tags=tags, opts=opts)
    entry = aws.eks.AccessEntry(
        name,
        cluster_name=args.cluster.name,
        principal_arn=role.arn,
        type="EC2_LINUX",
        tags=tags,
        opts=opts,
    )
    return profile.arn, role.arn, [*attached, entry]


def _launch_template(
    name: str,
    args: JobNodesArgs,
    profile_arn: pulumi.Input[str],
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> aws.ec2.LaunchTemplate:
    return aws.ec2.LaunchTemplate(
        name,
        image_id=_image(args, opts),
        user_data=args.cluster.node_cluster().apply(
            lambda cluster: _nodes.encoded(
                job_user_data(cluster, args.group, args.instance_types)
            )
        ),
        block_device_mappings=[_nodes.root_device(args.group)],
        iam_instance_profile={"arn": profile_arn},
        metadata_options=_nodes.metadata_options(args.group),
        vpc_security_group_ids=[args.cluster.security_group_id],
        # Instances get theirs from the group; their volumes would have none.
        tag_specifications=[{"resource_type": "volume", "tags": tags}],
        tags=tags,
        opts=opts,
    )


def _image(args: JobNodesArgs, opts: pulumi.ResourceOptions) -> pulumi.Input[str]:
    if args.group.ami_id is not None:
        return args.group.ami_id
    assert args.ami_release is not None  # the arguments checked it
    parameter = ami_parameter(
        args.group.architecture, args.cluster.version, args.ami_release
    )
    return aws.ssm.get_parameter_output(name=parameter, opts=invoke_with(opts)).value


def _scaling_group(
    name: str,
    args: JobNodesArgs,
    template: aws.ec2.LaunchTemplate,
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> aws.autoscaling.Group:
    size = args.group.size
    return aws.autoscaling.Group(
        name,
        min_size=size.min,
        max_size=size.max,
        desired_capacity=size.min,
        vpc_zone_identifiers=args.cluster.subnet_ids,
        mixed_instances_policy=_instances(args.group, template),
        suspended_processes=["AZRebalance"],
        protect_from_scale_in=True,
        # A group of zero nodes is ready; and a node that comes late is not a
        # reason to fail the update.
        wait_for_capacity_timeout="0",
        tags=[
            {"key": key, "value": value, "propagate_at_launch": launched}
            for key, value, launched in _group_tags(args, tags)
        ],
        opts=opts,
    )


def _instances(
    group: JobGroup, template: aws.ec2.LaunchTemplate
) -> aws.autoscaling.GroupMixedInstancesPolicyArgsDict:
    """On demand alone, in the order of the list: spot nodes end with their jobs."""
    return {
        "instances_distribution": {
            "on_demand_allocation_strategy": "prioritized",
            "on_demand_base_capacity": 0,
            "on_demand_percentage_above_base_capacity": 100,
        },
        "launch_template": {
            "launch_template_specification": {
                "launch_template_id": template.id,
                "version": template.latest_version.apply(str),
            },
            "overrides": [{"instance_type": one} for one in group.instance_types],
        },
    }


def _group_tags(
    args: JobNodesArgs, tags: Mapping[str, str]
) -> list[tuple[str, str, bool]]:
    """Return key, value and whether instances get the tag as well, in key order."""
    cluster, group, options = args.cluster.name, args.group, args.options
    types = args.instance_types
    read = {
        **autoscaler_tags(cluster, group),
        **capacity_tags(group, types),
        **option_tags(options),
    }
    every = {**self_managed_group_tags(cluster, group, options, types), **tags}
    return [(key, every[key], key not in read) for key in sorted(every)]
