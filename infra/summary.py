"""`summary.md`: what a stack file amounts to, for the eye of a reviewer."""

from collections.abc import Iterator, Sequence

from components.spec import access
from components.spec.cluster import ADDONS, ClusterSettings
from components.spec.instance_types import InstanceTypes
from components.spec.network import NewNetwork, subnet_plan, zone_subnets
from components.spec.policy.plan import policy_notices, with_scoring
from components.spec.review import Notice, review
from infra.group_summary import group_summary
from infra.markdown import pairs, table
from infra.policy_summary import policy_summary
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
    notices = review(
        servers=settings.servers,
        jobs=settings.jobs,
        instance_types=types,
        network=settings.network,
        cluster=settings.cluster,
        vpc_cni=settings.vpc_cni,
    ) + policy_notices(settings.policy, settings.cluster.version, settings.jobs)
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
        *policy_summary(settings),
        *(
            block
            for group in (*settings.servers, *settings.jobs)
            for block in group_summary(group, settings, types)
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
            ("add-ons", pins),
            ("node images", f"AL2023, release {cluster.ami_release}"),
            ("tags on all resources", pairs(settings.tags)),
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
        yield table(("zone", "private subnet", "public subnet"), _zones(network))
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
    yield table(
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
