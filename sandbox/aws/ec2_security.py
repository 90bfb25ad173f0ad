"""EC2: security groups and their rules, in each of the provider's three forms."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandbox.aws import ec2
from sandbox.aws.cloud import ACCOUNT_ID
from sandbox.aws.errors import dependency_violation
from sandbox.aws.resource import AutoName, Call, Resource, Values, exactly_one, given
from sandbox.aws.schema import Problem

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
    return _permission(
        rule["protocol"],
        rule["fromPort"],
        rule["toPort"],
        rule.get("description"),
        cidrs=rule.get("cidrBlocks", []),
        cidrs6=rule.get("ipv6CidrBlocks", []),
        prefixes=rule.get("prefixListIds", []),
        groups=groups,
    )


def _permission(
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


def _old_form(inputs: Values) -> Permission:
    """Return the permission of a `SecurityGroupRule`."""
    groups = (
        [inputs["sourceSecurityGroupId"]] if "sourceSecurityGroupId" in inputs else []
    )
    return _permission(
        inputs["protocol"],
        inputs["fromPort"],
        inputs["toPort"],
        inputs.get("description"),
        cidrs=inputs.get("cidrBlocks", []),
        cidrs6=inputs.get("ipv6CidrBlocks", []),
        prefixes=inputs.get("prefixListIds", []),
        groups=groups + ([inputs["securityGroupId"]] if inputs.get("self") else []),
    )


def _create_rule(call: Call) -> str:
    inputs = call.inputs
    getattr(call.client("ec2"), f"authorize_security_group_{inputs['type']}")(
        GroupId=inputs["securityGroupId"], IpPermissions=[_old_form(inputs)]
    )
    return f"sgrule-{zlib.crc32(repr(sorted(inputs.items())).encode())}"


def _rules_like(call: Call, permission: Permission) -> list[Values]:
    """Return the rules of a group that a permission consists of."""
    inputs = call.inputs
    where = [{"Name": "group-id", "Values": [inputs["securityGroupId"]]}]
    found = call.client("ec2").describe_security_group_rules(Filters=where)
    egress = inputs.get("type") == "egress"
    return [
        rule
        for rule in found["SecurityGroupRules"]
        if rule["IsEgress"] is egress and _belongs(rule, permission)
    ]


def _belongs(rule: Values, permission: Permission) -> bool:
    everything = permission["IpProtocol"] == "-1"
    ports = [rule.get("FromPort", -1), rule.get("ToPort", -1)]
    wanted = [permission.get("FromPort", -1), permission.get("ToPort", -1)]
    if rule["IpProtocol"] != permission["IpProtocol"]:
        return False
    if not everything and ports != wanted:
        return False
    sources = [
        *(item["CidrIp"] for item in permission.get("IpRanges", [])),
        *(item["CidrIpv6"] for item in permission.get("Ipv6Ranges", [])),
        *(item["PrefixListId"] for item in permission.get("PrefixListIds", [])),
        *(item["GroupId"] for item in permission.get("UserIdGroupPairs", [])),
    ]
    return _source(rule) in sources


def _source(rule: Values) -> str | None:
    named = rule.get("CidrIpv4") or rule.get("CidrIpv6") or rule.get("PrefixListId")
    return named or rule.get("ReferencedGroupInfo", {}).get("GroupId")


def _read_rule(call: Call) -> Values | None:
    rules = _rules_like(call, _old_form(call.inputs))
    if not rules:
        return None
    # The provider names the rule only where there is exactly one.
    return (
        {"securityGroupRuleId": rules[0]["SecurityGroupRuleId"]}
        if len(rules) == 1
        else {}
    )


def _delete_rule(call: Call) -> None:
    inputs = call.inputs
    getattr(call.client("ec2"), f"revoke_security_group_{inputs['type']}")(
        GroupId=inputs["securityGroupId"], IpPermissions=[_old_form(inputs)]
    )


def _update_rule(call: Call) -> None:
    """Change the description, which is all that changes in place."""
    inputs = call.inputs
    getattr(
        call.client("ec2"),
        f"update_security_group_rule_descriptions_{inputs['type']}",
    )(GroupId=inputs["securityGroupId"], IpPermissions=[_old_form(inputs)])


_SOURCES = (
    "cidrBlocks",
    "ipv6CidrBlocks",
    "prefixListIds",
    "self",
    "sourceSecurityGroupId",
)


def _rule_problems(inputs: Mapping[str, Any]) -> Iterator[Problem]:
    if inputs["type"] not in ("ingress", "egress"):
        yield "type", f"must be ingress or egress, got {inputs['type']!r}"
    if not any(inputs.get(name) for name in _SOURCES):
        yield "cidrBlocks", f"one of {', '.join(_SOURCES)} is required"


RULE = Resource(
    token="aws:ec2/securityGroupRule:SecurityGroupRule",
    create=_create_rule,
    read=_read_rule,
    update=_update_rule,
    delete=_delete_rule,
    inputs=frozenset(
        {
            "description",
            "fromPort",
            "protocol",
            "region",
            "securityGroupId",
            "toPort",
            "type",
            *_SOURCES,
        }
    ),
    replace=frozenset(
        {"fromPort", "protocol", "securityGroupId", "toPort", "type", *_SOURCES}
    ),
    computed=frozenset({"sourceSecurityGroupId"}),
    defaults={"self": False},
    rules=_rule_problems,
)

_RULE_SOURCES = {
    "cidrIpv4": "CidrIpv4",
    "cidrIpv6": "CidrIpv6",
    "prefixListId": "PrefixListId",
    "referencedSecurityGroupId": "ReferencedGroupId",
}


def _new_form(inputs: Values) -> Permission:
    """Return the permission of one of the two types of package vpc."""
    return _permission(
        inputs["ipProtocol"],
        inputs.get("fromPort"),
        inputs.get("toPort"),
        inputs.get("description"),
        cidrs=_listed(inputs, "cidrIpv4"),
        cidrs6=_listed(inputs, "cidrIpv6"),
        prefixes=_listed(inputs, "prefixListId"),
        groups=_listed(inputs, "referencedSecurityGroupId"),
    )


def _listed(inputs: Values, name: str) -> list[str]:
    return [inputs[name]] if name in inputs else []


def _single_rule(direction: str, token: str) -> Resource:
    """Return the resource type of one direction."""

    def create(call: Call) -> str:
        authorize = getattr(call.client("ec2"), f"authorize_security_group_{direction}")
        (rule,) = authorize(
            GroupId=call.inputs["securityGroupId"],
            IpPermissions=[_new_form(call.inputs)],
            TagSpecifications=ec2.tagged("security-group-rule", call),
        )["SecurityGroupRules"]
        return rule["SecurityGroupRuleId"]

    def delete(call: Call) -> None:
        getattr(call.client("ec2"), f"revoke_security_group_{direction}")(
            GroupId=call.inputs["securityGroupId"], SecurityGroupRuleIds=[call.id]
        )

    return Resource(
        token=token,
        create=create,
        read=_read_single_rule,
        update=_update_single_rule,
        delete=delete,
        inputs=frozenset(
            {
                "description",
                "fromPort",
                "ipProtocol",
                "region",
                "securityGroupId",
                "tags",
                "toPort",
                *_RULE_SOURCES,
            }
        ),
        replace=frozenset({"securityGroupId"}),
        rules=exactly_one(*_RULE_SOURCES),
        tagging=ec2.TAGGING,
    )


def _read_single_rule(call: Call) -> Values | None:
    found = call.client("ec2").describe_security_group_rules(
        SecurityGroupRuleIds=[call.id]
    )["SecurityGroupRules"]
    if not found:
        return None
    return {
        "arn": call.cloud.arn("ec2", f"security-group-rule/{call.id}"),
        "securityGroupRuleId": call.id,
        "tagsAll": ec2.tags_of(found[0]),
    }


def _update_single_rule(call: Call) -> None:
    inputs = call.inputs
    rule = given(
        IpProtocol=inputs["ipProtocol"],
        FromPort=inputs.get("fromPort"),
        ToPort=inputs.get("toPort"),
        Description=inputs.get("description"),
        **{_RULE_SOURCES[n]: v for n, v in inputs.items() if n in _RULE_SOURCES},
    )
    call.client("ec2").modify_security_group_rules(
        GroupId=inputs["securityGroupId"],
        SecurityGroupRules=[
            {"SecurityGroupRuleId": call.id, "SecurityGroupRule": rule}
        ],
    )


_ONE_RULE = "aws:vpc/securityGroup{0}Rule:SecurityGroup{0}Rule"

RESOURCES = (
    GROUP,
    RULE,
    _single_rule("ingress", _ONE_RULE.format("Ingress")),
    _single_rule("egress", _ONE_RULE.format("Egress")),
)
