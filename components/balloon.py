"""Capacity of one job group that waits, so that a burst need not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from ._children import after, children_of
from ._notices import announce
from ._objects import custom_resource
from .cluster_facts import ClusterFacts
from .spec.balloon.balloon_review import balloon_notices
from .spec.balloon.manifests import balloon_manifests
from .spec.balloon.plan import validate_balloons
from .spec.balloon.settings import (
    NAMESPACE,
    BufferBalloon,
    PodBalloon,
    StaticBalloon,
    WarmPoolBalloon,
)
from .spec.balloon.static_pool import static_life
from .spec.group_review import Notice
from .spec.groups import JobGroup
from .spec.instance_types import InstanceTypes
from .spec.policy.checks import namespace_problems
from .spec.policy.settings import JobPolicySettings
from .spec.problems import refuse, refused
from .spec.scaler.cluster_autoscaler import ClusterAutoscaler
from .spec.scaler.lifetime import drain_limit
from .spec.scaler.settings import Scaler

__all__ = ["Balloon", "BalloonArgs"]

_FIRST = "balloons[0]"


@dataclass(frozen=True, kw_only=True, slots=True)
class BalloonArgs:
    """
    Arguments of `Balloon`.

    Args:
        cluster: The cluster; its `provider` is needed.
        balloon: What waits. A warm pool is a part of its node groups instead: see
            `ClusterAutoscaler.warm_pool`.
        group: The job group that it waits for, named by *balloon*.
        scaler: What makes nodes. One that is not installed here must have been told
            what the kind of balloon needs; warnings say what.
        policy: What happens to job pods, None when that is not known.
        instance_types: Facts about the types of the group.
        namespace: Where its objects live; it must exist. A static balloon has none.
        reviewed: Whether the caller has told the warnings already.

    Raises:
        ValueError: The balloon does not fit the group or the scaler, or the cluster
            has no provider. All problems are named, one a line.
    """

    cluster: ClusterFacts
    balloon: PodBalloon | BufferBalloon | StaticBalloon
    group: JobGroup
    scaler: Scaler
    policy: JobPolicySettings | None = None
    instance_types: InstanceTypes = field(default_factory=InstanceTypes.bundled)
    namespace: str = NAMESPACE
    reviewed: bool = False

    def __post_init__(self) -> None:
        refuse(self._problems())

    def notices(self) -> Iterator[Notice]:
        """Yield what is worth knowing about the balloon."""
        for notice in balloon_notices(
            (self.balloon,),
            jobs=(self.group,),
            scaler=self.scaler,
            cluster_version=self.cluster.version,
            instance_types=self.instance_types,
            policy=self.policy,
        ):
            yield replace(notice, path=notice.path.replace(_FIRST, "balloon", 1))

    def _problems(self) -> Iterator[str]:
        if self.cluster.provider is None:
            yield "cluster.provider must be given, balloons are Kubernetes objects"
        if isinstance(self.balloon, WarmPoolBalloon):
            yield (
                "balloon must be of pods, a buffer or static, got kind=warm-pool: node "
                "groups have it as their scaler's warm_pool"
            )
        yield from namespace_problems("namespace", (self.namespace,))
        for line in refused("", self._validate):
            yield line.replace(_FIRST, "balloon", 1)

    def _validate(self) -> None:
        validate_balloons(
            (self.balloon,),
            jobs=(self.group,),
            scaler=self.scaler,
            cluster_version=self.cluster.version,
            instance_types=self.instance_types,
            policy=self.policy,
        )


class Balloon(pulumi.ComponentResource):
    """
    Room on nodes of a job group that a job gets at once, while the next node starts.

    Selector, tolerations and architecture are those of the group. Pulumi does not
    wait until balloons run: they may wait for room, which is their work.

    Children, all called *name*: PriorityClass, Deployment and, with a schedule, the
    ScaledObject of KEDA; or PodTemplate and CapacityBuffer; or NodePool. Each waits
    for the one before. With a schedule KEDA alone owns the number of pods, and an
    update writes none.

    What they need is for `depends_on`: the namespace; KEDA, with a schedule; the
    controller that reads CapacityBuffers; the node class of the group, for a static
    balloon, whose pool is called as the balloon is and goes only when its nodes have
    let their jobs finish.

    Args:
        name: Name of the component and of its children.
        args: See `BalloonArgs`.
        opts: Options for the component; children inherit the parent.

    Attributes:
        objects: The children, for what should wait for them.
    """

    objects: tuple[pulumi.Resource, ...]

    def __init__(
        self,
        name: str,
        args: BalloonArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:Balloon", name, None, opts)
        announce(self, () if args.reviewed else args.notices())
        child = children_of(self, opts, args.cluster.ready).merge(_options(args))

        manifests = balloon_manifests(
            args.balloon,
            args.group,
            scaler=args.scaler,
            instance_types=args.instance_types,
            cluster_version=args.cluster.version,
            namespace=args.namespace,
        )
        self.objects = _objects(name, manifests, child)
        self.register_outputs({"name": args.balloon.object_name})


def _options(args: BalloonArgs) -> pulumi.ResourceOptions:
    """Let everything go with its cluster but nodes, which nobody else would end."""
    provider, scaler = args.cluster.provider, args.scaler
    if isinstance(args.balloon, StaticBalloon) and not isinstance(
        scaler, ClusterAutoscaler
    ):
        limit = drain_limit(static_life(args.group, scaler))
        return pulumi.ResourceOptions(
            provider=provider, custom_timeouts=pulumi.CustomTimeouts(delete=limit)
        )
    return pulumi.ResourceOptions(
        provider=provider, deleted_with=args.cluster.deleted_with
    )


def _objects(
    name: str, manifests: Sequence[Mapping[str, Any]], opts: pulumi.ResourceOptions
) -> tuple[pulumi.Resource, ...]:
    made: list[pulumi.Resource] = []
    for manifest in manifests:
        made.append(_object(name, manifest, after(opts, made)))
    return tuple(made)


def _object(
    name: str, manifest: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> pulumi.Resource:
    metadata = manifest["metadata"]
    if manifest["kind"] == "PriorityClass":
        return kubernetes.scheduling.v1.PriorityClass(
            name,
            metadata=metadata,
            value=manifest["value"],
            global_default=manifest["globalDefault"],
            preemption_policy=manifest["preemptionPolicy"],
            description=manifest["description"],
            opts=opts,
        )
    if manifest["kind"] == "PodTemplate":
        return kubernetes.core.v1.PodTemplate(
            name, metadata=metadata, template=manifest["template"], opts=opts
        )
    if manifest["kind"] == "Deployment":
        return kubernetes.apps.v1.Deployment(
            name, metadata=metadata, spec=manifest["spec"], opts=opts
        )
    return custom_resource(name, manifest, opts)
