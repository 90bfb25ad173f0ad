"""IAM: roles, policies, instance profiles and OIDC providers."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from sandbox.aws import ec2
from sandbox.aws.errors import RefusedError
from sandbox.aws.resource import (
    AutoName,
    Call,
    Resource,
    Tagging,
    Values,
    code_of,
    given,
)
from sandbox.aws.schema import Problem
from sandbox.aws.values import UNKNOWN

VERSIONS_KEPT = 5
"""Versions that a managed policy may have. Source: IAM quotas."""


def _tagging(noun: str, key: str) -> Tagging:
    return Tagging(
        write=lambda call, tags: getattr(call.client("iam"), f"tag_{noun}")(
            **{key: call.id}, Tags=ec2.pairs(tags)
        ),
        remove=lambda call, keys: getattr(call.client("iam"), f"untag_{noun}")(
            **{key: call.id}, TagKeys=keys
        ),
    )


def _documents(*names: str) -> Callable[[Mapping[str, Any]], Iterator[Problem]]:
    """Return a rule: policies are JSON objects with statements."""

    def rule(inputs: Mapping[str, Any]) -> Iterator[Problem]:
        for name in names:
            value = inputs.get(name)
            if value is None or value == UNKNOWN:
                continue
            try:
                document = json.loads(value)
            except (TypeError, ValueError):
                yield name, f"must be JSON, got {value!r}"
                continue
            if not isinstance(document, dict) or "Statement" not in document:
                yield name, "must be a policy document with a Statement"

    return rule


def _tags(call: Call) -> dict[str, Any]:
    return given(Tags=ec2.pairs(call.tags) or None)


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
        **_tags(call),
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
    rules=_documents("assumeRolePolicy"),
    tagging=_tagging("role", "RoleName"),
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
    return {"name": found["PolicyName"], "policy": _text(found["PolicyDocument"])}


def _text(document: Any) -> str:
    return document if isinstance(document, str) else json.dumps(document)


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
    rules=_documents("policy"),
)


def _create_policy(call: Call) -> str:
    inputs = call.inputs
    return call.client("iam").create_policy(
        PolicyName=inputs["name"],
        Path=inputs["path"],
        PolicyDocument=inputs["policy"],
        **given(Description=inputs.get("description")),
        **_tags(call),
    )["Policy"]["Arn"]


def _read_policy(call: Call) -> Values | None:
    client = call.client("iam")
    policy = client.get_policy(PolicyArn=call.id)["Policy"]
    version = client.get_policy_version(
        PolicyArn=call.id, VersionId=policy["DefaultVersionId"]
    )["PolicyVersion"]
    return {
        "arn": policy["Arn"],
        "attachmentCount": policy["AttachmentCount"],
        "description": policy.get("Description", ""),
        "name": policy["PolicyName"],
        "path": policy["Path"],
        "policy": _text(version["Document"]),
        "policyId": policy["PolicyId"],
        "tagsAll": ec2.tags_of(policy),
    }


def _update_policy(call: Call) -> None:
    client = call.client("iam")
    versions = client.list_policy_versions(PolicyArn=call.id)["Versions"]
    if len(versions) >= VERSIONS_KEPT:
        spare = [item for item in versions if not item["IsDefaultVersion"]]
        oldest = min(spare, key=lambda item: item["CreateDate"])
        client.delete_policy_version(PolicyArn=call.id, VersionId=oldest["VersionId"])
    client.create_policy_version(
        PolicyArn=call.id, PolicyDocument=call.inputs["policy"], SetAsDefault=True
    )


def _delete_policy(call: Call) -> None:
    client = call.client("iam")
    for version in client.list_policy_versions(PolicyArn=call.id)["Versions"]:
        if not version["IsDefaultVersion"]:
            client.delete_policy_version(
                PolicyArn=call.id, VersionId=version["VersionId"]
            )
    client.delete_policy(PolicyArn=call.id)


POLICY = Resource(
    token="aws:iam/policy:Policy",
    create=_create_policy,
    read=_read_policy,
    update=_update_policy,
    delete=_delete_policy,
    inputs=frozenset({"description", "name", "namePrefix", "path", "policy", "tags"}),
    replace=frozenset({"description", "name", "namePrefix", "path"}),
    computed=frozenset({"name"}),
    defaults={"path": "/"},
    documents=frozenset({"policy"}),
    name=AutoName(limit=128),
    rules=_documents("policy"),
    tagging=_tagging("policy", "PolicyArn"),
)


def _create_profile(call: Call) -> str:
    client, name = call.client("iam"), call.inputs["name"]
    client.create_instance_profile(
        InstanceProfileName=name, Path=call.inputs["path"], **_tags(call)
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
    tagging=_tagging("instance_profile", "InstanceProfileName"),
)


def _create_oidc(call: Call) -> str:
    return call.client("iam").create_open_id_connect_provider(
        Url=call.inputs["url"],
        ClientIDList=call.inputs["clientIdLists"],
        **given(ThumbprintList=call.inputs.get("thumbprintLists")),
        **_tags(call),
    )["OpenIDConnectProviderArn"]


def _read_oidc(call: Call) -> Values | None:
    found = call.client("iam").get_open_id_connect_provider(
        OpenIDConnectProviderArn=call.id
    )
    return {
        "arn": call.id,
        "clientIdLists": found["ClientIDList"],
        "thumbprintLists": found["ThumbprintList"],
        "url": call.inputs["url"],
        "tagsAll": ec2.tags_of(found),
    }


def _update_oidc(call: Call) -> None:
    client, inputs = call.client("iam"), call.inputs
    if "thumbprintLists" in call.changed:
        client.update_open_id_connect_provider_thumbprint(
            OpenIDConnectProviderArn=call.id,
            ThumbprintList=inputs.get("thumbprintLists", []),
        )
    if "clientIdLists" in call.changed:
        raise RefusedError(
            "the sandbox does not imitate a change of clientIdLists: moto cannot"
        )


def _delete_oidc(call: Call) -> None:
    client = call.client("iam")
    try:
        client.get_open_id_connect_provider(OpenIDConnectProviderArn=call.id)
    except ClientError as error:
        if code_of(error) == "NoSuchEntity":
            return
        raise
    client.delete_open_id_connect_provider(OpenIDConnectProviderArn=call.id)


OIDC_PROVIDER = Resource(
    token="aws:iam/openIdConnectProvider:OpenIdConnectProvider",
    create=_create_oidc,
    read=_read_oidc,
    update=_update_oidc,
    delete=_delete_oidc,
    inputs=frozenset({"clientIdLists", "tags", "thumbprintLists", "url"}),
    replace=frozenset({"url"}),
    computed=frozenset({"thumbprintLists"}),
    sets=frozenset({"clientIdLists"}),
    tagging=_tagging("open_id_connect_provider", "OpenIDConnectProviderArn"),
)

RESOURCES = (
    ROLE,
    ROLE_POLICY_ATTACHMENT,
    ROLE_POLICY,
    POLICY,
    INSTANCE_PROFILE,
    OIDC_PROVIDER,
)
