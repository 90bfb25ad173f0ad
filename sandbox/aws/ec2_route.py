"""EC2: route tables, their routes and associations, and VPC endpoints."""

import zlib
from typing import Any

from sandbox.aws import ec2
from sandbox.aws.cloud import ACCOUNT_ID
from sandbox.aws.errors import aws_error
from sandbox.aws.resource import Call, Resource, Values, all_of, exactly_one, given
from sandbox.errors import RefusedError

# Inputs of the provider and parameters of the API.
_DESTINATIONS = {
    "destinationCidrBlock": "DestinationCidrBlock",
    "destinationIpv6CidrBlock": "DestinationIpv6CidrBlock",
    "destinationPrefixListId": "DestinationPrefixListId",
}
_TARGETS = {
    "egressOnlyGatewayId": "EgressOnlyInternetGatewayId",
    "gatewayId": "GatewayId",
    "natGatewayId": "NatGatewayId",
    "networkInterfaceId": "NetworkInterfaceId",
    "transitGatewayId": "TransitGatewayId",
    "vpcEndpointId": "VpcEndpointId",
    "vpcPeeringConnectionId": "VpcPeeringConnectionId",
}
# Inside a route table the destinations have shorter names.
_INLINE = {
    "cidrBlock": "DestinationCidrBlock",
    "ipv6CidrBlock": "DestinationIpv6CidrBlock",
    "destinationPrefixListId": "DestinationPrefixListId",
} | _TARGETS


def _translated(names: dict[str, str], values: Values) -> dict[str, Any]:
    return {names[key]: value for key, value in values.items() if key in names}


def _create_route_table(call: Call) -> str:
    client = call.client("ec2")
    id_ = client.create_route_table(
        VpcId=call.inputs["vpcId"], TagSpecifications=ec2.tagged("route-table", call)
    )["RouteTable"]["RouteTableId"]
    for route in call.inputs.get("routes", []):
        client.create_route(RouteTableId=id_, **_translated(_INLINE, route))
    return id_


def _read_route_table(call: Call) -> Values | None:
    table = ec2.one(call, call.id)
    return table and {
        "arn": call.cloud.arn("ec2", f"route-table/{call.id}"),
        "ownerId": ACCOUNT_ID,
        "vpcId": table["VpcId"],
        "tagsAll": ec2.tags_of(table),
    }


def _update_route_table(call: Call) -> None:
    client = call.client("ec2")
    for route in call.state.get("routes", []):
        destination = {
            key: value
            for key, value in _translated(_INLINE, route).items()
            if key.startswith("Destination")
        }
        client.delete_route(RouteTableId=call.id, **destination)
    for route in call.inputs.get("routes", []):
        client.create_route(RouteTableId=call.id, **_translated(_INLINE, route))


ROUTE_TABLE = Resource(
    token="aws:ec2/routeTable:RouteTable",
    create=_create_route_table,
    read=_read_route_table,
    update=_update_route_table,
    delete=lambda call: call.client("ec2").delete_route_table(RouteTableId=call.id),
    inputs=frozenset({"region", "routes", "tags", "vpcId"}),
    replace=frozenset({"vpcId"}),
    computed=frozenset({"propagatingVgws", "routes"}),
    sets=frozenset({"routes"}),
    tagging=ec2.TAGGING,
)


def _destination(call: Call) -> dict[str, str]:
    return _translated(_DESTINATIONS, call.inputs or call.state)


def _target(call: Call) -> dict[str, str]:
    return _translated(_TARGETS, call.inputs)


def _create_route(call: Call) -> str:
    table = call.inputs["routeTableId"]
    call.client("ec2").create_route(
        RouteTableId=table, **_destination(call), **_target(call)
    )
    (destination,) = _destination(call).values()
    return f"r-{table}{zlib.crc32(destination.encode())}"


def _read_route(call: Call) -> Values | None:
    table = ec2.one(call, call.inputs["routeTableId"]) or {}
    (item,) = _destination(call).items()
    for route in table.get("Routes", []):
        if item in route.items():
            targets = {
                name: route.get(parameter)
                for name, parameter in _TARGETS.items()
                if name in call.inputs
            }
            return targets | {
                "origin": route.get("Origin", "CreateRoute"),
                "state": route.get("State", "active"),
            }
    return None


def _delete_route(call: Call) -> None:
    call.client("ec2").delete_route(
        RouteTableId=call.inputs["routeTableId"], **_destination(call)
    )


ROUTE = Resource(
    token="aws:ec2/route:Route",
    create=_create_route,
    read=_read_route,
    update=lambda call: call.client("ec2").replace_route(
        RouteTableId=call.inputs["routeTableId"], **_destination(call), **_target(call)
    ),
    delete=_delete_route,
    inputs=frozenset({"routeTableId", "region", *_DESTINATIONS, *_TARGETS}),
    replace=frozenset({"routeTableId", *_DESTINATIONS}),
    rules=all_of(exactly_one(*_DESTINATIONS), exactly_one(*_TARGETS)),
)


def _place(call: Call) -> dict[str, str]:
    names = {"subnetId": "SubnetId", "gatewayId": "GatewayId"}
    return _translated(names, call.inputs)


def _create_association(call: Call) -> str:
    return call.client("ec2").associate_route_table(
        RouteTableId=call.inputs["routeTableId"], **_place(call)
    )["AssociationId"]


def _association(call: Call) -> Values | None:
    """Find it by its subnet or gateway: moving it to another table renames it."""
    (item,) = _place(call).items()
    for table in call.client("ec2").describe_route_tables()["RouteTables"]:
        for association in table["Associations"]:
            if item in association.items():
                return association
    return None


def _read_association(call: Call) -> Values | None:
    association = _association(call)
    return association and {"routeTableId": association["RouteTableId"]}


def _move_association(call: Call) -> None:
    association = _association(call)
    if association is None:
        raise RefusedError(f"{call.id}: the route table association is gone")
    call.client("ec2").replace_route_table_association(
        AssociationId=association["RouteTableAssociationId"],
        RouteTableId=call.inputs["routeTableId"],
    )


def _delete_association(call: Call) -> None:
    association = _association(call)
    if association:
        call.client("ec2").disassociate_route_table(
            AssociationId=association["RouteTableAssociationId"]
        )


ROUTE_TABLE_ASSOCIATION = Resource(
    token="aws:ec2/routeTableAssociation:RouteTableAssociation",
    create=_create_association,
    read=_read_association,
    update=_move_association,
    delete=_delete_association,
    inputs=frozenset({"gatewayId", "region", "routeTableId", "subnetId"}),
    replace=frozenset({"gatewayId", "subnetId"}),
    rules=exactly_one("subnetId", "gatewayId"),
)

_ENDPOINT_LISTS = {
    "routeTableIds": "RouteTableIds",
    "securityGroupIds": "SecurityGroupIds",
    "subnetIds": "SubnetIds",
}


def _create_endpoint(call: Call) -> str:
    inputs = call.inputs
    _refuse_private_names_without_dns(call)
    return call.client("ec2").create_vpc_endpoint(
        VpcId=inputs["vpcId"],
        ServiceName=inputs["serviceName"],
        VpcEndpointType=inputs["vpcEndpointType"],
        **given(
            PolicyDocument=inputs.get("policy"),
            PrivateDnsEnabled=inputs.get("privateDnsEnabled"),
        ),
        **_translated(_ENDPOINT_LISTS, inputs),
        TagSpecifications=ec2.tagged("vpc-endpoint", call),
    )["VpcEndpoint"]["VpcEndpointId"]


def _refuse_private_names_without_dns(call: Call) -> None:
    """
    Answer like AWS to private names in a VPC that does not resolve them.

    Raises:
        ClientError: InvalidParameter.
    """
    if not call.inputs.get("privateDnsEnabled"):
        return
    for attribute in ("enableDnsSupport", "enableDnsHostnames"):
        answer = call.client("ec2").describe_vpc_attribute(
            VpcId=call.inputs["vpcId"], Attribute=attribute
        )
        if not answer[attribute[0].upper() + attribute[1:]]["Value"]:
            raise aws_error(
                "InvalidParameter",
                "Enabling private DNS requires both enableDnsSupport and "
                "enableDnsHostnames VPC attributes set to true for "
                f"{call.inputs['vpcId']}",
                "CreateVpcEndpoint",
            )


def _read_endpoint(call: Call) -> Values | None:
    endpoint = ec2.one(call, call.id)
    if endpoint is None or endpoint["State"].lower() == "deleted":
        return None
    return {
        "arn": call.cloud.arn("ec2", f"vpc-endpoint/{call.id}"),
        "cidrBlocks": [],
        "dnsEntries": [
            {"dnsName": e.get("DnsName", ""), "hostedZoneId": e.get("HostedZoneId", "")}
            for e in endpoint.get("DnsEntries", [])
        ],
        "networkInterfaceIds": endpoint.get("NetworkInterfaceIds", []),
        "ownerId": ACCOUNT_ID,
        "policy": endpoint.get("PolicyDocument"),
        # moto says yes of gateway endpoints, which have no names at all.
        "privateDnsEnabled": bool(
            endpoint.get("PrivateDnsEnabled")
            and endpoint["VpcEndpointType"] == "Interface"
        ),
        "requesterManaged": False,
        "routeTableIds": endpoint.get("RouteTableIds", []),
        "securityGroupIds": [group["GroupId"] for group in endpoint.get("Groups", [])],
        "state": endpoint["State"].lower(),
        "subnetIds": endpoint.get("SubnetIds", []),
        "tagsAll": ec2.tags_of(endpoint),
    }


def _update_endpoint(call: Call) -> None:
    request: dict[str, Any] = {}
    for name, parameter in _ENDPOINT_LISTS.items():
        before, after = call.state.get(name, []), call.inputs.get(name, [])
        if name in call.changed:
            request[f"Add{parameter}"] = sorted(set(after) - set(before))
            request[f"Remove{parameter}"] = sorted(set(before) - set(after))
    if "policy" in call.changed:
        request["PolicyDocument"] = call.inputs.get("policy")
        request["ResetPolicy"] = "policy" not in call.inputs
    if "privateDnsEnabled" in call.changed:
        request["PrivateDnsEnabled"] = call.inputs.get("privateDnsEnabled", False)
    call.client("ec2").modify_vpc_endpoint(
        VpcEndpointId=call.id,
        **{k: v for k, v in request.items() if v not in (None, [])},
    )


VPC_ENDPOINT = Resource(
    token="aws:ec2/vpcEndpoint:VpcEndpoint",
    create=_create_endpoint,
    read=_read_endpoint,
    update=_update_endpoint,
    delete=lambda call: call.client("ec2").delete_vpc_endpoints(
        VpcEndpointIds=[call.id]
    ),
    inputs=frozenset(
        {
            "policy",
            "privateDnsEnabled",
            "region",
            "serviceName",
            "tags",
            "vpcEndpointType",
            "vpcId",
            *_ENDPOINT_LISTS,
        }
    ),
    replace=frozenset({"serviceName", "serviceRegion", "vpcEndpointType", "vpcId"}),
    computed=frozenset(
        {"dnsOptions", "ipAddressType", "policy", "privateDnsEnabled", *_ENDPOINT_LISTS}
    ),
    defaults={"vpcEndpointType": "Gateway"},
    sets=frozenset(_ENDPOINT_LISTS),
    documents=frozenset({"policy"}),
    tagging=ec2.TAGGING,
)

RESOURCES = (ROUTE_TABLE, ROUTE, ROUTE_TABLE_ASSOCIATION, VPC_ENDPOINT)
