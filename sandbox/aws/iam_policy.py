"""IAM: managed policies."""

from sandbox.aws import ec2, iam
from sandbox.aws.resource import AutoName, Call, Resource, Values, given

VERSIONS_KEPT = 5
"""Versions that a managed policy may have. Source: IAM quotas."""


def _create_policy(call: Call) -> str:
    inputs = call.inputs
    return call.client("iam").create_policy(
        PolicyName=inputs["name"],
        Path=inputs["path"],
        PolicyDocument=inputs["policy"],
        **given(Description=inputs.get("description")),
        **iam.tags(call),
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
        "policy": iam.text(version["Document"]),
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
    rules=iam.documents("policy"),
    tagging=iam.tagging("policy", "PolicyArn"),
)

RESOURCES = (POLICY,)
