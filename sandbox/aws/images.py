"""
EKS-optimised AMIs, found through the names under which AWS publishes them in SSM.

Each name of the right form has one image of its architecture, which is registered
when it is first asked for. Which releases AWS really published is not known here.
"""

import re
from typing import Any

from sandbox.aws.cloud import Cloud
from sandbox.aws.errors import aws_error

KUBERNETES_VERSIONS = tuple(f"1.{minor}" for minor in range(30, 37))
"""Versions with AL2023 images. Source: the changelog of amazon-eks-ami, 2026-07."""

_NAME = re.compile(
    r"/aws/service/eks/optimized-ami/(?P<version>1\.\d+)/amazon-linux-2023"
    r"/(?P<arch>x86_64|arm64)/standard/(?P<release>[a-z0-9._-]+)/image_id"
)


def parameter(cloud: Cloud, name: str) -> dict[str, Any]:
    """
    Return an SSM parameter, like GetParameter.

    Raises:
        ClientError: ParameterNotFound.
    """
    match = _NAME.fullmatch(name)
    if not match:
        return cloud.client("ssm").get_parameter(Name=name)["Parameter"]
    if not _is_published(match["version"], match["arch"], match["release"]):
        raise aws_error("ParameterNotFound", f"no parameter {name}", "GetParameter")
    image = _image(cloud, match["version"], match["arch"], match["release"])
    return {
        "ARN": f"arn:{cloud.partition}:ssm:{cloud.region}::parameter{name}",
        "Name": name,
        "Type": "String",
        "Value": image,
        "Version": 1,
    }


def _is_published(version: str, arch: str, release: str) -> bool:
    dated = re.fullmatch(
        rf"amazon-eks-node-al2023-{arch}-standard-{re.escape(version)}-v\d{{8}}",
        release,
    )
    known = version in KUBERNETES_VERSIONS
    return known and (release == "recommended" or dated is not None)


def _image(cloud: Cloud, version: str, arch: str, release: str) -> str:
    """Return the image of a name; the first caller registers it."""
    client = cloud.client("ec2")
    name = release
    if release == "recommended":
        name = f"amazon-eks-node-al2023-{arch}-standard-{version}-v20260714"
    found = client.describe_images(Filters=[{"Name": "name", "Values": [name]}])
    if found["Images"]:
        return found["Images"][0]["ImageId"]
    return client.register_image(
        Name=name,
        Description=f"EKS-optimised AL2023 image for Kubernetes {version}",
        # moto forgets it, see `architecture`.
        Architecture=arch,
        RootDeviceName="/dev/xvda",
        VirtualizationType="hvm",
        BlockDeviceMappings=[
            {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 20, "VolumeType": "gp3"}}
        ],
    )["ImageId"]


def architecture(image: dict[str, Any]) -> str:
    """Return what an image runs on; moto forgets it, the name of ours does not."""
    if "-arm64-" in image.get("Name", ""):
        return "arm64"
    return image.get("Architecture", "x86_64")
