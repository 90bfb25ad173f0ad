"""EC2: VPCs, subnets and the gateways that lead out of them."""

from typing import Any

from sandbox.aws import ec2
from sandbox.aws.cloud import ACCOUNT_ID
from sandbox.aws.errors import dependency_violation
from sandbox.aws.resource import Call, Resource, Values, given

_VPC_ATTRIBUTES = {
    "enableDnsSupport": "EnableDnsSupport",
    "enableDnsHostnames": "EnableDnsHostnames",
    "enableNetworkAddressUsageMetrics": "EnableNetworkAddressUsageMetrics",
}


def _create_vpc(call: Call) -> str:
    vpc = call.client("ec2").create_vpc(
        **given(
            CidrBlock=call.inputs.get("cidrBlock"),
            InstanceTenancy=call.inputs["instanceTenancy"],
        ),
        TagSpecifications=ec2.tagged("vpc", call),
    )["Vpc"]
    _set_vpc_attributes(call, vpc["VpcId"], frozenset(call.inputs))
    return vpc["VpcId"]


def _set_vpc_attributes(call: Call, id_: str, names: frozenset[str]) -> None:
    for name, attribute in _VPC_ATTRIBUTES.items():
        if name in names:
            call.client("ec2").modify_vpc_attribute(
                VpcId=id_, **{attribute: {"Value": call.inputs.get(name, False)}}
            )


def _read_vpc(call: Call) -> Values | None:
    vpc = ec2.one(call, call.id)
    if vpc is None:
        return None
    client = call.client("ec2")
    attributes = {
        name: client.describe_vpc_attribute(
            VpcId=call.id, Attribute=attribute[0].lower() + attribute[1:]
        )[attribute]["Value"]
        for name, attribute in _VPC_ATTRIBUTES.items()
    }
    here = [{"Name": "vpc-id", "Values": [call.id]}]
    main = [*here, {"Name": "association.main", "Values": ["true"]}]
    tables = client.describe_route_tables(Filters=main)["RouteTables"]
    lists = client.describe_network_acls(Filters=here)["NetworkAcls"]
    groups = client.describe_security_groups(
        Filters=[*here, {"Name": "group-name", "Values": ["default"]}]
    )["SecurityGroups"]
    return attributes | {
        "arn": call.cloud.arn("ec2", f"vpc/{call.id}"),
        "cidrBlock": vpc["CidrBlock"],
        "instanceTenancy": vpc["InstanceTenancy"],
        "dhcpOptionsId": vpc.get("DhcpOptionsId"),
        "mainRouteTableId": tables[0]["RouteTableId"] if tables else None,
        "defaultRouteTableId": tables[0]["RouteTableId"] if tables else None,
        "defaultNetworkAclId": lists[0]["NetworkAclId"] if lists else None,
        "defaultSecurityGroupId": groups[0]["GroupId"] if groups else None,
        "ownerId": ACCOUNT_ID,
        "tagsAll": ec2.tags_of(vpc),
    }


def _delete_vpc(call: Call) -> None:
    _refuse_dependents(call, "DeleteVpc", "vpc", "vpc-id", ("subnet", "igw", "nat"))
    call.client("ec2").delete_vpc(VpcId=call.id)


def _refuse_dependents(
    call: Call, operation: str, word: str, filter_: str, kinds: tuple[str, ...]
) -> None:
    """
    Answer like AWS while something stands in what is to be deleted.

    Raises:
        ClientError: DependencyViolation.
    """
    names = {"igw": "attachment.vpc-id"}
    for kind in kinds:
        method, _, answer = ec2.DESCRIBE[kind]
        where = [{"Name": names.get(kind, filter_), "Values": [call.id]}]
        found = getattr(call.client("ec2"), method)(Filters=where)[answer]
        if any(item.get("State") != "deleted" for item in found):
            raise dependency_violation(
                f"The {word} '{call.id}' has dependencies and cannot be deleted.",
                operation,
            )


VPC = Resource(
    token="aws:ec2/vpc:Vpc",
    create=_create_vpc,
    read=_read_vpc,
    update=lambda call: _set_vpc_attributes(call, call.id, call.changed),
    delete=_delete_vpc,
    inputs=frozenset(
        {"cidrBlock", "instanceTenancy", "region", "tags"} | {*_VPC_ATTRIBUTES}
    ),
    replace=frozenset(
        {"cidrBlock", "instanceTenancy", "ipv4IpamPoolId", "ipv4NetmaskLength"}
    ),
    computed=frozenset(
        {
            "cidrBlock",
            "enableDnsHostnames",
            "enableNetworkAddressUsageMetrics",
            "ipv6CidrBlock",
            "ipv6CidrBlockNetworkBorderGroup",
        }
    ),
    defaults={"enableDnsSupport": True, "instanceTenancy": "default"},
    tagging=ec2.TAGGING,
)

_SUBNET_ATTRIBUTES = {
    "mapPublicIpOnLaunch": "MapPublicIpOnLaunch",
    "assignIpv6AddressOnCreation": "AssignIpv6AddressOnCreation",
}


def _create_subnet(call: Call) -> str:
    subnet = call.client("ec2").create_subnet(
        VpcId=call.inputs["vpcId"],
        **given(
            CidrBlock=call.inputs.get("cidrBlock"),
            AvailabilityZone=call.inputs.get("availabilityZone"),
            AvailabilityZoneId=call.inputs.get("availabilityZoneId"),
        ),
        TagSpecifications=ec2.tagged("subnet", call),
    )["Subnet"]
    _set_subnet_attributes(call, subnet["SubnetId"], frozenset(call.inputs))
    return subnet["SubnetId"]


def _set_subnet_attributes(call: Call, id_: str, names: frozenset[str]) -> None:
    for name, attribute in _SUBNET_ATTRIBUTES.items():
        if name in names and call.inputs.get(name, False) != call.state.get(
            name, False
        ):
            call.client("ec2").modify_subnet_attribute(
                SubnetId=id_, **{attribute: {"Value": call.inputs.get(name, False)}}
            )


def _read_subnet(call: Call) -> Values | None:
    subnet = ec2.one(call, call.id)
    return subnet and {
        "arn": call.cloud.arn("ec2", f"subnet/{call.id}"),
        "availabilityZone": subnet["AvailabilityZone"],
        "availabilityZoneId": subnet["AvailabilityZoneId"],
        "cidrBlock": subnet["CidrBlock"],
        "mapPublicIpOnLaunch": subnet["MapPublicIpOnLaunch"],
        "ownerId": ACCOUNT_ID,
        "privateDnsHostnameTypeOnLaunch": "ip-name",
        "vpcId": subnet["VpcId"],
        "tagsAll": ec2.tags_of(subnet),
    }


def _delete_subnet(call: Call) -> None:
    _refuse_dependents(call, "DeleteSubnet", "subnet", "subnet-id", ("nat",))
    if ec2.interfaces_in_use(call.client("ec2"), "subnet-id", call.id):
        raise dependency_violation(
            f"The subnet '{call.id}' has dependencies and cannot be deleted.",
            "DeleteSubnet",
        )
    call.client("ec2").delete_subnet(SubnetId=call.id)


SUBNET = Resource(
    token="aws:ec2/subnet:Subnet",
    create=_create_subnet,
    read=_read_subnet,
    update=lambda call: _set_subnet_attributes(call, call.id, call.changed),
    delete=_delete_subnet,
    inputs=frozenset(
        {
            "availabilityZone",
            "availabilityZoneId",
            "cidrBlock",
            "region",
            "tags",
            "vpcId",
        }
        | {*_SUBNET_ATTRIBUTES}
    ),
    replace=frozenset(
        {
            "availabilityZone",
            "availabilityZoneId",
            "cidrBlock",
            "ipv4IpamPoolId",
            "ipv4NetmaskLength",
            "ipv6Native",
            "outpostArn",
            "vpcId",
        }
    ),
    computed=frozenset(
        {"availabilityZone", "availabilityZoneId", "privateDnsHostnameTypeOnLaunch"}
    ),
    defaults={
        "assignIpv6AddressOnCreation": False,
        "enableDns64": False,
        "enableResourceNameDnsARecordOnLaunch": False,
        "enableResourceNameDnsAaaaRecordOnLaunch": False,
        "ipv6Native": False,
        "mapPublicIpOnLaunch": False,
    },
    tagging=ec2.TAGGING,
)


def _create_internet_gateway(call: Call) -> str:
    gateway = call.client("ec2").create_internet_gateway(
        TagSpecifications=ec2.tagged("internet-gateway", call)
    )["InternetGateway"]["InternetGatewayId"]
    if "vpcId" in call.inputs:
        call.client("ec2").attach_internet_gateway(
            InternetGatewayId=gateway, VpcId=call.inputs["vpcId"]
        )
    return gateway


def _read_internet_gateway(call: Call) -> Values | None:
    gateway = ec2.one(call, call.id)
    if gateway is None:
        return None
    attached = gateway.get("Attachments") or [{}]
    return {
        "arn": call.cloud.arn("ec2", f"internet-gateway/{call.id}"),
        "ownerId": ACCOUNT_ID,
        "vpcId": attached[0].get("VpcId"),
        "tagsAll": ec2.tags_of(gateway),
    }


def _move_internet_gateway(call: Call) -> None:
    client = call.client("ec2")
    if call.state.get("vpcId"):
        client.detach_internet_gateway(
            InternetGatewayId=call.id, VpcId=call.state["vpcId"]
        )
    if call.inputs.get("vpcId"):
        client.attach_internet_gateway(
            InternetGatewayId=call.id, VpcId=call.inputs["vpcId"]
        )


def _delete_internet_gateway(call: Call) -> None:
    found = ec2.one(call, call.id) or {}
    for attachment in found.get("Attachments", []):
        call.client("ec2").detach_internet_gateway(
            InternetGatewayId=call.id, VpcId=attachment["VpcId"]
        )
    call.client("ec2").delete_internet_gateway(InternetGatewayId=call.id)


INTERNET_GATEWAY = Resource(
    token="aws:ec2/internetGateway:InternetGateway",
    create=_create_internet_gateway,
    read=_read_internet_gateway,
    update=_move_internet_gateway,
    delete=_delete_internet_gateway,
    inputs=frozenset({"region", "tags", "vpcId"}),
    computed=frozenset({"vpcId"}),
    tagging=ec2.TAGGING,
)


def _read_eip(call: Call) -> Values | None:
    address = ec2.one(call, call.id)
    return address and {
        "allocationId": call.id,
        "arn": call.cloud.arn("ec2", f"elastic-ip/{call.id}"),
        "associationId": address.get("AssociationId", ""),
        "domain": address["Domain"],
        "networkInterface": address.get("NetworkInterfaceId", ""),
        "publicIp": address["PublicIp"],
        "publicDns": f"ec2-{address['PublicIp'].replace('.', '-')}."
        f"{call.cloud.region}.compute.{call.cloud.dns_suffix}",
        "tagsAll": ec2.tags_of(address),
    }


def _create_eip(call: Call) -> str:
    return call.client("ec2").allocate_address(
        Domain=call.inputs.get("domain", "vpc"),
        TagSpecifications=ec2.tagged("elastic-ip", call),
    )["AllocationId"]


EIP = Resource(
    token="aws:ec2/eip:Eip",
    create=_create_eip,
    read=_read_eip,
    delete=lambda call: call.client("ec2").release_address(AllocationId=call.id),
    inputs=frozenset({"domain", "region", "tags"}),
    replace=frozenset(
        {"address", "customerOwnedIpv4Pool", "domain", "networkBorderGroup"}
    ),
    computed=frozenset({"domain", "instance", "networkInterface", "publicIpv4Pool"}),
    tagging=ec2.TAGGING,
)


def _create_nat_gateway(call: Call) -> str:
    inputs = call.inputs
    return call.client("ec2").create_nat_gateway(
        ConnectivityType=inputs["connectivityType"],
        **given(
            AllocationId=inputs.get("allocationId"),
            PrivateIpAddress=inputs.get("privateIp"),
            SubnetId=inputs.get("subnetId"),
        ),
        TagSpecifications=ec2.tagged("natgateway", call),
    )["NatGateway"]["NatGatewayId"]


def _read_nat_gateway(call: Call) -> Values | None:
    gateway = ec2.one(call, call.id)
    if gateway is None or gateway["State"] == "deleted":
        return None
    address: dict[str, Any] = (gateway.get("NatGatewayAddresses") or [{}])[0]
    return {
        "availabilityMode": "zonal",
        "connectivityType": gateway["ConnectivityType"],
        "networkInterfaceId": address.get("NetworkInterfaceId"),
        "privateIp": address.get("PrivateIp"),
        "publicIp": address.get("PublicIp"),
        "subnetId": gateway["SubnetId"],
        "vpcId": gateway["VpcId"],
        "tagsAll": ec2.tags_of(gateway),
    }


NAT_GATEWAY = Resource(
    token="aws:ec2/natGateway:NatGateway",
    create=_create_nat_gateway,
    read=_read_nat_gateway,
    delete=lambda call: call.client("ec2").delete_nat_gateway(NatGatewayId=call.id),
    inputs=frozenset(
        {"allocationId", "connectivityType", "privateIp", "region", "subnetId", "tags"}
    ),
    replace=frozenset(
        {
            "allocationId",
            "availabilityMode",
            "connectivityType",
            "privateIp",
            "subnetId",
            "vpcId",
        }
    ),
    computed=frozenset({"availabilityMode", "privateIp", "vpcId"}),
    defaults={"connectivityType": "public"},
    tagging=ec2.TAGGING,
)

RESOURCES = (VPC, SUBNET, INTERNET_GATEWAY, EIP, NAT_GATEWAY)
