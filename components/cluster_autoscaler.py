"""Cluster Autoscaler: the controller that resizes Auto Scaling groups."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from . import _controllers
from ._children import after, children_of, invoke_with
from .cluster_facts import ClusterFacts
from .spec.balloon.scaler_settings import with_balloon_values
from .spec.balloon.settings import AnyBalloon
from .spec.groups import JobGroup, ServerGroup
from .spec.names import LIMITS, PULUMI_SUFFIX, bounded
from .spec.problems import refuse, refused
from .spec.scaler import iam
from .spec.scaler.autoscaler_chart import (
    AUTOSCALER_ACCOUNT,
    autoscaler_values,
    autoscaler_version_problems,
)
from .spec.scaler.autoscaler_iam import autoscaler_policy
from .spec.scaler.checks import unknown_groups
from .spec.scaler.cluster_autoscaler import ClusterAutoscaler
from .spec.scaler.versions import AUTOSCALER_CHART
from .spec.tags import check_tags

__all__ = ["AutoscalerController", "AutoscalerControllerArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class AutoscalerControllerArgs:
    """
    Arguments of `AutoscalerController`.

    Args:
        cluster: The cluster; its `provider` is needed.
        scaler: What it does. The groups themselves are `JobNodes` or
            `ManagedJobNodes`.
        patterns: Expressions for the names of Auto Scaling groups, by job group;
            `priorities` of *scaler* name these.
        servers: Server groups; the controller runs on those without taints.
        jobs: Job groups; those of their taints that go at the start hold no node back.
        balloons: Balloons whose nodes it makes: their priorities must not be below
            what it cares for, and buffers need a part of it that is off otherwise.
        tags: Tags of everything.
        retiring: Whether it adds no nodes any more.

    Raises:
        ValueError: *scaler* installs nothing, no version fits the cluster, or the
            cluster has no provider. All problems are named, one a line.
    """

    cluster: ClusterFacts
    scaler: ClusterAutoscaler = ClusterAutoscaler()
    patterns: Mapping[str, str] = field(default_factory=dict)
    servers: tuple[ServerGroup, ...] = ()
    jobs: tuple[JobGroup, ...] = ()
    balloons: tuple[AnyBalloon, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    retiring: bool = False

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        if self.cluster.provider is None:
            yield "cluster.provider must be given, the controller runs in the cluster"
        if not self.scaler.install:
            yield "scaler.install must be true, this component is the installation"
        yield from (
            f"scaler.{line}"
            for line in (
                *autoscaler_version_problems(self.scaler.version, self.cluster.version),
                *unknown_groups("priorities", self.scaler.priorities, self.patterns),
            )
        )
        yield from refused("", check_tags, self.tags)


class AutoscalerController(pulumi.ComponentResource):
    """
    Cluster Autoscaler, allowed to resize the groups of its own cluster alone.

    Children: a role for its pods, the policy of that role and what ties both to the
    service account, all called *name*, cut where IAM has no room; and the release,
    *name* too.

    The controller needs nodes: name them, and the DNS of the cluster, in
    `depends_on`.

    Args:
        name: Name of the component and of its children.
        args: See `AutoscalerControllerArgs`.
        opts: Options for the component; children inherit provider and parent.
    """

    def __init__(
        self,
        name: str,
        args: AutoscalerControllerArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:AutoscalerController", name, None, opts)
        child = children_of(self, opts, args.cluster.ready)

        policy = _controllers.account(args.cluster, child).apply(
            lambda account: iam.text(autoscaler_policy(account))
        )
        label = bounded(name, LIMITS["iam_role"] - PULUMI_SUFFIX)
        permitted = _controllers.controller_role(
            label, args.cluster, AUTOSCALER_ACCOUNT, {label: policy}, args.tags, child
        )
        version = AUTOSCALER_CHART.version
        assert version is not None  # it does not follow the controller
        values = autoscaler_values(
            args.scaler,
            cluster_name=args.cluster.name,
            cluster_version=args.cluster.version,
            region=aws.get_region_output(opts=invoke_with(child)).region,
            patterns=args.patterns,
            servers=args.servers,
            jobs=args.jobs,
            retiring=args.retiring,
        )
        _controllers.release(
            name,
            "cluster-autoscaler",
            AUTOSCALER_CHART,
            version,
            with_balloon_values(values, args.balloons),
            args.cluster,
            after(child, [permitted]),
        )
        self.register_outputs({})
