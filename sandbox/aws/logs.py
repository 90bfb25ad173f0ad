"""CloudWatch Logs: log groups."""

from sandbox.aws.resource import AutoName, Call, Resource, Tagging, Values, given


def _arn(call: Call) -> str:
    return call.cloud.arn("logs", f"log-group:{call.id or call.inputs['name']}")


TAGGING = Tagging(
    write=lambda call, tags: call.client("logs").tag_resource(
        resourceArn=_arn(call), tags=tags
    ),
    remove=lambda call, keys: call.client("logs").untag_resource(
        resourceArn=_arn(call), tagKeys=keys
    ),
)


def _create(call: Call) -> str:
    name = call.inputs["name"]
    call.client("logs").create_log_group(
        logGroupName=name,
        **given(
            kmsKeyId=call.inputs.get("kmsKeyId"),
            logGroupClass=call.inputs.get("logGroupClass"),
            tags=call.tags or None,
        ),
    )
    _retain(call, name)
    return name


def _retain(call: Call, name: str) -> None:
    """Set how long events stay; 0 means for ever."""
    client, days = call.client("logs"), call.inputs["retentionInDays"]
    if days:
        client.put_retention_policy(logGroupName=name, retentionInDays=days)
    else:
        client.delete_retention_policy(logGroupName=name)


def _read(call: Call) -> Values | None:
    client = call.client("logs")
    found = client.describe_log_groups(logGroupNamePrefix=call.id)["logGroups"]
    for group in found:
        if group["logGroupName"] == call.id:
            tags = client.list_tags_for_resource(resourceArn=_arn(call))["tags"]
            return {
                "arn": _arn(call),
                "kmsKeyId": group.get("kmsKeyId"),
                "logGroupClass": group.get("logGroupClass", "STANDARD"),
                "name": group["logGroupName"],
                "retentionInDays": group.get("retentionInDays", 0),
                "tagsAll": tags,
            }
    return None


def _update(call: Call) -> None:
    client = call.client("logs")
    if "retentionInDays" in call.changed:
        _retain(call, call.id)
    if "kmsKeyId" in call.changed:
        key = call.inputs.get("kmsKeyId")
        if key:
            client.associate_kms_key(logGroupName=call.id, kmsKeyId=key)
        else:
            client.disassociate_kms_key(logGroupName=call.id)


def _delete(call: Call) -> None:
    if not call.inputs.get("skipDestroy"):
        call.client("logs").delete_log_group(logGroupName=call.id)


LOG_GROUP = Resource(
    token="aws:cloudwatch/logGroup:LogGroup",
    create=_create,
    read=_read,
    update=_update,
    delete=_delete,
    inputs=frozenset(
        {
            "kmsKeyId",
            "logGroupClass",
            "name",
            "namePrefix",
            "region",
            "retentionInDays",
            "skipDestroy",
            "tags",
        }
    ),
    replace=frozenset({"logGroupClass", "name", "namePrefix"}),
    computed=frozenset({"logGroupClass", "name"}),
    defaults={"retentionInDays": 0, "skipDestroy": False},
    name=AutoName(limit=512),
    tagging=TAGGING,
)

RESOURCES = (LOG_GROUP,)
