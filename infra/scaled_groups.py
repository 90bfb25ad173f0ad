"""What the job groups of a stack become, without a cluster."""

from collections.abc import Iterator
from typing import Any

from components.spec.balloon.plan import beside_balloons
from components.spec.balloon.scaler_settings import with_balloon_values
from components.spec.balloon.settings import AnyBalloon
from components.spec.groups import JobGroup
from components.spec.instance_types import InstanceTypes
from components.spec.network import ExistingNetwork
from components.spec.node_config import (
    NodeCluster,
    job_user_data,
    managed_launch_data,
    managed_user_data,
    usual_cluster,
)
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.autoscaler_chart import (
    autoscaler_values,
    self_managed_pattern,
)
from components.spec.scaler.autoscaler_groups import (
    eks_adds_user_data,
    managed_groups_pattern,
    zone_keys,
)
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.karpenter_chart import karpenter_values
from components.spec.scaler.launch_data import karpenter_launch_data
from components.spec.scaler.manifests import (
    PoolObjects,
    auto_mode_pools,
    karpenter_pools,
)
from components.spec.scaler.node_class import Site
from components.spec.scaler.plan import scalers_of
from components.spec.scaler.settings import Scaler
from infra.settings import Settings

__all__ = [
    "balloons_of",
    "chart_values",
    "job_launch_data",
    "job_node_data",
    "pools",
    "scaler_and_jobs",
    "scalers",
]

# The name of the platform in `program`, which names of groups begin with.
_PLATFORM = "platform"


def scalers(settings: Settings) -> tuple[Scaler, ...]:
    """Return the scaler in use, then the one on its way out."""
    return scalers_of(settings.scaler, settings.retiring_scaler)


def balloons_of(scaler: Scaler, settings: Settings) -> tuple[AnyBalloon, ...]:
    """Return the balloons that *scaler* makes nodes for: none when it retires."""
    return () if scaler is settings.retiring_scaler else settings.balloons


def scaler_and_jobs(
    scaler: Scaler, settings: Settings
) -> tuple[Scaler, tuple[JobGroup, ...]]:
    """Return a scaler, and the groups that it scales, as balloons change them."""
    balloons = balloons_of(scaler, settings)
    return beside_balloons(scaler, settings.jobs, balloons, settings.policy)


def pools(
    scaler: Scaler, settings: Settings, types: InstanceTypes
) -> tuple[PoolObjects, ...]:
    """
    Return classes and pools; what only the cluster knows stands in capitals.

    Args:
        scaler: One of `scalers`.
        settings: The settings it belongs to.
        types: Facts about instance types.
    """
    retiring = scaler is settings.retiring_scaler
    scaler, jobs = scaler_and_jobs(scaler, settings)
    if isinstance(scaler, Karpenter):
        release = settings.cluster.ami_release
        return karpenter_pools(
            scaler,
            jobs,
            _site(scaler, settings),
            release,
            types,
            retiring=retiring,
        )
    if isinstance(scaler, AutoMode):
        site = _site(scaler, settings)
        return auto_mode_pools(scaler, jobs, site, types, retiring=retiring)
    return ()


def chart_values(settings: Settings) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and values of the charts of controllers that are installed."""
    for one in scalers(settings):
        scaler, _ = scaler_and_jobs(one, settings)
        if isinstance(scaler, Karpenter) and scaler.install:
            yield (
                scaler.kind,
                karpenter_values(
                    scaler,
                    cluster_name=str(settings.cluster.name),
                    queue_name="<QUEUE OF INTERRUPTIONS>",
                    servers=settings.servers,
                ),
            )
        if isinstance(scaler, ClusterAutoscaler) and scaler.install:
            values = autoscaler_values(
                scaler,
                cluster_name=str(settings.cluster.name),
                cluster_version=settings.cluster.version,
                region=settings.region,
                patterns={
                    group.name: _pattern(scaler, group, settings)
                    for group in settings.jobs
                },
                servers=settings.servers,
                jobs=settings.jobs,
                retiring=one is settings.retiring_scaler,
            )
            yield scaler.kind, with_balloon_values(values, balloons_of(one, settings))


def job_node_data(
    group: JobGroup,
    scaler: Scaler,
    settings: Settings,
    types: InstanceTypes,
    cluster: NodeCluster,
) -> str | None:
    """
    Return the user data of a job group, None when it has none.

    Args:
        group: The group.
        scaler: One of `scalers`.
        settings: The settings it belongs to.
        types: Facts about instance types.
        cluster: What a node is told about its cluster.
    """
    if isinstance(scaler, ClusterAutoscaler):
        if eks_adds_user_data(scaler, group):
            return managed_user_data(group, types)
        return job_user_data(cluster, group, types)
    for one in pools(scaler, settings, types):
        if one.group.name == group.name:
            return one.node_class["spec"].get("userData")
    return None


def job_launch_data(
    group: JobGroup, settings: Settings, types: InstanceTypes
) -> str | None:
    """
    Return the user data of a job group as an instance is launched with it.

    What the scaler in use or EKS adds is in it, with values of the usual length.

    Args:
        group: The group.
        settings: The settings it belongs to.
        types: Facts about instance types.
    """
    scaler = settings.scaler
    if isinstance(scaler, ClusterAutoscaler) and eks_adds_user_data(scaler, group):
        return managed_launch_data(group, types)
    if isinstance(scaler, Karpenter):
        for one in pools(scaler, settings, types):
            if one.group.name == group.name:
                return karpenter_launch_data(one.group, one.node_class)
    return job_node_data(group, scaler, settings, types, usual_cluster())


def _pattern(scaler: ClusterAutoscaler, group: JobGroup, settings: Settings) -> str:
    name = f"{_PLATFORM}-{group.name}"
    if scaler.groups == "self-managed":
        return self_managed_pattern(name)
    return managed_groups_pattern(name, settings.network)


def _site(scaler: Karpenter | AutoMode, settings: Settings) -> Site:
    network = settings.network
    known = isinstance(network, ExistingNetwork)
    given: dict[str, Any] = {"role": "<ROLE OF THE NODES>"}
    if isinstance(scaler, Karpenter) and scaler.node_role is not None:
        given = {"role": scaler.node_role}
    if isinstance(scaler, Karpenter) and scaler.instance_profile is not None:
        given = {"instance_profile": scaler.instance_profile}
    return Site(
        cluster_name=str(settings.cluster.name),
        subnet_ids=network.subnet_ids
        if known
        else [f"<PRIVATE SUBNET {zone.upper()}>" for zone in zone_keys(network)],
        security_group_ids=["<SECURITY GROUP OF THE CLUSTER>"],
        tags=settings.tags,
        **given,
    )
