"""EC2NodeClass of Karpenter: the machine below a node pool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..groups import JobGroup, NodeGroup
from ..instance_types import InstanceTypes
from ..problems import refuse
from .instance_store import is_striped
from .node_class_kubelet import node_configuration
from .versions import EC2_NODE_CLASS_API

__all__ = [
    "LARGEST_VOLUME_GIB",
    "Site",
    "ec2_node_class",
    "node_class_tags",
    "tag_problems",
]

LARGEST_VOLUME_GIB = 59_000
"""
Largest volume that a node class can spell in GiB.

Sources: CRD of EC2NodeClass, Karpenter 1.15.
"""

_MOST_SUBNETS = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """
    Where nodes are put, and what they may do.

    Every value may be an output of another resource; only the number of subnets
    must be known.

    Args:
        cluster_name: Name of the cluster.
        subnet_ids: Private subnets, 1 to 30.
        security_group_ids: Security groups of nodes. By id: with two groups that
            carry the tag of the cluster load balancers stop.
        role: Name of the role of the nodes, not its ARN.
        instance_profile: Name of an instance profile instead of a role.
        tags: Tags of all nodes, under those of a group.

    Raises:
        ValueError: Not exactly one of role and profile, or no subnet or group.
    """

    cluster_name: str
    subnet_ids: Sequence[Any]
    security_group_ids: Sequence[Any]
    role: Any = None
    instance_profile: Any = None
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems = []
        if (self.role is None) == (self.instance_profile is None):
            problems.append("exactly one of role and instance_profile must be given")
        if isinstance(self.role, str) and self.role.startswith("arn:"):
            problems.append(f"role must be a name, not an ARN, got role={self.role}")
        if not 1 <= len(self.subnet_ids) <= _MOST_SUBNETS:
            problems.append(
                f"subnet_ids must be 1 to {_MOST_SUBNETS}, got {len(self.subnet_ids)}"
            )
        if not self.security_group_ids:
            problems.append("security_group_ids must name at least one")
        refuse(problems)

    def identity(self) -> dict[str, Any]:
        """Return the role or the profile, as a node class names it."""
        if self.role is not None:
            return {"role": self.role}
        return {"instanceProfile": self.instance_profile}

    def selectors(self) -> dict[str, Any]:
        """Return subnets and security groups, by id."""
        return {
            "subnetSelectorTerms": [{"id": one} for one in self.subnet_ids],
            "securityGroupSelectorTerms": [
                {"id": one} for one in self.security_group_ids
            ],
        }


def ec2_node_class(
    group: NodeGroup,
    site: Site,
    ami_alias: str,
    instance_types: InstanceTypes,
    *,
    extended_kubelet: bool = False,
) -> dict[str, Any]:
    """
    Return the EC2NodeClass of a group.

    A change of anything but the selectors drifts every node of the group.

    Args:
        group: Job group or server pool.
        site: Where its nodes are put.
        ami_alias: Images, `al2023@v20260714`. One alias serves both architectures,
            the requirement of the pool chooses. A group's own image comes first.
        instance_types: Facts about its types.
        extended_kubelet: Whether all kubelet fields go into the class.

    Shape:
        EC2NodeClass of karpenter.k8s.aws/v1.
    """
    kubelet, user_data = node_configuration(
        group, instance_types, extended=extended_kubelet
    )
    return {
        "apiVersion": EC2_NODE_CLASS_API,
        "kind": "EC2NodeClass",
        "metadata": {"name": group.name},
        "spec": {
            "amiFamily": "AL2023",
            "amiSelectorTerms": [_image(group, ami_alias)],
            **site.identity(),
            **site.selectors(),
            **({"kubelet": kubelet} if kubelet else {}),
            **({} if user_data is None else {"userData": user_data}),
            **({"instanceStorePolicy": "RAID0"} if is_striped(group) else {}),
            "blockDeviceMappings": [_root_device(group)],
            "metadataOptions": _metadata_options(group),
            "tags": node_class_tags(site, group),
        },
    }


def node_class_tags(site: Site, group: NodeGroup) -> dict[str, str]:
    """Return the tags of nodes and of what they are made from, sorted by key."""
    tags = {"Name": f"{site.cluster_name}-{group.name}", **site.tags, **group.tags}
    return dict(sorted(tags.items()))


def tag_problems(tags: Mapping[str, str]) -> list[str]:
    """
    List tags that AWS takes and Karpenter refuses.

    Sources:
        CRD of EC2NodeClass, Karpenter 1.15.
    """
    return [
        f"tags must leave out {key}, which Karpenter sets itself"
        for key in tags
        if key.startswith("kubernetes.io/cluster")
        or key == "karpenter.k8s.aws/ec2nodeclass"
    ]


def _metadata_options(group: NodeGroup) -> dict[str, Any]:
    """Say how the metadata service of a node answers, all defaults written out."""
    return {
        "httpEndpoint": "enabled",
        "httpProtocolIPv6": "disabled",
        "httpPutResponseHopLimit": group.metadata_hop_limit,
        "httpTokens": "required",
    }


def _image(group: NodeGroup, alias: str) -> dict[str, str]:
    if isinstance(group, JobGroup) and group.ami_id is not None:
        return {"id": group.ami_id}
    return {"alias": alias}


def _root_device(group: NodeGroup) -> dict[str, Any]:
    """Name everything: a mapping of one's own drops all defaults, encryption too."""
    volume = group.volume
    key = {} if volume.kms_key_id is None else {"kmsKeyID": volume.kms_key_id}
    return {
        "deviceName": "/dev/xvda",
        "rootVolume": True,
        "ebs": {
            "volumeType": "gp3",
            "volumeSize": f"{volume.size_gib}Gi",
            "iops": volume.iops,
            "throughput": volume.throughput_mib,
            "encrypted": True,
            "deleteOnTermination": True,
            **key,
        },
    }
