"""Nodes by Karpenter: its controller, and a pool for each job group."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from . import _controllers, _iam
from ._children import after, children_of, invoke_with
from .cluster_facts import ClusterFacts
from .spec.access import NODE_POLICIES
from .spec.groups import JobGroup, ServerGroup
from .spec.instance_types import InstanceTypes
from .spec.problems import refuse, refused
from .spec.scaler import iam
from .spec.scaler.generated_names import karpenter_names
from .spec.scaler.interruption import (
    MESSAGE_RETENTION_SECONDS,
    TARGET_ID,
    event_rules,
    queue_policy,
)
from .spec.scaler.karpenter import Karpenter
from .spec.scaler.karpenter_chart import (
    SERVICE_ACCOUNT,
    definition_values,
    karpenter_values,
)
from .spec.scaler.karpenter_iam import (
    CONTROLLER_POLICIES,
    controller_policies,
)
from .spec.scaler.manifests import (
    PoolObjects,
    image_problems,
    karpenter_pools,
    user_data_refusals,
)
from .spec.scaler.node_class import Site
from .spec.scaler.settings import validate_scaler
from .spec.scaler.versions import KARPENTER_CHART, KARPENTER_CRD_CHART
from .spec.tags import check_tags

__all__ = ["KarpenterNodes", "KarpenterNodesArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class KarpenterNodesArgs:
    """
    Arguments of `KarpenterNodes`.

    Args:
        cluster: The cluster that the nodes join; its `provider` is needed.
        scaler: The controller and the rules of its pools.
        jobs: Job groups, one pool for each.
        servers: Server groups; the controller runs on those without taints.
        ami_release: Release of the AL2023 node image, `v20260714`; may be left out
            when *scaler* or every group names an image.
        instance_types: Facts about instance types.
        tags: Tags of everything, under those of each group.
        retiring: Whether no new nodes come, while those that are there let their
            jobs finish.

    Raises:
        ValueError: No image is named, the cluster has no provider, or Karpenter, AWS
            or Kubernetes would refuse something. All problems are named, one a line.
    """

    cluster: ClusterFacts
    scaler: Karpenter = Karpenter()
    jobs: tuple[JobGroup, ...] = ()
    servers: tuple[ServerGroup, ...] = ()
    ami_release: str | None = None
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
        yield from image_problems(self.scaler, self.jobs, self.ami_release)
        yield from user_data_refusals(self.scaler, self.jobs, self.instance_types)

    def _validate(self) -> None:
        validate_scaler(
            self.scaler,
            servers=self.servers,
            jobs=self.jobs,
            cluster_version=self.cluster.version,
            tags=self.tags,
        )


class KarpenterNodes(pulumi.ComponentResource):
    """
    Karpenter and its nodes.

    Definitions and controller come before the pools. A destroy goes the other way
    round: pools wait until their nodes have let their jobs finish, at most as long
    as a drain may last; then go classes, controller, queue and roles. The pools do
    not go with the cluster, or their instances would stay and be paid for.

    The definitions stay when their release goes, and with them the pools of others:
    whoever takes the controller over finds all nodes as they were. They go with a
    cluster that is destroyed; a cluster of others keeps them.

    Children, called after `karpenter_names`: a role for nodes with its policies and
    an access entry, unless *scaler* names a role or a profile; with the controller a
    queue and its policy, event rules and their targets, a role with six policies
    for the pods of the controller. The releases of both charts are called *name* and
    `-crds`; the EC2NodeClass and the NodePool of each group, `-` and the group's
    name.

    The controller needs nodes: name them, and the DNS of the cluster, in
    `depends_on`.

    Args:
        name: Name of the component and of its children.
        args: See `KarpenterNodesArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        group_names: Names of the pools, by the names of the groups.
        queue_name: Name of the queue; None without a controller of ours.
    """

    group_names: Mapping[str, pulumi.Output[str]]
    queue_name: pulumi.Output[str] | None

    def __init__(
        self,
        name: str,
        args: KarpenterNodesArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:KarpenterNodes", name, None, opts)
        child = children_of(self, opts, args.cluster.ready)
        names = karpenter_names(name)

        identity, role_arn, joined = _identity(names["node-role"], args, child)
        self.queue_name, before = None, joined
        if args.scaler.install:
            queue, heard = _interruptions(names, args, child)
            self.queue_name = queue.name
            permitted = _permissions(names, args, role_arn, queue, child)
            ready = after(child, [*joined, *heard, permitted])
            before = [_controller(name, args, queue, ready)]
        self.group_names = _controllers.pool_objects(
            name, _pools(args, identity), args.cluster, after(child, before)
        )
        self.register_outputs(
            {"group_names": self.group_names, "queue_name": self.queue_name}
        )


def _identity(
    name: str, args: KarpenterNodesArgs, opts: pulumi.ResourceOptions
) -> tuple[dict[str, pulumi.Input[str]], pulumi.Input[str], list[pulumi.Resource]]:
    """Return how a class names the role, its ARN, and what lets a node in."""
    scaler, calls = args.scaler, invoke_with(opts)
    if scaler.instance_profile is not None:
        profile = aws.iam.get_instance_profile_output(
            name=scaler.instance_profile, opts=calls
        )
        return {"instance_profile": scaler.instance_profile}, profile.role_arn, []
    if scaler.node_role is not None:
        found = aws.iam.get_role_output(name=scaler.node_role, opts=calls)
        return {"role": scaler.node_role}, found.arn, []
    role, attached = _iam.role(name, _iam.EC2, NODE_POLICIES, args.tags, opts)
    entry = aws.eks.AccessEntry(
        name,
        cluster_name=args.cluster.name,
        principal_arn=role.arn,
        type="EC2_LINUX",
        tags=args.tags,
        opts=opts,
    )
    return {"role": role.name}, role.arn, [*attached, entry]


def _interruptions(
    names: Mapping[str, str], args: KarpenterNodesArgs, opts: pulumi.ResourceOptions
) -> tuple[aws.sqs.Queue, list[pulumi.Resource]]:
    """Make the queue, and the rules that fill it."""
    queue = aws.sqs.Queue(
        names["queue"],
        message_retention_seconds=MESSAGE_RETENTION_SECONDS,
        sqs_managed_sse_enabled=True,
        tags=args.tags,
        opts=opts,
    )
    patterns = event_rules(args.scaler.version, rebalance=args.scaler.rebalance_events)
    rules = {
        kind: aws.cloudwatch.EventRule(
            names[f"rule-{kind}"],
            event_pattern=json.dumps(dict(pattern)),
            tags=args.tags,
            opts=opts,
        )
        for kind, pattern in patterns.items()
    }
    policy = aws.sqs.QueuePolicy(
        names["queue"],
        queue_url=queue.url,
        policy=pulumi.Output.all(queue.arn, *(one.arn for one in rules.values())).apply(
            lambda arns: iam.text(queue_policy(arns[0], arns[1:]))
        ),
        opts=opts,
    )
    targets = [
        aws.cloudwatch.EventTarget(
            names[f"rule-{kind}"],
            rule=rule.name,
            target_id=TARGET_ID,
            arn=queue.arn,
            opts=opts,
        )
        for kind, rule in rules.items()
    ]
    return queue, [policy, *targets]


def _permissions(
    names: Mapping[str, str],
    args: KarpenterNodesArgs,
    node_role_arn: pulumi.Input[str],
    queue: aws.sqs.Queue,
    opts: pulumi.ResourceOptions,
) -> pulumi.Resource:
    known = pulumi.Output.all(
        _controllers.account(args.cluster, opts), node_role_arn, queue.arn
    )
    texts = known.apply(
        lambda all_: {
            kind: iam.text(policy)
            for kind, policy in controller_policies(
                all_[0],
                node_role_arn=all_[1],
                queue_arn=all_[2],
                version=args.scaler.version,
            ).items()
        }
    )
    return _controllers.controller_role(
        names["controller-role"],
        args.cluster,
        SERVICE_ACCOUNT,
        {names[f"policy-{kind}"]: texts[kind] for kind in CONTROLLER_POLICIES},
        args.tags,
        opts,
    )


def _controller(
    name: str,
    args: KarpenterNodesArgs,
    queue: aws.sqs.Queue,
    opts: pulumi.ResourceOptions,
) -> kubernetes.helm.v3.Release:
    """Install the definitions, then the controller, both of one version."""
    crds = _controllers.release(
        f"{name}-crds",
        "karpenter-crd",
        KARPENTER_CRD_CHART,
        args.scaler.version,
        definition_values(),
        args.cluster,
        opts,
    )
    values = karpenter_values(
        args.scaler,
        cluster_name=args.cluster.name,
        queue_name=queue.name,
        servers=args.servers,
    )
    return _controllers.release(
        name,
        "karpenter",
        KARPENTER_CHART,
        args.scaler.version,
        values,
        args.cluster,
        after(opts, [crds]),
        # They have their owner: a second one is refused.
        skip_crds=True,
    )


def _pools(
    args: KarpenterNodesArgs, identity: Mapping[str, pulumi.Input[str]]
) -> tuple[PoolObjects, ...]:
    site = Site(
        cluster_name=args.cluster.name,
        subnet_ids=args.cluster.subnet_ids,
        security_group_ids=[args.cluster.security_group_id],
        tags=args.tags,
        **identity,
    )
    return karpenter_pools(
        args.scaler,
        args.jobs,
        site,
        args.ami_release,
        args.instance_types,
        retiring=args.retiring,
    )
