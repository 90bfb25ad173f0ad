"""Processor architectures: which instance types and machine images belong together."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

__all__ = [
    "Architecture",
    "ami_parameter",
    "ami_type",
    "architecture_of",
    "driver_problems",
    "image_problems",
    "instance_type_problems",
    "is_instance_type_name",
]

Architecture = Literal["amd64", "arm64"]

_NAME = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")

# Letters, the generation, then capability letters: "m", "7", "gd" of m7gd.
_FAMILY = re.compile(r"(?P<series>[a-z]+)(?P<generation>\d+)(?P<capabilities>[a-z-]*)")

_AMI_TYPES = {
    "amd64": "AL2023_x86_64_STANDARD",
    "arm64": "AL2023_ARM_64_STANDARD",
}
_EC2_NAMES = {"amd64": "x86_64", "arm64": "arm64"}

# NVIDIA's GPUs, then the chips of AWS; one family of graphics has AMD's.
_ACCELERATED = ("p", "g", "gr", "inf", "trn")
_AMD_GPU = "g4ad"


def is_instance_type_name(text: str) -> bool:
    """Tell whether a text has the form of an instance type, ``m7i.4xlarge``."""
    return _NAME.fullmatch(text) is not None


def architecture_of(instance_type: str) -> Architecture | None:
    """
    Read the architecture from the name of an instance type.

    A rule, not a list, so that families published later are understood: the
    letter ``g`` right behind the generation means Graviton (m7g, c8gn, x2gd,
    im4gn), and so does the first Graviton family, a1. Grace superchips
    (p6e-gb200) are arm64 too. A ``g`` in front of the generation means graphics
    (g5, g4dn, gr6) and says nothing about the processor.

    Returns:
        The architecture, or None when the name does not follow the pattern
        of EC2 (``m7i.4xlarge``), so that nothing can be said.

    Sources:
        EC2 user guide, instance type naming conventions. A test compares the
        rule with every type that EC2 describes.
    """
    family, dot, size = instance_type.partition(".")
    if not dot or not size:
        return None
    if re.fullmatch(r"u(-\d+tb\d+|\d[a-z]*-\d+tb)", family):
        return "amd64"
    found = _FAMILY.match(family)
    if found is None:
        return None
    graviton = found["capabilities"].startswith("g")
    grace = re.search(r"-gb\d", family) is not None
    return "arm64" if graviton or grace or family == "a1" else "amd64"


def instance_type_problems(
    names: Sequence[str], architecture: Architecture
) -> list[str]:
    """
    List what is wrong with the instance types of one group.

    Types that are newer than this library pass; what contradicts the architecture
    is named, since EKS takes one image for all nodes of a group.
    """
    if architecture not in ("amd64", "arm64"):
        return [f"architecture must be amd64 or arm64, got architecture={architecture}"]
    if not names:
        return ["instance_types must name at least one EC2 type"]
    return [
        *_form_problems(names),
        *_contradictions(names, architecture),
    ]


def _form_problems(names: Sequence[str]) -> list[str]:
    odd = [name for name in names if not is_instance_type_name(name)]
    twice = [name for name, count in Counter(names).items() if count > 1]
    macs = [name for name in names if name.startswith("mac")]
    return [
        *(f"instance_types must look like m7i.4xlarge, got {name}" for name in odd),
        *(
            f"instance_types must name each type once, got {name} twice"
            for name in twice
        ),
        *(f"instance_types must run Linux (Linux only), got {name}" for name in macs),
    ]


def _contradictions(names: Sequence[str], architecture: Architecture) -> list[str]:
    told = {name: architecture_of(name) for name in names}
    wrong = [
        f"{name} ({other})"
        for name, other in told.items()
        if other not in (None, architecture) and not name.startswith("mac")
    ]
    if not wrong:
        return []
    return [
        f"instance_types must be {architecture} like the group, got {', '.join(wrong)}"
    ]


def image_problems(names: Sequence[str]) -> list[str]:
    """
    List types on which the images that `ami_type` and `ami_parameter` name do not boot.

    Sources:
        Amazon Linux 2023 user guide, supported processors: Graviton2 and later;
        amazonlinux/amazon-linux-2023#50.
    """
    first = [name for name in names if name.startswith("a1.")]
    if not first:
        return []
    return [
        "instance_types must boot Amazon Linux 2023, which needs Graviton2 or later, "
        f"got {', '.join(first)}"
    ]


def driver_problems(names: Sequence[str], way_out: str) -> list[str]:
    """
    List types with NVIDIA GPUs or Neuron chips, for which an image needs a driver.

    The images that `ami_type` and `ami_parameter` name have none: nodes would join,
    and offer no GPU to any pod.

    Args:
        names: Instance types of a group that boots such an image.
        way_out: What to do instead.

    Sources:
        EC2 user guide, instance type naming conventions; EKS user guide, accelerated
        AMIs. A test compares the rule with every type that EC2 describes.
    """
    accelerated = [name for name in names if _is_accelerated(name)]
    if not accelerated:
        return []
    return [
        "instance_types must be without GPUs and Neuron chips, for which the standard "
        f"image has no driver, got {', '.join(accelerated)}: {way_out}"
    ]


def _is_accelerated(name: str) -> bool:
    family = name.partition(".")[0]
    found = _FAMILY.match(family)
    return found is not None and found["series"] in _ACCELERATED and family != _AMD_GPU


def ami_type(architecture: Architecture) -> str:
    """
    Name the AMI type of a managed node group (EKS spelling).

    Sources:
        EKS API, CreateNodegroup, amiType.
    """
    return _AMI_TYPES[architecture]


def ami_parameter(
    architecture: Architecture, kubernetes_version: str, release: str
) -> str:
    """
    Name the public SSM parameter that holds the image id of one AMI release.

    The release is pinned, never "recommended": a new image replaces the launch
    template, and that is a decision, not a side effect of the next ``up``.

    Args:
        architecture: Architecture of the nodes.
        kubernetes_version: Minor version of the cluster, ``1.36``.
        release: Release of the EKS AMI, ``v20260714``.

    Sources:
        karpenter-provider-aws, pkg/providers/amifamily/al2023.go (alias versions).
    """
    name = _EC2_NAMES[architecture]
    image = f"amazon-eks-node-al2023-{name}-standard-{kubernetes_version}-{release}"
    return (
        f"/aws/service/eks/optimized-ami/{kubernetes_version}/amazon-linux-2023/"
        f"{name}/standard/{image}/image_id"
    )
