"""What server nodes and job nodes have in common."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pulumi
import pulumi_aws as aws

from ._children import invoke_with
from .cluster_facts import ClusterFacts
from .spec.architecture import ami_type
from .spec.groups import NodeGroup, Size
from .spec.managed_size import size_problem
from .spec.names import LIMITS, PULUMI_SUFFIX

__all__ = [
    "check_name",
    "encoded",
    "managed_group",
    "managed_template",
    "metadata_options",
    "root_device",
    "tagged",
]


def check_name(name: str, *kinds: str) -> None:
    """
    Check the name of a component whose children are named after it.

    Args:
        name: Name of the component.
        kinds: What is named after it, keys of `LIMITS`.

    Raises:
        ValueError: With the suffix that Pulumi adds, AWS would refuse a name.
    """
    limit = min(LIMITS[kind] for kind in kinds) - PULUMI_SUFFIX
    if len(name) > limit:
        raise ValueError(
            f"name must be at most {limit} characters, got {len(name)}: {name}"
        )


def encoded(user_data: str) -> str:
    """Encode user data, once, as a launch template wants it."""
    return base64.b64encode(user_data.encode()).decode()


def managed_group(
    name: str,
    cluster: ClusterFacts,
    group: NodeGroup,
    *,
    role: aws.iam.Role,
    attached: Sequence[pulumi.Resource],
    template: aws.ec2.LaunchTemplate,
    subnet_ids: pulumi.Input[Sequence[pulumi.Input[str]]],
    size: Size,
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
    image_id: str | None = None,
    warm_pool: aws.eks.NodeGroupWarmPoolConfigArgsDict | None = None,
) -> aws.eks.NodeGroup:
    """
    Make a managed node group, which EKS updates node by node.

    A change of its bounds is refused, in a preview too, while it would write back
    an old size.

    Args:
        name: Of the resource.
        cluster: The cluster that the nodes join.
        group: The nodes.
        role: Of the nodes.
        attached: What the role must have before a node starts.
        template: See `managed_template`.
        subnet_ids: Where the nodes are.
        size: Bounds of this group, which may be a share of those of *group*.
        tags: Of the group.
        opts: Options of the resource.
        image_id: An image of one's own; with it EKS chooses none.
        warm_pool: Instances that wait.
    """
    after = pulumi.ResourceOptions(
        depends_on=attached,
        # The autoscaler sets the size; writing it back would end nodes.
        ignore_changes=["scalingConfig.desiredSize"],
        hooks=pulumi.ResourceHookBinding(before_update=[_size_check(name, opts)]),
    )
    return aws.eks.NodeGroup(
        name,
        cluster_name=cluster.name,
        version=cluster.version if image_id is None else None,
        node_role_arn=role.arn,
        subnet_ids=subnet_ids,
        ami_type=ami_type(group.architecture) if image_id is None else None,
        capacity_type="ON_DEMAND",
        instance_types=list(group.instance_types),
        launch_template={
            "id": template.id,
            "version": template.latest_version.apply(str),
        },
        scaling_config={
            "min_size": size.min,
            "max_size": size.max,
            "desired_size": size.min,
        },
        update_config={"max_unavailable": 1},
        warm_pool_config=warm_pool,
        labels=group.all_labels,
        taints=[
            {"key": taint.key, "value": taint.value, "effect": taint.eks_effect}
            for taint in group.all_taints
        ],
        tags=tags,
        opts=opts.merge(after),
    )


def _size_check(name: str, opts: pulumi.ResourceOptions) -> pulumi.ResourceHook:
    """Stop a change of bounds with which an old size would be sent."""

    async def check(change: pulumi.ResourceHookArgs) -> None:
        old, new = change.old_inputs or {}, change.new_inputs or {}
        if old.get("scalingConfig") == new.get("scalingConfig"):
            return
        found = await aws.eks.get_node_group_output(
            cluster_name=new["clusterName"],
            node_group_name=new["nodeGroupName"],
            opts=invoke_with(opts),
        ).scaling_configs.future()
        if not found:
            # A provider that is not known yet has no answer; no update runs with it.
            return
        sizes = cast("Mapping[str, Any]", new["scalingConfig"])
        problem = size_problem(
            new["clusterName"],
            new["nodeGroupName"],
            running=cast("list[Any]", found)[0].desired_size,
            sent=int(sizes["desiredSize"]),
            low=int(sizes["minSize"]),
            high=int(sizes["maxSize"]),
        )
        if problem is not None:
            raise ValueError(f"{new['nodeGroupName']}: {problem}")

    return pulumi.ResourceHook(
        f"{name}-size", check, pulumi.ResourceHookOptions(on_dry_run=True)
    )


def managed_template(
    name: str,
    group: NodeGroup,
    user_data: pulumi.Input[str] | None,
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
    image_id: str | None = None,
) -> aws.ec2.LaunchTemplate:
    """Make the launch template of a managed group; *user_data* is `encoded`."""
    # No security groups: EKS then adds the cluster's own, and only that one.
    return aws.ec2.LaunchTemplate(
        name,
        image_id=image_id,
        user_data=user_data,
        block_device_mappings=[root_device(group)],
        metadata_options=metadata_options(group),
        tag_specifications=[
            {"resource_type": kind, "tags": tags} for kind in ("instance", "volume")
        ],
        tags=tags,
        opts=opts,
    )


def metadata_options(
    group: NodeGroup,
) -> aws.ec2.LaunchTemplateMetadataOptionsArgsDict:
    """Say how the metadata service of a node answers, as a launch template does."""
    return {
        "http_endpoint": "enabled",
        "http_tokens": "required",
        "http_put_response_hop_limit": group.metadata_hop_limit,
        # Autoscaler tags have slashes in their keys; with them on, no instance starts.
        "instance_metadata_tags": "disabled",
    }


def root_device(
    group: NodeGroup,
) -> aws.ec2.LaunchTemplateBlockDeviceMappingArgsDict:
    """Return the root volume of a group, as a launch template wants it."""
    device = group.volume.block_device()
    return cast("aws.ec2.LaunchTemplateBlockDeviceMappingArgsDict", device)


def tagged(cluster: str, group: NodeGroup, tags: Mapping[str, str]) -> dict[str, str]:
    """Return the tags of what belongs to one group; the group's own win."""
    return {"Name": f"{cluster}-{group.name}", **tags, **group.tags}
