"""Names with limits: cut with a hash, so that two names never become one."""

import hashlib
import re

__all__ = [
    "CLUSTER_ROLE",
    "LIMITS",
    "PULUMI_SUFFIX",
    "bounded",
    "check_cluster_name",
    "check_role_name",
    "is_cluster_name",
]

LIMITS = {
    "autoscaling_group": 255,
    "cluster": 100,
    "event_rule": 64,
    "iam_role": 64,
    "instance_profile": 128,
    "kubernetes_label": 63,
    "launch_template": 128,
    "node_group": 63,
    "queue": 80,
}
"""
Longest names, in characters.

Sources: the API reference of each service; Kubernetes, labels and selectors.
"""

PULUMI_SUFFIX = 8
"""Characters that Pulumi adds to a physical name: a hyphen and seven digits."""

CLUSTER_ROLE = "-eksRole-role"
"""
What `pulumi_eks.Cluster` adds to its own name for the role of the control plane.

Sources: the children of pulumi-eks 4.4.
"""

_HASH = 8


def bounded(text: str, limit: int) -> str:
    """
    Return a name of at most *limit* characters, equal for equal texts.

    A text that fits is left alone. A longer one is cut, and a hash of the whole text
    takes the place of the rest, so that texts with one beginning stay apart.

    Args:
        text: The name as it should be.
        limit: Characters that it may have, at least 10. Take off `PULUMI_SUFFIX`
            where Pulumi adds one.

    Raises:
        ValueError: The limit leaves no room for a beginning and a hash.
    """
    if limit < _HASH + 2:
        raise ValueError(f"limit must be at least {_HASH + 2}, got limit={limit}")
    if len(text) <= limit:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:_HASH]
    return f"{text[: limit - _HASH - 1].rstrip('-_.')}-{digest}"


def check_role_name(name: str, addition: str) -> None:
    """
    Check the name of a component by the longest name of a role below it.

    Args:
        name: Name of the component.
        addition: What the name of the role adds.

    Raises:
        ValueError: With the suffix that Pulumi adds, IAM would refuse the role.
    """
    limit = LIMITS["iam_role"] - PULUMI_SUFFIX - len(addition)
    if len(name) > limit:
        raise ValueError(
            f"name must be at most {limit} characters (a role adds {addition}), "
            f"got {len(name)}: {name}"
        )


def is_cluster_name(text: str) -> bool:
    """
    Tell whether EKS accepts a text as the name of a cluster.

    Sources:
        EKS API, CreateCluster, name.
    """
    return re.fullmatch(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}", text) is not None


def check_cluster_name(name: str) -> None:
    """
    Check the name of a cluster.

    Raises:
        ValueError: EKS would refuse it.
    """
    if not is_cluster_name(name):
        raise ValueError(
            "name must be 1 to 100 letters, digits, - and _, and begin with a letter "
            f"or digit, got name={name!r}"
        )
