"""The VPC of a cluster: a new one with a fixed layout, or one that exists."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_network
from typing import Literal, get_args

from .problems import choices, duplicates, known, refuse

__all__ = [
    "MAX_ZONES",
    "NO_CONTROL_PLANE",
    "Endpoint",
    "ExistingNetwork",
    "NewNetwork",
    "ZoneSubnets",
    "cidr_problem",
    "endpoint_service",
    "is_private",
    "private_addresses",
    "private_blocks",
    "subnet_plan",
    "zone_subnets",
]

Endpoint = Literal[
    "autoscaling",
    "ec2",
    "ec2messages",
    "ecr.api",
    "ecr.dkr",
    "eks",
    "eks-auth",
    "elasticloadbalancing",
    "kms",
    "logs",
    "monitoring",
    "sqs",
    "ssm",
    "ssmmessages",
    "sts",
]

# Endpoints with the prefix of their partition; the others have the commercial one.
_COMMERCIAL = "com.amazonaws"
_NAMED_BY_PARTITION: Mapping[str, Sequence[str]] = {
    "aws-cn": (
        "autoscaling",
        "ec2",
        "ecr.api",
        "ecr.dkr",
        "eks",
        "monitoring",
        "sqs",
        "sts",
    ),
    "aws-eusc": ("ecr.api", "ecr.dkr"),
}

NO_CONTROL_PLANE = ("cac1-az3", "use1-az3", "usw1-az2")
"""
Ids of zones in which EKS makes no control plane.

Sources: EKS user guide, network requirements, subnets of clusters.
"""

MAX_ZONES = 6
"""Zones that the layout has room for: the most that a region of AWS has."""

# The layout: eight equal parts, one each for six zones, one kept free, and the
# last cut in eight again for the public subnets.
_SPLIT = 3
_LARGEST, _SMALLEST = 16, 20
_AWS_RESERVES = 5

_PRIVATE_RANGES = tuple(
    IPv4Network(text)
    for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
_ZONE = re.compile(r"[a-z]{2,4}(-[a-z]+)+-\d+[a-z]")
_LOCAL_ZONE = re.compile(r"[a-z]{2,4}(-[a-z]+)+-\d+-[a-z0-9-]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class ZoneSubnets:
    """
    The CIDR blocks of one zone.

    Args:
        private: Nodes and pods: an eighth of the VPC.
        public: NAT and load balancers: a sixty-fourth of the VPC.
    """

    private: str
    public: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NewNetwork:
    """
    A VPC of the cluster's own.

    Args:
        cidr: Private IPv4 block of /16 to /20. Each zone gets an eighth of it for
            nodes and pods: 8,187 addresses of a /16, 507 of a /20.
        zones: How many zones, 2 to 6, taken by name from those that EKS takes; or
            their names. Names keep the choice when AWS opens another zone in the
            region. More may come later, for nodes: the control plane stays in the
            zones that it was made in, and none of those can be taken away.
        nat: `single`, one NAT gateway for all zones, or `per-zone`: nodes keep
            their way out when a zone is lost, for the price of a gateway each. A
            change, or another first zone with `single`, drops the connections that
            jobs have to the outside, and gives them another address there.
        endpoints: AWS services that nodes reach without NAT, each an interface
            endpoint with an hourly price. S3 always has a gateway endpoint, free.

    Raises:
        ValueError: AWS or EKS would refuse this network.

    Sources:
        10.40.0.0/16: free in most companies, a guess. Three zones: the brief of
        the project. Two zones at least: EKS user guide, network requirements.
        Zones of the control plane: the same, and UpdateClusterConfig.
        /16: the largest VPC that AWS allows. /20: below it a zone holds fewer
        than 500 pods.
    """

    cidr: str = "10.40.0.0/16"
    zones: int | tuple[str, ...] = 3
    nat: Literal["single", "per-zone"] = "single"
    endpoints: tuple[Endpoint, ...] = ()

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def zone_count(self) -> int:
        """How many zones the network spans."""
        return self.zones if isinstance(self.zones, int) else len(self.zones)

    def _problems(self) -> Iterator[str]:
        yield from _vpc_problems(self.cidr)
        if isinstance(self.zones, int):
            yield from _count_problems("zones", self.zones)
        else:
            yield from _zone_problems(self.zones)
        if self.nat not in ("single", "per-zone"):
            yield f"nat must be single or per-zone, got nat={self.nat!r}"
        yield from _endpoint_problems(self.endpoints)


@dataclass(frozen=True, kw_only=True, slots=True)
class ExistingNetwork:
    """
    A VPC that others own. Nothing in it is created, changed or tagged.

    Inside a program an id may also be a `pulumi.Output`; it is then AWS that
    checks it.

    Args:
        vpc_id: Id of the VPC.
        subnet_ids: Private subnets for nodes, pods and the control plane, in at
            least two zones, with a way out to the internet or with endpoints: S3,
            `ecr.api`, `ecr.dkr`, `ec2`, `sts`, `eks` and `eks-auth`, and those of the
            scaler, `autoscaling` or `sqs` and `ssm` (who calls each:
            examples/private_cluster/README.md). The control plane stays in the
            subnets that it was made in.
        subnet_cidrs: The IPv4 blocks of *subnet_ids*, in their order. Known
            blocks are checked: enough addresses for all pods, and no overlap
            with the range of Services.

    Raises:
        ValueError: EKS would refuse these subnets.

    Sources:
        Two subnets: EKS user guide, network requirements.
    """

    vpc_id: str
    subnet_ids: tuple[str, ...]
    subnet_cidrs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        yield from _id_problems("vpc_id", "vpc-", [self.vpc_id])
        if len(self.subnet_ids) < 2:
            yield (
                "subnet_ids must name at least 2 subnets in different zones, "
                f"got {len(self.subnet_ids)}"
            )
        yield from _id_problems("subnet_ids", "subnet-", self.subnet_ids)
        yield from duplicates("subnet_ids", known(self.subnet_ids))
        yield from self._cidr_problems()

    def _cidr_problems(self) -> Iterator[str]:
        if self.subnet_cidrs and len(self.subnet_cidrs) != len(self.subnet_ids):
            yield (
                "subnet_cidrs must be one for each of subnet_ids "
                f"({len(self.subnet_ids)}), got {len(self.subnet_cidrs)}"
            )
        blocks: list[IPv4Network] = []
        for text in self.subnet_cidrs:
            problem = cidr_problem("subnet_cidrs", text)
            if problem:
                yield problem
                continue
            block = IPv4Network(text)
            if not 16 <= block.prefixlen <= 28:
                yield f"subnet_cidrs must be /16 to /28, got {text!r}"
            yield from (
                f"subnet_cidrs must not overlap, got {str(other)!r} and {text!r}"
                for other in blocks
                if other.overlaps(block)
            )
            blocks.append(block)


def subnet_plan(cidr: str, count: int) -> tuple[ZoneSubnets, ...]:
    """
    Lay out the subnets of the first *count* places, 2 to 6, of the VPC *cidr*.

    The layout does not depend on *count*: one more zone adds two subnets and
    moves none, since AWS cannot move a subnet that nodes live in.

    Raises:
        ValueError: *cidr* or *count* are not those of a `NewNetwork`.
    """
    refuse([*_vpc_problems(cidr), *_count_problems("zones", count)])
    return _layout(cidr)[:count]


def zone_subnets(cidr: str, zones: Sequence[str]) -> Mapping[str, ZoneSubnets]:
    """
    Lay out the subnets of the named *zones*, in their order.

    A zone has the place of its letter (`a` first, `f` last), whatever the other
    zones are: adding or removing one in the middle moves none of the others.

    Raises:
        ValueError: *cidr* or *zones* are not those of a `NewNetwork`.
    """
    refuse([*_vpc_problems(cidr), *_zone_problems(zones)])
    places = _layout(cidr)
    return {zone: places[_place(zone)] for zone in zones}


def private_addresses(network: NewNetwork | ExistingNetwork) -> int | None:
    """
    Addresses that nodes and pods can have in the private subnets, all together.

    AWS keeps five of each subnet. None when the sizes of existing subnets are not
    known; what already lives in them is never known here.
    """
    sizes = [block.num_addresses for block in private_blocks(network)]
    return sum(size - _AWS_RESERVES for size in sizes) if sizes else None


def private_blocks(network: NewNetwork | ExistingNetwork) -> tuple[IPv4Network, ...]:
    """Blocks of the private subnets, in order; none when they are not known."""
    if isinstance(network, ExistingNetwork):
        return tuple(IPv4Network(text) for text in network.subnet_cidrs)
    plan = (
        subnet_plan(network.cidr, network.zones)
        if isinstance(network.zones, int)
        else zone_subnets(network.cidr, network.zones).values()
    )
    return tuple(IPv4Network(zone.private) for zone in plan)


def endpoint_service(
    endpoint: str, *, region: str, partition: str, reverse_dns_prefix: str
) -> str:
    """
    Name the service of an interface endpoint.

    In China and the European Sovereign Cloud some services have the prefix of the
    partition, and the others that of the commercial regions.

    Args:
        endpoint: One of `Endpoint`.
        region: Region of the network.
        partition: Its partition, `aws-cn`.
        reverse_dns_prefix: Prefix of that partition, `cn.com.amazonaws`.

    Sources:
        aws-cdk, aws-ec2/lib/vpc-endpoint.ts, getDefaultEndpointPrefix.
    """
    named = _NAMED_BY_PARTITION.get(partition)
    alike = named is None or endpoint in named
    return f"{reverse_dns_prefix if alike else _COMMERCIAL}.{region}.{endpoint}"


def cidr_problem(field: str, text: str) -> str | None:
    """Say why *text* is not an IPv4 block, or None when it is one."""
    try:
        block = ip_network(text, strict=False) if isinstance(text, str) else None
    except ValueError:
        block = None
    if block is None:
        return f"{field} must be IPv4 in CIDR form such as 10.40.0.0/16, got {text!r}"
    if not isinstance(block, IPv4Network):
        return f"{field} must be IPv4, IPv6 is not supported, got {text!r}"
    if "/" not in text or str(block) != text:
        return f"{field} must be written as {str(block)!r}, got {text!r}"
    return None


def is_private(block: IPv4Network) -> bool:
    """Tell whether *block* lies in a range that the internet does not route."""
    return any(block.subnet_of(private) for private in _PRIVATE_RANGES)


def _layout(cidr: str) -> tuple[ZoneSubnets, ...]:
    parts = list(IPv4Network(cidr).subnets(prefixlen_diff=_SPLIT))
    public = list(parts[-1].subnets(prefixlen_diff=_SPLIT))
    return tuple(
        ZoneSubnets(private=str(parts[place]), public=str(public[place]))
        for place in range(MAX_ZONES)
    )


def _place(zone: str) -> int:
    return ord(zone[-1]) - ord("a")


def _vpc_problems(cidr: str) -> Iterator[str]:
    problem = cidr_problem("cidr", cidr)
    if problem:
        yield problem
        return
    block = IPv4Network(cidr)
    if not _LARGEST <= block.prefixlen <= _SMALLEST:
        yield f"cidr must be /{_LARGEST} to /{_SMALLEST}, got {cidr!r}"
    if not is_private(block):
        ranges = ", ".join(str(private) for private in _PRIVATE_RANGES)
        yield f"cidr must lie in a private range ({ranges}), got {cidr!r}"


def _count_problems(field: str, count: int) -> Iterator[str]:
    if not 2 <= count <= MAX_ZONES:
        yield f"{field} must be 2 to {MAX_ZONES}, got {field}={count}"


def _zone_problems(zones: Sequence[str]) -> Iterator[str]:
    if not 2 <= len(zones) <= MAX_ZONES:
        yield f"zones must name 2 to {MAX_ZONES} zones, got {len(zones)}"
    yield from duplicates("zones", zones)
    for zone in zones:
        if _ZONE.fullmatch(zone):
            if _place(zone) >= MAX_ZONES:
                yield f"zones must end in a letter from a to f, got {zone!r}"
        elif _LOCAL_ZONE.fullmatch(zone):
            yield (
                "zones must be Availability Zones, EKS puts no control plane into "
                f"a Local or Wavelength Zone, got {zone!r}"
            )
        else:
            yield (
                "zones must be names of zones such as ap-northeast-2a "
                f"(a zone id is not one), got {zone!r}"
            )
    regions = sorted({zone[:-1] for zone in zones if _ZONE.fullmatch(zone)})
    if len(regions) > 1:
        yield f"zones must be of one region, got {', '.join(regions)}"


def _endpoint_problems(endpoints: Sequence[str]) -> Iterator[str]:
    if "s3" in endpoints:
        yield "endpoints must not name 's3': it always has a gateway endpoint"
    named = [endpoint for endpoint in endpoints if endpoint != "s3"]
    yield from choices("endpoints", named, get_args(Endpoint))


def _id_problems(field: str, prefix: str, ids: Iterable[str]) -> Iterator[str]:
    pattern = re.compile(f"{prefix}[0-9a-z]+")
    for value in known(ids):
        if not pattern.fullmatch(value):
            yield f"{field} must be {prefix} and an id, got {value!r}"
