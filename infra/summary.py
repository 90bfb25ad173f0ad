"""`summary.md`: what a stack file amounts to, for the eye of a reviewer."""

from collections.abc import Iterable, Iterator

from components.spec import access
from components.spec.cluster import ADDONS, ClusterSettings
from components.spec.group_review import Notice
from components.spec.instance_types import InstanceTypes
from components.spec.network import NewNetwork, subnet_plan, zone_subnets
from components.spec.policy.plan import with_scoring
from components.spec.scaler.auto_mode import NODE_POLICIES as AUTO_NODE_POLICIES
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.plan import auto_mode_alone
from components.spec.stack_review import stack_notices
from infra import scaled_groups
from infra.balloon_summary import balloon_summary
from infra.group_summary import group_summary
from infra.markdown import pairs, table
from infra.monitoring_summary import monitoring_summary
from infra.policy_summary import policy_summary
from infra.scaler_summary import access_rows, scaler_summary
from infra.settings import Settings

__all__ = ["summary"]


def summary(stack: str, settings: Settings) -> str:
    """
    Render the summary of a stack as Markdown. Equal settings give equal bytes.

    Args:
        stack: Name of the stack.
        settings: What its file says.
    """
    types = InstanceTypes.bundled().including(settings.instance_types)
    blocks = [
        [f"# Stack {stack}"],
        [
            f"What `Pulumi.{stack}.yaml` amounts to, computed without AWS.",
            "What only AWS knows, such as default versions of add-ons, is not guessed.",
        ],
        *_warnings(stack_notices(settings, types)),
        *_cluster(settings),
        *_endpoint(settings.cluster),
        *_network(settings),
        *_access(settings),
        *scaler_summary(settings, types),
        *policy_summary(settings),
        *balloon_summary(settings),
        *monitoring_summary(settings),
        *(
            block
            for group in (*settings.servers, *settings.jobs)
            for block in group_summary(group, settings, types)
        ),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _warnings(notices: Iterable[Notice]) -> Iterator[list[str]]:
    yield ["## Warnings and notes"]
    yield [f"- {one.severity}, `{one.path}`: {one.text}" for one in notices] or [
        "None."
    ]


def _cluster(settings: Settings) -> Iterator[list[str]]:
    cluster, support = settings.cluster, settings.cluster.version_support
    until = f", standard support until {support.standard_until}" if support else ""
    config = with_scoring(cluster, settings.policy).scheduler
    scoring = "default of EKS"
    if config is not None:
        weights = ", ".join(f"{one.name} {one.weight}" for one in config.resources)
        scoring = f"{config.strategy} ({weights})"
    kept = cluster.terminated_pod_gc_threshold
    pins = ", ".join(
        f"{name} {cluster.addons.get(name, 'default of EKS')}" for name in ADDONS
    )
    yield ["## Cluster"]
    yield table(
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
            ("add-ons", "those of EKS Auto Mode" if _alone(settings) else pins),
            ("node images of jobs", _images(settings)),
            ("tags on all resources", pairs(settings.tags)),
        ],
    )


def _images(settings: Settings) -> str:
    release, scaler = settings.cluster.ami_release, settings.scaler
    if release is not None:
        return f"AL2023, release {release}"
    alias = scaler.ami_alias if isinstance(scaler, Karpenter) else None
    return alias or "chosen by EKS"


def _endpoint(cluster: ClusterSettings) -> Iterator[list[str]]:
    yield ["## Endpoint of the API server"]
    inside = ", ".join(["its nodes and pods", *cluster.private_access_cidrs])
    if cluster.public_access_cidrs:
        blocks = ", ".join(cluster.public_access_cidrs)
        yield [
            f"It answers inside the VPC to {inside}, and outside to {blocks}.",
            "`pulumi up` and `kubectl` must come from there.",
        ]
    else:
        yield [
            f"It is private: it answers to {inside} alone.",
            "`pulumi up` makes Kubernetes objects, and so must come from there, as "
            "`kubectl` must.",
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
        yield table(("zone", "private subnet", "public subnet"), _zones(network))
    if not _alone(settings):
        yield [f"VPC CNI: `{settings.vpc_cni.configuration_values()}`"]


def _alone(settings: Settings) -> bool:
    """Tell whether every node is one of EKS Auto Mode."""
    return auto_mode_alone(settings.scaler, settings.retiring_scaler, settings.servers)


def _zones(network: NewNetwork) -> list[tuple[str, str, str]]:
    if isinstance(network.zones, tuple):
        plan = zone_subnets(network.cidr, network.zones).items()
    else:
        plan = zip("abcdef", subnet_plan(network.cidr, network.zones), strict=False)
    return [(zone, subnets.private, subnets.public) for zone, subnets in plan]


def _node_rows(settings: Settings) -> Iterator[tuple[str, str]]:
    """Name the policies of nodes; the pools of a scaler share one role."""
    nodes = ", ".join(access.NODE_POLICIES)
    for group in settings.servers:
        yield f"role of the nodes of {group.name}", nodes
    for scaler in scaled_groups.scalers(settings):
        if isinstance(scaler, ClusterAutoscaler):
            for group in settings.jobs:
                yield f"role of the nodes of {group.name}", nodes
        elif isinstance(scaler, AutoMode):
            yield "role of the nodes of all pools", ", ".join(AUTO_NODE_POLICIES)
        elif scaler.node_role is None and scaler.instance_profile is None:
            yield "role of the nodes of all pools", nodes


def _access(settings: Settings) -> Iterator[list[str]]:
    admin = access.ADMIN_POLICY.rpartition("/")[2]
    driver = (
        f"role of `kube-system/{access.EBS_DRIVER_ACCOUNT}` (Pod Identity)",
        ", ".join(access.EBS_DRIVER_POLICIES),
    )
    yield ["## Access"]
    yield table(
        ("principal", "gets"),
        [
            ("role of the control plane", "AmazonEKSClusterPolicy"),
            *_node_rows(settings),
            *access_rows(settings),
            *([] if _alone(settings) else [driver]),
            *(
                (f"`{arn}`", f"{admin}, whole cluster")
                for arn in settings.cluster.admins
            ),
            ("whoever creates the cluster", f"{admin}, whole cluster"),
        ],
    )
