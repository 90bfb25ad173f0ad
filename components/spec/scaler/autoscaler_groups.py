"""What the groups of Cluster Autoscaler carry, and how managed ones are split."""

from collections.abc import Iterator, Mapping

from ..architecture import driver_problems
from ..capacity import node_capacity
from ..groups import JobGroup, Size
from ..instance_types import InstanceTypes
from ..labels import eks_limit_problems
from ..network import ExistingNetwork, NewNetwork
from ..tags import autoscaler_tags, check_tags, scaling_group_tags
from .autoscaler_chart import managed_pattern
from .cluster_autoscaler import ClusterAutoscaler, ScaleDown
from .generated_names import managed_group_name

__all__ = [
    "capacity_tags",
    "check_group_tags",
    "eks_adds_user_data",
    "group_driver_problems",
    "managed_group_tags",
    "managed_groups_pattern",
    "managed_problems",
    "option_tags",
    "self_managed_group_tags",
    "zone_keys",
    "zone_numbers",
    "zone_sizes",
]

_RESOURCES = "k8s.io/cluster-autoscaler/node-template/resources"
_OPTIONS = "k8s.io/cluster-autoscaler/node-template/autoscaling-options"
_DISCOVERY = ("k8s.io/cluster-autoscaler/enabled",)


def option_tags(options: ScaleDown) -> dict[str, str]:
    """
    Return the tags that override flags of the controller for one group.

    Sources:
        Cluster Autoscaler 1.36, cloudprovider/aws README, and `GetAsgOptions`.
    """
    return {f"{_OPTIONS}/{name}": value for name, value in options.options().items()}


def capacity_tags(group: JobGroup, instance_types: InstanceTypes) -> dict[str, str]:
    """
    Return the tags that say what pods may request of a node of the first type.

    Without them the autoscaler plans a group that has no node with whole instances: it
    counts four jobs of 4 vCPU on 16 where the kubelet leaves room for three, and makes
    nodes again and again for a job that asks for all 16. The memory is the most that a
    node can have; with less a job that fits would wait for ever.

    Args:
        group: Job group.
        instance_types: Facts about its types; no tags when the first is not known.

    Sources:
        Cluster Autoscaler, cloudprovider/aws/aws_manager.go, buildNodeFromTemplate;
        kubernetes/autoscaler#2809.
    """
    types = [instance_types.find(name) for name in group.instance_types]
    if types[0] is None:
        return {}
    largest = max(one.vcpus for one in types if one is not None)
    node = node_capacity(group, types[0], largest)
    return {
        f"{_RESOURCES}/cpu": f"{node.allocatable_cpu_m}m",
        f"{_RESOURCES}/memory": f"{max(0, node.allocatable_memory_mib)}Mi",
    }


def self_managed_group_tags(
    cluster_name: str,
    group: JobGroup,
    options: ScaleDown,
    instance_types: InstanceTypes,
) -> dict[str, str]:
    """Return all tags of the library on the Auto Scaling group of a job group."""
    return {
        **scaling_group_tags(cluster_name, group),
        **capacity_tags(group, instance_types),
        **option_tags(options),
    }


def managed_group_tags(
    cluster_name: str,
    group: JobGroup,
    options: ScaleDown,
    instance_types: InstanceTypes,
) -> dict[str, str]:
    """
    Return what must be added to the Auto Scaling group of a managed group.

    EKS adds the two tags of discovery, and hands none of the managed group's own
    tags down.
    """
    discovery = (*_DISCOVERY, f"k8s.io/cluster-autoscaler/{cluster_name}")
    every = {
        **autoscaler_tags(cluster_name, group),
        **capacity_tags(group, instance_types),
        **option_tags(options),
    }
    return {key: value for key, value in every.items() if key not in discovery}


def check_group_tags(
    cluster_name: str,
    group: JobGroup,
    options: ScaleDown,
    instance_types: InstanceTypes,
    tags: Mapping[str, str],
) -> None:
    """
    Count all tags of a group.

    Args:
        cluster_name: Name of the cluster.
        group: The group.
        options: Its options, which are tags too.
        instance_types: Facts about its types, which are tags too.
        tags: Tags of the stack.

    Raises:
        ValueError: AWS would refuse them; the surplus is listed.
    """
    own = self_managed_group_tags(cluster_name, group, options, instance_types)
    check_tags({**tags, **group.tags}, own)


def eks_adds_user_data(autoscaler: ClusterAutoscaler, group: JobGroup) -> bool:
    """Tell whether EKS completes what a node is launched with, as for its own image."""
    return autoscaler.groups == "managed" and group.ami_id is None


def group_driver_problems(group: JobGroup) -> list[str]:
    """List types that need a driver, unless the group has an image of its own."""
    if group.ami_id is not None:
        return []
    way_out = (
        "name an image that has it in ami_id, or choose scaler kind karpenter or "
        "auto-mode"
    )
    return driver_problems(group.instance_types, way_out)


def zone_sizes(size: Size, zones: int) -> tuple[Size, ...]:
    """
    Split the bounds of a group over its zones; they add up to what they were.

    Args:
        size: Bounds of the whole group.
        zones: How many zones, at least 1.

    Raises:
        ValueError: There are more zones than nodes.
    """
    if size.max < zones:
        raise ValueError(
            f"size.max must be at least {zones}, one node for each zone of a managed "
            f"group, got size.max={size.max}"
        )
    lows, highs = _shares(size.min, zones), _shares(size.max, zones)
    return tuple(Size(min=low, max=high) for low, high in zip(lows, highs, strict=True))


def zone_keys(network: NewNetwork | ExistingNetwork) -> tuple[str, ...]:
    """
    Return what tells the managed groups of a job group apart, one text for a zone.

    Zones by name and subnets by id keep the others what they are when one goes. The
    first zones of a region, and subnets that are not known yet, have their number.
    """
    if isinstance(network, NewNetwork):
        if isinstance(network.zones, tuple):
            return network.zones
        return tuple(str(place + 1) for place in range(network.zones))
    return tuple(
        one if isinstance(one, str) else str(place + 1)
        for place, one in enumerate(network.subnet_ids)
    )


def zone_numbers(network: NewNetwork | ExistingNetwork) -> tuple[str, ...]:
    """
    Return what told these zones apart before they had names, in the order of the keys.

    A number takes the first zones in the order of their names, and may be spelled out
    in another one. Subnets that were not known have kept their place.
    """
    keys = zone_keys(network)
    ranked = sorted(keys) if isinstance(network, NewNetwork) else keys
    return tuple(str(ranked.index(key) + 1) for key in keys)


def managed_groups_pattern(
    component: str, network: NewNetwork | ExistingNetwork
) -> str:
    """
    Match the Auto Scaling groups of the managed groups of a job group.

    A group that was made before its zone had a name keeps the number in its own name.

    Args:
        component: Name of the component of the job group.
        network: The network of the cluster.
    """
    zones = dict.fromkeys([*zone_keys(network), *zone_numbers(network)])
    return managed_pattern([managed_group_name(component, zone) for zone in zones])


def managed_problems(
    autoscaler: ClusterAutoscaler, group: JobGroup, zones: int | None
) -> Iterator[str]:
    """
    List what a managed node group does not take.

    Args:
        autoscaler: The settings.
        group: The job group.
        zones: How many zones it spans, None when that is not known.
    """
    yield from (
        line.replace("a server group", "a managed group")
        for line in eks_limit_problems(group.labels, group.taints)
    )
    if group.ami_id is not None and autoscaler.warm_pool is not None:
        yield (
            "ami_id must be left out with scaler.warm_pool, EKS has no warm pools for "
            f"images of your own, got ami_id={group.ami_id}"
        )
    if zones is not None and group.size.max < zones:
        yield (
            f"size.max must be at least {zones}, one node for each zone of a managed "
            f"group, got size.max={group.size.max}"
        )


def _shares(number: int, zones: int) -> list[int]:
    each, rest = divmod(number, zones)
    return [each + (place < rest) for place in range(zones)]
