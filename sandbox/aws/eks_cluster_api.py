"""EKS clusters: what CreateCluster and its siblings check, make and answer."""

import base64
import hashlib
import ipaddress
from typing import Any

from botocore.exceptions import ClientError

from sandbox.aws.cloud import ACCOUNT_ID
from sandbox.aws.eks_api import EksApi, Record, invalid, now
from sandbox.aws.errors import aws_error
from sandbox.aws.images import KUBERNETES_VERSIONS

_MOTO_TAKES = (
    "name",
    "version",
    "roleArn",
    "resourcesVpcConfig",
    "kubernetesNetworkConfig",
    "logging",
    "tags",
    "encryptionConfig",
    "remoteNetworkConfig",
)
# Parts of a cluster that an update brings in whole.
_REPLACED = (
    "accessConfig",
    "upgradePolicy",
    "zonalShiftConfig",
    "computeConfig",
    "storageConfig",
    "remoteNetworkConfig",
    "deletionProtection",
    "controlPlaneScalingConfig",
    "kubeApiServerConfig",
    "kubeSchedulerConfig",
    "kubeControllerManagerConfig",
)
CREATOR = f"arn:aws:iam::{ACCOUNT_ID}:user/sandbox"


def create(api: EksApi, request: Record) -> Record:
    """Make a cluster and its security group; moto learns of it too."""
    api.check("CreateCluster", request)
    name, operation = request["name"], "CreateCluster"
    version = request.get("version", KUBERNETES_VERSIONS[-1])
    if version not in KUBERNETES_VERSIONS:
        raise invalid(f"unsupported Kubernetes version {version}", operation)
    api.require_role(request["roleArn"], "eks.amazonaws.com", operation)
    vpc = _check_network(api, request["resourcesVpcConfig"], operation)
    _check_settings(request, operation)
    _check_keys(api, request, operation)
    # The journal takes what moto does not; an existing name is refused by moto.
    api.cloud.client("eks").create_cluster(
        **{k: v for k, v in request.items() if k in _MOTO_TAKES} | {"version": version}
    )
    record = _described(api, request, version, vpc)
    api.journal.put(api.key("cluster", name), record)
    if record["accessConfig"]["bootstrapClusterCreatorAdminPermissions"]:
        _admit_creator(api, name)
    return record


def _check_network(api: EksApi, config: Record, operation: str) -> str:
    """Return the VPC of the subnets; they must lie in two zones of one VPC."""
    client = api.cloud.client("ec2")
    try:
        subnets = client.describe_subnets(SubnetIds=config["subnetIds"])["Subnets"]
    except ClientError as error:
        raise invalid(str(error), operation) from None
    if len({subnet["AvailabilityZone"] for subnet in subnets}) < 2:
        raise invalid(
            "Subnets specified must be in at least two different AZs", operation
        )
    vpcs = {subnet["VpcId"] for subnet in subnets}
    if len(vpcs) > 1:
        raise invalid("Subnets must belong to the same VPC", operation)
    groups = config.get("securityGroupIds", [])
    try:
        client.describe_security_groups(GroupIds=groups)
    except ClientError as error:
        raise invalid(str(error), operation) from None
    _check_access(config, operation)
    return vpcs.pop()


def _check_access(config: Record, operation: str) -> None:
    private = config.get("endpointPrivateAccess", False)
    if not private and not config.get("endpointPublicAccess", True):
        raise invalid("Private and public endpoint access cannot be false", operation)
    for cidr in config.get("publicAccessCidrs", []):
        try:
            ipaddress.ip_network(cidr)
        except ValueError:
            raise invalid(f"Invalid CIDR {cidr} in publicAccessCidrs", operation) from (
                None
            )


def _check_settings(request: Record, operation: str) -> None:
    network = request.get("kubernetesNetworkConfig", {})
    compute = request.get("computeConfig", {}).get("enabled", False)
    storage = request.get("storageConfig", {}).get("blockStorage", {})
    balancing = network.get("elasticLoadBalancing", {})
    switches = {compute, *(s.get("enabled", False) for s in (storage, balancing))}
    if len(switches) > 1:
        raise invalid(
            "For EKS Auto Mode, please ensure that all required configs, including "
            "computeConfig, kubernetesNetworkConfig, and blockStorage are all either "
            "fully enabled or fully disabled",
            operation,
        )
    if "serviceIpv4Cidr" in network:
        _check_service_range(network["serviceIpv4Cidr"], operation)


def _check_service_range(cidr: str, operation: str) -> None:
    try:
        network = ipaddress.ip_network(cidr)
    except ValueError as error:
        raise invalid(f"serviceIpv4Cidr: {error}", operation) from None
    if not network.is_private or not 12 <= network.prefixlen <= 24:
        raise invalid(
            f"serviceIpv4Cidr must be a private range of /12 to /24, got {cidr}",
            operation,
        )


def _check_keys(api: EksApi, request: Record, operation: str) -> None:
    for config in request.get("encryptionConfig", []):
        arn = config["provider"]["keyArn"]
        try:
            api.cloud.client("kms").describe_key(KeyId=arn)
        except ClientError as error:
            raise invalid(f"{arn}: {error}", operation) from None


def _described(api: EksApi, request: Record, version: str, vpc: str) -> Record:
    """Return what DescribeCluster says right after the creation."""
    name, region = request["name"], api.cloud.region
    token = hashlib.sha256(f"{region}/{name}".encode()).hexdigest().upper()[:32]
    issuer = f"https://oidc.eks.{region}.{api.cloud.dns_suffix}/id/{token}"
    pem = f"-----BEGIN CERTIFICATE-----\n{token}\n-----END CERTIFICATE-----\n"
    config = {
        "endpointPrivateAccess": False,
        "endpointPublicAccess": True,
        "publicAccessCidrs": ["0.0.0.0/0"],
        "securityGroupIds": [],
        **request["resourcesVpcConfig"],
        "vpcId": vpc,
        "clusterSecurityGroupId": _make_group(api, name, vpc),
    }
    return {
        "accessConfig": {
            "authenticationMode": "CONFIG_MAP",
            "bootstrapClusterCreatorAdminPermissions": True,
        }
        | request.get("accessConfig", {}),
        "arn": api.cloud.arn("eks", f"cluster/{name}"),
        "certificateAuthority": {"data": base64.b64encode(pem.encode()).decode()},
        "createdAt": now(),
        "encryptionConfig": request.get("encryptionConfig", []),
        "endpoint": f"https://{token}.gr7.{region}.eks.{api.cloud.dns_suffix}",
        "identity": {"oidc": {"issuer": issuer}},
        "kubernetesNetworkConfig": {
            "ipFamily": "ipv4",
            "serviceIpv4Cidr": "172.20.0.0/16",
        }
        | request.get("kubernetesNetworkConfig", {}),
        "logging": request.get("logging", {}),
        "name": name,
        "platformVersion": "eks.1",
        "resourcesVpcConfig": config,
        "roleArn": request["roleArn"],
        "status": "ACTIVE",
        "tags": request.get("tags", {}),
        "upgradePolicy": {"supportType": "EXTENDED"},
        "version": version,
    } | {
        key: request[key]
        for key in _REPLACED
        if key in request and key != "accessConfig"
    }


def _make_group(api: EksApi, name: str, vpc: str) -> str:
    """Make the security group that EKS gives to each cluster."""
    client = api.cloud.client("ec2")
    tags = {"Name": f"eks-cluster-sg-{name}", f"kubernetes.io/cluster/{name}": "owned"}
    group = client.create_security_group(
        GroupName=f"eks-cluster-sg-{name}",
        Description="EKS created security group applied to ENI that is attached to EKS "
        "Control Plane master nodes, as well as any managed workloads.",
        VpcId=vpc,
        TagSpecifications=[
            {
                "ResourceType": "security-group",
                "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
            }
        ],
    )["GroupId"]
    itself = [{"GroupId": group}]
    client.authorize_security_group_ingress(
        GroupId=group, IpPermissions=[{"IpProtocol": "-1", "UserIdGroupPairs": itself}]
    )
    return group


def _admit_creator(api: EksApi, name: str) -> None:
    """EKS makes whoever creates a cluster its admin."""
    entry = {
        "clusterName": name,
        "principalArn": CREATOR,
        "kubernetesGroups": [],
        "type": "STANDARD",
        "username": CREATOR,
        "tags": {},
        "createdAt": now(),
        "modifiedAt": now(),
    }
    api.journal.put(api.key("access-entry", name, CREATOR), entry)


def update(api: EksApi, request: Record) -> None:
    """Change settings of a cluster."""
    api.check("UpdateClusterConfig", request)
    operation = "UpdateClusterConfig"
    record = api.cluster(request["name"], operation)
    moto: dict[str, Any] = {}
    if "resourcesVpcConfig" in request:
        config = record["resourcesVpcConfig"] | request["resourcesVpcConfig"]
        if _check_network(api, config, operation) != config["vpcId"]:
            raise invalid("Subnets must belong to the VPC of the cluster", operation)
        first, wanted = (_zones(api, one) for one in (record, request))
        if wanted not in (first, set()):
            raise invalid(
                "Provided subnets belong to the AZs "
                f"{', '.join(sorted(wanted))}, but the cluster was created in "
                f"{', '.join(sorted(first))}",
                operation,
            )
        record["resourcesVpcConfig"] = config
        hidden = ("vpcId", "clusterSecurityGroupId")
        moto["resourcesVpcConfig"] = {
            k: v for k, v in config.items() if k not in hidden
        }
    if "logging" in request:
        record["logging"] = moto["logging"] = request["logging"]
    if "kubernetesNetworkConfig" in request:
        record["kubernetesNetworkConfig"] |= request["kubernetesNetworkConfig"]
    _check_mode(record, request, operation)
    for part in _REPLACED:
        if isinstance(request.get(part), dict):
            record[part] = record.get(part, {}) | request[part]
        elif part in request:
            record[part] = request[part]
    _check_settings(record, operation)
    if moto:
        api.cloud.client("eks").update_cluster_config(name=request["name"], **moto)
    api.journal.put(api.key("cluster", request["name"]), record)


def _zones(api: EksApi, record: Record) -> set[str]:
    """Return the zones of the subnets; nothing where none is said."""
    ids = record["resourcesVpcConfig"].get("subnetIds")
    if not ids:
        return set()
    found = api.cloud.client("ec2").describe_subnets(SubnetIds=ids)["Subnets"]
    return {subnet["AvailabilityZone"] for subnet in found}


_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")


def _check_mode(record: Record, request: Record, operation: str) -> None:
    """Let the way in change in one direction only."""
    new = request.get("accessConfig", {}).get("authenticationMode")
    old = record["accessConfig"]["authenticationMode"]
    if new and _MODES.index(new) < _MODES.index(old):
        raise invalid(
            f"Unsupported authentication mode update from {old} to {new}", operation
        )


def encrypt(api: EksApi, name: str, config: list[Record]) -> None:
    """Add envelope encryption to a cluster that has none."""
    operation = "AssociateEncryptionConfig"
    request = {"clusterName": name, "encryptionConfig": config}
    api.check(operation, request)
    _check_keys(api, request, operation)
    record = api.cluster(name, operation) | {"encryptionConfig": config}
    api.journal.put(api.key("cluster", name), record)


def update_version(api: EksApi, name: str, version: str) -> None:
    """Upgrade a cluster by one minor version."""
    operation = "UpdateClusterVersion"
    api.check(operation, {"name": name, "version": version})
    record = api.cluster(name, operation)
    old, new = _minor(record["version"]), _minor(version)
    if new != old + 1 or version not in KUBERNETES_VERSIONS:
        raise invalid(
            "Unsupported Kubernetes minor version update from "
            f"{record['version']} to {version}",
            operation,
        )
    api.journal.put(api.key("cluster", name), record | {"version": version})


def _minor(version: str) -> int:
    return int(version.partition(".")[2])


def tag(api: EksApi, name: str, tags: dict[str, str], gone: list[str]) -> None:
    """Change the tags of a cluster."""
    client, record = api.cloud.client("eks"), api.cluster(name, "TagResource")
    if tags:
        client.tag_resource(resourceArn=record["arn"], tags=tags)
    if gone:
        client.untag_resource(resourceArn=record["arn"], tagKeys=gone)
    kept = {key: value for key, value in record["tags"].items() if key not in gone}
    api.journal.put(api.key("cluster", name), record | {"tags": kept | tags})


def delete(api: EksApi, name: str) -> None:
    """Remove a cluster with all that EKS keeps for it."""
    record = api.cluster(name, "DeleteCluster")
    if record.get("deletionProtection"):
        raise aws_error(
            "InvalidRequestException",
            f"Cluster {name} has deletion protection enabled",
            "DeleteCluster",
        )
    api.cloud.client("eks").delete_cluster(name=name)
    for kind in ("addon", "access-entry", "access-policy", "pod-identity"):
        for key, _ in list(api.journal.below(api.key(kind, name) + "/")):
            api.journal.remove(key)
    _remove_group(api, record["resourcesVpcConfig"]["clusterSecurityGroupId"])
    api.journal.remove(api.key("cluster", name))


def _remove_group(api: EksApi, id_: str) -> None:
    try:
        api.cloud.client("ec2").delete_security_group(GroupId=id_)
    except ClientError as error:
        if error.response["Error"]["Code"] != "InvalidGroup.NotFound":
            raise
