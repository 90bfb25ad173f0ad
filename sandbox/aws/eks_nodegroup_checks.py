"""What EKS refuses of a managed node group."""

from botocore.exceptions import ClientError

from sandbox.aws import launch
from sandbox.aws.eks_api import EksApi, Record, invalid

# What a template for a managed group must leave out. Source: EKS user guide,
# customizing managed nodes with launch templates.
_FORBIDDEN = ("IamInstanceProfile", "InstanceInitiatedShutdownBehavior")


def check_sizes(sizes: Record, operation: str) -> None:
    """Check that the wanted size lies between the bounds."""
    low, high = sizes.get("minSize", 1), sizes.get("maxSize", 2)
    if low > high:
        raise invalid("Minimum capacity can't be greater than maximum", operation)
    wanted = sizes.get("desiredSize", low)
    if not low <= wanted <= high:
        raise invalid(
            f"desired capacity {wanted} must be minimum {low} to maximum {high}",
            operation,
        )


def check_subnets(api: EksApi, cluster: Record, ids: list[str], operation: str) -> None:
    """Check that the subnets are there, and in the VPC of the cluster."""
    try:
        found = api.cloud.client("ec2").describe_subnets(SubnetIds=ids)["Subnets"]
    except ClientError as error:
        raise invalid(str(error), operation) from None
    vpc = cluster["resourcesVpcConfig"]["vpcId"]
    if {subnet["VpcId"] for subnet in found} != {vpc}:
        raise invalid(f"Subnets must be in the VPC of the cluster, {vpc}", operation)


def template_data(api: EksApi, chosen: Record | None, operation: str) -> Record:
    """Return what a launch template says; nothing when there is no template."""
    if not chosen:
        return {}
    try:
        return launch.template_data(api.cloud.client("ec2"), chosen)
    except ClientError as error:
        raise invalid(str(error), operation) from None


def check_template(request: Record, data: Record, operation: str) -> None:
    """Check that a launch template leaves out what EKS says itself."""
    if "launchTemplate" not in request:
        return
    for member in _FORBIDDEN:
        if data.get(member):
            raise invalid(f"Launch template must not set {member}", operation)
    if any(nic.get("SubnetId") for nic in data.get("NetworkInterfaces", [])):
        raise invalid("Launch template must not set SubnetId", operation)
    if "InstanceType" in data and request.get("instanceTypes"):
        raise invalid(
            "Cannot specify instance types in launch template and API request",
            operation,
        )
    if "diskSize" in request:
        raise invalid(
            "Disk size must be specified within the launch template", operation
        )
    if "ImageId" in data:
        for member in ("amiType", "version", "releaseVersion"):
            if request.get(member, "CUSTOM") != "CUSTOM":
                raise invalid(
                    f"You cannot specify {member} when specifying an image id in your "
                    "launch template",
                    operation,
                )
        if request.get("warmPoolConfig"):
            raise invalid("Warm pools need an image of EKS", operation)


def check_versions(cluster: Record, request: Record, operation: str) -> None:
    """Check that nodes are not newer than their cluster."""
    version = request.get("version", cluster["version"])
    if _minor(version) > _minor(cluster["version"]):
        raise invalid(
            f"Nodegroup Kubernetes version {version} is newer than that of its "
            f"cluster, {cluster['version']}",
            operation,
        )


def _minor(version: str) -> int:
    return int(version.partition(".")[2])


def check_architecture(api: EksApi, record: Record, operation: str) -> None:
    """Check that every instance type boots the image of the group."""
    wanted = architecture(record["amiType"])
    for name in record["instanceTypes"]:
        supported = launch.architectures(api.cloud.client("ec2"), name)
        if wanted and supported and wanted not in supported:
            raise invalid(
                f"[{name}] is not a valid instance type for requested amiType "
                f"{record['amiType']}",
                operation,
            )


def architecture(ami_type: str) -> str | None:
    """Return what an image of EKS is built for; nothing for one of others."""
    if ami_type == "CUSTOM":
        return None
    return "arm64" if "ARM_64" in ami_type else "x86_64"
