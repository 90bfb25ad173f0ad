"""
Add-ons of EKS and plausible versions of them.

EKS publishes new versions every few weeks. A lookup answers one fixed version for
each add-on and Kubernetes minor version, so that two runs agree; a version that a
program pins is accepted when it has the form of one.

Sources: the names are those of the EKS user guide, AWS add-ons. The numbers follow
releases seen in 2026 and are otherwise made up.
"""

import re

FORM = re.compile(r"v\d+\.\d+\.\d+-eksbuild\.\d+")

# The patch version moves with the minor version of Kubernetes where `{minor}` stands.
_DEFAULTS = {
    "aws-ebs-csi-driver": "v1.58.0-eksbuild.1",
    "aws-efs-csi-driver": "v2.3.1-eksbuild.1",
    "aws-mountpoint-s3-csi-driver": "v2.4.0-eksbuild.1",
    "coredns": "v1.13.2-eksbuild.{minor}",
    "eks-node-monitoring-agent": "v1.6.2-eksbuild.1",
    "eks-pod-identity-agent": "v1.3.10-eksbuild.2",
    "kube-proxy": "v1.{minor}.0-eksbuild.2",
    "metrics-server": "v0.8.1-eksbuild.1",
    "snapshot-controller": "v8.5.0-eksbuild.1",
    "vpc-cni": "v1.21.1-eksbuild.1",
}
_NEWEST = {
    "aws-ebs-csi-driver": "v1.60.0-eksbuild.1",
    "kube-proxy": "v1.{minor}.3-eksbuild.1",
    "vpc-cni": "v1.23.1-eksbuild.1",
}


def version(addon: str, kubernetes: str, *, newest: bool = False) -> str | None:
    """Return the default or newest version, or None for an unknown add-on."""
    numbers = _NEWEST if newest and addon in _NEWEST else _DEFAULTS
    text = numbers.get(addon)
    return text and text.format(minor=kubernetes.partition(".")[2])


def is_version(text: str) -> bool:
    """Tell whether a text has the form of an add-on version."""
    return FORM.fullmatch(text) is not None
