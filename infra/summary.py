"""`summary.md`: what a stack file amounts to, for the eye of a reviewer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from components.spec import access
from components.spec.capacity import (
    EVICTION_MEMORY_MIB,
    disk_speed,
    megabytes,
    node_capacity,
)
from components.spec.cluster import ADDONS, ClusterSettings
from components.spec.group_review import address_limit
from components.spec.groups import JobGroup, ServerGroup
from components.spec.instance_types import InstanceType, InstanceTypes
from components.spec.mime import USER_DATA_LIMIT
from components.spec.network import NewNetwork, subnet_plan, zone_subnets
from components.spec.node_config import (
    job_user_data,
    server_user_data,
    usual_cluster,
)
from components.spec.review import Notice, review
from components.spec.tags import TAG_LIMIT, scaling_group_tags
from infra.settings import Settings

__all__ = ["summary"]

_SPEEDS = {
    "sustained": "full speed",
    "burst": "full speed in bursts",
    "never": "never its full speed",
}


def summary(stack: str, settings: Settings) -> str:
    """
    Render the summary of a stack as Markdown. Equal settings give equal bytes.

    Args:
        stack: Name of the stack.
        settings: What its file says.
    """
    types = InstanceTypes.bundled().including(settings.instance_types)
    notices = review(
        servers=settings.servers,
        jobs=settings.jobs,
        instance_types=types,
        network=settings.network,
        cluster=settings.cluster,
        vpc_cni=settings.vpc_cni,
    )
    blocks = [
        [f"# Stack {stack}"],
        [
            f"What `Pulumi.{stack}.yaml` amounts to, computed without AWS.",
            "What only AWS knows, such as default versions of add-ons, is not guessed.",
        ],
        *_warnings(notices),
        *_cluster(settings),
        *_endpoint(settings.cluster),
        *_network(settings),
        *_access(settings),
        *(
            block
            for group in (*settings.servers, *settings.jobs)
            for block in _group(group, settings, types)
        ),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _warnings(notices: Sequence[Notice]) -> Iterator[list[str]]:
    yield ["## Warnings and notes"]
    yield [f"- {one.severity}, `{one.path}`: {one.text}" for one in notices] or [
        "None."
    ]


def _cluster(settings: Settings) -> Iterator[list[str]]:
    cluster, support = settings.cluster, settings.cluster.version_support
    until = f", standard support until {support.standard_until}" if support else ""
    config = cluster.scheduler
    scoring = "default of EKS"
    if config is not None:
        weights = ", ".join(f"{one.name} {one.weight}" for one in config.resources)
        scoring = f"{config.strategy} ({weights})"
    kept = cluster.terminated_pod_gc_threshold
    pins = ", ".join(
        f"{name} {cluster.addons.get(name, 'default of EKS')}" for name in ADDONS
    )
    yield ["## Cluster"]
    yield _table(
        ("setting", "value"),
        [
            ("name", cluster.name),
            ("region", settings.region),
            ("Kubernetes", f"{cluster.version}{until}"),
            ("when support ends", cluster.support),
            ("deletion protection", "on" if cluster.deletion_protection else "off"),
            ("Services", cluster.service_cidr),
            ("logs", ", ".join(cluster.log_types) or "none"),
            ("scheduler", scoring),
            ("finished pods kept", "default of EKS" if kept is None else kept),
            ("add-ons", pins),
            ("node images", f"AL2023, release {cluster.ami_release}"),
            ("tags on all resources", _pairs(settings.tags)),
        ],
    )


def _endpoint(cluster: ClusterSettings) -> Iterator[list[str]]:
    yield ["## Endpoint of the API server"]
    if cluster.public_access_cidrs:
        blocks = ", ".join(cluster.public_access_cidrs)
        yield [
            f"It answers inside the VPC, and outside to {blocks}.",
            "`pulumi up` and `kubectl` must run in the VPC or come from these blocks.",
        ]
    else:
        yield [
            "It is private: it answers inside the VPC alone.",
            "`pulumi up` makes Kubernetes objects, and so must run in the VPC (on a "
            "runner or a host there) or reach it by a VPN or a peering, as `kubectl` "
            "must.",
            "From anywhere else it makes what belongs to AWS, then fails at the first "
            "object.",
        ]


def _network(settings: Settings) -> Iterator[list[str]]:
    network = settings.network
    yield ["## Network"]
    if not isinstance(network, NewNetwork):
        yield [
            f"An existing VPC, {network.vpc_id}: nothing in it is changed.",
            f"Nodes live in {', '.join(network.subnet_ids)}.",
        ]
    else:
        gateways = network.zone_count if network.nat == "per-zone" else 1
        yield [
            f"A new VPC, {network.cidr}, with NAT gateways: {gateways}.",
            f"Interface endpoints: {', '.join(network.endpoints) or 'none'}.",
            "Gateway endpoint: s3.",
        ]
        if not isinstance(network.zones, tuple):
            yield [
                f"Zones: the first {network.zones} by name.",
                "Subnets follow from the letters of zones; most regions begin at a.",
            ]
        yield _table(("zone", "private subnet", "public subnet"), _zones(network))
    yield [f"VPC CNI: `{settings.vpc_cni.configuration_values()}`"]


def _zones(network: NewNetwork) -> list[tuple[str, str, str]]:
    if isinstance(network.zones, tuple):
        plan = zone_subnets(network.cidr, network.zones).items()
    else:
        plan = zip("abcdef", subnet_plan(network.cidr, network.zones), strict=False)
    return [(zone, subnets.private, subnets.public) for zone, subnets in plan]


def _access(settings: Settings) -> Iterator[list[str]]:
    nodes = ", ".join(access.NODE_POLICIES)
    admin = access.ADMIN_POLICY.rpartition("/")[2]
    groups = (*settings.servers, *settings.jobs)
    yield ["## Access"]
    yield _table(
        ("principal", "gets"),
        [
            ("role of the control plane", "AmazonEKSClusterPolicy"),
            *((f"role of the nodes of {group.name}", nodes) for group in groups),
            (
                f"role of `kube-system/{access.EBS_DRIVER_ACCOUNT}` (Pod Identity)",
                ", ".join(access.EBS_DRIVER_POLICIES),
            ),
            *(
                (f"`{arn}`", f"{admin}, whole cluster")
                for arn in settings.cluster.admins
            ),
            ("whoever creates the cluster", f"{admin}, whole cluster"),
        ],
    )


def _group(
    group: ServerGroup | JobGroup, settings: Settings, types: InstanceTypes
) -> Iterator[list[str]]:
    kind = "Job" if isinstance(group, JobGroup) else "Server"
    known = [types.find(name) for name in group.instance_types]
    facts = [one for one in known if one is not None]
    yield [f"## {kind} group {group.name}"]
    yield _table(("setting", "value"), _facts(group, settings, types))
    yield ["A node of each type:"]
    yield _nodes(group, facts, settings)
    yield [
        "Allocatable memory is what EC2 names, less what is reserved and "
        f"{EVICTION_MEMORY_MIB} MiB below which pods are evicted.",
        "Firmware and kernel take some percent before that.",
    ]
    yield [
        f"The disk: {group.volume.size_gib} GiB gp3, {group.volume.iops} IOPS, "
        f"{group.volume.throughput_mib} MiB/s "
        f"({megabytes(group.volume.throughput_mib)} MB/s).",
        "What each type allows:",
    ]
    yield _disks(group, facts)


def _facts(
    group: ServerGroup | JobGroup, settings: Settings, types: InstanceTypes
) -> Iterator[tuple[str, object]]:
    taints = ", ".join(f"`{taint.kubernetes}`" for taint in group.all_taints)
    unknown = [name for name in group.instance_types if types.find(name) is None]
    yield "architecture", group.architecture
    yield "instance types", ", ".join(group.instance_types)
    if unknown:
        yield "not in the table of types", ", ".join(unknown)
    yield "nodes", f"{group.size.min} to {group.size.max}"
    yield "labels", _pairs(group.all_labels)
    yield "taints", taints or "none"
    if group.kubelet is None:
        yield "pods of a node", "EKS decides"
    else:
        qps = group.kubelet.registry_pull_qps
        limit = f"{qps} a second, {group.kubelet.burst} at once" if qps else "no limit"
        yield "pods of a node", group.kubelet.max_pods
        yield "image pulls", limit
    yield "image", _image(group, settings.cluster)
    yield "user data", _user_data_size(group, types)
    if isinstance(group, JobGroup):
        own = scaling_group_tags(str(settings.cluster.name), group)
        count = len({**own, **settings.tags, **group.tags})
        yield "tags", f"{count} of {TAG_LIMIT} on the Auto Scaling group"
    else:
        count = len({"Name", *settings.tags, *group.tags})
        yield "tags", f"{count} of {TAG_LIMIT} on the node group"


def _image(group: ServerGroup | JobGroup, cluster: ClusterSettings) -> str:
    if not isinstance(group, JobGroup):
        return f"chosen by EKS for {cluster.version}"
    return group.ami_id or f"AL2023, release {cluster.ami_release}"


def _user_data_size(group: ServerGroup | JobGroup, types: InstanceTypes) -> str:
    """Measure with a certificate of the usual length, as the check does."""
    if isinstance(group, JobGroup):
        text = job_user_data(usual_cluster(), group, types)
    else:
        text = server_user_data(group, types)
    if text is None:
        return "none of ours"
    return f"about {len(text.encode())} of {USER_DATA_LIMIT} bytes"


def _nodes(
    group: ServerGroup | JobGroup, types: Sequence[InstanceType], settings: Settings
) -> list[str]:
    largest = max((one.vcpus for one in types), default=0)
    rows = [
        (one, node_capacity(group, one, largest), address_limit(one, settings.vpc_cni))
        for one in types
    ]
    return _table(
        (
            *("type", "vCPU", "memory MiB", "pods", "addresses for pods"),
            *("reserved CPU", "reserved memory", "allocatable CPU"),
            "allocatable memory",
        ),
        [
            (
                *(one.name, one.vcpus, one.memory_mib),
                *("EKS decides" if left.pods is None else left.pods, addresses),
                *(f"{left.reserved_cpu_m}m", f"{left.reserved_memory_mib}Mi"),
                *(f"{left.allocatable_cpu_m}m", f"{left.allocatable_memory_mib}Mi"),
            )
            for one, left, addresses in rows
        ],
    )


def _disks(group: ServerGroup | JobGroup, types: Sequence[InstanceType]) -> list[str]:
    return _table(
        (
            *("type", "MB/s sustained", "MB/s burst", "IOPS sustained", "IOPS burst"),
            "the disk gets",
        ),
        [
            (
                *(one.name, f"{one.ebs_baseline_mb_per_s:g}"),
                *(f"{one.ebs_maximum_mb_per_s:g}", one.ebs_baseline_iops),
                *(one.ebs_maximum_iops, _SPEEDS[disk_speed(one, group.volume)]),
            )
            for one in types
        ],
    )


def _pairs(items: Mapping[str, str]) -> str:
    return ", ".join(f"`{key}={items[key]}`" for key in sorted(items)) or "none"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines]


def _cell(value: object) -> str:
    """Keep a cell in its row, whatever a user wrote into a label or a tag."""
    return str(value).replace("|", "\\|").replace("\n", " ")
