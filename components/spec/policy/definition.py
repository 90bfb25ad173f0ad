"""
The policy as data: which pods, and what changes. Every engine is rendered from it.

Host networking is a policy of its own, because it leaves out more namespaces: a pod
on the host network is refused where a Pod Security level is enforced, and no pod
should be refused because of us. A quota on affinity to pods of other namespaces may
still do so, as no policy can see it: H092.
"""

from dataclasses import dataclass
from typing import Any

from .matchers import Handle, handles
from .settings import JobPolicySettings

__all__ = [
    "POLICY_NAME",
    "AddLabel",
    "Annotate",
    "AppendAffinity",
    "AppendToleration",
    "Change",
    "HostDns",
    "HostNetwork",
    "PolicyDefinition",
    "definitions",
]

POLICY_NAME = "eks-jobs"
"""Name of the policy objects in the cluster."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AddLabel:
    """Give the pod the label, unless its key is taken."""

    key: str
    value: str

    name = "label"


@dataclass(frozen=True, kw_only=True, slots=True)
class AppendAffinity:
    """
    Append one preferred pod affinity term, unless it is there.

    Left out for pods that are bound to a node, pods whose label has another value,
    and pods of unpacked namespaces.
    """

    key: str
    value: str
    term: dict[str, Any]
    unpacked: tuple[str, ...]

    name = "affinity"


@dataclass(frozen=True, kw_only=True, slots=True)
class AppendToleration:
    """Append one toleration, unless the pod has one for whatever it tolerates."""

    toleration: dict[str, str]

    name = "toleration"


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotate:
    """Set an annotation, unless its key is taken and *overwrite* is false."""

    key: str
    value: str
    overwrite: bool

    @property
    def name(self) -> str:
        """Name of the change, the key without its domain."""
        return self.key.rpartition("/")[2]


@dataclass(frozen=True, kw_only=True, slots=True)
class HostDns:
    """Keep cluster DNS for a pod that is about to join the host network."""

    name = "host-dns"


@dataclass(frozen=True, kw_only=True, slots=True)
class HostNetwork:
    """Join the network of the node, unless the pod could not."""

    name = "host-network"


Change = AddLabel | AppendAffinity | AppendToleration | Annotate | HostDns | HostNetwork


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyDefinition:
    """
    One policy object of the cluster.

    Args:
        name: Name of the object.
        handles: What makes a pod a job; any of them.
        namespaces: Labels of namespaces that are left alone: the key, and the
            values that leave a namespace out.
        changes: What happens to a job pod, in this order.
    """

    name: str
    handles: tuple[Handle, ...]
    namespaces: tuple[tuple[str, tuple[str, ...]], ...]
    changes: tuple[Change, ...]

    def namespace_selector(self) -> dict[str, Any]:
        """Return the LabelSelector of the namespaces that are not left alone."""
        return {
            "matchExpressions": [
                {"key": key, "operator": "NotIn", "values": list(values)}
                for key, values in self.namespaces
            ]
        }


def definitions(
    settings: JobPolicySettings, name: str = POLICY_NAME
) -> tuple[PolicyDefinition, ...]:
    """Return the policy, and the one for the host network when it is asked for."""
    jobs = handles(settings.matchers)
    named = ("kubernetes.io/metadata.name", settings.left_out)
    policy = PolicyDefinition(
        name=name, handles=jobs, namespaces=(named,), changes=_changes(settings)
    )
    if not settings.host_network:
        return (policy,)
    enforced = ("pod-security.kubernetes.io/enforce", ("baseline", "restricted"))
    return (
        policy,
        PolicyDefinition(
            name=f"{name}-host-network",
            handles=jobs,
            namespaces=(named, enforced),
            changes=(HostDns(), HostNetwork()),
        ),
    )


def _changes(settings: JobPolicySettings) -> tuple[Change, ...]:
    label = settings.label
    changes: list[Change] = [AddLabel(key=label.key, value=label.value)]
    if settings.affinity is not None:
        changes.append(
            AppendAffinity(
                key=label.key,
                value=label.value,
                term=settings.affinity,
                unpacked=settings.unpacked_namespaces,
            )
        )
    changes += (
        Annotate(key=key, value=settings.protection[key], overwrite=settings.strict)
        for key in sorted(settings.protection, reverse=True)
    )
    if settings.toleration is not None:
        changes.append(AppendToleration(toleration=settings.toleration))
    return tuple(changes)
