"""EC2: rules of security groups as resources, in each of the two forms."""

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.aws import ec2
from sandbox.aws.ec2_security import Permission, permission
from sandbox.aws.resource import Call, Resource, Values, exactly_one, given
from sandbox.aws.schema import Problem


def _old_form(inputs: Values) -> Permission:
    """Return the permission of a `SecurityGroupRule`."""
    groups = (
        [inputs["sourceSecurityGroupId"]] if "sourceSecurityGroupId" in inputs else []
    )
    return permission(
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
    return permission(
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
    RULE,
    _single_rule("ingress", _ONE_RULE.format("Ingress")),
    _single_rule("egress", _ONE_RULE.format("Egress")),
)
