"""EKS managed node groups, each with a real Auto Scaling group of moto."""

import secrets
from typing import Any

from sandbox.aws import eks_nodegroup_checks as checks
from sandbox.aws import images
from sandbox.aws.eks_api import EksApi, Record, now
from sandbox.aws.errors import aws_error

RELEASE = "20260714"
"""Newest image release. Source: the changelog of amazon-eks-ami."""

_MOTO_TAKES = (
    "amiType",
    "capacityType",
    "clusterName",
    "diskSize",
    "instanceTypes",
    "labels",
    "nodeRole",
    "nodegroupName",
    "scalingConfig",
    "subnets",
    "tags",
    "taints",
)
_CONFIG = ("updateConfig", "nodeRepairConfig", "warmPoolConfig")


def find(api: EksApi, cluster: str, name: str, operation: str) -> Record:
    """
    Return the record of a node group, with the size that its group has now.

    Raises:
        ClientError: ResourceNotFoundException.
    """
    record = api.journal.get(api.key("nodegroup", cluster, name))
    if record is None:
        raise aws_error(
            "ResourceNotFoundException",
            f"No node group found for name: {name}.",
            operation,
        )
    group = _scaling_group(api, record)
    if group:
        sizes = {"desiredSize": "DesiredCapacity", "minSize": "MinSize"}
        sizes |= {"maxSize": "MaxSize"}
        record["scalingConfig"] = {ours: group[asg] for ours, asg in sizes.items()}
    return record


def _scaling_group(api: EksApi, record: Record) -> dict[str, Any] | None:
    name = record["resources"]["autoScalingGroups"][0]["name"]
    found = api.cloud.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[name]
    )["AutoScalingGroups"]
    return found[0] if found else None


def create(api: EksApi, request: Record) -> Record:
    """Make a node group, its launch template and its Auto Scaling group."""
    operation = "CreateNodegroup"
    api.check(operation, request)
    cluster = api.cluster(request["clusterName"], operation)
    api.require_role(request["nodeRole"], "ec2.amazonaws.com", operation)
    checks.check_sizes(request.get("scalingConfig", {}), operation)
    checks.check_subnets(api, cluster, request["subnets"], operation)
    data = checks.template_data(api, request.get("launchTemplate"), operation)
    checks.check_template(request, data, operation)
    checks.check_versions(cluster, request, operation)
    record = _described(api, cluster, request, data)
    checks.check_architecture(api, record, operation)
    _tell_moto(api, request)
    _make_scaling_group(api, record, data)
    _admit_role(api, cluster, request["nodeRole"])
    key = api.key("nodegroup", request["clusterName"], request["nodegroupName"])
    api.journal.put(key, record)
    return record


def _described(api: EksApi, cluster: Record, request: Record, data: Record) -> Record:
    """Return what DescribeNodegroup says."""
    token = secrets.token_hex(16)
    name = request["nodegroupName"]
    custom = "ImageId" in data
    version = request.get("version", cluster["version"])
    own_types = [data["InstanceType"]] if "InstanceType" in data else ["t3.medium"]
    path = f"nodegroup/{cluster['name']}/{name}/{token}"
    return {
        "amiType": "CUSTOM" if custom else "AL2023_x86_64_STANDARD",
        "capacityType": "ON_DEMAND",
        "createdAt": now(),
        "diskSize": 20 if "launchTemplate" not in request else None,
        "instanceTypes": own_types,
        "labels": {},
        "nodegroupArn": api.cloud.arn("eks", path),
        "releaseVersion": data.get("ImageId", f"{version}.0-{RELEASE}"),
        "resources": {"autoScalingGroups": [{"name": f"eks-{name}-{token}"}]},
        "scalingConfig": {"minSize": 1, "maxSize": 2, "desiredSize": 2},
        "status": "ACTIVE",
        "tags": {},
        "taints": [],
        "updateConfig": {"maxUnavailable": 1},
        "version": version,
        **{key: value for key, value in request.items() if key != "clientRequestToken"},
    }


def _tell_moto(api: EksApi, request: Record) -> None:
    known = {key: value for key, value in request.items() if key in _MOTO_TAKES}
    api.cloud.client("eks").create_nodegroup(**known)


def _image(api: EksApi, record: Record, data: Record) -> str:
    if "ImageId" in data:
        return data["ImageId"]
    arch = checks.architecture(record["amiType"]) or "x86_64"
    name = (
        f"/aws/service/eks/optimized-ami/{record['version']}/amazon-linux-2023/"
        f"{arch}/standard/recommended/image_id"
    )
    return images.parameter(api.cloud, name)["Value"]


def _make_scaling_group(api: EksApi, record: Record, data: Record) -> None:
    group = record["resources"]["autoScalingGroups"][0]["name"]
    first = record["instanceTypes"][0]
    own = {"ImageId": _image(api, record, data), "InstanceType": first}
    api.cloud.client("ec2").create_launch_template(
        LaunchTemplateName=group, LaunchTemplateData=data | own
    )
    cluster = record["clusterName"]
    tags = {
        "eks:cluster-name": cluster,
        "eks:nodegroup-name": record["nodegroupName"],
        "k8s.io/cluster-autoscaler/enabled": "true",
        f"k8s.io/cluster-autoscaler/{cluster}": "owned",
        f"kubernetes.io/cluster/{cluster}": "owned",
    }
    sizes = record["scalingConfig"]
    api.cloud.client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName=group,
        MinSize=sizes["minSize"],
        MaxSize=sizes["maxSize"],
        DesiredCapacity=sizes["desiredSize"],
        VPCZoneIdentifier=",".join(record["subnets"]),
        MixedInstancesPolicy={
            "LaunchTemplate": {
                "LaunchTemplateSpecification": {
                    "LaunchTemplateName": group,
                    "Version": "1",
                },
                "Overrides": [{"InstanceType": t} for t in record["instanceTypes"]],
            }
        },
        Tags=[
            {
                "ResourceId": group,
                "ResourceType": "auto-scaling-group",
                "Key": key,
                "Value": value,
                "PropagateAtLaunch": True,
            }
            for key, value in tags.items()
        ],
    )


def _admit_role(api: EksApi, cluster: Record, role: str) -> None:
    """EKS lets the nodes of a managed group in, where access entries are in use."""
    if cluster["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        return
    key = api.key("access-entry", cluster["name"], role)
    if api.journal.get(key) is None:
        entry = {
            "clusterName": cluster["name"],
            "principalArn": role,
            "kubernetesGroups": ["system:nodes"],
            "type": "EC2_LINUX",
            "username": "system:node:{{EC2PrivateDNSName}}",
            "tags": {},
            "createdAt": now(),
            "modifiedAt": now(),
        }
        api.journal.put(key, entry)


def update(api: EksApi, request: Record) -> None:
    """Change sizes, labels, taints and settings of a node group."""
    operation = "UpdateNodegroupConfig"
    api.check(operation, request)
    cluster, name = request["clusterName"], request["nodegroupName"]
    record = find(api, cluster, name, operation)
    if "scalingConfig" in request:
        sizes = record["scalingConfig"] | request["scalingConfig"]
        checks.check_sizes(sizes, operation)
        record["scalingConfig"] = sizes
        api.cloud.client("autoscaling").update_auto_scaling_group(
            AutoScalingGroupName=record["resources"]["autoScalingGroups"][0]["name"],
            MinSize=sizes["minSize"],
            MaxSize=sizes["maxSize"],
            DesiredCapacity=sizes["desiredSize"],
            MixedInstancesPolicy=_policy(api, record),
        )
    _relabel(record, request.get("labels", {}))
    _retaint(record, request.get("taints", {}))
    record |= {key: request[key] for key in _CONFIG if key in request}
    api.cloud.client("eks").update_nodegroup_config(
        **{key: value for key, value in request.items() if key not in _CONFIG}
    )
    api.journal.put(api.key("nodegroup", cluster, name), record)


def _policy(api: EksApi, record: Record) -> Record:
    """Return the policy of the group as it is: moto forgets it in an update."""
    policy = (_scaling_group(api, record) or {})["MixedInstancesPolicy"]
    policy["LaunchTemplate"]["LaunchTemplateSpecification"].pop("LaunchTemplateId")
    return policy


def _relabel(record: Record, change: Record) -> None:
    gone = change.get("removeLabels", [])
    kept = {k: v for k, v in record["labels"].items() if k not in gone}
    record["labels"] = kept | change.get("addOrUpdateLabels", {})


def _retaint(record: Record, change: Record) -> None:
    new = change.get("addOrUpdateTaints", [])
    touched = [(t["key"], t["effect"]) for t in [*new, *change.get("removeTaints", [])]]
    kept = [t for t in record["taints"] if (t["key"], t["effect"]) not in touched]
    record["taints"] = kept + new


def update_version(api: EksApi, request: Record) -> None:
    """Move a node group to another version of Kubernetes, image or template."""
    operation = "UpdateNodegroupVersion"
    api.check(operation, request)
    cluster_name, name = request["clusterName"], request["nodegroupName"]
    record = find(api, cluster_name, name, operation)
    cluster = api.cluster(cluster_name, operation)
    if "launchTemplate" in request:
        template = record["launchTemplate"] | request["launchTemplate"]
        data = checks.template_data(api, template, operation)
        checks.check_template({"launchTemplate": template}, data, operation)
        record["launchTemplate"] = template
    checks.check_versions(cluster, request, operation)
    if "version" in request:
        record["version"] = request["version"]
        record["releaseVersion"] = f"{request['version']}.0-{RELEASE}"
    if "releaseVersion" in request:
        record["releaseVersion"] = request["releaseVersion"]
    template = record.get("launchTemplate")
    _roll(api, record, checks.template_data(api, template, operation))
    api.journal.put(api.key("nodegroup", cluster_name, name), record)


def _roll(api: EksApi, record: Record, data: Record) -> None:
    """Let the Auto Scaling group start its next nodes from the new template."""
    group = record["resources"]["autoScalingGroups"][0]["name"]
    own = {
        "ImageId": _image(api, record, data),
        "InstanceType": record["instanceTypes"][0],
    }
    answer = api.cloud.client("ec2").create_launch_template_version(
        LaunchTemplateName=group, LaunchTemplateData=data | own
    )
    policy = _policy(api, record)
    version = str(answer["LaunchTemplateVersion"]["VersionNumber"])
    policy["LaunchTemplate"]["LaunchTemplateSpecification"]["Version"] = version
    api.cloud.client("autoscaling").update_auto_scaling_group(
        AutoScalingGroupName=group, MixedInstancesPolicy=policy
    )


def tag(api: EksApi, id_: str, tags: dict[str, str], gone: list[str]) -> None:
    """Change the tags of a node group, which moto does not keep."""
    cluster, name = id_.split(":")
    record = find(api, cluster, name, "TagResource")
    kept = {key: value for key, value in record["tags"].items() if key not in gone}
    key = api.key("nodegroup", cluster, name)
    api.journal.put(key, record | {"tags": kept | tags})


def delete(api: EksApi, cluster: str, name: str) -> None:
    """Remove a node group with all that EKS made for it."""
    record = find(api, cluster, name, "DeleteNodegroup")
    group = record["resources"]["autoScalingGroups"][0]["name"]
    if _scaling_group(api, record):
        api.cloud.client("autoscaling").delete_auto_scaling_group(
            AutoScalingGroupName=group, ForceDelete=True
        )
    api.cloud.client("ec2").delete_launch_template(LaunchTemplateName=group)
    api.cloud.client("eks").delete_nodegroup(clusterName=cluster, nodegroupName=name)
    api.journal.remove(api.key("nodegroup", cluster, name))
