"""Everything that is accepted and still worth a warning, before the first resource."""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv4Network

from .cluster import KUBERNETES_VERSIONS, ClusterSettings
from .group_review import (
    Notice,
    ScalerKind,
    group_addresses,
    review_group,
)
from .groups import JobGroup, ServerGroup
from .instance_types import InstanceTypes
from .network import (
    ExistingNetwork,
    NewNetwork,
    is_private,
    private_addresses,
    private_blocks,
)
from .vpc_cni import VpcCniTuning, WarmAddresses, WarmPrefixes

__all__ = ["Notice", "review", "review_group"]

# Subnets below this size rarely have whole free /28 blocks.
_PREFIX_MODE_SUBNET = 24
_WIDE_OPEN = 8


def review(
    *,
    servers: Sequence[ServerGroup] = (),
    jobs: Sequence[JobGroup] = (),
    instance_types: InstanceTypes,
    network: NewNetwork | ExistingNetwork | None = None,
    cluster: ClusterSettings | None = None,
    vpc_cni: VpcCniTuning | None = None,
    scaler: ScalerKind = "cluster-autoscaler",
    host_network: bool = False,
) -> tuple[Notice, ...]:
    """
    List what AWS and Kubernetes accept, but will not honour or will charge for.

    The order is that of the stack file: network, cluster, vpc_cni, servers, jobs.
    Equal settings give equal notices.

    Args:
        servers: Server groups, in the order of the stack file.
        jobs: Job groups, in the order of the stack file.
        instance_types: Facts about the types of the groups.
        network: Where the nodes live, None when others decide that.
        cluster: The control plane, None when others own it.
        vpc_cni: Settings of the VPC CNI, None when others own it; then the groups
            are measured without prefix mode.
        scaler: What scales job groups. Nodes of EKS Auto Mode are not measured by
            settings that they do not have.
        host_network: Whether the job policy puts job pods on the network of the node.
    """
    addresses = {
        group.name: (
            group.size.max,
            group_addresses(
                group, instance_types, vpc_cni, scaler, host_network=host_network
            ),
        )
        for group in (*servers, *jobs)
    }
    return (
        *_network(network, addresses, vpc_cni),
        *_cluster(cluster),
        *_vpc_cni(vpc_cni, () if scaler == "auto-mode" else jobs),
        *(
            notice
            for key, listed in (("servers", servers), ("jobs", jobs))
            for place, group in enumerate(listed)
            for notice in review_group(
                f"{key}[{place}]",
                group,
                instance_types,
                vpc_cni,
                scaler,
                host_network=host_network,
            )
        ),
    )


def _network(
    network: NewNetwork | ExistingNetwork | None,
    each: Mapping[str, tuple[int, int]],
    vpc_cni: VpcCniTuning | None,
) -> Iterator[Notice]:
    """Compare with the nodes of each group, and the addresses that one takes."""
    if network is None:
        return
    needed = sum(nodes * addresses for nodes, addresses in each.values())
    offered = private_addresses(network)
    if offered is None:
        yield Notice(
            path="network.subnet_cidrs",
            text="not given, so free addresses are not checked: at their largest the "
            f"groups take {needed}",
            severity="info",
        )
    elif needed > offered:
        parts = ", ".join(
            f"{name} {nodes} x {addresses}" for name, (nodes, addresses) in each.items()
        )
        yield Notice(
            path="network",
            text=f"at their largest the groups take {needed} addresses ({parts}), the "
            f"private subnets have {offered}: pods beyond that wait for ever",
        )
    if isinstance(vpc_cni, WarmPrefixes):
        yield from _prefix_subnets(private_blocks(network))


def _prefix_subnets(blocks: Sequence[IPv4Network]) -> Iterator[Notice]:
    for place, block in enumerate(blocks):
        if block.prefixlen > _PREFIX_MODE_SUBNET:
            yield Notice(
                path=f"network.subnet_cidrs[{place}]",
                text=f"{block} is smaller than /{_PREFIX_MODE_SUBNET}: prefix mode "
                f"needs whole free blocks of 16 addresses, and it has "
                f"{block.num_addresses // 16} at most",
            )


def _cluster(cluster: ClusterSettings | None) -> Iterator[Notice]:
    if cluster is None:
        return
    yield from _version(cluster)
    yield from _access(cluster)
    if cluster.scheduler is not None:
        effect = (
            "pods of servers crowd together too"
            if cluster.scheduler.strategy == "MostAllocated"
            else "pods of jobs spread too, and nodes empty late"
        )
        yield Notice(
            path="cluster.scheduler",
            text=f"{cluster.scheduler.strategy} holds for the whole cluster: {effect}",
        )


def _version(cluster: ClusterSettings) -> Iterator[Notice]:
    support = cluster.version_support
    if support is None:
        newest = list(KUBERNETES_VERSIONS)[-1]
        yield Notice(
            path="cluster.version",
            text=f"{cluster.version} is newer than what is known here (up to {newest}):"
            " whether EKS offers it, and until when, is not checked",
        )
    elif support.now == "extended":
        then = (
            "EKS upgrades the cluster by itself"
            if cluster.support == "STANDARD"
            else f"EKS charges extended support until {support.extended_until}"
        )
        yield Notice(
            path="cluster.version",
            text=f"{cluster.version} left standard support on "
            f"{support.standard_until}: with support {cluster.support} {then}",
        )


def _access(cluster: ClusterSettings) -> Iterator[Notice]:
    path, cidrs = "cluster.public_access_cidrs", cluster.public_access_cidrs
    if not cidrs and cluster.private_access_cidrs:
        blocks = ", ".join(cluster.private_access_cidrs)
        yield Notice(
            path=path,
            text="the API server has a private address alone: `pulumi up` must come "
            f"from {blocks} to create Kubernetes objects",
            severity="info",
        )
    if not cidrs and not cluster.private_access_cidrs:
        yield Notice(
            path=path,
            text="the API server answers nodes and pods alone: `pulumi up` must run "
            "in a pod to create Kubernetes objects; let a VPN, a runner or a host in "
            "the VPC in by private_access_cidrs",
        )
    for place, block in enumerate(IPv4Network(text) for text in cidrs):
        if block.prefixlen < _WIDE_OPEN:
            yield Notice(
                path=f"{path}[{place}]",
                text=f"{block} lets {block.num_addresses} addresses of the internet "
                "reach the API server: name the networks of your people and CI",
            )
        elif is_private(block):
            yield Notice(
                path=f"{path}[{place}]",
                text=f"{block} is a private range: the public endpoint only ever sees "
                "public addresses",
            )


def _vpc_cni(
    vpc_cni: VpcCniTuning | None, jobs: Sequence[JobGroup]
) -> Iterator[Notice]:
    if not isinstance(vpc_cni, WarmAddresses):
        return
    yield Notice(
        path="vpc_cni",
        text=f"kind addresses with warm_ip_target={vpc_cni.warm_ip_target} calls EC2 "
        "for almost every pod that starts or ends, on every node of the cluster, and "
        "EC2 throttles: kind prefixes calls once for 16 pods",
    )
    pods = max((group.kubelet.max_pods for group in jobs), default=0)
    if vpc_cni.minimum_ip_target < pods:
        yield Notice(
            path="vpc_cni.minimum_ip_target",
            text=f"minimum_ip_target={vpc_cni.minimum_ip_target} is below "
            f"max_pods={pods}: a burst on a new node waits for addresses",
        )
