"""Functions of the provider: lookups that a program makes while it runs."""

from collections.abc import Callable
from typing import Any

from sandbox.aws import addons, ec2, images
from sandbox.aws import eks_nodegroup_api as nodegroups
from sandbox.aws.cloud import ACCOUNT_ID, Cloud
from sandbox.aws.eks_api import EksApi
from sandbox.aws.journal import Journal
from sandbox.aws.resource import Values
from sandbox.errors import RefusedError

Function = Callable[[Cloud, Values], Values]

_KNOWN_REGION = "us-east-1"


def _availability_zones(cloud: Cloud, args: Values) -> Values:
    answer = cloud.client("ec2").describe_availability_zones(
        Filters=_filters(args),
        AllAvailabilityZones=args.get("allAvailabilityZones", False),
    )
    zones = [
        zone
        for zone in answer["AvailabilityZones"]
        if zone["ZoneName"] not in args.get("excludeNames", [])
        and zone["ZoneId"] not in args.get("excludeZoneIds", [])
        and zone["State"] == args.get("state", zone["State"])
    ]
    zones.sort(key=lambda zone: zone["ZoneName"])
    return args | {
        "id": cloud.region,
        "groupNames": [cloud.region],
        "names": [zone["ZoneName"] for zone in zones],
        "zoneIds": [zone["ZoneId"] for zone in zones],
    }


def _filters(args: Values) -> list[dict[str, Any]]:
    filters = [
        {"Name": item["name"], "Values": item["values"]}
        for item in args.get("filters", [])
    ]
    return filters + [
        {"Name": f"tag:{key}", "Values": [value]}
        for key, value in args.get("tags", {}).items()
    ]


def _partition(cloud: Cloud, _: Values) -> Values:
    reverse = ".".join(reversed(cloud.dns_suffix.split(".")))
    return {
        "dnsSuffix": cloud.dns_suffix,
        "id": cloud.partition,
        "partition": cloud.partition,
        "reverseDnsPrefix": reverse,
    }


def _region(cloud: Cloud, _: Values) -> Values:
    return {
        "description": cloud.region,
        "endpoint": f"ec2.{cloud.region}.{cloud.dns_suffix}",
        "id": cloud.region,
        "name": cloud.region,
    }


def _caller_identity(cloud: Cloud, _: Values) -> Values:
    caller = cloud.client("sts").get_caller_identity()
    return {
        "accountId": ACCOUNT_ID,
        "arn": caller["Arn"],
        "id": ACCOUNT_ID,
        "userId": caller["UserId"],
    }


def _parameter(cloud: Cloud, args: Values) -> Values:
    found = images.parameter(cloud, args["name"])
    return {
        "arn": found["ARN"],
        "id": found["Name"],
        "insecureValue": found["Value"],
        "name": found["Name"],
        "type": found["Type"],
        "value": found["Value"],
        "version": found["Version"],
        "withDecryption": args.get("withDecryption", True),
    }


def _addon_version(_: Cloud, args: Values) -> Values:
    name, kubernetes = args["addonName"], args["kubernetesVersion"]
    newest = args.get("mostRecent", False)
    if kubernetes not in images.KUBERNETES_VERSIONS:
        raise RefusedError(
            "kubernetesVersion must be one of "
            f"{', '.join(images.KUBERNETES_VERSIONS)}, got {kubernetes}"
        )
    found = addons.version(name, kubernetes, newest=newest)
    if found is None:
        raise RefusedError(f"addonName: EKS has no add-on {name} for {kubernetes}")
    return args | {"id": name, "mostRecent": newest, "version": found}


def _subnet(cloud: Cloud, args: Values) -> Values:
    if "id" not in args and not _filters(args):
        raise RefusedError("aws:ec2/getSubnet needs an id, filters or tags")
    ids = {"SubnetIds": [args["id"]]} if "id" in args else {}
    found = cloud.client("ec2").describe_subnets(**ids, Filters=_filters(args))
    if len(found["Subnets"]) != 1:
        raise RefusedError(
            f"aws:ec2/getSubnet must find one subnet, got {len(found['Subnets'])}"
        )
    subnet = found["Subnets"][0]
    return {
        "arn": cloud.arn("ec2", f"subnet/{subnet['SubnetId']}"),
        "availabilityZone": subnet["AvailabilityZone"],
        "availabilityZoneId": subnet["AvailabilityZoneId"],
        "availableIpAddressCount": subnet["AvailableIpAddressCount"],
        "cidrBlock": subnet["CidrBlock"],
        "defaultForAz": subnet["DefaultForAz"],
        "id": subnet["SubnetId"],
        "mapPublicIpOnLaunch": subnet["MapPublicIpOnLaunch"],
        "ownerId": ACCOUNT_ID,
        "state": subnet["State"],
        "tags": ec2.tags_of(subnet),
        "vpcId": subnet["VpcId"],
    }


def _subnets(cloud: Cloud, args: Values) -> Values:
    found = cloud.client("ec2").describe_subnets(Filters=_filters(args))["Subnets"]
    ids = sorted(subnet["SubnetId"] for subnet in found)
    return args | {"id": cloud.region, "ids": ids}


def _vpc(cloud: Cloud, args: Values) -> Values:
    ids = {"VpcIds": [args["id"]]} if "id" in args else {}
    found = cloud.client("ec2").describe_vpcs(**ids, Filters=_filters(args))["Vpcs"]
    if len(found) != 1:
        raise RefusedError(f"aws:ec2/getVpc must find one VPC, got {len(found)}")
    (vpc,) = found
    return {
        "arn": cloud.arn("ec2", f"vpc/{vpc['VpcId']}"),
        "cidrBlock": vpc["CidrBlock"],
        "default": vpc["IsDefault"],
        "id": vpc["VpcId"],
        "instanceTenancy": vpc["InstanceTenancy"],
        "ownerId": ACCOUNT_ID,
        "state": vpc["State"],
        "tags": ec2.tags_of(vpc),
    }


def _instance_type(cloud: Cloud, args: Values) -> Values:
    name = args["instanceType"]
    answer = cloud.client("ec2").describe_instance_types(InstanceTypes=[name])
    (found,) = answer["InstanceTypes"]
    network = found["NetworkInfo"]
    ebs = found["EbsInfo"].get("EbsOptimizedInfo", {})
    return {
        "currentGeneration": found["CurrentGeneration"],
        "defaultVcpus": found["VCpuInfo"]["DefaultVCpus"],
        "ebsPerformanceBaselineIops": ebs.get("BaselineIops"),
        "ebsPerformanceBaselineThroughput": ebs.get("BaselineThroughputInMBps"),
        "ebsPerformanceMaximumIops": ebs.get("MaximumIops"),
        "ebsPerformanceMaximumThroughput": ebs.get("MaximumThroughputInMBps"),
        "id": name,
        "instanceType": name,
        "maximumIpv4AddressesPerInterface": network["Ipv4AddressesPerInterface"],
        "maximumNetworkInterfaces": network["MaximumNetworkInterfaces"],
        "memorySize": found["MemoryInfo"]["SizeInMiB"],
        "supportedArchitectures": found["ProcessorInfo"]["SupportedArchitectures"],
    }


def _instance_type_offerings(cloud: Cloud, args: Values) -> Values:
    kind, filters = args.get("locationType", "region"), _filters(args)
    if kind not in ("region", "availability-zone"):
        raise RefusedError(
            f"locationType must be of region, availability-zone here, got {kind}"
        )
    offered = _offered(cloud, kind, filters)
    if not offered and not _offered(cloud, "region", []):
        # moto has no table of this region: it offers what an old one does.
        places = {
            "region": [cloud.region],
            "availability-zone": _availability_zones(cloud, {})["names"],
        }
        known = _offered(Cloud(cloud.url, _KNOWN_REGION), "region", filters)
        offered = [(name, place) for name, _ in known for place in places[kind]]
    return args | {
        "id": cloud.region,
        "instanceTypes": [name for name, _ in offered],
        "locations": [place for _, place in offered],
        "locationTypes": [kind] * len(offered),
    }


def _offered(
    cloud: Cloud, kind: str, filters: list[dict[str, Any]]
) -> list[tuple[str, str]]:
    answer = cloud.client("ec2").describe_instance_type_offerings(
        LocationType=kind, Filters=filters
    )
    return [
        (one["InstanceType"], one["Location"])
        for one in answer["InstanceTypeOfferings"]
    ]


def _cluster(cloud: Cloud, args: Values) -> Values:
    record = EksApi(cloud, Journal(cloud)).cluster(args["name"], "DescribeCluster")
    return {
        "accessConfigs": [record["accessConfig"]],
        "arn": record["arn"],
        "certificateAuthorities": [record["certificateAuthority"]],
        "createdAt": record["createdAt"],
        "deletionProtection": record.get("deletionProtection", False),
        "endpoint": record["endpoint"],
        "id": record["name"],
        "identities": [{"oidcs": [record["identity"]["oidc"]]}],
        "kubernetesNetworkConfigs": [record["kubernetesNetworkConfig"]],
        "name": record["name"],
        "platformVersion": record["platformVersion"],
        "roleArn": record["roleArn"],
        "status": record["status"],
        "tags": record["tags"],
        "upgradePolicies": [record["upgradePolicy"]],
        "version": record["version"],
        "vpcConfig": record["resourcesVpcConfig"],
    }


def _node_group(cloud: Cloud, args: Values) -> Values:
    record = nodegroups.find(
        EksApi(cloud, Journal(cloud)),
        args["clusterName"],
        args["nodeGroupName"],
        "DescribeNodegroup",
    )
    return {
        "amiType": record["amiType"],
        "arn": record["nodegroupArn"],
        "clusterName": record["clusterName"],
        "diskSize": record.get("diskSize", 0),
        "id": f"{record['clusterName']}:{record['nodegroupName']}",
        "instanceTypes": record["instanceTypes"],
        "labels": record["labels"],
        "nodeGroupName": record["nodegroupName"],
        "nodeRoleArn": record["nodeRole"],
        "releaseVersion": record["releaseVersion"],
        "scalingConfigs": [record["scalingConfig"]],
        "status": record["status"],
        "subnetIds": record["subnets"],
        "tags": record["tags"],
        "version": record["version"],
    }


FUNCTIONS: dict[str, Function] = {
    "aws:ec2/getInstanceType:getInstanceType": _instance_type,
    "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": (
        _instance_type_offerings
    ),
    "aws:ec2/getSubnet:getSubnet": _subnet,
    "aws:ec2/getSubnets:getSubnets": _subnets,
    "aws:ec2/getVpc:getVpc": _vpc,
    "aws:eks/getAddonVersion:getAddonVersion": _addon_version,
    "aws:eks/getCluster:getCluster": _cluster,
    "aws:eks/getNodeGroup:getNodeGroup": _node_group,
    "aws:index/getAvailabilityZones:getAvailabilityZones": _availability_zones,
    "aws:index/getCallerIdentity:getCallerIdentity": _caller_identity,
    "aws:index/getPartition:getPartition": _partition,
    "aws:index/getRegion:getRegion": _region,
    "aws:ssm/getParameter:getParameter": _parameter,
}
