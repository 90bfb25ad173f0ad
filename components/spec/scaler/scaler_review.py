"""What a scaler accepts and will not honour, or what it can cost a job."""

from collections.abc import Iterator, Sequence

from ..group_review import Notice
from ..groups import JobGroup, NodeGroup, ServerGroup
from .auto_mode import AutoMode
from .auto_mode_nodes import not_applied
from .cluster_autoscaler import ClusterAutoscaler
from .duration import seconds
from .instance_store import review_disks
from .karpenter import Karpenter
from .placement import room_for
from .pool_review import review_rules
from .settings import Scaler
from .versions import KARPENTER_NEEDED

__all__ = ["review_scaler"]

_QUICK = 300

# Who launches nodes, and so must be let by the policy of a key.
_AUTO_SCALING = "the role AWSServiceRoleForAutoScaling"
_KARPENTER, _EKS = "the role of the controller", "the role of the cluster"
_DROP_INS = "/etc/eks/nodeadm.d"


def review_scaler(
    scaler: Scaler,
    *,
    servers: Sequence[ServerGroup] = (),
    jobs: Sequence[JobGroup],
    cluster_version: str,
) -> tuple[Notice, ...]:
    """
    List what is worth knowing about a scaler that `validate_scaler` lets pass.

    Args:
        scaler: The scaler.
        servers: Server groups, in the order of the stack file.
        jobs: Job groups, in the order of the stack file.
        cluster_version: Version of Kubernetes, `1.36`.
    """
    keys = _keys("servers", servers, _AUTO_SCALING)
    if isinstance(scaler, Karpenter):
        return (
            *keys,
            *_karpenter(scaler, servers, cluster_version),
            *_karpenter_groups(scaler, jobs),
        )
    if isinstance(scaler, AutoMode):
        return (*keys, *_auto_mode(scaler, jobs))
    return (*keys, *_keys("jobs", jobs, _AUTO_SCALING), *_autoscaler(scaler, jobs))


def _karpenter(
    karpenter: Karpenter, servers: Sequence[ServerGroup], cluster_version: str
) -> Iterator[Notice]:
    if cluster_version not in KARPENTER_NEEDED:
        yield Notice(
            path="scaler.version",
            text=f"whether Karpenter {karpenter.version} serves Kubernetes "
            f"{cluster_version} is not known here (up to {list(KARPENTER_NEEDED)[-1]})",
        )
    if (karpenter.ami_alias or "").endswith("@latest"):
        yield Notice(
            path="scaler.ami_alias",
            text=f"{karpenter.ami_alias} replaces every node whenever AWS releases an "
            "image: name a release",
        )
    yield from _keys("scaler.server_pools", karpenter.server_pools, _KARPENTER)
    for place, pool in enumerate(karpenter.server_pools):
        yield from review_disks(f"scaler.server_pools[{place}]", pool, karpenter)
    if karpenter.install:
        yield from _controller(karpenter, servers)
    if servers and not karpenter.server_pools:
        yield Notice(
            path="scaler.server_pools",
            text="none: Karpenter does not scale the managed groups of servers, which "
            "stay at size.min",
            severity="info",
        )


def _controller(
    karpenter: Karpenter, servers: Sequence[ServerGroup]
) -> Iterator[Notice]:
    room = room_for(servers)
    if servers and room < karpenter.replicas:
        yield Notice(
            path="scaler.replicas",
            text=f"{karpenter.replicas} replicas want a node each, server groups "
            f"without taints keep {room}: the rest waits; raise size.min or lower "
            "replicas",
        )
    if karpenter.preference_policy == "Ignore":
        yield Notice(
            path="scaler.preference_policy",
            text="Ignore holds for the whole cluster: preferred affinity and "
            "ScheduleAnyway spreads of servers are not planned for either",
            severity="info",
        )
    if karpenter.feature_gates.get("nodeRepair"):
        yield Notice(
            path="scaler.feature_gates[nodeRepair]",
            text="a node that is taken for broken goes with its jobs, whatever their "
            "annotations say",
        )


def _karpenter_groups(
    karpenter: Karpenter, jobs: Sequence[JobGroup]
) -> Iterator[Notice]:
    for place, group in enumerate(jobs):
        path, limit = f"jobs[{place}]", group.longest_job
        if limit is None:
            yield Notice(
                path=f"{path}.longest_job",
                text="not given: a node that drains waits for its jobs without an "
                "end, one that hangs keeps its node and holds up `pulumi destroy`",
                severity="info",
            )
        yield from _cheapest(path, group)
        yield from _drop_ins(path, group)
        yield from review_disks(path, group, karpenter)
        yield from _key(path, group, _KARPENTER)
        rules = karpenter.rules(group.name)
        yield from review_rules(f"scaler.pools[{group.name}]", rules, limit)


def _auto_mode(auto_mode: AutoMode, jobs: Sequence[JobGroup]) -> Iterator[Notice]:
    for place, group in enumerate(jobs):
        path, limit = f"jobs[{place}]", group.longest_job
        yield Notice(
            path=f"{path}.kubelet",
            text="EKS Auto Mode does not apply the defaults "
            f"{', '.join(not_applied(group))}: it decides itself, 110 pods at most",
        )
        if limit is None:
            yield Notice(
                path=f"{path}.longest_job",
                text="not given: EKS Auto Mode ends jobs 24h after their node began to "
                "drain, and it drains for new images about every week",
            )
        yield from _cheapest(path, group)
        yield from _key(path, group, _EKS)
        rules, pool = auto_mode.rules(group.name), f"scaler.pools[{group.name}]"
        yield from review_rules(pool, rules, limit)
        if not any("Drifted" in one.reasons for one in rules.budgets):
            yield Notice(
                path=f"{pool}.budgets",
                text="none for Drifted: new images drain nodes at any hour, about "
                "every week",
            )


def _autoscaler(
    autoscaler: ClusterAutoscaler, jobs: Sequence[JobGroup]
) -> Iterator[Notice]:
    delay = autoscaler.scale_down_delay_after_add
    if autoscaler.install and seconds(delay) < _QUICK:
        yield Notice(
            path="scaler.scale_down_delay_after_add",
            text=f"{delay} is below 5m: a node may go before the jobs that it was made "
            "for have started on it",
        )
    provision = autoscaler.max_node_provision_time
    if autoscaler.install and seconds(provision) < _QUICK:
        yield Notice(
            path="scaler.max_node_provision_time",
            text=f"{provision} is below 5m: an instance that boots slowly is ended "
            "before it joins, and so is the one that comes in its place",
        )
    for name, options in autoscaler.options.items():
        path = f"scaler.options[{name}]"
        if seconds(options.unneeded_time) < _QUICK:
            yield Notice(
                path=f"{path}.unneeded_time",
                text=f"{options.unneeded_time} is below 5m: a node goes in a short gap "
                "between two jobs, and comes again",
            )
        if options.utilization_threshold > 0.01:
            yield Notice(
                path=f"{path}.utilization_threshold",
                text=f"below {options.utilization_threshold:g} jobs are moved: only "
                "their annotation keeps them",
            )
        if not options.ignore_daemonsets:
            yield Notice(
                path=f"{path}.ignore_daemonsets",
                text="false: with the pods of DaemonSets an empty node may count as "
                "used, and stay for ever",
            )
    for place, group in enumerate(jobs):
        path = f"jobs[{place}]"
        yield from review_disks(path, group, autoscaler)
        yield from _taints(f"{path}.taints", group, autoscaler)
    if autoscaler.groups == "managed" and jobs:
        yield Notice(
            path="scaler.groups",
            text="managed: an update of a node group evicts its jobs, whatever their "
            "annotations say, and each has its own grace period, 30 seconds by "
            "default; update when none runs",
        )


def _taints(
    path: str, group: NodeGroup, autoscaler: ClusterAutoscaler
) -> Iterator[Notice]:
    for place, taint in enumerate(group.taints):
        if taint.startup and not autoscaler.install:
            yield Notice(
                path=f"{path}[{place}]",
                text="give your own Cluster Autoscaler the flag "
                f"--startup-taint={taint.key}, or it makes a second node for jobs that "
                "wait for the first",
            )
        stays = taint.effect == "NoExecute" and not taint.startup
        if stays and autoscaler.groups == "managed":
            yield Notice(
                path=f"{path}[{place}]",
                text=f"{taint.kubernetes}: EKS gives taints of a managed group to "
                "nodes that run as well, and this one ends jobs there that do not "
                "tolerate it; add it when none runs",
            )


def _cheapest(path: str, group: NodeGroup) -> Iterator[Notice]:
    if len(group.instance_types) > 1:
        yield Notice(
            path=f"{path}.instance_types",
            text="the cheapest type that fits is bought, whatever their order",
            severity="info",
        )


def _keys(field: str, groups: Sequence[NodeGroup], user: str) -> Iterator[Notice]:
    for place, group in enumerate(groups):
        yield from _key(f"{field}[{place}]", group, user)


def _key(path: str, group: NodeGroup, user: str) -> Iterator[Notice]:
    if group.volume.kms_key_id is not None:
        yield Notice(
            path=f"{path}.volume.kms_key_id",
            text=f"the policy of the key must let {user} use it and create grants, or "
            "no node starts",
        )


def _drop_ins(path: str, group: NodeGroup) -> Iterator[Notice]:
    for place, part in enumerate(group.user_data):
        if part.kind == "shell" and _DROP_INS in part.content:
            yield Notice(
                path=f"{path}.user_data[{place}]",
                text=f"writes below {_DROP_INS}, which wins over Karpenter: when it "
                "changes pods or reserved resources, nodes come that fit no pod",
            )
