"""SQS: queues and their policies."""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.aws.resource import AutoName, Call, Resource, Tagging, Values
from sandbox.aws.schema import Problem

# Inputs and attributes of a queue, with the values of a new queue.
_ATTRIBUTES: dict[str, tuple[str, Any]] = {
    "contentBasedDeduplication": ("ContentBasedDeduplication", False),
    "delaySeconds": ("DelaySeconds", 0),
    "fifoQueue": ("FifoQueue", False),
    "kmsDataKeyReusePeriodSeconds": ("KmsDataKeyReusePeriodSeconds", None),
    "kmsMasterKeyId": ("KmsMasterKeyId", None),
    "maxMessageSize": ("MaximumMessageSize", None),
    "messageRetentionSeconds": ("MessageRetentionPeriod", 345_600),
    "policy": ("Policy", None),
    "receiveWaitTimeSeconds": ("ReceiveMessageWaitTimeSeconds", 0),
    "redriveAllowPolicy": ("RedriveAllowPolicy", None),
    "redrivePolicy": ("RedrivePolicy", None),
    "sqsManagedSseEnabled": ("SqsManagedSseEnabled", None),
    "visibilityTimeoutSeconds": ("VisibilityTimeout", 30),
}
_FIFO_ONLY = ("contentBasedDeduplication",)
# Ranges. Source: SQS API, SetQueueAttributes.
_RANGES = {
    "delaySeconds": (0, 900),
    "messageRetentionSeconds": (60, 1_209_600),
    "receiveWaitTimeSeconds": (0, 20),
    "visibilityTimeoutSeconds": (0, 43_200),
    "kmsDataKeyReusePeriodSeconds": (60, 86_400),
}
TAGGING = Tagging(
    write=lambda call, tags: call.client("sqs").tag_queue(QueueUrl=call.id, Tags=tags),
    remove=lambda call, keys: call.client("sqs").untag_queue(
        QueueUrl=call.id, TagKeys=keys
    ),
)


def _attributes(call: Call, names: frozenset[str]) -> dict[str, str]:
    fifo = call.inputs.get("fifoQueue")
    result = {}
    for name, (attribute, default) in _ATTRIBUTES.items():
        value = call.inputs.get(name, default)
        if name not in names or (name in _FIFO_ONLY and not fifo):
            continue
        if name == "fifoQueue" and not value:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value or 0)
        result[attribute] = "" if value is None else text
    return result


def _create(call: Call) -> str:
    wanted = frozenset(name for name, value in call.inputs.items() if value is not None)
    return call.client("sqs").create_queue(
        QueueName=call.inputs["name"],
        Attributes=_attributes(call, wanted & set(_ATTRIBUTES)),
        tags=call.tags,
    )["QueueUrl"]


def _read(call: Call) -> Values | None:
    client = call.client("sqs")
    answer = client.get_queue_attributes(QueueUrl=call.id, AttributeNames=["All"])
    found = answer["Attributes"]
    tags = client.list_queue_tags(QueueUrl=call.id).get("Tags", {})
    numbers = {
        name: int(found[attribute])
        for name, (attribute, default) in _ATTRIBUTES.items()
        if isinstance(default, int)
        and not isinstance(default, bool)
        and attribute in found
    }
    return numbers | {
        "arn": found["QueueArn"],
        "maxMessageSize": int(found["MaximumMessageSize"]),
        "name": call.id.rpartition("/")[2],
        "policy": found.get("Policy"),
        "url": call.id,
        "tagsAll": tags,
    }


def _suffix(inputs: Mapping[str, Any]) -> str:
    return ".fifo" if inputs.get("fifoQueue") else ""


def _problems(inputs: Mapping[str, Any]) -> Iterator[Problem]:
    for name, (low, high) in _RANGES.items():
        value = inputs.get(name)
        if isinstance(value, int) and not low <= value <= high:
            yield name, f"must be {low} to {high}, got {value}"
    if inputs.get("sqsManagedSseEnabled") and inputs.get("kmsMasterKeyId"):
        yield "sqsManagedSseEnabled", "conflicts with kmsMasterKeyId"


QUEUE = Resource(
    token="aws:sqs/queue:Queue",
    create=_create,
    read=_read,
    update=lambda call: call.client("sqs").set_queue_attributes(
        QueueUrl=call.id,
        Attributes=_attributes(call, call.changed & set(_ATTRIBUTES)),
    ),
    delete=lambda call: call.client("sqs").delete_queue(QueueUrl=call.id),
    inputs=frozenset({"name", "namePrefix", "region", "tags", *_ATTRIBUTES}),
    replace=frozenset({"fifoQueue", "name", "namePrefix"}),
    computed=frozenset(
        {
            "kmsDataKeyReusePeriodSeconds",
            "maxMessageSize",
            "name",
            "policy",
            "redriveAllowPolicy",
            "redrivePolicy",
            "sqsManagedSseEnabled",
        }
    ),
    defaults={
        "contentBasedDeduplication": False,
        "delaySeconds": 0,
        "fifoQueue": False,
        "messageRetentionSeconds": 345_600,
        "receiveWaitTimeSeconds": 0,
        "visibilityTimeoutSeconds": 30,
    },
    documents=frozenset({"policy", "redriveAllowPolicy", "redrivePolicy"}),
    name=AutoName(limit=80, after=_suffix),
    rules=_problems,
    tagging=TAGGING,
)


def _put_policy(call: Call) -> str:
    url = call.inputs["queueUrl"]
    call.client("sqs").set_queue_attributes(
        QueueUrl=url, Attributes={"Policy": call.inputs["policy"]}
    )
    return url


def _read_policy(call: Call) -> Values | None:
    answer = call.client("sqs").get_queue_attributes(
        QueueUrl=call.id, AttributeNames=["Policy"]
    )
    policy = answer.get("Attributes", {}).get("Policy")
    return {"policy": policy} if policy else None


QUEUE_POLICY = Resource(
    token="aws:sqs/queuePolicy:QueuePolicy",
    create=_put_policy,
    read=_read_policy,
    update=_put_policy,
    delete=lambda call: call.client("sqs").set_queue_attributes(
        QueueUrl=call.id, Attributes={"Policy": ""}
    ),
    inputs=frozenset({"policy", "queueUrl", "region"}),
    replace=frozenset({"queueUrl"}),
    documents=frozenset({"policy"}),
)

RESOURCES = (QUEUE, QUEUE_POLICY)
