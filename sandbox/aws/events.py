"""EventBridge: rules and their targets."""

from typing import Any

from sandbox.aws import ec2
from sandbox.aws.resource import AutoName, Call, Resource, Tagging, Values, given
from sandbox.errors import RefusedError


def _rule_arn(call: Call) -> str:
    bus = call.inputs["eventBusName"]
    name = call.inputs["name"]
    path = f"rule/{name}" if bus == "default" else f"rule/{bus}/{name}"
    return call.cloud.arn("events", path)


TAGGING = Tagging(
    write=lambda call, tags: call.client("events").tag_resource(
        ResourceARN=_rule_arn(call), Tags=ec2.pairs(tags)
    ),
    remove=lambda call, keys: call.client("events").untag_resource(
        ResourceARN=_rule_arn(call), TagKeys=keys
    ),
)


def _put_rule(call: Call) -> str:
    inputs = call.inputs
    call.client("events").put_rule(
        Name=inputs["name"],
        EventBusName=inputs["eventBusName"],
        State=inputs.get("state", "ENABLED"),
        **given(
            Description=inputs.get("description"),
            EventPattern=inputs.get("eventPattern"),
            RoleArn=inputs.get("roleArn"),
            ScheduleExpression=inputs.get("scheduleExpression"),
            Tags=None if call.id else ec2.pairs(call.tags) or None,
        ),
    )
    return inputs["name"]


def _read_rule(call: Call) -> Values | None:
    client, inputs = call.client("events"), call.inputs
    rule = client.describe_rule(
        Name=inputs["name"], EventBusName=inputs["eventBusName"]
    )
    tags = client.list_tags_for_resource(ResourceARN=rule["Arn"])
    return {
        "arn": rule["Arn"],
        "description": rule.get("Description"),
        "eventPattern": rule.get("EventPattern"),
        "name": rule["Name"],
        "scheduleExpression": rule.get("ScheduleExpression"),
        "state": rule["State"],
        "tagsAll": ec2.tags_of(tags),
    }


def _delete_rule(call: Call) -> None:
    call.client("events").delete_rule(
        Name=call.inputs["name"], EventBusName=call.inputs["eventBusName"]
    )


RULE = Resource(
    token="aws:cloudwatch/eventRule:EventRule",
    create=_put_rule,
    read=_read_rule,
    update=_put_rule,
    delete=_delete_rule,
    inputs=frozenset(
        {
            "description",
            "eventBusName",
            "eventPattern",
            "name",
            "namePrefix",
            "region",
            "roleArn",
            "scheduleExpression",
            "state",
            "tags",
        }
    ),
    replace=frozenset({"eventBusName", "name", "namePrefix"}),
    computed=frozenset({"name"}),
    defaults={"eventBusName": "default", "forceDestroy": False, "state": "ENABLED"},
    documents=frozenset({"eventPattern"}),
    name=AutoName(limit=64),
    tagging=TAGGING,
)


def _put_target(call: Call) -> str:
    inputs = call.inputs
    target = given(
        Id=inputs["targetId"],
        Arn=inputs["arn"],
        Input=inputs.get("input"),
        InputPath=inputs.get("inputPath"),
        RoleArn=inputs.get("roleArn"),
    )
    answer = call.client("events").put_targets(
        Rule=inputs["rule"], EventBusName=inputs["eventBusName"], Targets=[target]
    )
    if answer["FailedEntryCount"]:
        raise RefusedError(f"events:PutTargets: {answer['FailedEntries']}")
    return f"{inputs['rule']}-{inputs['targetId']}"


def _read_target(call: Call) -> Values | None:
    inputs = call.inputs
    targets: list[dict[str, Any]] = call.client("events").list_targets_by_rule(
        Rule=inputs["rule"], EventBusName=inputs["eventBusName"]
    )["Targets"]
    for target in targets:
        if target["Id"] == inputs["targetId"]:
            return {"arn": target["Arn"], "targetId": target["Id"]}
    return None


TARGET = Resource(
    token="aws:cloudwatch/eventTarget:EventTarget",
    create=_put_target,
    read=_read_target,
    update=_put_target,
    delete=lambda call: call.client("events").remove_targets(
        Rule=call.inputs["rule"],
        EventBusName=call.inputs["eventBusName"],
        Ids=[call.inputs["targetId"]],
    ),
    inputs=frozenset(
        {
            "arn",
            "eventBusName",
            "input",
            "inputPath",
            "region",
            "roleArn",
            "rule",
            "targetId",
        }
    ),
    replace=frozenset({"eventBusName", "rule", "targetId"}),
    computed=frozenset({"targetId"}),
    defaults={"eventBusName": "default", "forceDestroy": False},
    name=AutoName(limit=64, input="targetId", prefix=None),
)

RESOURCES = (RULE, TARGET)
