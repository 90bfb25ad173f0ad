"""EC2: launch templates, whose every change is a new version."""

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.aws import ec2, translate
from sandbox.aws.resource import (
    AutoName,
    Call,
    Resource,
    Values,
    at_most_one,
    given,
)
from sandbox.aws.schema import Problem
from sandbox.wire import UNKNOWN

USER_DATA_LIMIT = 16 * 1024
"""Bytes before base64. Source: EC2 user guide, instance user data."""

_NAMES = {
    "iamInstanceProfile": "IamInstanceProfile",
    "networkInterfaces.securityGroups": "Groups",
    "securityGroupNames": "SecurityGroups",
    "vpcSecurityGroupIds": "SecurityGroupIds",
    "tagSpecifications": "TagSpecifications",
}
# What stands beside the data of a version.
_BESIDE = {
    "defaultVersion",
    "description",
    "name",
    "namePrefix",
    "region",
    "tags",
    "updateDefaultVersion",
}
_DATA = {
    "blockDeviceMappings",
    "cpuOptions",
    "creditSpecification",
    "disableApiStop",
    "disableApiTermination",
    "ebsOptimized",
    "iamInstanceProfile",
    "imageId",
    "instanceInitiatedShutdownBehavior",
    "instanceMarketOptions",
    "instanceRequirements",
    "instanceType",
    "keyName",
    "maintenanceOptions",
    "metadataOptions",
    "monitoring",
    "networkInterfaces",
    "networkPerformanceOptions",
    "placement",
    "privateDnsNameOptions",
    "securityGroupNames",
    "tagSpecifications",
    "userData",
    "vpcSecurityGroupIds",
}


def data(call: Call) -> dict[str, Any]:
    """Return the launch template data of a request."""
    client = call.client("ec2")
    model = client.meta.service_model.operation_model("CreateLaunchTemplate")
    shape = model.input_shape.members["LaunchTemplateData"]
    inputs = {key: value for key, value in call.inputs.items() if key in _DATA}
    specifications = inputs.pop("tagSpecifications", [])
    result = translate.request(shape, inputs, _NAMES)
    if specifications:
        result["TagSpecifications"] = [
            given(ResourceType=item.get("resourceType"))
            | {"Tags": ec2.pairs(item.get("tags", {}))}
            for item in specifications
            if item.get("tags")
        ]
    return result


def _create(call: Call) -> str:
    return call.client("ec2").create_launch_template(
        LaunchTemplateName=call.inputs["name"],
        **given(VersionDescription=call.inputs.get("description")),
        LaunchTemplateData=data(call),
        TagSpecifications=ec2.tagged("launch-template", call),
    )["LaunchTemplate"]["LaunchTemplateId"]


def _read(call: Call) -> Values | None:
    template = ec2.one(call, call.id)
    # moto shows the tags of a template only as they were at its creation.
    where = [{"Name": "resource-id", "Values": [call.id]}]
    tags = call.client("ec2").describe_tags(Filters=where)
    return template and {
        "arn": call.cloud.arn("ec2", f"launch-template/{call.id}"),
        "defaultVersion": template["DefaultVersionNumber"],
        "latestVersion": template["LatestVersionNumber"],
        "name": template["LaunchTemplateName"],
        "tagsAll": ec2.tags_of(tags),
    }


def _update(call: Call) -> None:
    client = call.client("ec2")
    version = None
    if _is_new_version(call.changed):
        answer = client.create_launch_template_version(
            LaunchTemplateId=call.id,
            **given(VersionDescription=call.inputs.get("description")),
            LaunchTemplateData=data(call),
        )
        version = answer["LaunchTemplateVersion"]["VersionNumber"]
    chosen = call.inputs.get("defaultVersion")
    if call.inputs.get("updateDefaultVersion"):
        chosen = version or call.state["latestVersion"]
    if chosen is not None:
        client.modify_launch_template(
            LaunchTemplateId=call.id, DefaultVersion=str(chosen)
        )


def _is_new_version(changed: frozenset[str]) -> bool:
    return bool(changed & (_DATA | {"description"}))


def _moves(changed: frozenset[str]) -> frozenset[str]:
    if _is_new_version(changed):
        return frozenset({"latestVersion", "defaultVersion"})
    return frozenset()


def _problems(inputs: Mapping[str, Any]) -> Iterator[Problem]:
    yield from at_most_one("defaultVersion", "updateDefaultVersion")(inputs)
    text = inputs.get("userData")
    if text is None or text == UNKNOWN:
        return
    try:
        size = len(base64.b64decode(text, validate=True))
    except binascii.Error:
        yield "userData", "must be base64"
        return
    if size > USER_DATA_LIMIT:
        yield "userData", f"must be at most {USER_DATA_LIMIT} bytes, got {size}"


TEMPLATE = Resource(
    token="aws:ec2/launchTemplate:LaunchTemplate",
    create=_create,
    read=_read,
    update=_update,
    delete=lambda call: call.client("ec2").delete_launch_template(
        LaunchTemplateId=call.id
    ),
    inputs=frozenset(_BESIDE | _DATA),
    replace=frozenset({"name", "namePrefix"}),
    computed=frozenset({"defaultVersion", "name"}),
    sets=frozenset({"securityGroupNames", "vpcSecurityGroupIds"}),
    name=AutoName(limit=128),
    rules=_problems,
    moves=_moves,
    tagging=ec2.TAGGING,
)

RESOURCES = (TEMPLATE,)
