"""EKS: clusters and managed node groups, as pulumi-aws has them."""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.aws import eks_cluster_api as clusters
from sandbox.aws import eks_nodegroup_api as nodegroups
from sandbox.aws import translate
from sandbox.aws.eks_api import EksApi
from sandbox.aws.resource import (
    AutoName,
    Call,
    Resource,
    Tagging,
    Values,
    at_most_one,
    given,
)
from sandbox.aws.schema import Problem


def api(call: Call) -> EksApi:
    """Return the stand-in of EKS for one operation."""
    return EksApi(call.cloud, call.journal)


_NAMES = {"vpcConfig": "resourcesVpcConfig"}
# Inputs whose values are members of the requests.
_MEMBERS = frozenset(
    {
        "accessConfig",
        "computeConfig",
        "controlPlaneScalingConfig",
        "deletionProtection",
        "encryptionConfig",
        "kubeApiServerConfig",
        "kubeControllerManagerConfig",
        "kubeSchedulerConfig",
        "kubernetesNetworkConfig",
        "remoteNetworkConfig",
        "storageConfig",
        "upgradePolicy",
        "vpcConfig",
        "zonalShiftConfig",
    }
)
# Parts that hold the switches of Auto Mode, which are one kind of change.
_SWITCHES = frozenset({"computeConfig", "kubernetesNetworkConfig", "storageConfig"})
_ON_CREATE_ONLY = {"bootstrapSelfManagedAddons", "name", "roleArn", "version"}


def _request(call: Call, operation: str, names: frozenset[str]) -> dict[str, Any]:
    client = call.client("eks")
    shape = client.meta.service_model.operation_model(operation).input_shape
    sent = names & (_MEMBERS | _ON_CREATE_ONLY)
    inputs = {key: value for key, value in call.inputs.items() if key in sent}
    result = translate.request(shape, inputs, _NAMES)
    if "enabledClusterLogTypes" in names:
        types = call.inputs.get("enabledClusterLogTypes", [])
        result["logging"] = {"clusterLogging": _logging(types)}
    return result


LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def _logging(types: list[str]) -> list[dict[str, Any]]:
    """Say of every type whether it is on, as the provider does."""
    off = [name for name in LOG_TYPES if name not in types]
    groups = (list(types), True), (off, False)
    return [{"types": names, "enabled": on} for names, on in groups if names]


def _create_cluster(call: Call) -> str:
    names = _MEMBERS | _ON_CREATE_ONLY | {"enabledClusterLogTypes"}
    request = _request(call, "CreateCluster", names & set(call.inputs))
    record = clusters.create(api(call), request | given(tags=call.tags or None))
    return record["name"]


def _read_cluster(call: Call) -> Values | None:
    record = api(call).cluster(call.id, "DescribeCluster")
    config = dict(record["resourcesVpcConfig"])
    types = [
        name
        for group in record["logging"].get("clusterLogging", [])
        if group["enabled"]
        for name in group["types"]
    ]
    parts = {
        name: record[name]
        for name in _MEMBERS - {"vpcConfig", "encryptionConfig"}
        if name in record
    }
    encryption = record["encryptionConfig"][0] if record["encryptionConfig"] else None
    return parts | {
        "arn": record["arn"],
        "certificateAuthority": record["certificateAuthority"],
        "createdAt": record["createdAt"],
        "enabledClusterLogTypes": types,
        "encryptionConfig": encryption,
        "endpoint": record["endpoint"],
        "identities": [{"oidcs": [record["identity"]["oidc"]]}],
        "name": record["name"],
        "platformVersion": record["platformVersion"],
        "roleArn": record["roleArn"],
        "status": record["status"],
        "version": record["version"],
        "vpcConfig": config,
        "tagsAll": record["tags"],
    }


def _update_cluster(call: Call) -> None:
    if "version" in call.changed:
        clusters.update_version(api(call), call.id, call.inputs["version"])
    parts = call.changed & (_MEMBERS | {"enabledClusterLogTypes"})
    if "encryptionConfig" in parts:
        wanted = _request(call, "CreateCluster", frozenset({"encryptionConfig"}))
        clusters.encrypt(api(call), call.id, wanted["encryptionConfig"])
        parts = parts - {"encryptionConfig"}
    # AWS takes one kind of change in a request, and so does the provider send them.
    kinds = [frozenset({part}) for part in sorted(parts - _SWITCHES)]
    if parts & _SWITCHES:
        kinds.append(_SWITCHES & set(call.inputs))
    for kind in kinds:
        request = _request(call, "UpdateClusterConfig", kind)
        request.get("accessConfig", {}).pop(
            "bootstrapClusterCreatorAdminPermissions", None
        )
        clusters.update(api(call), request | {"name": call.id})


def _replaced_cluster(old: Values, _: Values) -> set[str]:
    """Encryption can be added, and never changed or removed."""
    return {"encryptionConfig"} if old.get("encryptionConfig") else set()


def _cluster_problems(inputs: Mapping[str, Any]) -> Iterator[Problem]:
    types = inputs.get("enabledClusterLogTypes")
    for name in types if isinstance(types, list) else []:
        if name not in LOG_TYPES:
            yield (
                "enabledClusterLogTypes",
                f"must be of {', '.join(LOG_TYPES)}, got {name!r}",
            )


CLUSTER = Resource(
    token="aws:eks/cluster:Cluster",
    create=_create_cluster,
    read=_read_cluster,
    update=_update_cluster,
    delete=lambda call: clusters.delete(api(call), call.id),
    inputs=_MEMBERS
    | _ON_CREATE_ONLY
    | {"defaultAddonsToRemoves", "enabledClusterLogTypes", "region", "tags"},
    replace=frozenset(
        {
            "accessConfig.bootstrapClusterCreatorAdminPermissions",
            "bootstrapSelfManagedAddons",
            "kubernetesNetworkConfig.ipFamily",
            "kubernetesNetworkConfig.serviceIpv4Cidr",
            "name",
            "outpostConfig",
            "roleArn",
        }
    ),
    replace_if=_replaced_cluster,
    computed=frozenset(
        {
            "accessConfig",
            "accessConfig.authenticationMode",
            "controlPlaneScalingConfig",
            "kubeControllerManagerConfig",
            "kubeSchedulerConfig",
            "kubernetesNetworkConfig",
            "kubernetesNetworkConfig.elasticLoadBalancing",
            "kubernetesNetworkConfig.ipFamily",
            "kubernetesNetworkConfig.serviceIpv4Cidr",
            "name",
            "upgradePolicy",
            "version",
            "vpcConfig.clusterSecurityGroupId",
            "vpcConfig.publicAccessCidrs",
            "vpcConfig.vpcId",
        }
    ),
    defaults={"bootstrapSelfManagedAddons": True},
    sets=frozenset(
        {
            "enabledClusterLogTypes",
            "vpcConfig.publicAccessCidrs",
            "vpcConfig.securityGroupIds",
            "vpcConfig.subnetIds",
        }
    ),
    name=AutoName(limit=100, prefix=None),
    rules=_cluster_problems,
    tagging=Tagging(
        write=lambda call, tags: clusters.tag(api(call), call.id, tags, []),
        remove=lambda call, keys: clusters.tag(api(call), call.id, {}, keys),
    ),
)

_GROUP_NAMES = {
    "nodeGroupName": "nodegroupName",
    "nodeRoleArn": "nodeRole",
    "subnetIds": "subnets",
    "remoteAccess.sourceSecurityGroupIds": "sourceSecurityGroups",
}
_GROUP_MEMBERS = frozenset(
    {
        "amiType",
        "capacityType",
        "clusterName",
        "diskSize",
        "instanceTypes",
        "labels",
        "launchTemplate",
        "nodeGroupName",
        "nodeRepairConfig",
        "nodeRoleArn",
        "releaseVersion",
        "remoteAccess",
        "scalingConfig",
        "subnetIds",
        "taints",
        "updateConfig",
        "version",
        "warmPoolConfig",
    }
)


def _group_request(call: Call, operation: str, names: frozenset[str]) -> dict[str, Any]:
    client = call.client("eks")
    shape = client.meta.service_model.operation_model(operation).input_shape
    inputs = {key: value for key, value in call.inputs.items() if key in names}
    if inputs.get("warmPoolConfig"):
        inputs["warmPoolConfig"] = {"enabled": True, **inputs["warmPoolConfig"]}
    return translate.request(shape, inputs, _GROUP_NAMES)


def _create_group(call: Call) -> str:
    request = _group_request(call, "CreateNodegroup", _GROUP_MEMBERS)
    record = nodegroups.create(api(call), request | given(tags=call.tags or None))
    return f"{record['clusterName']}:{record['nodegroupName']}"


def _path(call: Call) -> tuple[str, str]:
    cluster, _, name = call.id.partition(":")
    return cluster, name


def _read_group(call: Call) -> Values | None:
    record = nodegroups.find(api(call), *_path(call), "DescribeNodegroup")
    group = record["resources"]["autoScalingGroups"][0]["name"]
    renamed = {theirs: ours for ours, theirs in _GROUP_NAMES.items()}
    found = {
        renamed.get(name, name): value
        for name, value in record.items()
        if renamed.get(name, name) in _GROUP_MEMBERS
    }
    return found | {
        "arn": record["nodegroupArn"],
        "resources": [
            {"autoscalingGroups": [{"name": group}], "remoteAccessSecurityGroupId": ""}
        ],
        "status": record["status"],
        "tagsAll": record["tags"],
    }


def _update_group(call: Call) -> None:
    who = dict(zip(("clusterName", "nodegroupName"), _path(call), strict=True))
    version = call.changed & {"launchTemplate", "releaseVersion", "version"}
    if version:
        # An image id in the template excludes the other two.
        request = _group_request(call, "UpdateNodegroupVersion", version)
        request.get("launchTemplate", {}).pop("name", None)
        nodegroups.update_version(api(call), request | who)
    settings = call.changed & {
        "nodeRepairConfig",
        "scalingConfig",
        "updateConfig",
        "warmPoolConfig",
    }
    request = _group_request(call, "UpdateNodegroupConfig", settings)
    if "labels" in call.changed:
        old, new = call.state.get("labels", {}), call.inputs.get("labels", {})
        gone = sorted(set(old) - set(new))
        request["labels"] = {"addOrUpdateLabels": new, "removeLabels": gone}
    if "taints" in call.changed:
        old, new = call.state.get("taints", []), call.inputs.get("taints", [])
        gone = [taint for taint in old if taint not in new]
        request["taints"] = {"addOrUpdateTaints": new, "removeTaints": gone}
    if request:
        nodegroups.update(api(call), request | who)


NODE_GROUP = Resource(
    token="aws:eks/nodeGroup:NodeGroup",
    create=_create_group,
    read=_read_group,
    update=_update_group,
    delete=lambda call: nodegroups.delete(api(call), *_path(call)),
    inputs=_GROUP_MEMBERS
    | {"forceUpdateVersion", "nodeGroupNamePrefix", "region", "tags"},
    replace=frozenset(
        {
            "amiType",
            "capacityType",
            "clusterName",
            "diskSize",
            "instanceTypes",
            "launchTemplate.id",
            "launchTemplate.name",
            "nodeGroupName",
            "nodeGroupNamePrefix",
            "nodeRoleArn",
            "remoteAccess",
            "subnetIds",
        }
    ),
    computed=frozenset(
        {
            "amiType",
            "capacityType",
            "diskSize",
            "instanceTypes",
            "launchTemplate.id",
            "launchTemplate.name",
            "nodeGroupName",
            "nodeRepairConfig",
            "releaseVersion",
            "updateConfig",
            "version",
        }
    ),
    sets=frozenset({"subnetIds", "taints"}),
    name=AutoName(limit=63, input="nodeGroupName", prefix="nodeGroupNamePrefix"),
    rules=at_most_one("launchTemplate", "remoteAccess"),
    tagging=Tagging(
        write=lambda call, tags: nodegroups.tag(api(call), call.id, tags, []),
        remove=lambda call, keys: nodegroups.tag(api(call), call.id, {}, keys),
    ),
)

RESOURCES = (CLUSTER, NODE_GROUP)
