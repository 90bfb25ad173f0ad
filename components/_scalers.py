"""What each kind of scaler makes of the job groups of a platform."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import pulumi

from .auto_mode import AutoModeNodes, AutoModeNodesArgs
from .cluster_autoscaler import (
    AutoscalerController,
    AutoscalerControllerArgs,
)
from .cluster_facts import ClusterFacts
from .job_nodes import JobNodes, JobNodesArgs
from .karpenter import KarpenterNodes, KarpenterNodesArgs
from .managed_job_nodes import ManagedJobNodes, ManagedJobNodesArgs
from .spec.balloon.plan import beside_balloons
from .spec.balloon.scaler_settings import of_group
from .spec.balloon.settings import AnyBalloon
from .spec.groups import JobGroup
from .spec.problems import refused
from .spec.scaler.auto_mode import AutoMode
from .spec.scaler.autoscaler_chart import self_managed_pattern
from .spec.scaler.autoscaler_groups import (
    managed_groups_pattern,
    zone_keys,
    zone_numbers,
)
from .spec.scaler.cluster_autoscaler import ClusterAutoscaler
from .spec.scaler.karpenter import Karpenter
from .spec.scaler.settings import Scaler

if TYPE_CHECKING:
    from .job_platform import JobPlatformArgs

__all__ = ["Scaled", "group_problems", "scaled_nodes"]


class Scaled(NamedTuple):
    """
    What a scaler made.

    Args:
        group_names: Names of groups or pools, by the names of job groups.
        objects: Its controller and its pools, for what needs them.
        groups: Groups of nodes that are no pools of a controller.
    """

    group_names: Mapping[str, pulumi.Output[str]]
    objects: tuple[pulumi.Resource, ...]
    groups: tuple[pulumi.Resource, ...] = ()


def scaled_nodes(
    name: str,
    scaler: Scaler,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
    on_servers: pulumi.ResourceOptions,
) -> Scaled:
    """
    Make the nodes of all job groups, and the controller that scales them.

    Args:
        name: Name of the platform; children add the kind of the scaler, or the name
            of a group.
        scaler: The one in use, or the one on its way out.
        args: Arguments of the platform.
        cluster: The cluster.
        opts: Options of the children.
        on_servers: The same for what runs on nodes of servers, and needs DNS.
    """
    label, retiring = f"{name}-{scaler.kind}", scaler is args.retiring_scaler
    balloons = _balloons(scaler, args)
    scaler, jobs = beside_balloons(scaler, args.jobs, balloons, args.policy)
    if isinstance(scaler, Karpenter):
        pools = KarpenterNodes(
            label,
            KarpenterNodesArgs(
                cluster=cluster,
                scaler=scaler,
                jobs=jobs,
                servers=args.servers,
                ami_release=args.cluster.ami_release,
                instance_types=args.instance_types,
                tags=args.tags,
                retiring=retiring,
            ),
            on_servers,
        )
        return Scaled(pools.group_names, (pools,))
    if isinstance(scaler, AutoMode):
        pools = AutoModeNodes(
            label,
            AutoModeNodesArgs(
                cluster=cluster,
                scaler=scaler,
                jobs=jobs,
                instance_types=args.instance_types,
                tags=args.tags,
                retiring=retiring,
            ),
            opts,
        )
        return Scaled(pools.group_names, (pools,))
    return _autoscaled(name, scaler, args, cluster, opts, on_servers)


def _autoscaled(
    name: str,
    scaler: ClusterAutoscaler,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
    on_servers: pulumi.ResourceOptions,
) -> Scaled:
    controller = []
    if scaler.install:
        settings = AutoscalerControllerArgs(
            cluster=cluster,
            scaler=scaler,
            patterns={
                group.name: _pattern(f"{name}-{group.name}", scaler, args)
                for group in args.jobs
            },
            servers=args.servers,
            jobs=args.jobs,
            balloons=_balloons(scaler, args),
            tags=args.tags,
            retiring=scaler is args.retiring_scaler,
        )
        controller = [
            AutoscalerController(f"{name}-{scaler.kind}", settings, on_servers)
        ]
    groups = {
        group.name: _group(f"{name}-{group.name}", scaler, args, cluster, group, opts)
        for group in args.jobs
    }
    names = {group: called for group, (called, _) in groups.items()}
    made = tuple(group for _, group in groups.values())
    return Scaled(names, tuple(controller), made)


def group_problems(
    scaler: Scaler, args: "JobPlatformArgs", stand_in: ClusterFacts
) -> Iterator[str]:
    """Build the arguments of Auto Scaling groups, before any resource exists."""
    if not isinstance(scaler, ClusterAutoscaler):
        return
    make = _managed_args if scaler.groups == "managed" else _job_args
    for place, group in enumerate(args.jobs):
        yield from refused(f"jobs[{place}]: ", make, scaler, args, stand_in, group)


def _balloons(scaler: Scaler, args: "JobPlatformArgs") -> tuple[AnyBalloon, ...]:
    """Return the balloons that *scaler* makes nodes for: none when it retires."""
    return () if scaler is args.retiring_scaler else args.balloons


def _pattern(name: str, scaler: ClusterAutoscaler, args: "JobPlatformArgs") -> str:
    if scaler.groups == "managed":
        return managed_groups_pattern(name, args.network)
    return self_managed_pattern(name)


def _group(
    name: str,
    scaler: ClusterAutoscaler,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    group: JobGroup,
    opts: pulumi.ResourceOptions,
) -> tuple[pulumi.Output[str], pulumi.Resource]:
    if scaler.groups == "managed":
        zones = ManagedJobNodes(name, _managed_args(scaler, args, cluster, group), opts)
        called = pulumi.Output.all(*zones.group_names.values()).apply(", ".join)
        return called, zones
    nodes = JobNodes(name, _job_args(scaler, args, cluster, group), opts)
    return nodes.group_name, nodes


def _managed_args(
    scaler: ClusterAutoscaler,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    group: JobGroup,
) -> ManagedJobNodesArgs:
    return ManagedJobNodesArgs(
        cluster=cluster,
        group=group,
        scaler=of_group(scaler, _balloons(scaler, args), group.name),
        zones=zone_keys(args.network),
        former_zones=zone_numbers(args.network),
        instance_types=args.instance_types,
        tags=args.tags,
    )


def _job_args(
    scaler: ClusterAutoscaler,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    group: JobGroup,
) -> JobNodesArgs:
    return JobNodesArgs(
        cluster=cluster,
        group=group,
        ami_release=args.cluster.ami_release,
        instance_types=args.instance_types,
        options=scaler.scale_down(group.name),
        tags=args.tags,
    )
