"""EC2: security groups, with the rules that they declare themselves."""

from collections.abc import Sequence
from typing import Any

from sandbox.aws import ec2
from sandbox.aws.cloud import ACCOUNT_ID
from sandbox.aws.errors import dependency_violation
from sandbox.aws.resource import AutoName, Call, Resource, Values, given

Permission = dict[str, Any]


def _create_group(call: Call) -> str:
    client = call.client("ec2")
    id_ = client.create_security_group(
        GroupName=call.inputs["name"],
        Description=call.inputs["description"],
        **given(VpcId=call.inputs.get("vpcId") or _default_vpc(call)),
        TagSpecifications=ec2.tagged("security-group", call),
    )["GroupId"]
    # EC2 opens every way out of a new group; the provider closes it again.
    everywhere = [{"CidrIp": "0.0.0.0/0"}]
    client.revoke_security_group_egress(
        GroupId=id_, IpPermissions=[{"IpProtocol": "-1", "IpRanges": everywhere}]
    )
    for direction in ("ingress", "egress"):
        _authorize(call, id_, direction, call.inputs.get(direction, []))
    return id_


def _default_vpc(call: Call) -> str | None:
    where = [{"Name": "is-default", "Values": ["true"]}]
    found = call.client("ec2").describe_vpcs(Filters=where)["Vpcs"]
    return found[0]["VpcId"] if found else None


def _authorize(call: Call, id_: str, direction: str, rules: list[Values]) -> None:
    if rules:
        getattr(call.client("ec2"), f"authorize_security_group_{direction}")(
            GroupId=id_, IpPermissions=[_inline_permission(id_, rule) for rule in rules]
        )


def _inline_permission(id_: str, rule: Values) -> Permission:
    groups = [*rule.get("securityGroups", []), *([id_] if rule.get("self") else [])]
    return permission(
        rule["protocol"],
        rule["fromPort"],
        rule["toPort"],
        rule.get("description"),
        cidrs=rule.get("cidrBlocks", []),
        cidrs6=rule.get("ipv6CidrBlocks", []),
        prefixes=rule.get("prefixListIds", []),
        groups=groups,
    )


def permission(
    protocol: str,
    first: int | None,
    last: int | None,
    description: str | None,
    *,
    cidrs: Sequence[str] = (),
    cidrs6: Sequence[str] = (),
    prefixes: Sequence[str] = (),
    groups: Sequence[str] = (),
) -> Permission:
    """Return a rule as EC2 takes it, for all of its sources at once."""
    said = given(Description=description or None)
    ports = {} if protocol in ("-1", "all") else given(FromPort=first, ToPort=last)
    lists = {
        "IpRanges": [{"CidrIp": cidr} | said for cidr in cidrs],
        "Ipv6Ranges": [{"CidrIpv6": cidr} | said for cidr in cidrs6],
        "PrefixListIds": [{"PrefixListId": id_} | said for id_ in prefixes],
        "UserIdGroupPairs": [{"GroupId": id_} | said for id_ in groups],
    }
    protocol = "-1" if protocol == "all" else protocol
    sources = {key: value for key, value in lists.items() if value}
    return {"IpProtocol": protocol, **ports, **sources}


def _read_group(call: Call) -> Values | None:
    group = ec2.one(call, call.id)
    return group and {
        "arn": call.cloud.arn("ec2", f"security-group/{call.id}"),
        "description": group["Description"],
        "name": group["GroupName"],
        "ownerId": ACCOUNT_ID,
        "vpcId": group["VpcId"],
        "tagsAll": ec2.tags_of(group),
    }


def _update_group(call: Call) -> None:
    for direction in {"ingress", "egress"} & call.changed:
        old = call.state.get(direction, [])
        if old:
            getattr(call.client("ec2"), f"revoke_security_group_{direction}")(
                GroupId=call.id,
                IpPermissions=[_inline_permission(call.id, rule) for rule in old],
            )
        _authorize(call, call.id, direction, call.inputs.get(direction, []))


def _delete_group(call: Call) -> None:
    if call.inputs.get("revokeRulesOnDelete"):
        _revoke_everything(call)
    _refuse_used_group(call)
    call.client("ec2").delete_security_group(GroupId=call.id)


def _revoke_everything(call: Call) -> None:
    client = call.client("ec2")
    group = ec2.one(call, call.id) or {}
    if group.get("IpPermissions"):
        client.revoke_security_group_ingress(
            GroupId=call.id, IpPermissions=group["IpPermissions"]
        )
    if group.get("IpPermissionsEgress"):
        client.revoke_security_group_egress(
            GroupId=call.id, IpPermissions=group["IpPermissionsEgress"]
        )


def _refuse_used_group(call: Call) -> None:
    """
    Answer like AWS while an instance, an endpoint or another group uses the group.

    Raises:
        ClientError: DependencyViolation.
    """
    client = call.client("ec2")
    used = ec2.interfaces_in_use(client, "group-id", call.id)
    used += [
        endpoint["VpcEndpointId"]
        for endpoint in client.describe_vpc_endpoints()["VpcEndpoints"]
        if endpoint["State"].lower() != "deleted"
        and call.id in [item["GroupId"] for item in endpoint.get("Groups", [])]
    ]
    others = client.describe_security_groups(
        Filters=[{"Name": "ip-permission.group-id", "Values": [call.id]}]
    )["SecurityGroups"]
    if used or [group for group in others if group["GroupId"] != call.id]:
        raise dependency_violation(
            f"resource {call.id} has a dependent object", "DeleteSecurityGroup"
        )


GROUP = Resource(
    token="aws:ec2/securityGroup:SecurityGroup",
    create=_create_group,
    read=_read_group,
    update=_update_group,
    delete=_delete_group,
    inputs=frozenset(
        {
            "description",
            "egress",
            "ingress",
            "name",
            "namePrefix",
            "region",
            "revokeRulesOnDelete",
            "tags",
            "vpcId",
        }
    ),
    replace=frozenset({"description", "name", "namePrefix", "vpcId"}),
    computed=frozenset({"egress", "ingress", "vpcId"}),
    defaults={"description": "Managed by Pulumi", "revokeRulesOnDelete": False},
    sets=frozenset({"egress", "ingress"}),
    name=AutoName(limit=255),
    tagging=ec2.TAGGING,
)

RESOURCES = (GROUP,)
