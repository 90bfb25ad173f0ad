"""The scaler in use and the one on its way out, taken together."""

from collections.abc import Iterator, Mapping, Sequence

from ..cluster import ClusterSettings
from ..group_review import Notice
from ..groups import JobGroup, ServerGroup, own_images
from ..instance_types import InstanceTypes
from ..node_config import managed_launch_data
from ..policy.packing import PACKS_BY_AFFINITY
from ..policy.protection import ScalerFacts
from ..policy.settings import JobPolicySettings
from ..problems import refuse, refused
from ..vpc_cni import VpcCniTuning, WarmPrefixes
from .auto_mode import AutoMode
from .autoscaler_groups import check_group_tags, eks_adds_user_data
from .cluster_autoscaler import ClusterAutoscaler
from .karpenter import Karpenter
from .manifests import image_problems, user_data_refusals
from .scaler_review import review_scaler
from .settings import (
    Scaler,
    controller_version,
    validate_retiring,
    validate_scaler,
)

__all__ = [
    "auto_mode_alone",
    "auto_mode_of",
    "check_scalers_fit",
    "scaler_facts",
    "scaler_notices",
    "scalers_of",
    "uses_ami_release",
]

_ACTIVE, _RETIRING = "scaler", "retiring_scaler"


def scalers_of(scaler: Scaler, retiring: Scaler | None) -> tuple[Scaler, ...]:
    """Return the scaler in use, then the one on its way out."""
    return (scaler,) if retiring is None else (scaler, retiring)


def auto_mode_of(scaler: Scaler, retiring: Scaler | None) -> AutoMode | None:
    """Return the settings of EKS Auto Mode, None for a cluster that has it off."""
    for one in (scaler, retiring):
        if isinstance(one, AutoMode):
            return one
    return None


def auto_mode_alone(
    scaler: Scaler, retiring: Scaler | None, servers: Sequence[ServerGroup]
) -> bool:
    """
    Tell whether every node is one of EKS Auto Mode.

    Such nodes bring network, DNS, volumes and Pod Identity along; the add-ons for
    the same are for other nodes.

    Sources:
        EKS user guide, Auto Mode, considerations for add-ons.
    """
    return isinstance(scaler, AutoMode) and retiring is None and not servers


def uses_ami_release(scaler: Scaler, retiring: Scaler | None) -> bool:
    """
    Tell whether any nodes of jobs boot the release that the cluster names.

    Images of their own, which job groups may have, are not asked for.
    """
    return any(
        (isinstance(one, Karpenter) and one.ami_alias is None)
        or (isinstance(one, ClusterAutoscaler) and one.groups == "self-managed")
        for one in (scaler, retiring)
    )


def scaler_facts(
    scaler: Scaler, retiring: Scaler | None, cluster_version: str
) -> tuple[ScalerFacts, ...]:
    """
    Return what the protection of jobs depends on: during a migration both scalers.

    A version that does not fit the cluster counts as not known.
    """
    return tuple(
        ScalerFacts(kind=one.kind, version=_version(one, cluster_version))
        for _, one in _listed(scaler, retiring)
    )


def check_scalers_fit(
    scaler: Scaler,
    retiring: Scaler | None,
    *,
    servers: Sequence[ServerGroup],
    jobs: Sequence[JobGroup],
    cluster: ClusterSettings,
    zones: int | None,
    vpc_cni: VpcCniTuning,
    tags: Mapping[str, str],
    instance_types: InstanceTypes,
) -> None:
    """
    Refuse scalers that do not fit the groups, the cluster, or each other.

    Args:
        scaler: What makes new nodes.
        retiring: What lets its nodes finish their jobs, None for nothing.
        servers: Server groups.
        jobs: Job groups.
        cluster: The control plane; without a name the longest one is assumed.
        zones: How many zones it spans, None when that is not known.
        vpc_cni: How addresses are kept ready.
        tags: Tags of the stack.
        instance_types: Facts about the types of the groups.

    Raises:
        ValueError: A line for each problem, with its path in the stack file.
    """
    problems: list[str] = []
    for path, one in _listed(scaler, retiring):
        found = [
            *refused(
                "",
                lambda one=one: validate_scaler(
                    one,
                    servers=servers,
                    jobs=jobs,
                    cluster_version=cluster.version,
                    zones=zones,
                    tags=tags,
                ),
            ),
            *_fit(one, jobs, cluster, tags, instance_types),
        ]
        problems += [_placed(path, line) for line in found]
    if retiring is not None:
        problems += refused(f"{_RETIRING}: ", validate_retiring, scaler, retiring)
    if cluster.ami_release is not None and not uses_ami_release(scaler, retiring):
        problems.append(
            f"cluster: ami_release must be left out with {_chooser(scaler)}, "
            f"got ami_release={cluster.ami_release}"
        )
    if auto_mode_alone(scaler, retiring, servers):
        problems += _alone_problems(scaler, cluster, vpc_cni)
    refuse(dict.fromkeys(problems))


def scaler_notices(
    scaler: Scaler,
    retiring: Scaler | None,
    *,
    servers: Sequence[ServerGroup],
    jobs: Sequence[JobGroup],
    cluster_version: str,
    policy: JobPolicySettings | None,
    ami_release: str | None = None,
) -> tuple[Notice, ...]:
    """
    List what is worth knowing about the scalers, in the order of the stack file.

    Args:
        scaler: What makes new nodes.
        retiring: What lets its nodes finish their jobs, None for nothing.
        servers: Server groups.
        jobs: Job groups.
        cluster_version: Version of Kubernetes, `1.36`.
        policy: What happens to job pods, None for nothing.
        ami_release: Release of the images of job groups, None when none is named.
    """
    notices = [
        *_unused_release(scaler, retiring, jobs, ami_release),
        *review_scaler(
            scaler, servers=servers, jobs=jobs, cluster_version=cluster_version
        ),
        *_packing(scaler, policy),
    ]
    if retiring is not None:
        notices.append(
            Notice(
                path=_RETIRING,
                text=f"{_stop(retiring)}; remove the key when its nodes are gone, and "
                "not before: their jobs would end" + _last_step(retiring),
            )
        )
    if isinstance(scaler, AutoMode) and servers:
        notices.append(
            Notice(
                path="servers",
                text="the add-ons and the class of volumes are for these nodes; pods "
                "on nodes of EKS Auto Mode need a class with the provisioner "
                "ebs.csi.eks.amazonaws.com",
                severity="info",
            )
        )
    return tuple(notices)


def _unused_release(
    scaler: Scaler,
    retiring: Scaler | None,
    jobs: Sequence[JobGroup],
    ami_release: str | None,
) -> Iterator[Notice]:
    pools = any(
        isinstance(one, Karpenter) and one.server_pools
        for one in scalers_of(scaler, retiring)
    )
    if ami_release is not None and own_images(jobs) and not pools:
        yield Notice(
            path="cluster.ami_release",
            text=f"{ami_release} boots no node: every job group has its own ami_id",
            severity="info",
        )


def _stop(retiring: Scaler) -> str:
    """Pools of Karpenter get limits; the autoscaler has a flag, in our chart alone."""
    if isinstance(retiring, ClusterAutoscaler) and not retiring.install:
        return (
            f"{retiring.kind} with install: false goes on adding nodes until your "
            "own controller has --max-nodes-total=1: set that first"
        )
    return f"{retiring.kind} adds no nodes"


def _last_step(retiring: Scaler) -> str:
    """Auto Mode is off before Pulumi deletes anything, and EKS ends all its nodes."""
    if not isinstance(retiring, AutoMode):
        return ""
    return (
        "; delete its pools and classes by kubectl first, since EKS Auto Mode goes off "
        "before Pulumi deletes them"
    )


def _version(scaler: Scaler, cluster_version: str) -> str | None:
    try:
        return controller_version(scaler, cluster_version)
    except ValueError:
        return None


def _listed(scaler: Scaler, retiring: Scaler | None) -> Iterator[tuple[str, Scaler]]:
    yield _ACTIVE, scaler
    if retiring is not None:
        yield _RETIRING, retiring


def _placed(path: str, line: str) -> str:
    """Name the scaler that is on its way out where a line names the scaler."""
    if line.startswith(_ACTIVE):
        return path + line.removeprefix(_ACTIVE)
    return line


def _fit(
    scaler: Scaler,
    jobs: Sequence[JobGroup],
    cluster: ClusterSettings,
    tags: Mapping[str, str],
    instance_types: InstanceTypes,
) -> Iterator[str]:
    if isinstance(scaler, Karpenter):
        for line in image_problems(scaler, jobs, cluster.ami_release):
            yield f"cluster: {line}"
        yield from user_data_refusals(scaler, jobs, instance_types)
    if isinstance(scaler, ClusterAutoscaler):
        name = cluster.name or "c" * 100
        for place, group in enumerate(jobs):
            yield from refused(
                f"jobs[{place}]: ",
                check_group_tags,
                name,
                group,
                scaler.scale_down(group.name),
                instance_types,
                tags,
            )
            if eks_adds_user_data(scaler, group):
                yield from refused(
                    f"jobs[{place}]: ", managed_launch_data, group, instance_types
                )


def _chooser(scaler: Scaler) -> str:
    if isinstance(scaler, Karpenter):
        return f"scaler.ami_alias={scaler.ami_alias}, which names the image"
    made_by = "EKS Auto Mode" if isinstance(scaler, AutoMode) else "groups: managed"
    return f"{made_by}, where EKS chooses the image"


def _alone_problems(
    scaler: Scaler, cluster: ClusterSettings, vpc_cni: VpcCniTuning
) -> Iterator[str]:
    """List what would do nothing on a cluster that EKS runs as a whole."""
    if isinstance(scaler, AutoMode) and "general-purpose" not in scaler.node_pools:
        yield (
            "scaler: node_pools must have general-purpose when there are no servers, "
            f"which would find no node, got {', '.join(scaler.node_pools) or 'none'}"
        )
    if cluster.addons:
        yield (
            "cluster: addons must be left out when every node is one of EKS Auto "
            f"Mode, which brings its own, got {', '.join(cluster.addons)}"
        )
    if vpc_cni != WarmPrefixes():
        yield (
            "vpc_cni: must be left out when every node is one of EKS Auto Mode, which "
            f"keeps addresses ready itself, got kind={vpc_cni.kind}"
        )


def _packing(scaler: Scaler, policy: JobPolicySettings | None) -> Iterator[Notice]:
    if (
        isinstance(scaler, Karpenter)
        and policy is not None
        and policy.packing in PACKS_BY_AFFINITY
        and scaler.preference_policy == "Respect"
    ):
        yield Notice(
            path="scaler.preference_policy",
            text=f"Respect with packing {policy.packing}: Karpenter plans the "
            "preference for the nodes of other jobs as if it were a must, and keeps "
            "nodes that could go",
        )
