"""The scaler of a cluster, and what it says together with the groups."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ..groups import JobGroup, NodeGroup, ServerGroup, own_images
from ..problems import refuse
from ..tags import case_problems
from . import auto_mode_nodes
from .auto_mode import AutoMode
from .autoscaler_chart import (
    autoscaler_version,
    autoscaler_version_problems,
)
from .autoscaler_groups import group_driver_problems, managed_problems
from .checks import unknown_groups
from .cluster_autoscaler import ClusterAutoscaler
from .karpenter import Karpenter
from .lifetime import (
    auto_lifetime_problems,
    lifetime_problems,
)
from .node_class import LARGEST_VOLUME_GIB, tag_problems
from .node_class_kubelet import user_data_problems
from .node_pool import label_problems
from .versions import KARPENTER_NEEDED, parsed

__all__ = ["Scaler", "controller_version", "validate_retiring", "validate_scaler"]

Scaler = Karpenter | ClusterAutoscaler | AutoMode

_GROUP_NAMES = "general-purpose", "system"


def controller_version(scaler: Scaler, cluster_version: str) -> str | None:
    """
    Return the version of the controller, None when it is not known.

    EKS Auto Mode tells none.

    Raises:
        ValueError: No Cluster Autoscaler is known for the cluster.
    """
    if isinstance(scaler, Karpenter):
        return scaler.version
    if isinstance(scaler, ClusterAutoscaler):
        if scaler.version is None and not scaler.install:
            return None
        return autoscaler_version(scaler.version, cluster_version)
    return None


def validate_scaler(
    scaler: Scaler,
    *,
    servers: Sequence[ServerGroup] = (),
    jobs: Sequence[JobGroup],
    cluster_version: str,
    zones: int | None = None,
    tags: Mapping[str, str] | None = None,
) -> None:
    """
    Refuse what a scaler cannot do with these groups: nothing is dropped in silence.

    Args:
        scaler: The scaler.
        servers: Server groups.
        jobs: Job groups.
        cluster_version: Version of Kubernetes, `1.36`.
        zones: How many zones the cluster spans, None when that is not known.
        tags: Tags of the stack.

    Raises:
        ValueError: A line for each problem, with its path in the stack file.
    """
    names = [group.name for group in jobs]
    own_tags = [f"tags: {line}" for line in tag_problems(tags or {})]
    if isinstance(scaler, Karpenter):
        problems = [
            *own_tags,
            *_karpenter_problems(scaler, servers, jobs, cluster_version),
            *_each(jobs, lambda group: _karpenter_group(scaler, group)),
        ]
    elif isinstance(scaler, AutoMode):
        problems = [
            *own_tags,
            *_scaler_lines(unknown_groups("pools", scaler.pools, names)),
            *_each(jobs, lambda group: _auto_mode_group(scaler, group)),
        ]
    else:
        problems = [
            *_scaler_lines(_autoscaler_problems(scaler, names, cluster_version)),
            *_each(jobs, lambda group: _autoscaler_group(scaler, group, zones)),
        ]
    refuse([*_key_problems(scaler, servers, jobs, tags or {}), *problems])


def validate_retiring(scaler: Scaler, retiring: Scaler) -> None:
    """
    Refuse a scaler that retires while it is also the one in use.

    Args:
        scaler: The scaler that makes new nodes.
        retiring: The one whose nodes let their jobs finish.

    Raises:
        ValueError: Both are of one kind, or both make pools of one name.
    """
    if scaler.kind == retiring.kind:
        raise ValueError(
            f"kind must differ from that of scaler, got kind={retiring.kind}"
        )
    if "cluster-autoscaler" not in (scaler.kind, retiring.kind):
        raise ValueError(
            "kind must be cluster-autoscaler, since EKS Auto Mode and Karpenter would "
            f"both own the pools of a group, got kind={retiring.kind}: change to "
            "cluster-autoscaler first"
        )


def _key_problems(
    scaler: Scaler,
    servers: Sequence[ServerGroup],
    jobs: Sequence[JobGroup],
    tags: Mapping[str, str],
) -> Iterator[str]:
    """Compare keys of the stack with those of groups: a role of nodes has both."""
    alone = [f"tags: {line}" for line in case_problems(tags, ("Name",))]
    if alone:
        yield from alone
        return
    pools = scaler.server_pools if isinstance(scaler, Karpenter) else ()
    for path, groups in (
        ("servers", servers),
        ("jobs", jobs),
        ("scaler.server_pools", pools),
    ):
        for place, group in enumerate(groups):
            both = {**tags, **group.tags}
            for line in case_problems(both, ("Name",)):
                yield f"{path}[{place}]: {line}"


def _karpenter_problems(
    karpenter: Karpenter,
    servers: Sequence[ServerGroup],
    jobs: Sequence[JobGroup],
    cluster_version: str,
) -> Iterator[str]:
    needed = KARPENTER_NEEDED.get(cluster_version)
    if needed is not None and parsed(karpenter.version) < needed:
        yield (
            f"scaler: version must be {'.'.join(map(str, needed))} or newer for "
            f"Kubernetes {cluster_version}, got version={karpenter.version}"
        )
    unused = own_images(jobs) and not karpenter.server_pools
    if karpenter.ami_alias is not None and unused:
        yield (
            "scaler: ami_alias must be left out when every job group has its own "
            "ami_id and there are no server_pools, "
            f"got ami_alias={karpenter.ami_alias}"
        )
    names = [group.name for group in jobs]
    yield from _scaler_lines(unknown_groups("pools", karpenter.pools, names))
    taken = [*names, *(group.name for group in servers)]
    for place, pool in enumerate(karpenter.server_pools):
        path = f"scaler.server_pools[{place}]"
        others = [one.name for one in karpenter.server_pools[:place]]
        if pool.name in [*taken, *others]:
            yield f"{path}: name must be used once, got name={pool.name}"
        yield from (f"{path}: {line}" for line in _node_problems(pool))


def _karpenter_group(karpenter: Karpenter, group: JobGroup) -> Iterator[str]:
    yield from _no_empty_nodes("Karpenter", group)
    yield from _node_problems(group)
    yield from lifetime_problems(karpenter.rules(group.name), group.longest_job)


def _node_problems(group: NodeGroup) -> Iterator[str]:
    """List what Karpenter refuses of any group."""
    yield from label_problems(group)
    yield from tag_problems(group.tags)
    for part in group.user_data:
        yield from user_data_problems(part)
    if group.volume.size_gib > LARGEST_VOLUME_GIB:
        yield (
            f"volume.size_gib must be at most {LARGEST_VOLUME_GIB} with Karpenter, "
            f"got size_gib={group.volume.size_gib}"
        )


def _auto_mode_group(auto_mode: AutoMode, group: JobGroup) -> Iterator[str]:
    yield from _no_empty_nodes("EKS Auto Mode", group)
    yield from label_problems(group)
    yield from tag_problems(group.tags)
    yield from auto_mode_nodes.unsupported(group)
    if group.name in _GROUP_NAMES:
        yield (
            "name must not be that of a pool of EKS Auto Mode "
            f"({', '.join(_GROUP_NAMES)}), got name={group.name}"
        )
    yield from auto_lifetime_problems(auto_mode.rules(group.name), group.longest_job)


def _autoscaler_problems(
    autoscaler: ClusterAutoscaler, names: Sequence[str], cluster_version: str
) -> Iterator[str]:
    if autoscaler.install or autoscaler.version is not None:
        yield from autoscaler_version_problems(autoscaler.version, cluster_version)
    yield from unknown_groups("priorities", autoscaler.priorities, names)
    yield from unknown_groups("options", autoscaler.options, names)


def _autoscaler_group(
    autoscaler: ClusterAutoscaler,
    group: JobGroup,
    zones: int | None,
) -> Iterator[str]:
    yield from group_driver_problems(group)
    if autoscaler.groups == "managed":
        yield from managed_problems(autoscaler, group, zones)


def _no_empty_nodes(scaler: str, group: JobGroup) -> Iterator[str]:
    if group.size.min:
        yield (
            f"size.min must be 0 with {scaler}, which keeps no empty nodes, "
            f"got size.min={group.size.min}: use scaler kind cluster-autoscaler, or "
            "balloons, for capacity that waits"
        )


def _each(
    jobs: Sequence[JobGroup], check: Callable[[JobGroup], Iterator[str]]
) -> Iterator[str]:
    for place, group in enumerate(jobs):
        yield from (f"jobs[{place}]: {line}" for line in check(group))


def _scaler_lines(lines: Iterator[str]) -> Iterator[str]:
    yield from (f"scaler: {line}" for line in lines)
