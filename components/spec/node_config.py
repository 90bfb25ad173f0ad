"""User data that nodeadm reads when an AL2023 node boots."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from . import mime, nodeadm
from .groups import JobGroup, NodeGroup, ServerGroup, Taint
from .instance_types import InstanceType, InstanceTypes
from .kubelet import KubeletTuning, reserved_memory_mib
from .names import is_cluster_name
from .problems import refuse

__all__ = [
    "NodeCluster",
    "check_group",
    "cluster_spec",
    "effective_node_config",
    "fact_problems",
    "job_user_data",
    "managed_launch_data",
    "managed_user_data",
    "with_added",
    "usual_cluster",
]

_DROP_IN = "/etc/eks/nodeadm.d/50-eks-jobs.yaml"


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeCluster:
    """
    What a node must know to join its cluster.

    Args:
        name: Name of the cluster.
        endpoint: URL of the API server.
        certificate_authority: CA certificate, base64.
        service_cidr: IPv4 block of the cluster's Services.

    Raises:
        ValueError: A value does not have the form that EKS gives it, or the cluster
            uses IPv6, which is not supported.
    """

    name: str
    endpoint: str
    certificate_authority: str
    service_cidr: str

    def __post_init__(self) -> None:
        refuse(_cluster_problems(self))


def _cluster_problems(cluster: NodeCluster) -> list[str]:
    problems = []
    if not is_cluster_name(cluster.name):
        problems.append(f"name must be one of an EKS cluster, got name={cluster.name}")
    if not cluster.endpoint.startswith("https://"):
        problems.append(f"endpoint must be an https URL, got {cluster.endpoint}")
    if cluster.certificate_authority.startswith("-----BEGIN"):
        problems.append("certificate_authority must be base64, got PEM")
    if ":" in cluster.service_cidr:
        problems.append(
            f"service_cidr must be IPv4, got {cluster.service_cidr}: IPv6 clusters are "
            f"not supported"
        )
    return problems


def job_user_data(
    cluster: NodeCluster, group: JobGroup, instance_types: InstanceTypes
) -> str:
    """
    Render the user data of a job group: all that a self-managed node needs.

    Shape:
        Multipart text, not base64: a whole NodeConfig, then the parts of the user.

    Reserved CPU follows the largest type of the group that is known. When none is,
    nodeadm computes both reservations on the node, from `max_pods_expression`.

    Raises:
        ValueError: The text is above 16 KiB, or half of the memory of a node would
            be reserved.
    """
    refuse(fact_problems(group, instance_types))
    spec = {
        "cluster": cluster_spec(cluster),
        "kubelet": _job_kubelet(group, instance_types),
    }
    return mime.render([_part(spec), *_user_parts(group)])


def cluster_spec(cluster: NodeCluster) -> dict[str, str]:
    """Return `spec.cluster` of a NodeConfig."""
    return {
        "name": cluster.name,
        "apiServerEndpoint": cluster.endpoint,
        "certificateAuthority": cluster.certificate_authority,
        "cidr": cluster.service_cidr,
    }


def managed_user_data(
    group: ServerGroup | JobGroup, instance_types: InstanceTypes
) -> str | None:
    """
    Render the user data of a managed node group, or None when there is none.

    Labels and taints are those of the node group, which EKS sets itself.

    EKS adds a NodeConfig of its own with the cluster and with ``maxPods``. Which of
    the two wins is told in contradicting ways, but files of the drop-in directory are
    merged after all user data; so the pod count is written there, by a script.

    Shape:
        Multipart text, not base64: a NodeConfig with the pull limits, the script,
        then the parts of the user.

    Raises:
        ValueError: The text is above 16 KiB, or half of the memory of a node would
            be reserved.

    Sources:
        amazon-eks-ami, nodeadm configprovider. Needs AMI v20251023 or later. Not
        confirmed on a real group: compare the node's ``capacity.pods``.
    """
    refuse(fact_problems(group, instance_types))
    parts = _user_parts(group)
    if group.kubelet is not None:
        vcpus = _largest_vcpus(group, instance_types)
        limits = {"kubelet": {"config": group.kubelet.pull_limits()}}
        parts = [_part(limits), _drop_in(group.kubelet, vcpus), *parts]
    return mime.render(parts) if parts else None


def managed_launch_data(
    group: ServerGroup | JobGroup, instance_types: InstanceTypes
) -> str | None:
    """
    Render `managed_user_data` with a NodeConfig like the one that EKS adds.

    What only EKS knows has the usual length.

    Raises:
        ValueError: As `managed_user_data`, at the size of the launch.

    Sources:
        eksctl, node bootstrapping: EKS appends a NodeConfig to the user data of the
        template; eksctl-io/eksctl#8037 (with ``maxPods``). Its other fields are those
        that eksctl writes, its labels those on nodes of others; none was measured.
    """
    text = managed_user_data(group, instance_types)
    if text is None:
        return None
    labels = {
        **group.all_labels,
        "eks.amazonaws.com/capacityType": "ON_DEMAND",
        "eks.amazonaws.com/nodegroup": f"{group.name}-{'0' * 20}",
        "eks.amazonaws.com/nodegroup-image": f"ami-{'0' * 17}",
        "eks.amazonaws.com/sourceLaunchTemplateId": f"lt-{'0' * 17}",
        "eks.amazonaws.com/sourceLaunchTemplateVersion": "100",
    }
    taints = ",".join(taint.kubernetes for taint in group.all_taints)
    kubelet = {
        "config": {"maxPods": 110, "clusterDNS": ["172.20.0.10"]},
        "flags": [_label_flag(labels), f"--register-with-taints={taints}"],
    }
    return with_added(
        text, {"cluster": cluster_spec(usual_cluster()), "kubelet": kubelet}
    )


def with_added(text: str, spec: Mapping[str, object]) -> str:
    """
    Add the NodeConfig of somebody else to a rendered text.

    Raises:
        ValueError: The text is above 16 KiB then.
    """
    return mime.render([*mime.parse(text), _part(spec)])


def check_group(group: JobGroup | ServerGroup, instance_types: InstanceTypes) -> None:
    """
    Check a group against the instance types, before any resource exists.

    The rendered text needs the cluster, which is known late; a stand-in of the usual
    size takes its place, and that of what EKS adds to the text of a server group.

    Raises:
        ValueError: As `job_user_data` and `managed_launch_data`.
    """
    if isinstance(group, JobGroup):
        job_user_data(usual_cluster(), group, instance_types)
    else:
        managed_launch_data(group, instance_types)


def usual_cluster() -> NodeCluster:
    """Make a stand-in with the lengths that EKS gives: a CA of 1,100 bytes."""
    return NodeCluster(
        name="c" * 100,
        endpoint=f"https://{'e' * 72}",
        certificate_authority="A" * 1_468,
        service_cidr="172.20.0.0/16",
    )


def fact_problems(group: NodeGroup, instance_types: InstanceTypes) -> list[str]:
    """
    List where a group and the facts about its instance types do not go together.

    A reservation that takes half of the memory or more is refused, and so is a type of
    the other architecture whose name does not tell. Unknown types are passed over.
    """
    known = [instance_types.find(name) for name in group.instance_types]
    types = [one for one in known if one is not None]
    return [
        *(
            f"instance_types must be {group.architecture} like the group, "
            f"got {one.name} ({one.architecture})"
            for one in types
            if one.architecture != group.architecture
        ),
        *_reservation_problems(_tuning(group), types),
    ]


def _reservation_problems(
    kubelet: KubeletTuning | None, types: Sequence[InstanceType]
) -> list[str]:
    if kubelet is None:
        return []
    memory = reserved_memory_mib(kubelet.max_pods)
    return [
        f"kubelet.max_pods must reserve less than half of the memory, got max_pods="
        f"{kubelet.max_pods}: {memory} of {one.memory_mib} MiB on {one.name}"
        for one in types
        if 2 * memory >= one.memory_mib
    ]


def effective_node_config(parts: Iterable[mime.Part]) -> dict[str, Any]:
    """
    Return the NodeConfig that nodeadm makes of the parts of a document.

    Sources:
        See `nodeadm.merge`. Drop-in files come later and are not looked into.
    """
    return nodeadm.merge(
        yaml.safe_load(part.content)
        for part in parts
        if part.content_type == mime.NODE_CONFIG
    )


def _job_kubelet(group: JobGroup, instance_types: InstanceTypes) -> dict[str, object]:
    vcpus = _largest_vcpus(group, instance_types)
    config = group.kubelet.config(vcpus) | {
        "registerWithTaints": [_taint(taint) for taint in group.all_taints]
    }
    kubelet: dict[str, object] = {
        "config": config,
        "flags": [_label_flag(group.all_labels)],
    }
    if vcpus is None:
        kubelet["maxPodsExpression"] = group.kubelet.max_pods_expression
    return kubelet


def _label_flag(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f"{key}={value}" for key, value in labels.items())
    return f"--node-labels={pairs}"


def _largest_vcpus(group: NodeGroup, instance_types: InstanceTypes) -> int | None:
    known = [instance_types.find(name) for name in group.instance_types]
    return max((one.vcpus for one in known if one is not None), default=None)


def _tuning(group: NodeGroup) -> KubeletTuning | None:
    """Return the limits of any group that has some; the base class has no field."""
    return getattr(group, "kubelet", None)


def _taint(taint: Taint) -> dict[str, str]:
    return {"key": taint.key, "value": taint.value, "effect": taint.effect}


def _drop_in(kubelet: KubeletTuning, vcpus: int | None) -> mime.Part:
    """Write what must win over the NodeConfig that EKS adds."""
    config = kubelet.pod_limits(vcpus)
    expression = kubelet.max_pods_expression
    document = _document(
        {"kubelet": {"config": config, "maxPodsExpression": expression}}
    )
    lines = [
        "#!/bin/bash",
        "set -euo pipefail",
        f"mkdir -p {_DROP_IN.rpartition('/')[0]}",
        f"cat > {_DROP_IN} <<'EOF'",
        f"{document}EOF",
        "",
    ]
    return mime.Part(content_type=mime.SHELL, content="\n".join(lines))


def _part(spec: Mapping[str, object]) -> mime.Part:
    return mime.Part(content_type=mime.NODE_CONFIG, content=_document(spec))


def _document(spec: Mapping[str, object]) -> str:
    return yaml.safe_dump(
        {"apiVersion": nodeadm.API_VERSION, "kind": "NodeConfig", "spec": spec},
        sort_keys=False,
        width=10_000,
    )


def _user_parts(group: NodeGroup) -> list[mime.Part]:
    return [part.mime_part for part in group.user_data]
