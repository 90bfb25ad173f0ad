"""The VPC of a cluster, laid out zone by zone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from ._children import after, children_of, invoke_with
from .spec.network import (
    NO_CONTROL_PLANE,
    NewNetwork,
    ZoneSubnets,
    endpoint_service,
    zone_subnets,
)
from .spec.tags import check_tags

__all__ = ["Network", "NetworkArgs", "zone_names"]

_INTERNET = "0.0.0.0/0"


@dataclass(frozen=True, kw_only=True, slots=True)
class NetworkArgs:
    """
    Arguments of `Network`.

    Args:
        network: Addresses, zones, NAT and endpoints.
        tags: Tags of everything in the network.

    Raises:
        ValueError: AWS would refuse the tags.
    """

    network: NewNetwork = NewNetwork()
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_tags(self.tags, {"Name": "", "kubernetes.io/role/internal-elb": ""})


class Network(pulumi.ComponentResource):
    """
    A VPC with a private and a public subnet in each zone.

    Every child of a zone carries the zone's name, and its addresses follow from the
    zone's letter: a zone that comes or goes moves nothing of the others. Their way out
    alone is shared where one NAT gateway serves all: another first zone, as another
    `nat`, leads it through another gateway, which drops the connections that are open.

    Children: the VPC, its internet gateway and its public route table, called
    *name* and `-public`; per zone two subnets (`-private-`, `-public-`), their
    routes, and a NAT gateway with its address (`-nat-`; with one for all zones it is
    the first zone's); the S3 gateway endpoint (`-s3`); interface endpoints, named
    after their service, with one security group (`-endpoints`).

    Args:
        name: Name of the component and of its children.
        args: See `NetworkArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        vpc_id: Id of the VPC.
        subnet_ids: Private subnets, one per zone, in the order of the zones.
        public_subnet_ids: Public subnets, one per zone, in the order of the zones.
        zones: Names of the zones.

    Raises:
        ValueError: The region has fewer zones than asked for, or cannot be asked yet.
    """

    vpc_id: pulumi.Output[str]
    subnet_ids: tuple[pulumi.Output[str], ...]
    public_subnet_ids: tuple[pulumi.Output[str], ...]
    zones: tuple[str, ...]

    def __init__(
        self,
        name: str,
        args: NetworkArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:Network", name, None, opts)
        made = _Maker(name, args.tags, children_of(self, opts))
        zones = zone_names(args.network.zones, self)
        plan = zone_subnets(args.network.cidr, zones)

        vpc = made.vpc(args.network.cidr)
        public = made.subnets(vpc, "public", plan)
        private = made.subnets(vpc, "private", plan)
        gateway = made.public_routes(vpc, public)
        nat = made.nat_gateways(args.network, public, gateway)
        tables = made.private_routes(vpc, private, nat)
        made.s3_endpoint(vpc, list(tables.values()))
        made.interface_endpoints(vpc, private, args.network)

        self.vpc_id = vpc.id
        self.subnet_ids = tuple(subnet.id for subnet in private.values())
        self.public_subnet_ids = tuple(subnet.id for subnet in public.values())
        self.zones = zones
        self.register_outputs(
            {
                "vpc_id": self.vpc_id,
                "subnet_ids": list(self.subnet_ids),
                "public_subnet_ids": list(self.public_subnet_ids),
            }
        )


def zone_names(
    zones: int | tuple[str, ...], parent: pulumi.Resource
) -> tuple[str, ...]:
    """
    Choose zones by name; a number takes the first ones that every account has.

    Zones without control planes of EKS are passed over; who names one has chosen it.

    Raises:
        ValueError: The region has fewer zones than asked for, or cannot be asked yet.
    """
    if not isinstance(zones, int):
        return zones
    answer = aws.get_availability_zones(
        state="available",
        filters=[{"name": "opt-in-status", "values": ["opt-in-not-required"]}],
        exclude_zone_ids=list(NO_CONTROL_PLANE),
        opts=pulumi.InvokeOptions(parent=parent),
    )
    if answer.names is None:
        raise ValueError(
            "zones must be names while the AWS provider is not known yet, as when it "
            f"waits for another resource, got zones={zones}: name them in network.zones"
        )
    offered = sorted(answer.names)
    if len(offered) < zones:
        raise ValueError(
            f"zones must be at most {len(offered)} in this region "
            f"({', '.join(offered)}), got zones={zones}"
        )
    return tuple(offered[:zones])


class _Maker:
    """Makes the resources of one network; they share a name, tags and options."""

    def __init__(
        self, name: str, tags: Mapping[str, str], opts: pulumi.ResourceOptions
    ) -> None:
        self._name = name
        self._tags = tags
        self._opts = opts

    def vpc(self, cidr: str) -> aws.ec2.Vpc:
        return aws.ec2.Vpc(
            self._name,
            cidr_block=cidr,
            # The private endpoint of the API server is found by its name.
            enable_dns_support=True,
            enable_dns_hostnames=True,
            tags=self._tagged(self._name),
            opts=self._opts,
        )

    def subnets(
        self, vpc: aws.ec2.Vpc, kind: str, plan: Mapping[str, ZoneSubnets]
    ) -> dict[str, aws.ec2.Subnet]:
        role = {"public": "elb", "private": "internal-elb"}[kind]
        return {
            zone: aws.ec2.Subnet(
                f"{self._name}-{kind}-{zone}",
                vpc_id=vpc.id,
                availability_zone=zone,
                cidr_block=blocks.public if kind == "public" else blocks.private,
                tags={
                    # Load balancers are placed by this tag.
                    f"kubernetes.io/role/{role}": "1",
                    **self._tagged(f"{self._name}-{kind}-{zone}"),
                },
                opts=self._opts,
            )
            for zone, blocks in plan.items()
        }

    def public_routes(
        self, vpc: aws.ec2.Vpc, subnets: Mapping[str, aws.ec2.Subnet]
    ) -> aws.ec2.Route:
        gateway = aws.ec2.InternetGateway(
            self._name,
            vpc_id=vpc.id,
            tags=self._tagged(self._name),
            opts=self._opts,
        )
        table = self._table(vpc, f"{self._name}-public")
        route = aws.ec2.Route(
            f"{self._name}-public",
            route_table_id=table.id,
            destination_cidr_block=_INTERNET,
            gateway_id=gateway.id,
            opts=self._opts,
        )
        for zone, subnet in subnets.items():
            self._associate(f"{self._name}-public-{zone}", table, subnet)
        return route

    def nat_gateways(
        self,
        network: NewNetwork,
        subnets: Mapping[str, aws.ec2.Subnet],
        way_out: aws.ec2.Route,
    ) -> dict[str, aws.ec2.NatGateway]:
        """Make a gateway for each zone, or one that all of them share."""
        zones = list(subnets)
        chosen = zones if network.nat == "per-zone" else zones[:1]
        gateways = {
            zone: self._nat(f"{self._name}-nat-{zone}", subnets[zone], way_out)
            for zone in chosen
        }
        return {zone: gateways.get(zone, gateways[chosen[0]]) for zone in zones}

    def private_routes(
        self,
        vpc: aws.ec2.Vpc,
        subnets: Mapping[str, aws.ec2.Subnet],
        nat: Mapping[str, aws.ec2.NatGateway],
    ) -> dict[str, aws.ec2.RouteTable]:
        tables = {}
        for zone, subnet in subnets.items():
            name = f"{self._name}-private-{zone}"
            tables[zone] = self._table(vpc, name)
            aws.ec2.Route(
                name,
                route_table_id=tables[zone].id,
                destination_cidr_block=_INTERNET,
                nat_gateway_id=nat[zone].id,
                opts=self._opts,
            )
            self._associate(name, tables[zone], subnet)
        return tables

    def s3_endpoint(
        self, vpc: aws.ec2.Vpc, tables: Sequence[aws.ec2.RouteTable]
    ) -> None:
        """Keep image layers, which ECR stores in S3, away from the NAT gateway."""
        region = aws.get_region_output(opts=invoke_with(self._opts)).region
        aws.ec2.VpcEndpoint(
            f"{self._name}-s3",
            vpc_id=vpc.id,
            vpc_endpoint_type="Gateway",
            # It has this name in every partition, unlike interface endpoints.
            service_name=region.apply(lambda name: f"com.amazonaws.{name}.s3"),
            route_table_ids=[table.id for table in tables],
            tags=self._tagged(f"{self._name}-s3"),
            opts=self._opts,
        )

    def interface_endpoints(
        self,
        vpc: aws.ec2.Vpc,
        subnets: Mapping[str, aws.ec2.Subnet],
        network: NewNetwork,
    ) -> None:
        if not network.endpoints:
            return
        group = self._endpoint_group(vpc, network.cidr)
        call = invoke_with(self._opts)
        site = pulumi.Output.all(
            region=aws.get_region_output(opts=call).region,
            partition=aws.get_partition_output(opts=call),
        )
        for service in network.endpoints:
            name = f"{self._name}-{service.replace('.', '-')}"
            aws.ec2.VpcEndpoint(
                name,
                vpc_id=vpc.id,
                vpc_endpoint_type="Interface",
                service_name=site.apply(
                    lambda known, service=service: endpoint_service(
                        service,
                        region=known["region"],
                        partition=known["partition"].partition,
                        reverse_dns_prefix=known["partition"].reverse_dns_prefix,
                    )
                ),
                subnet_ids=[subnet.id for subnet in subnets.values()],
                security_group_ids=[group.id],
                private_dns_enabled=True,
                tags=self._tagged(name),
                opts=self._opts,
            )

    def _endpoint_group(self, vpc: aws.ec2.Vpc, cidr: str) -> aws.ec2.SecurityGroup:
        name = f"{self._name}-endpoints"
        group = aws.ec2.SecurityGroup(
            name,
            vpc_id=vpc.id,
            description="HTTPS from the VPC to the interface endpoints",
            tags=self._tagged(name),
            opts=self._opts,
        )
        aws.vpc.SecurityGroupIngressRule(
            name,
            security_group_id=group.id,
            ip_protocol="tcp",
            from_port=443,
            to_port=443,
            cidr_ipv4=cidr,
            tags=self._tagged(name),
            opts=self._opts,
        )
        return group

    def _nat(
        self, name: str, subnet: aws.ec2.Subnet, way_out: aws.ec2.Route
    ) -> aws.ec2.NatGateway:
        address = aws.ec2.Eip(
            name, domain="vpc", tags=self._tagged(name), opts=self._opts
        )
        return aws.ec2.NatGateway(
            name,
            subnet_id=subnet.id,
            allocation_id=address.allocation_id,
            tags=self._tagged(name),
            # Without a route to the internet AWS refuses or fails the gateway.
            opts=after(self._opts, [way_out]),
        )

    def _table(self, vpc: aws.ec2.Vpc, name: str) -> aws.ec2.RouteTable:
        return aws.ec2.RouteTable(
            name, vpc_id=vpc.id, tags=self._tagged(name), opts=self._opts
        )

    def _associate(
        self, name: str, table: aws.ec2.RouteTable, subnet: aws.ec2.Subnet
    ) -> None:
        aws.ec2.RouteTableAssociation(
            name, route_table_id=table.id, subnet_id=subnet.id, opts=self._opts
        )

    def _tagged(self, name: str) -> dict[str, str]:
        return {"Name": name, **self._tags}
