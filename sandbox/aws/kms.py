"""KMS: keys and aliases."""

import json

from sandbox.aws.resource import AutoName, Call, Resource, Tagging, Values, given


def _pairs(tags: dict[str, str]) -> list[dict[str, str]]:
    return [{"TagKey": key, "TagValue": value} for key, value in sorted(tags.items())]


TAGGING = Tagging(
    write=lambda call, tags: call.client("kms").tag_resource(
        KeyId=call.id, Tags=_pairs(tags)
    ),
    remove=lambda call, keys: call.client("kms").untag_resource(
        KeyId=call.id, TagKeys=keys
    ),
)


def _create_key(call: Call) -> str:
    client, inputs = call.client("kms"), call.inputs
    id_ = client.create_key(
        KeySpec=inputs["customerMasterKeySpec"],
        KeyUsage=inputs["keyUsage"],
        **given(
            Description=inputs.get("description"),
            MultiRegion=inputs.get("multiRegion"),
            Policy=inputs.get("policy"),
            Tags=_pairs(call.tags) or None,
        ),
    )["KeyMetadata"]["KeyId"]
    if inputs["enableKeyRotation"]:
        _rotate(call, id_)
    if not inputs["isEnabled"]:
        client.disable_key(KeyId=id_)
    return id_


def _rotate(call: Call, id_: str) -> None:
    client = call.client("kms")
    if call.inputs["enableKeyRotation"]:
        days = call.inputs.get("rotationPeriodInDays")
        client.enable_key_rotation(KeyId=id_, **given(RotationPeriodInDays=days))
    else:
        client.disable_key_rotation(KeyId=id_)


def _read_key(call: Call) -> Values | None:
    client = call.client("kms")
    key = client.describe_key(KeyId=call.id)["KeyMetadata"]
    if key["KeyState"] == "PendingDeletion":
        return None
    tags = client.list_resource_tags(KeyId=call.id)["Tags"]
    rotation = client.get_key_rotation_status(KeyId=call.id)
    return {
        "arn": key["Arn"],
        "customerMasterKeySpec": key["KeySpec"],
        "description": key.get("Description", ""),
        "enableKeyRotation": rotation["KeyRotationEnabled"],
        "isEnabled": key["Enabled"],
        "keyId": key["KeyId"],
        "keyUsage": key["KeyUsage"],
        "multiRegion": key.get("MultiRegion", False),
        "policy": client.get_key_policy(KeyId=call.id, PolicyName="default")["Policy"],
        "tagsAll": {tag["TagKey"]: tag["TagValue"] for tag in tags},
    }


def _update_key(call: Call) -> None:
    client, inputs, changed = call.client("kms"), call.inputs, call.changed
    if "isEnabled" in changed:
        switch = client.enable_key if inputs["isEnabled"] else client.disable_key
        switch(KeyId=call.id)
    if changed & {"enableKeyRotation", "rotationPeriodInDays"}:
        _rotate(call, call.id)
    if "description" in changed:
        client.update_key_description(
            KeyId=call.id, Description=inputs.get("description", "")
        )
    if "policy" in changed and "policy" in inputs:
        json.loads(inputs["policy"])
        client.put_key_policy(
            KeyId=call.id, PolicyName="default", Policy=inputs["policy"]
        )


def _delete_key(call: Call) -> None:
    days = call.inputs.get("deletionWindowInDays")
    call.client("kms").schedule_key_deletion(
        KeyId=call.id, **given(PendingWindowInDays=days)
    )


KEY = Resource(
    token="aws:kms/key:Key",
    create=_create_key,
    read=_read_key,
    update=_update_key,
    delete=_delete_key,
    inputs=frozenset(
        {
            "customerMasterKeySpec",
            "deletionWindowInDays",
            "description",
            "enableKeyRotation",
            "isEnabled",
            "keyUsage",
            "multiRegion",
            "policy",
            "region",
            "rotationPeriodInDays",
            "tags",
        }
    ),
    replace=frozenset(
        {
            "customKeyStoreId",
            "customerMasterKeySpec",
            "keyUsage",
            "multiRegion",
            "xksKeyId",
        }
    ),
    computed=frozenset(
        {"description", "multiRegion", "policy", "rotationPeriodInDays"}
    ),
    defaults={
        "bypassPolicyLockoutSafetyCheck": False,
        "customerMasterKeySpec": "SYMMETRIC_DEFAULT",
        "enableKeyRotation": False,
        "isEnabled": True,
        "keyUsage": "ENCRYPT_DECRYPT",
    },
    documents=frozenset({"policy"}),
    tagging=TAGGING,
)


def _create_alias(call: Call) -> str:
    name = call.inputs["name"]
    call.client("kms").create_alias(
        AliasName=name, TargetKeyId=call.inputs["targetKeyId"]
    )
    return name


def _read_alias(call: Call) -> Values | None:
    client = call.client("kms")
    for page in client.get_paginator("list_aliases").paginate():
        for alias in page["Aliases"]:
            if alias["AliasName"] == call.id:
                target = alias["TargetKeyId"]
                key = client.describe_key(KeyId=target)["KeyMetadata"]
                asked = call.inputs.get("targetKeyId", "")
                return {
                    "arn": alias["AliasArn"],
                    "name": alias["AliasName"],
                    "targetKeyArn": key["Arn"],
                    "targetKeyId": asked if asked.endswith(target) else target,
                }
    return None


ALIAS = Resource(
    token="aws:kms/alias:Alias",
    create=_create_alias,
    read=_read_alias,
    update=lambda call: call.client("kms").update_alias(
        AliasName=call.id, TargetKeyId=call.inputs["targetKeyId"]
    ),
    delete=lambda call: call.client("kms").delete_alias(AliasName=call.id),
    inputs=frozenset({"name", "namePrefix", "region", "targetKeyId"}),
    replace=frozenset({"name", "namePrefix"}),
    computed=frozenset({"name"}),
    name=AutoName(limit=256, before="alias/"),
)

RESOURCES = (KEY, ALIAS)
