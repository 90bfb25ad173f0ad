"""Auto Scaling groups and single tags of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandbox.aws import translate
from sandbox.aws.launch import refuse_unlaunchable
from sandbox.aws.resource import (
    AutoName,
    Call,
    Resource,
    Values,
    at_most_one,
    exactly_one,
)
from sandbox.aws.schema import Problem

# Inputs that are members of the request under another name.
_NAMES = {
    "vpcZoneIdentifiers": "VPCZoneIdentifier",
    "protectFromScaleIn": "NewInstancesProtectedFromScaleIn",
    "placementGroup": "PlacementGroup",
    "targetGroupArns": "TargetGroupARNs",
    "launchTemplate.id": "LaunchTemplateId",
    "launchTemplate.name": "LaunchTemplateName",
    "mixedInstancesPolicy.launchTemplate.overrides": "Overrides",
}
_SENT = {
    "availabilityZones",
    "capacityRebalance",
    "defaultCooldown",
    "defaultInstanceWarmup",
    "desiredCapacity",
    "desiredCapacityType",
    "healthCheckGracePeriod",
    "healthCheckType",
    "instanceMaintenancePolicy",
    "launchTemplate",
    "maxInstanceLifetime",
    "maxSize",
    "minSize",
    "mixedInstancesPolicy",
    "placementGroup",
    "protectFromScaleIn",
    "terminationPolicies",
    "vpcZoneIdentifiers",
}
PROCESSES = (
    "AZRebalance",
    "AddToLoadBalancer",
    "AlarmNotification",
    "HealthCheck",
    "InstanceRefresh",
    "Launch",
    "ReplaceUnhealthy",
    "ScheduledActions",
    "Terminate",
)
"""Source: Amazon EC2 Auto Scaling user guide, suspend and resume processes."""

_UNPROTECTED_AT_ONCE = 50
"""Source: Auto Scaling API, SetInstanceProtection, InstanceIds."""

TAG_LIMIT = 50
"""Tags of one group. Source: EC2 Auto Scaling API, CreateOrUpdateTags."""


def _request(call: Call, operation: str) -> dict[str, Any]:
    client = call.client("autoscaling")
    shape = client.meta.service_model.operation_model(operation).input_shape
    inputs = {key: value for key, value in call.inputs.items() if key in _SENT}
    if "vpcZoneIdentifiers" in inputs:
        inputs["vpcZoneIdentifiers"] = ",".join(inputs["vpcZoneIdentifiers"])
    result = translate.request(shape, inputs, _NAMES)
    return {"AutoScalingGroupName": call.inputs["name"]} | result


def _create(call: Call) -> str:
    client, name = call.client("autoscaling"), call.inputs["name"]
    refuse_unlaunchable(call)
    client.create_auto_scaling_group(
        **_request(call, "CreateAutoScalingGroup"),
        Tags=_tags(name, call.inputs.get("tags", [])),
    )
    _suspend(call, [], call.inputs.get("suspendedProcesses", []))
    _collect(call, call.inputs.get("enabledMetrics", []))
    return name


def _tags(name: str, tags: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "ResourceId": name,
            "ResourceType": "auto-scaling-group",
            "Key": tag["key"],
            "Value": tag["value"],
            "PropagateAtLaunch": tag["propagateAtLaunch"],
        }
        for tag in tags
    ]


def _suspend(call: Call, old: Sequence[str], new: Sequence[str]) -> None:
    client, name = call.client("autoscaling"), call.inputs["name"]
    for operation, processes in (
        (client.resume_processes, sorted(set(old) - set(new))),
        (client.suspend_processes, sorted(set(new) - set(old))),
    ):
        if processes:
            operation(AutoScalingGroupName=name, ScalingProcesses=processes)


def _collect(call: Call, metrics: Sequence[str]) -> None:
    if metrics:
        call.client("autoscaling").enable_metrics_collection(
            AutoScalingGroupName=call.inputs["name"],
            Metrics=metrics,
            Granularity=call.inputs["metricsGranularity"],
        )


def find(call: Call, name: str) -> Values | None:
    """Return what Auto Scaling says about a group, or None."""
    found = call.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[name]
    )["AutoScalingGroups"]
    return found[0] if found else None


def _read(call: Call) -> Values | None:
    group = find(call, call.id)
    if group is None:
        return None
    own = {tag["key"] for tag in call.inputs.get("tags", [])}
    tags = [
        {
            "key": tag["Key"],
            "value": tag["Value"],
            "propagateAtLaunch": tag["PropagateAtLaunch"],
        }
        for tag in group.get("Tags", [])
        # A group's tags may also be resources of their own.
        if tag["Key"] in own
    ]
    subnets = [name for name in group.get("VPCZoneIdentifier", "").split(",") if name]
    suspended = [item["ProcessName"] for item in group.get("SuspendedProcesses", [])]
    return {
        "arn": group["AutoScalingGroupARN"],
        "availabilityZones": sorted(set(group["AvailabilityZones"])),
        "defaultCooldown": group["DefaultCooldown"],
        "desiredCapacity": group["DesiredCapacity"],
        "healthCheckType": group["HealthCheckType"],
        "maxSize": group["MaxSize"],
        "minSize": group["MinSize"],
        "name": group["AutoScalingGroupName"],
        "predictedCapacity": 0,
        "serviceLinkedRoleArn": group.get("ServiceLinkedRoleARN"),
        "suspendedProcesses": sorted(suspended),
        "tags": tags,
        "vpcZoneIdentifiers": subnets,
        "warmPoolSize": 0,
    }


def _update(call: Call) -> None:
    client, name = call.client("autoscaling"), call.inputs["name"]
    if call.changed & _SENT:
        refuse_unlaunchable(call)
        request = _request(call, "UpdateAutoScalingGroup")
        if "desiredCapacity" not in call.changed:
            request.pop("DesiredCapacity", None)
        client.update_auto_scaling_group(**request)
    if "suspendedProcesses" in call.changed:
        old = call.state.get("suspendedProcesses", [])
        _suspend(call, old, call.inputs.get("suspendedProcesses", []))
    if "enabledMetrics" in call.changed:
        client.disable_metrics_collection(AutoScalingGroupName=name)
        _collect(call, call.inputs.get("enabledMetrics", []))
    if "tags" in call.changed:
        _retag(call)


def _delete(call: Call) -> None:
    """End the nodes as well; the provider lifts their protection first."""
    client = call.client("autoscaling")
    (group,) = client.describe_auto_scaling_groups(AutoScalingGroupNames=[call.id])[
        "AutoScalingGroups"
    ] or [{"Instances": []}]
    nodes = [node["InstanceId"] for node in group["Instances"]]
    for start in range(0, len(nodes), _UNPROTECTED_AT_ONCE):
        client.set_instance_protection(
            AutoScalingGroupName=call.id,
            InstanceIds=nodes[start : start + _UNPROTECTED_AT_ONCE],
            ProtectedFromScaleIn=False,
        )
    client.delete_auto_scaling_group(AutoScalingGroupName=call.id, ForceDelete=True)


def _retag(call: Call) -> None:
    client, name = call.client("autoscaling"), call.inputs["name"]
    new = call.inputs.get("tags", [])
    kept = {tag["key"] for tag in new}
    gone = [tag for tag in call.state.get("tags", []) if tag["key"] not in kept]
    if gone:
        client.delete_tags(Tags=_tags(name, gone))
    if new:
        client.create_or_update_tags(Tags=_tags(name, new))


def _problems(inputs: Mapping[str, Any]) -> Iterator[Problem]:
    yield from exactly_one("launchTemplate", "mixedInstancesPolicy")(inputs)
    yield from at_most_one("availabilityZones", "vpcZoneIdentifiers")(inputs)
    for name in _listed(inputs, "suspendedProcesses"):
        if name not in PROCESSES:
            yield (
                "suspendedProcesses",
                f"must be of {', '.join(PROCESSES)}, got {name!r}",
            )
    tags = _listed(inputs, "tags")
    if len(tags) > TAG_LIMIT:
        yield "tags", f"must be at most {TAG_LIMIT}, got {len(tags)}"
    low, high = inputs.get("minSize"), inputs.get("maxSize")
    wanted = inputs.get("desiredCapacity", low)
    if all(isinstance(n, int) for n in (low, high, wanted)) and not (
        low <= wanted <= high
    ):
        yield (
            "desiredCapacity",
            f"must be minSize to maxSize, got minSize={low}, maxSize={high}, "
            f"desiredCapacity={wanted}",
        )


def _listed(inputs: Mapping[str, Any], name: str) -> list[Any]:
    value = inputs.get(name)
    return value if isinstance(value, list) else []


GROUP = Resource(
    token="aws:autoscaling/group:Group",
    create=_create,
    read=_read,
    update=_update,
    delete=_delete,
    inputs=frozenset(
        {
            "enabledMetrics",
            "metricsGranularity",
            "name",
            "namePrefix",
            "region",
            "suspendedProcesses",
            "tags",
            # How long `pulumi up` waits; nothing takes time here.
            "forceDelete",
            "waitForCapacityTimeout",
            *_SENT,
        }
    ),
    replace=frozenset({"initialLifecycleHooks", "name", "namePrefix"}),
    computed=frozenset(
        {
            "availabilityZones",
            "defaultCooldown",
            "desiredCapacity",
            "healthCheckType",
            "launchTemplate.id",
            "launchTemplate.name",
            "mixedInstancesPolicy.instancesDistribution",
            "name",
            "serviceLinkedRoleArn",
            "vpcZoneIdentifiers",
        }
    ),
    defaults={
        "forceDelete": False,
        "healthCheckGracePeriod": 300,
        "ignoreFailedScalingActivities": False,
        "metricsGranularity": "1Minute",
        "protectFromScaleIn": False,
        "waitForCapacityTimeout": "10m",
    },
    sets=frozenset(
        {
            "availabilityZones",
            "enabledMetrics",
            "suspendedProcesses",
            "tags",
            "vpcZoneIdentifiers",
        }
    ),
    name=AutoName(limit=255),
    rules=_problems,
)


def _put_tag(call: Call) -> str:
    name, tag = call.inputs["autoscalingGroupName"], call.inputs["tag"]
    call.client("autoscaling").create_or_update_tags(Tags=_tags(name, [tag]))
    return f"{name},{tag['key']}"


def _read_tag(call: Call) -> Values | None:
    group = find(call, call.inputs["autoscalingGroupName"]) or {}
    for tag in group.get("Tags", []):
        if tag["Key"] == call.inputs["tag"]["key"]:
            return {
                "tag": {
                    "key": tag["Key"],
                    "value": tag["Value"],
                    "propagateAtLaunch": tag["PropagateAtLaunch"],
                }
            }
    return None


def _delete_tag(call: Call) -> None:
    name, tag = call.inputs["autoscalingGroupName"], call.inputs["tag"]
    if find(call, name):
        call.client("autoscaling").delete_tags(Tags=_tags(name, [tag]))


TAG = Resource(
    token="aws:autoscaling/tag:Tag",
    create=_put_tag,
    read=_read_tag,
    update=_put_tag,
    delete=_delete_tag,
    inputs=frozenset({"autoscalingGroupName", "region", "tag"}),
    replace=frozenset({"autoscalingGroupName", "tag.key"}),
)

RESOURCES = (GROUP, TAG)
