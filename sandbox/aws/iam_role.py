"""IAM: roles, their policies and instance profiles."""

import json

from sandbox.aws import ec2, iam
from sandbox.aws.resource import AutoName, Call, Resource, Values, given


def _create_role(call: Call) -> str:
    client, inputs = call.client("iam"), call.inputs
    name = client.create_role(
        RoleName=inputs["name"],
        AssumeRolePolicyDocument=inputs["assumeRolePolicy"],
        Path=inputs["path"],
        MaxSessionDuration=inputs["maxSessionDuration"],
        **given(
            Description=inputs.get("description"),
            PermissionsBoundary=inputs.get("permissionsBoundary"),
        ),
        **iam.tags(call),
    )["Role"]["RoleName"]
    _set_role_policies(call, name, [], [])
    return name


def _set_role_policies(
    call: Call, name: str, managed: list[str], inline: list[Values]
) -> None:
    """Bring policies that the role itself declares from the old to the new."""
    client, inputs = call.client("iam"), call.inputs
    wanted = inputs.get("managedPolicyArns", [])
    for arn in [arn for arn in managed if arn not in wanted]:
        client.detach_role_policy(RoleName=name, PolicyArn=arn)
    for arn in [arn for arn in wanted if arn not in managed]:
        client.attach_role_policy(RoleName=name, PolicyArn=arn)
    policies = {
        item["name"]: item["policy"] for item in inputs.get("inlinePolicies", [])
    }
    for old in [item["name"] for item in inline if item["name"] not in policies]:
        client.delete_role_policy(RoleName=name, PolicyName=old)
    for policy, document in policies.items():
        client.put_role_policy(
            RoleName=name, PolicyName=policy, PolicyDocument=document
        )


def _read_role(call: Call) -> Values | None:
    role = call.client("iam").get_role(RoleName=call.id)["Role"]
    boundary = role.get("PermissionsBoundary", {})
    return {
        "arn": role["Arn"],
        "assumeRolePolicy": json.dumps(role["AssumeRolePolicyDocument"]),
        "createDate": role["CreateDate"].isoformat(),
        "description": role.get("Description", ""),
        "maxSessionDuration": role["MaxSessionDuration"],
        "name": role["RoleName"],
        "path": role["Path"],
        "permissionsBoundary": boundary.get("PermissionsBoundaryArn"),
        "uniqueId": role["RoleId"],
        "tagsAll": ec2.tags_of(role),
    }


def _update_role(call: Call) -> None:
    client, inputs, name = call.client("iam"), call.inputs, call.id
    if "assumeRolePolicy" in call.changed:
        client.update_assume_role_policy(
            RoleName=name, PolicyDocument=inputs["assumeRolePolicy"]
        )
    if call.changed & {"description", "maxSessionDuration"}:
        client.update_role(
            RoleName=name,
            Description=inputs.get("description", ""),
            MaxSessionDuration=inputs["maxSessionDuration"],
        )
    if "permissionsBoundary" in call.changed:
        if inputs.get("permissionsBoundary"):
            client.put_role_permissions_boundary(
                RoleName=name, PermissionsBoundary=inputs["permissionsBoundary"]
            )
        else:
            client.delete_role_permissions_boundary(RoleName=name)
    old = call.state
    _set_role_policies(
        call, name, old.get("managedPolicyArns", []), old.get("inlinePolicies", [])
    )


def _delete_role(call: Call) -> None:
    client, name = call.client("iam"), call.id
    own = [item["name"] for item in call.state.get("inlinePolicies", [])]
    attached = call.state.get("managedPolicyArns", [])
    if call.state.get("forceDetachPolicies"):
        own = client.list_role_policies(RoleName=name)["PolicyNames"]
        answer = client.list_attached_role_policies(RoleName=name)
        attached = [item["PolicyArn"] for item in answer["AttachedPolicies"]]
    for policy in own:
        client.delete_role_policy(RoleName=name, PolicyName=policy)
    for arn in attached:
        client.detach_role_policy(RoleName=name, PolicyArn=arn)
    # AWS removes the role from its profiles only through the provider, which does.
    profiles = client.list_instance_profiles_for_role(RoleName=name)
    for profile in profiles["InstanceProfiles"]:
        client.remove_role_from_instance_profile(
            InstanceProfileName=profile["InstanceProfileName"], RoleName=name
        )
    client.delete_role(RoleName=name)


ROLE = Resource(
    token="aws:iam/role:Role",
    create=_create_role,
    read=_read_role,
    update=_update_role,
    delete=_delete_role,
    inputs=frozenset(
        {
            "assumeRolePolicy",
            "description",
            "forceDetachPolicies",
            "inlinePolicies",
            "managedPolicyArns",
            "maxSessionDuration",
            "name",
            "namePrefix",
            "path",
            "permissionsBoundary",
            "tags",
        }
    ),
    replace=frozenset({"name", "namePrefix", "path"}),
    computed=frozenset({"inlinePolicies", "managedPolicyArns", "name"}),
    defaults={"forceDetachPolicies": False, "maxSessionDuration": 3600, "path": "/"},
    sets=frozenset({"inlinePolicies", "managedPolicyArns"}),
    documents=frozenset({"assumeRolePolicy", "inlinePolicies.policy"}),
    name=AutoName(limit=64),
    rules=iam.documents("assumeRolePolicy"),
    tagging=iam.tagging("role", "RoleName"),
)


def _attach(call: Call) -> str:
    role, arn = call.inputs["role"], call.inputs["policyArn"]
    call.client("iam").attach_role_policy(RoleName=role, PolicyArn=arn)
    return f"{role}/{arn}"


def _read_attachment(call: Call) -> Values | None:
    answer = call.client("iam").list_attached_role_policies(
        RoleName=call.inputs["role"]
    )
    arns = [policy["PolicyArn"] for policy in answer["AttachedPolicies"]]
    return {} if call.inputs["policyArn"] in arns else None


ROLE_POLICY_ATTACHMENT = Resource(
    token="aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    create=_attach,
    read=_read_attachment,
    delete=lambda call: call.client("iam").detach_role_policy(
        RoleName=call.inputs["role"], PolicyArn=call.inputs["policyArn"]
    ),
    inputs=frozenset({"policyArn", "role"}),
    replace=frozenset({"policyArn", "role"}),
)


def _put_role_policy(call: Call) -> str:
    role, name = call.inputs["role"], call.inputs["name"]
    client = call.client("iam")
    client.get_role(RoleName=role)
    client.put_role_policy(
        RoleName=role, PolicyName=name, PolicyDocument=call.inputs["policy"]
    )
    return f"{role}:{name}"


def _read_role_policy(call: Call) -> Values | None:
    found = call.client("iam").get_role_policy(
        RoleName=call.inputs["role"], PolicyName=call.inputs["name"]
    )
    return {"name": found["PolicyName"], "policy": iam.text(found["PolicyDocument"])}


ROLE_POLICY = Resource(
    token="aws:iam/rolePolicy:RolePolicy",
    create=_put_role_policy,
    read=_read_role_policy,
    update=_put_role_policy,
    delete=lambda call: call.client("iam").delete_role_policy(
        RoleName=call.inputs["role"], PolicyName=call.inputs["name"]
    ),
    inputs=frozenset({"name", "namePrefix", "policy", "role"}),
    replace=frozenset({"name", "namePrefix", "role"}),
    computed=frozenset({"name"}),
    documents=frozenset({"policy"}),
    name=AutoName(limit=128),
    rules=iam.documents("policy"),
)


def _create_profile(call: Call) -> str:
    client, name = call.client("iam"), call.inputs["name"]
    client.create_instance_profile(
        InstanceProfileName=name, Path=call.inputs["path"], **iam.tags(call)
    )
    if "role" in call.inputs:
        client.add_role_to_instance_profile(
            InstanceProfileName=name, RoleName=call.inputs["role"]
        )
    return name


def _read_profile(call: Call) -> Values | None:
    profile = call.client("iam").get_instance_profile(InstanceProfileName=call.id)
    profile = profile["InstanceProfile"]
    roles = [role["RoleName"] for role in profile["Roles"]]
    return {
        "arn": profile["Arn"],
        "createDate": profile["CreateDate"].isoformat(),
        "name": profile["InstanceProfileName"],
        "path": profile["Path"],
        "role": roles[0] if roles else None,
        "uniqueId": profile["InstanceProfileId"],
        "tagsAll": ec2.tags_of(profile),
    }


def _update_profile(call: Call) -> None:
    client, name = call.client("iam"), call.id
    if call.state.get("role"):
        client.remove_role_from_instance_profile(
            InstanceProfileName=name, RoleName=call.state["role"]
        )
    if call.inputs.get("role"):
        client.add_role_to_instance_profile(
            InstanceProfileName=name, RoleName=call.inputs["role"]
        )


def _delete_profile(call: Call) -> None:
    client, name = call.client("iam"), call.id
    found = client.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]
    for role in found["Roles"]:
        client.remove_role_from_instance_profile(
            InstanceProfileName=name, RoleName=role["RoleName"]
        )
    client.delete_instance_profile(InstanceProfileName=name)


INSTANCE_PROFILE = Resource(
    token="aws:iam/instanceProfile:InstanceProfile",
    create=_create_profile,
    read=_read_profile,
    update=_update_profile,
    delete=_delete_profile,
    inputs=frozenset({"name", "namePrefix", "path", "role", "tags"}),
    replace=frozenset({"name", "namePrefix", "path"}),
    computed=frozenset({"name"}),
    defaults={"path": "/"},
    name=AutoName(limit=128),
    tagging=iam.tagging("instance_profile", "InstanceProfileName"),
)

RESOURCES = (ROLE, ROLE_POLICY_ATTACHMENT, ROLE_POLICY, INSTANCE_PROFILE)
