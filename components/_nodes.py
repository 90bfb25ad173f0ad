"""What server nodes and job nodes have in common."""

import base64
from collections.abc import Mapping
from typing import cast

import pulumi_aws as aws

from .spec.groups import NodeGroup
from .spec.names import LIMITS, PULUMI_SUFFIX

__all__ = [
    "check_name",
    "encoded",
    "metadata_options",
    "root_device",
    "tagged",
]


def check_name(name: str, *kinds: str) -> None:
    """
    Check the name of a component whose children are named after it.

    Args:
        name: Name of the component.
        kinds: What is named after it, keys of `LIMITS`.

    Raises:
        ValueError: With the suffix that Pulumi adds, AWS would refuse a name.
    """
    limit = min(LIMITS[kind] for kind in kinds) - PULUMI_SUFFIX
    if len(name) > limit:
        raise ValueError(
            f"name must be at most {limit} characters, got {len(name)}: {name}"
        )


def encoded(user_data: str) -> str:
    """Encode user data, once, as a launch template wants it."""
    return base64.b64encode(user_data.encode()).decode()


def metadata_options(
    group: NodeGroup,
) -> aws.ec2.LaunchTemplateMetadataOptionsArgsDict:
    """Say how the metadata service of a node answers, as a launch template does."""
    return {
        "http_endpoint": "enabled",
        "http_tokens": "required",
        "http_put_response_hop_limit": group.metadata_hop_limit,
        # Autoscaler tags have slashes in their keys; with them on, no instance starts.
        "instance_metadata_tags": "disabled",
    }


def root_device(
    group: NodeGroup,
) -> aws.ec2.LaunchTemplateBlockDeviceMappingArgsDict:
    """Return the root volume of a group, as a launch template wants it."""
    device = group.volume.block_device()
    return cast("aws.ec2.LaunchTemplateBlockDeviceMappingArgsDict", device)


def tagged(cluster: str, group: NodeGroup, tags: Mapping[str, str]) -> dict[str, str]:
    """Return the tags of what belongs to one group; the group's own win."""
    return {"Name": f"{cluster}-{group.name}", **tags, **group.tags}
