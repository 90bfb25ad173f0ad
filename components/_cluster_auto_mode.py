"""What a control plane has besides when EKS Auto Mode is on."""

from collections.abc import Mapping

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from . import _iam
from ._children import invoke_with
from .spec.scaler import iam
from .spec.scaler.auto_mode import (
    NODE_POLICIES,
    AutoMode,
    cluster_config,
    tagging_policy,
)

__all__ = ["auto_mode_options", "tagging_rights"]


def auto_mode_options(
    name: str,
    auto_mode: AutoMode | None,
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> tuple[eks.AutoModeOptionsArgs | None, list[pulumi.Resource]]:
    """
    Turn Auto Mode on where it is asked for.

    `pulumi_eks.Cluster` then gives the role of the cluster its policies before the
    cluster is made, and keeps the switches together, known or not. What the cluster
    must wait for comes second.
    """
    if auto_mode is None:
        return None, []
    role_arn: pulumi.Output[str] | None = None
    attached: list[pulumi.Resource] = []
    if auto_mode.node_pools:
        role, policies = _iam.role(
            f"{name}-auto-mode", _iam.EC2, NODE_POLICIES, tags, opts
        )
        role_arn = role.arn
        attached += policies
    compute = cluster_config(auto_mode, role_arn)["computeConfig"]
    options = eks.AutoModeOptionsArgs(
        enabled=True,
        create_node_role=False,
        compute_config=eks.ClusterComputeConfigArgs(
            node_pools=list(auto_mode.node_pools),
            node_role_arn=compute.get("nodeRoleArn"),
        ),
    )
    return options, attached


def tagging_rights(
    name: str,
    auto_mode: AutoMode | None,
    control_plane: eks.Cluster,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Let Auto Mode put tags of ours on nodes; it launches none of ours otherwise."""
    if auto_mode is None:
        return []
    partition = aws.get_partition_output(opts=invoke_with(opts)).partition
    policy = aws.iam.RolePolicy(
        f"{name}-auto-mode",
        role=control_plane.eks_cluster.role_arn.apply(
            lambda arn: arn.rpartition("/")[2]
        ),
        policy=partition.apply(lambda known: iam.text(tagging_policy(known))),
        opts=opts,
    )
    return [policy]
