"""Labels and taints: what Kubernetes accepts, and which keys are not the user's."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from .problems import refuse

__all__ = [
    "GROUP_LABEL",
    "Taint",
    "TaintEffect",
    "eks_limit_problems",
    "label_problems",
    "node_label_problems",
    "node_taint_problems",
    "text_problem",
]

GROUP_LABEL = "eks-jobs/group"
"""
The one key that ties a node group together.

Every node carries the label ``eks-jobs/group=<group>``, and every job group the
taint ``eks-jobs/group=<group>:NoSchedule``. Selectors, tolerations, tags of the
autoscaler and documents all use this name.
"""

TaintEffect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]

_EKS_EFFECTS = {
    "NoSchedule": "NO_SCHEDULE",
    "PreferNoSchedule": "PREFER_NO_SCHEDULE",
    "NoExecute": "NO_EXECUTE",
}
_PART = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_DOMAIN = re.compile(
    r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
)
_LONGEST_PART = 63
_LONGEST_DOMAIN = 253

# Domains and keys in which others write.
_RESERVED_DOMAINS = {
    "eks-jobs": "set by this library",
    "eks.amazonaws.com": "set by EKS",
    "karpenter.sh": "set by Karpenter",
    "karpenter.k8s.aws": "set by Karpenter",
}
_NODE_LABELS = {
    "kubernetes.io/os": "linux on every node (Linux only)",
    "kubernetes.io/arch": "set from architecture",
    "kubernetes.io/hostname": "set by the node itself",
    "node.kubernetes.io/instance-type": "set by the node itself",
    "topology.kubernetes.io/region": "set by the node itself",
    "topology.kubernetes.io/zone": "set by the node itself",
}
# Below these two the kubelet sets labels of two domains only; with any other key it
# refuses to start. Source: k8s.io/kubelet, pkg/apis/well_known_labels.go.
_KUBERNETES_DOMAINS = ("kubernetes.io", "k8s.io")
_KUBELET_DOMAINS = ("kubelet.kubernetes.io", "node.kubernetes.io")


@dataclass(frozen=True, kw_only=True, slots=True)
class Taint:
    """
    A taint that nodes carry from their first moment.

    One effect, three spellings: a tag of the autoscaler with the spelling of EKS is
    ignored in silence, so nobody writes them by hand.

    Args:
        key: Key of the taint, ``example.com/gpu``.
        value: Value of the taint, may be empty.
        effect: NoSchedule, PreferNoSchedule or NoExecute, as Kubernetes spells it.
        startup: Whether an agent takes it away once the node is ready for pods. No pod
            need tolerate it then, and the scaler plans nodes without it. A Cluster
            Autoscaler of your own needs its flag `--startup-taint` with the key.

    Raises:
        ValueError: Kubernetes would refuse the key, the value or the effect.

    Sources:
        Kubernetes API, Taint. EKS API, Taint. Cluster Autoscaler 1.36,
        cloudprovider/aws README. Startup: Karpenter, NodePool, startupTaints; release
        notes of Cluster Autoscaler 1.29.
    """

    key: str
    value: str = ""
    effect: TaintEffect = "NoSchedule"
    startup: bool = False

    def __post_init__(self) -> None:
        problems = [
            *_text_or(_key_problems, "key", self.key),
            *_text_or(_value_problems, "value", self.value),
            *_effect_problems(self.effect),
        ]
        refuse(problems)

    @property
    def kubernetes(self) -> str:
        """The taint as kubectl writes it, ``key=value:NoSchedule``."""
        return f"{self.key}={self.value}:{self.effect}"

    @property
    def eks_effect(self) -> str:
        """The effect as the EKS API spells it, ``NO_SCHEDULE``."""
        return _EKS_EFFECTS[self.effect]

    @property
    def autoscaler_value(self) -> str:
        """The value of a node-template tag, ``value:NoSchedule``."""
        return f"{self.value}:{self.effect}"


def label_problems(field: str, labels: Mapping[str, str]) -> list[str]:
    """List what Kubernetes would refuse in labels, in the order given."""
    problems = []
    for key, value in labels.items():
        problems += _text_or(_key_problems, f"key of {field}[{key}]", key)
        problems += _text_or(_value_problems, f"{field}[{key}]", value)
    return problems


def node_label_problems(labels: Mapping[str, str]) -> list[str]:
    """List what nodes cannot carry, and labels that are not the user's to set."""
    reserved = (_reserved_label_problems(key) for key in labels if isinstance(key, str))
    return [
        *label_problems("labels", labels),
        *(one for some in reserved for one in some),
    ]


def node_taint_problems(taints: Sequence[Taint]) -> list[str]:
    """List taints that are not the user's to set, or that contradict each other."""
    counts = Counter((taint.key, taint.effect) for taint in taints)
    return [
        *(one for taint in taints for one in _reserved_taint_problems(taint.key)),
        *(
            f"taints must have one value for each key and effect, got {key}:{effect} "
            f"{count} times"
            for (key, effect), count in counts.items()
            if count > 1
        ),
    ]


def eks_limit_problems(labels: Mapping[str, str], taints: Sequence[Taint]) -> list[str]:
    """
    List what Kubernetes would take and a managed node group does not.

    Sources:
        EKS API, CreateNodegroup: label and taint keys to 63 characters with their
        domain, label values of at least 1.
    """
    keys = {"labels": list(labels), "taints": [taint.key for taint in taints]}
    return [
        *(
            f"{field} of a server group must have keys of at most {_LONGEST_PART} "
            f"characters, got {key}"
            for field in keys
            for key in keys[field]
            if len(str(key)) > _LONGEST_PART
        ),
        *(
            f"labels[{key}] of a server group must not be empty"
            for key, value in labels.items()
            if value == ""
        ),
    ]


def _reserved_label_problems(key: str) -> list[str]:
    """Say who sets a label, when it is not the user's to set."""
    owner = _RESERVED_DOMAINS.get(_domain(key)) or _NODE_LABELS.get(key)
    if owner is not None:
        return [f"labels must leave out {key}, which is {owner}"]
    if _below(_domain(key), _KUBERNETES_DOMAINS) and not _below(
        _domain(key), _KUBELET_DOMAINS
    ):
        return [
            f"labels must leave out {key}: of the labels of Kubernetes a node may set "
            f"only those of {' and '.join(_KUBELET_DOMAINS)}"
        ]
    return []


def _reserved_taint_problems(key: str) -> list[str]:
    """Say who sets a taint, when it is not the user's to set."""
    owner = _RESERVED_DOMAINS.get(_domain(key))
    if _domain(key) == "node.kubernetes.io":
        owner = "set by Kubernetes while something is wrong with a node"
    return [f"taints must leave out {key}, which is {owner}"] if owner else []


def _domain(key: str) -> str:
    return key.rpartition("/")[0]


def _below(domain: str, parents: tuple[str, ...]) -> bool:
    return any(domain == one or domain.endswith(f".{one}") for one in parents)


def text_problem(field: str, value: object) -> list[str]:
    """
    Refuse what YAML did not read as text.

    A bare ``true``, ``yes`` or ``1.10`` is no text, and what it was meant to be
    cannot be told any more (True, true or yes; 1.1 or 1.10). So it is refused.
    """
    if isinstance(value, str):
        return []
    kind = type(value).__name__
    return [f"{field} must be text, got {value!r} ({kind}): put it in quotes"]


def _key_problems(field: str, key: str) -> list[str]:
    """Say why Kubernetes would refuse a key of a label or taint."""
    domain, slash, name = key.rpartition("/")
    if slash and (len(domain) > _LONGEST_DOMAIN or not _DOMAIN.fullmatch(domain)):
        return [f"{field} must have a DNS domain before the slash, got {key}"]
    if len(name) > _LONGEST_PART or not _PART.fullmatch(name):
        return [
            f"{field} must be 1 to {_LONGEST_PART} letters, digits, '-', '_' or '.', "
            f"with a letter or digit at both ends, got {key!r}"
        ]
    return []


def _value_problems(field: str, value: str) -> list[str]:
    """Say why Kubernetes would refuse a value of a label or taint."""
    if value == "" or (len(value) <= _LONGEST_PART and _PART.fullmatch(value)):
        return []
    return [
        f"{field} must be empty or 1 to {_LONGEST_PART} letters, digits, '-', '_' or "
        f"'.', with a letter or digit at both ends, got {value!r}"
    ]


def _text_or(
    check: Callable[[str, str], list[str]], field: str, value: object
) -> list[str]:
    """Check the text, or say that it is none."""
    return check(field, value) if isinstance(value, str) else text_problem(field, value)


def _effect_problems(effect: str) -> list[str]:
    allowed = get_args(TaintEffect)
    if effect in allowed:
        return []
    spelt = {eks: ours for ours, eks in _EKS_EFFECTS.items()}.get(effect)
    hint = f" (EKS spells {spelt} so; write {spelt})" if spelt else ""
    return [f"effect must be one of {', '.join(allowed)}, got effect={effect}{hint}"]
