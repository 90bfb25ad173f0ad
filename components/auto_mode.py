"""Nodes by EKS Auto Mode: a pool for each job group, and what lets its nodes in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from . import _controllers, _iam
from ._children import after, children_of, invoke_with
from .cluster_facts import ClusterFacts
from .spec.groups import JobGroup
from .spec.instance_types import InstanceTypes
from .spec.names import LIMITS, PULUMI_SUFFIX, bounded
from .spec.problems import refuse, refused
from .spec.scaler.auto_mode import (
    ACCESS_ENTRY_TYPE,
    ACCESS_POLICY,
    NODE_POLICIES,
    AutoMode,
)
from .spec.scaler.manifests import auto_mode_pools
from .spec.scaler.node_class import Site
from .spec.scaler.settings import validate_scaler
from .spec.tags import check_tags

__all__ = ["AutoModeNodes", "AutoModeNodesArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class AutoModeNodesArgs:
    """
    Arguments of `AutoModeNodes`.

    Args:
        cluster: A cluster with Auto Mode on; its `provider` is needed.
        scaler: The rules of the pools.
        jobs: Job groups, one pool for each.
        instance_types: Facts about instance types.
        tags: Tags of everything, under those of each group. The role of the cluster
            must be allowed to set them: `Cluster` sees to it.
        retiring: Whether no new nodes come, while those that are there let their
            jobs finish.

    Raises:
        ValueError: Auto Mode cannot do what a group asks for, or the cluster has no
            provider. All problems are named, one a line.
    """

    cluster: ClusterFacts
    scaler: AutoMode = AutoMode()
    jobs: tuple[JobGroup, ...] = ()
    instance_types: InstanceTypes = field(default_factory=InstanceTypes.bundled)
    tags: Mapping[str, str] = field(default_factory=dict)
    retiring: bool = False

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        if self.cluster.provider is None:
            yield "cluster.provider must be given, pools are Kubernetes objects"
        yield from refused("", check_tags, self.tags)
        yield from refused("", self._validate)

    def _validate(self) -> None:
        validate_scaler(
            self.scaler,
            jobs=self.jobs,
            cluster_version=self.cluster.version,
            tags=self.tags,
        )


class AutoModeNodes(pulumi.ComponentResource):
    """
    Pools of EKS Auto Mode for job groups.

    A destroy ends pools first, and waits until their nodes have let their jobs
    finish; then go classes, access and the role.

    Children: a role for the nodes, its policies, an access entry and the policy of
    that entry, called *name*, cut where IAM has no room; the NodeClass and the
    NodePool of each group, `-` and the group's name. The role is one of its own: EKS
    makes the entry of the role of its built-in pools, and refuses a second.

    Args:
        name: Name of the component and of its children.
        args: See `AutoModeNodesArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        group_names: Names of the pools, by the names of the groups.
    """

    group_names: Mapping[str, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        args: AutoModeNodesArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:AutoModeNodes", name, None, opts)
        child = children_of(self, opts, args.cluster.ready)

        label = bounded(name, LIMITS["iam_role"] - PULUMI_SUFFIX)
        role, attached = _iam.role(label, _iam.EC2, NODE_POLICIES, args.tags, child)
        access = _access(name, args, role, child)
        site = Site(
            cluster_name=args.cluster.name,
            subnet_ids=args.cluster.subnet_ids,
            security_group_ids=[args.cluster.security_group_id],
            role=role.name,
            tags=args.tags,
        )
        self.group_names = _controllers.pool_objects(
            name,
            auto_mode_pools(
                args.scaler,
                args.jobs,
                site,
                args.instance_types,
                retiring=args.retiring,
            ),
            args.cluster,
            after(child, [*attached, access]),
        )
        self.register_outputs({"group_names": self.group_names})


def _access(
    name: str,
    args: AutoModeNodesArgs,
    role: aws.iam.Role,
    opts: pulumi.ResourceOptions,
) -> pulumi.Resource:
    """Let nodes of the role in, and say what they may do in the cluster."""
    entry = aws.eks.AccessEntry(
        name,
        cluster_name=args.cluster.name,
        principal_arn=role.arn,
        type=ACCESS_ENTRY_TYPE,
        tags=args.tags,
        opts=opts,
    )
    partition = aws.get_partition_output(opts=invoke_with(opts)).partition
    return aws.eks.AccessPolicyAssociation(
        name,
        cluster_name=args.cluster.name,
        principal_arn=entry.principal_arn,
        policy_arn=partition.apply(lambda part: f"arn:{part}:eks::aws:{ACCESS_POLICY}"),
        access_scope={"type": "cluster"},
        opts=opts,
    )
