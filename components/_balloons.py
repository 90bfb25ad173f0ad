"""What a platform makes of its balloons: namespace, KEDA, and one component each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pulumi
import pulumi_kubernetes as kubernetes

from ._children import after
from .balloon import Balloon, BalloonArgs
from .cluster_facts import ClusterFacts
from .keda import KedaController, KedaControllerArgs
from .spec.balloon.keda import keda_release
from .spec.balloon.plan import beside_balloons, needs_namespace
from .spec.balloon.pods import balloon_namespace
from .spec.balloon.settings import PodBalloon, StaticBalloon, WarmPoolBalloon

if TYPE_CHECKING:
    from .job_platform import JobPlatformArgs

__all__ = ["add_balloons"]


def add_balloons(
    name: str,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    scaler_objects: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
    on_servers: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """
    Make the balloons of a platform; warm pools are parts of their node groups.

    Args:
        name: Name of the platform; children add to it.
        args: Arguments of the platform.
        cluster: The cluster.
        scaler_objects: Controller and pools of the scaler in use.
        opts: Options of the children.
        on_servers: The same for what runs on nodes of servers, and needs DNS.

    Returns:
        What was made, for what should wait for it.
    """
    keda = _keda(f"{name}-keda", args, cluster, on_servers)
    space = _namespace(f"{name}-balloons", args, cluster, opts)
    groups = {group.name: group for group in args.jobs}
    scaler, _ = beside_balloons(args.scaler, args.jobs, args.balloons, args.policy)
    made: list[pulumi.Resource] = [*keda, *space]
    for balloon in args.balloons:
        if isinstance(balloon, WarmPoolBalloon):
            continue
        if isinstance(balloon, PodBalloon):
            needs = [*space, *(keda if balloon.schedule is not None else [])]
        elif isinstance(balloon, StaticBalloon):
            needs = list(scaler_objects)
        else:
            needs = [*space, *scaler_objects]
        arguments = BalloonArgs(
            cluster=cluster,
            balloon=balloon,
            group=groups[balloon.group],
            scaler=scaler,
            policy=args.policy,
            instance_types=args.instance_types,
            reviewed=True,
        )
        called = f"{name}-{balloon.object_name}"
        made.append(Balloon(called, arguments, after(opts, needs)))
    return made


def _keda(
    name: str,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    if keda_release(args.keda, args.balloons, args.servers) is None:
        return []
    controller = KedaControllerArgs(
        cluster=cluster, keda=args.keda, servers=args.servers
    )
    return [KedaController(name, controller, opts)]


def _namespace(
    name: str,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    if not needs_namespace(args.balloons):
        return []
    in_cluster = pulumi.ResourceOptions(
        provider=cluster.provider,
        deleted_with=cluster.deleted_with,
        depends_on=list(cluster.ready),
    )
    metadata = balloon_namespace()["metadata"]
    return [
        kubernetes.core.v1.Namespace(
            name, metadata=metadata, opts=opts.merge(in_cluster)
        )
    ]
