"""AWS tags: what AWS accepts, and what the autoscaler reads from them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from .labels import text_problem
from .problems import refuse

if TYPE_CHECKING:
    from .groups import JobGroup
    from .volume import Gp3Volume

__all__ = [
    "TAG_LIMIT",
    "autoscaler_problems",
    "autoscaler_tags",
    "case_problems",
    "check_tags",
    "disk_mib",
    "scaling_group_tags",
    "tag_problems",
]

TAG_LIMIT = 50
_LONGEST_KEY, _LONGEST_VALUE = 128, 256
_CHARACTERS = re.compile(r"[\w .:/=+@-]*")
_AUTOSCALER = "k8s.io/cluster-autoscaler"
_RESERVED = {
    "aws:": "AWS",
    "eks:": "EKS",
    f"{_AUTOSCALER}/": "this library",
    "kubernetes.io/cluster/": "this library",
    "karpenter.sh/": "Karpenter",
    "eks-jobs/": "this library",
}


def check_tags(
    tags: Mapping[str, str],
    own: Mapping[str, str] | None = None,
    limit: int = TAG_LIMIT,
) -> None:
    """
    Check a user's tags together with those that the library adds.

    Args:
        tags: Tags of the user.
        own: Tags of the library on the same resource.
        limit: Tags that one resource can carry.

    Raises:
        ValueError: Key, value or characters are not what AWS accepts, a key belongs
            to somebody else or differs from another by case alone, or there are too
            many; the surplus is listed.

    Sources:
        Tagging AWS resources (AWS General Reference). 50 on Auto Scaling groups:
        not confirmed.
    """
    own = own or {}
    refuse(tag_problems(tags, own) + _count_problems(tags, own, limit))


def tag_problems(tags: Mapping[str, str], own: Iterable[str] = ()) -> list[str]:
    """
    List what AWS would refuse in tags of the user, and keys of others.

    Args:
        tags: Tags of the user.
        own: Keys of the library on the same resource.
    """
    problems = []
    for key, value in tags.items():
        wrong = text_problem(f"key of tags[{key}]", key) or text_problem(
            f"tags[{key}]", value
        )
        problems += wrong or _text_problems(key, value)
    return [*problems, *case_problems(tags, own)]


def case_problems(tags: Mapping[str, str], own: Iterable[str] = ()) -> Iterator[str]:
    """
    List keys that IAM takes for equal, where EC2 tells them apart.

    Args:
        tags: Tags of the user.
        own: Keys of the library on the same resource.

    Sources:
        IAM API, CreateRole: "Tag keys are case insensitive".
    """
    ours = {key.casefold(): key for key in own}
    seen: dict[str, str] = {}
    for key in tags:
        if not isinstance(key, str):
            continue
        folded = key.casefold()
        if ours.get(folded, key) != key:
            yield (
                f"tags must spell {ours[folded]} as this library does (IAM takes both "
                f"for one key), got {key}"
            )
        elif seen.setdefault(folded, key) != key:
            yield (
                "tags must have keys that differ by more than case (IAM takes both for "
                f"one key), got {seen[folded]} and {key}"
            )


def _text_problems(key: str, value: str) -> list[str]:
    problems = [
        f"tags must leave out {key}: keys that begin with {prefix} belong to {owner}"
        for prefix, owner in _RESERVED.items()
        if key.lower().startswith(prefix)
    ]
    if not 1 <= len(key) <= _LONGEST_KEY:
        problems.append(
            f"key of tags[{key}] must have 1 to {_LONGEST_KEY} characters, "
            f"got {len(key)}"
        )
    if len(value) > _LONGEST_VALUE:
        problems.append(
            f"tags[{key}] must have at most {_LONGEST_VALUE} characters, "
            f"got {len(value)}"
        )
    for name, text in ((f"key of tags[{key}]", key), (f"tags[{key}]", value)):
        odd = sorted({one for one in text if not _CHARACTERS.fullmatch(one)})
        if odd:
            problems.append(
                f"{name} must have letters, digits, spaces or . : / = + @ _ -, "
                f"got {' '.join(odd)}"
            )
    return problems


def _count_problems(
    tags: Mapping[str, str], own: Mapping[str, str], limit: int
) -> list[str]:
    both = {**own, **tags}
    if len(both) <= limit:
        return []
    surplus = list(both)[limit:]
    return [
        f"tags must be at most {limit} with the {len(own)} that the library adds, "
        f"got {len(both)}: {', '.join(surplus)}"
    ]


def autoscaler_tags(cluster_name: str, group: "JobGroup") -> dict[str, str]:
    """
    Return the tags by which Cluster Autoscaler finds a group and plans for it.

    With zero nodes it knows what these tags say: each label and each taint that pods
    must tolerate, the pods and the disk of a node; for processors and memory see
    `capacity_tags`. Without ``resources/pods`` it would plan 110 pods.

    Args:
        cluster_name: Name of the cluster.
        group: Job group; its Auto Scaling group carries the tags.

    Sources:
        Cluster Autoscaler 1.36, cloudprovider/aws README and aws_manager.go.
    """
    template = f"{_AUTOSCALER}/node-template"
    labels = {**group.all_labels, "kubernetes.io/arch": group.architecture}
    return {
        f"{_AUTOSCALER}/enabled": "true",
        f"{_AUTOSCALER}/{cluster_name}": "owned",
        **{f"{template}/label/{key}": labels[key] for key in sorted(labels)},
        **{
            f"{template}/taint/{taint.key}": taint.autoscaler_value
            for taint in group.lasting_taints
        },
        f"{template}/resources/pods": str(group.kubelet.max_pods),
        f"{template}/resources/ephemeral-storage": f"{disk_mib(group.volume)}Mi",
    }


def scaling_group_tags(cluster_name: str, group: "JobGroup") -> dict[str, str]:
    """
    Return all tags of the library on the Auto Scaling group of a job group.

    Args:
        cluster_name: Name of the cluster.
        group: Job group.
    """
    return {
        "Name": f"{cluster_name}-{group.name}",
        f"kubernetes.io/cluster/{cluster_name}": "owned",
        **autoscaler_tags(cluster_name, group),
    }


def autoscaler_problems(group: "JobGroup") -> list[str]:
    """List what makes the tags of `autoscaler_tags` more or longer than AWS takes."""
    own = autoscaler_tags("any", group)
    kinds = {"label": "labels", "taint": "taints"}
    long = [key for key in own if len(key) > _LONGEST_KEY]
    problems = [
        f"{kinds[kind]} of a job group must have keys of at most "
        f"{_LONGEST_KEY - len(head)} characters (they become tags), got {key}"
        for kind in kinds
        for head in [f"{_AUTOSCALER}/node-template/{kind}/"]
        for key in (one.removeprefix(head) for one in long if one.startswith(head))
    ]
    return problems + _count_problems(group.tags, own, TAG_LIMIT)


def disk_mib(volume: "Gp3Volume") -> int:
    """
    Estimate the disk that pods can use, in MiB, rather too little than too much.

    Less 1 % for the file system, 10 % for the eviction threshold, 1 GiB reserved;
    nothing is left of a disk that only limits of your own allow.
    """
    return max(0, volume.size_gib * 1024 * 99 * 9 // 1000 - 1024)
