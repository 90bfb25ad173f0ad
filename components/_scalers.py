"""What each kind of scaler makes of the job groups of a platform."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pulumi

from .auto_mode import AutoModeNodes, AutoModeNodesArgs
from .cluster_autoscaler import (
    AutoscalerController,
    AutoscalerControllerArgs,
)
from .cluster_facts import ClusterFacts
from .job_nodes import JobNodes, JobNodesArgs
from .karpenter import KarpenterNodes, KarpenterNodesArgs
from .managed_job_nodes import (
    ManagedJobNodes,
    ManagedJobNodesArgs,
    managed_groups_pattern,
)
from .spec.groups import JobGroup
from .spec.problems import refused
from .spec.scaler.auto_mode import AutoMode
from .spec.scaler.autoscaler_chart import self_managed_pattern
from .spec.scaler.autoscaler_groups import zone_keys
from .spec.scaler.cluster_autoscaler import ClusterAutoscaler
from .spec.scaler.karpenter import Karpenter
from .spec.scaler.settings import Scaler

if TYPE_CHECKING:
    from .job_platform import JobPlatformArgs

__all__ = ["group_problems", "scaled_nodes"]


def scaled_nodes(
    name: str,
    scaler: Scaler,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
    on_servers: pulumi.ResourceOptions,
) -> dict[str, pulumi.Output[str]]:
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

    Returns:
        Names of groups or pools, by the names of job groups.
    """
    label, retiring = f"{name}-{scaler.kind}", scaler is args.retiring_scaler
    if isinstance(scaler, Karpenter):
        return dict(
            KarpenterNodes(
                label,
                KarpenterNodesArgs(
                    cluster=cluster,
                    scaler=scaler,
                    jobs=args.jobs,
                    servers=args.servers,
                    ami_release=args.cluster.ami_release,
                    instance_types=args.instance_types,
                    tags=args.tags,
                    retiring=retiring,
                ),
                on_servers,
            ).group_names
        )
    if isinstance(scaler, AutoMode):
        return dict(
            AutoModeNodes(
                label,
                AutoModeNodesArgs(
                    cluster=cluster,
                    scaler=scaler,
                    jobs=args.jobs,
                    instance_types=args.instance_types,
                    tags=args.tags,
                    retiring=retiring,
                ),
                opts,
            ).group_names
        )
    if scaler.install:
        AutoscalerController(
            label,
            AutoscalerControllerArgs(
                cluster=cluster,
                scaler=scaler,
                patterns={
                    group.name: _pattern(f"{name}-{group.name}", scaler, args)
                    for group in args.jobs
                },
                servers=args.servers,
                tags=args.tags,
                retiring=retiring,
            ),
            on_servers,
        )
    return {
        group.name: _group(f"{name}-{group.name}", scaler, args, cluster, group, opts)
        for group in args.jobs
    }


def group_problems(
    scaler: Scaler, args: "JobPlatformArgs", stand_in: ClusterFacts
) -> Iterator[str]:
    """Build the arguments of Auto Scaling groups, before any resource exists."""
    if not isinstance(scaler, ClusterAutoscaler):
        return
    make = _managed_args if scaler.groups == "managed" else _job_args
    for place, group in enumerate(args.jobs):
        yield from refused(f"jobs[{place}]: ", make, scaler, args, stand_in, group)


def _pattern(name: str, scaler: ClusterAutoscaler, args: "JobPlatformArgs") -> str:
    if scaler.groups == "managed":
        return managed_groups_pattern(name, zone_keys(args.network))
    return self_managed_pattern(name)


def _group(
    name: str,
    scaler: ClusterAutoscaler,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    group: JobGroup,
    opts: pulumi.ResourceOptions,
) -> pulumi.Output[str]:
    if scaler.groups == "managed":
        made = ManagedJobNodes(name, _managed_args(scaler, args, cluster, group), opts)
        return pulumi.Output.all(*made.group_names.values()).apply(", ".join)
    return JobNodes(name, _job_args(scaler, args, cluster, group), opts).group_name


def _managed_args(
    scaler: ClusterAutoscaler,
    args: "JobPlatformArgs",
    cluster: ClusterFacts,
    group: JobGroup,
) -> ManagedJobNodesArgs:
    return ManagedJobNodesArgs(
        cluster=cluster,
        group=group,
        scaler=scaler,
        zones=zone_keys(args.network),
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
