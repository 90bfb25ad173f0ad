"""What the EC2 types share: tags, attributes, and reading one thing by its id."""

from typing import Any

from sandbox.aws.resource import Call, Tagging, Values

DESCRIBE = {
    "vpc": ("describe_vpcs", "VpcIds", "Vpcs"),
    "subnet": ("describe_subnets", "SubnetIds", "Subnets"),
    "igw": (
        "describe_internet_gateways",
        "InternetGatewayIds",
        "InternetGateways",
    ),
    "eipalloc": ("describe_addresses", "AllocationIds", "Addresses"),
    "nat": ("describe_nat_gateways", "NatGatewayIds", "NatGateways"),
    "rtb": ("describe_route_tables", "RouteTableIds", "RouteTables"),
    "vpce": ("describe_vpc_endpoints", "VpcEndpointIds", "VpcEndpoints"),
    "sg": ("describe_security_groups", "GroupIds", "SecurityGroups"),
    "lt": ("describe_launch_templates", "LaunchTemplateIds", "LaunchTemplates"),
}
"""How things are described, by the beginning of their id."""


def one(call: Call, id_: str) -> Values | None:
    """
    Return what EC2 says about one thing, or None.

    Raises:
        botocore.exceptions.ClientError: Nothing has this id.
    """
    operation, parameter, answer = DESCRIBE[id_.partition("-")[0]]
    found = getattr(call.client("ec2"), operation)(**{parameter: [id_]})[answer]
    return found[0] if found else None


def tags_of(found: Values) -> dict[str, str]:
    """Return the tags of a thing as a map."""
    return {tag["Key"]: tag["Value"] for tag in found.get("Tags", [])}


def pairs(tags: dict[str, str]) -> list[dict[str, str]]:
    """Return tags as the API writes them."""
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]


def tagged(kind: str, call: Call) -> list[dict[str, Any]]:
    """Return the tag specification of a request that makes something."""
    if not call.tags:
        return []
    return [{"ResourceType": kind, "Tags": pairs(call.tags)}]


def interfaces_in_use(client: Any, filter_: str, id_: str) -> list[str]:
    """
    Return the network interfaces of running instances and endpoints.

    moto keeps the interfaces of instances that ended and of deleted NAT gateways.
    """
    where = [{"Name": filter_, "Values": [id_]}]
    found = client.describe_network_interfaces(Filters=where)["NetworkInterfaces"]
    if not found:
        return []
    ended = [{"Name": "instance-state-name", "Values": ["terminated"]}]
    gone = {
        instance["InstanceId"]
        for reservation in client.describe_instances(Filters=ended)["Reservations"]
        for instance in reservation["Instances"]
    }
    endpoints = {
        interface
        for endpoint in client.describe_vpc_endpoints()["VpcEndpoints"]
        if endpoint["State"].lower() != "deleted"
        for interface in endpoint.get("NetworkInterfaceIds", [])
    }
    return [
        item["NetworkInterfaceId"]
        for item in found
        if item["NetworkInterfaceId"] in endpoints
        or item.get("Attachment", {}).get("InstanceId", "") not in {"", *gone}
    ]


TAGGING = Tagging(
    write=lambda call, tags: call.client("ec2").create_tags(
        Resources=[call.id], Tags=pairs(tags)
    ),
    remove=lambda call, keys: call.client("ec2").delete_tags(
        Resources=[call.id], Tags=[{"Key": key} for key in keys]
    ),
)
