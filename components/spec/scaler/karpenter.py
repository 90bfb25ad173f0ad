"""Karpenter: what a team says about it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ..groups import NodeGroup
from ..kubelet import KubeletTuning
from ..problems import refuse
from ..volume import Gp3Volume
from .checks import (
    Resources,
    idle_problems,
    replica_problems,
)
from .duration import duration_problems
from .feature_gates import gate_problems
from .pool import Budget, PoolRules
from .versions import (
    KARPENTER_OLDEST,
    KARPENTER_VERSION,
    parsed,
    version_problems,
)

__all__ = ["Karpenter", "PreferencePolicy", "ServerPool"]

PreferencePolicy = Literal["Ignore", "Respect"]

_ALIAS = re.compile(r"(?P<family>[a-zA-Z0-9]+)@(?P<version>v\d{8}|latest)")
_ROLE_NAME = re.compile(r"[\w+=,.@-]{1,64}")
_PROFILE_NAME = re.compile(r"[\w+=,.@-]{1,128}")
_OF_THE_CONTROLLER = (
    "preference_policy",
    "feature_gates",
    "replicas",
    "resources",
    "batch_idle_duration",
    "batch_max_duration",
    "rebalance_events",
)
_EXTENDED_KUBELET_SINCE = (1, 15)


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerPool(NodeGroup):
    """
    Nodes for servers that Karpenter adds to those of the managed groups.

    The managed groups keep the controller and DNS alive; nothing scales them when
    Karpenter is the scaler, so what they cannot hold goes here.

    Args:
        kubelet: Limits of the kubelet. None leaves them to Karpenter.
        volume: Root volume, as fast as gp3 is without extra cost.
        pool: When it gives nodes back; servers may be moved.

    Raises:
        ValueError: See `NodeGroup`.

    Sources:
        3,000 IOPS and 125 MiB/s: what every gp3 volume has. 10 % of the nodes and
        720h: the defaults of Karpenter.
    """

    kubelet: KubeletTuning | None = None
    volume: Gp3Volume = Gp3Volume(size_gib=100, iops=3_000, throughput_mib=125)
    pool: PoolRules = PoolRules(
        consolidation_policy="WhenEmptyOrUnderutilized",
        consolidate_after="5m",
        budgets=(Budget(nodes="10%"),),
        expire_after="720h",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Karpenter:
    """
    Nodes by Karpenter: each job group becomes a NodePool and an EC2NodeClass.

    Args:
        version: Version of the controller and of both charts.
        install: Whether the controller is installed: its charts, policies, queue
            and event rules. Off for teams that run it already; then *version* says
            which one runs.
        preference_policy: Whether preferred affinity counts as required while nodes
            are planned. It holds for the whole cluster. `Ignore` leaves packing to
            kube-scheduler.
        feature_gates: Gates of the controller, on or off, by name.
        replicas: Controllers, on nodes of servers, one a node, 1 to 5.
        resources: What a controller requests.
        batch_idle_duration: How long no pod must come before nodes are planned.
        batch_max_duration: How long pods are collected at most. Longer means fewer
            and larger nodes for a burst.
        rebalance_events: Whether rebalance recommendations of spot nodes are heard.
        extended_kubelet: Write all kubelet limits into the node class, not only
            those that every version knows; needs Karpenter 1.15.
        ami_alias: Images, `al2023@v20260714`. None is the release of the cluster,
            which is left out otherwise.
        node_role: Name of a role of yours with an access entry. None makes both, and
            takes both away when it is set later, from nodes that run as well: their
            jobs end.
        instance_profile: Name of an instance profile of yours instead of a role,
            for networks without a way to IAM. Set later it ends jobs as *node_role*
            does, and old versions of Karpenter refuse the change.
        pools: Rules by the name of a job group; the others have those of
            `PoolRules`.
        server_pools: Pools for servers.

    Raises:
        ValueError: A value does not fit this version, or would do nothing. All
            problems are named.

    Sources:
        Ignore: karpenter-provider-aws#6086, preferred affinity to jobs keeps nodes
        from being planned and consolidated. 1 core and 1Gi: Karpenter, getting
        started. 1s and 10s, two replicas: defaults of its chart.
    """

    kind: ClassVar[Literal["karpenter"]] = "karpenter"

    version: str = KARPENTER_VERSION
    install: bool = True
    preference_policy: PreferencePolicy = "Ignore"
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    replicas: int = 2
    resources: Resources = Resources(cpu="1", memory="1Gi")
    batch_idle_duration: str = "1s"
    batch_max_duration: str = "10s"
    rebalance_events: bool = True
    extended_kubelet: bool = False
    ami_alias: str | None = None
    node_role: str | None = None
    instance_profile: str | None = None
    pools: Mapping[str, PoolRules] = field(default_factory=dict)
    server_pools: tuple[ServerPool, ...] = ()

    def __post_init__(self) -> None:
        refuse(version_problems("version", self.version) or self._problems())

    def rules(self, group: str) -> PoolRules:
        """Return the rules of a job group."""
        return self.pools.get(group, PoolRules())

    def alias(self, ami_release: str) -> str:
        """Return the alias of the images, from the AMI release of the cluster."""
        return self.ami_alias or f"al2023@{ami_release}"

    def _problems(self) -> Iterator[str]:
        number = parsed(self.version)
        if number < KARPENTER_OLDEST:
            yield (
                f"version must be {'.'.join(map(str, KARPENTER_OLDEST))} or newer, "
                "the first that can leave preferred affinity to the scheduler, "
                f"got version={self.version}"
            )
        if self.preference_policy not in ("Ignore", "Respect"):
            yield (
                "preference_policy must be Ignore or Respect, "
                f"got preference_policy={self.preference_policy}"
            )
        yield from gate_problems(self.feature_gates, self.version)
        yield from replica_problems(self.replicas)
        yield from duration_problems("batch_idle_duration", self.batch_idle_duration)
        yield from duration_problems("batch_max_duration", self.batch_max_duration)
        if self.extended_kubelet and number[:2] < _EXTENDED_KUBELET_SINCE:
            yield (
                "extended_kubelet needs Karpenter 1.15 or newer, which takes more "
                f"than twelve kubelet fields, got version={self.version}"
            )
        yield from _alias_problems(self.ami_alias)
        yield from self._identity_problems()
        for name, rules in self.pools.items():
            yield from _version_rules(f"pools[{name}]", rules, self.version)
        for pool in self.server_pools:
            yield from _server_problems(pool, self.version)
        if not self.install:
            yield from idle_problems(self, _OF_THE_CONTROLLER, "install: true")

    def _identity_problems(self) -> Iterator[str]:
        role, profile = self.node_role, self.instance_profile
        if role is not None and profile is not None:
            yield (
                "node_role and instance_profile exclude each other, "
                f"got node_role={role}, instance_profile={profile}"
            )
        if role is not None and not _ROLE_NAME.fullmatch(role):
            yield f"node_role must be a name, not an ARN, got node_role={role}"
        if profile is not None and not _PROFILE_NAME.fullmatch(profile):
            yield (
                "instance_profile must be a name, not an ARN, "
                f"got instance_profile={profile}"
            )


def _alias_problems(alias: str | None) -> Iterator[str]:
    if alias is None:
        return
    found = _ALIAS.fullmatch(alias)
    if found is None:
        yield (
            "ami_alias must be a family and a release such as al2023@v20260714, "
            f"got ami_alias={alias}"
        )
    elif found["family"] != "al2023":
        yield (
            "ami_alias must be of al2023, the only family that the user data of a "
            f"group is written for, got ami_alias={alias}"
        )


def _version_rules(field_name: str, rules: PoolRules, version: str) -> Iterator[str]:
    number = parsed(version)[:2]
    if rules.consolidation_policy == "Balanced" and number < (1, 14):
        yield (
            f"{field_name}.consolidation_policy Balanced needs Karpenter 1.14 or "
            f"newer, got version={version}"
        )
    if number < (1, 15) and any("Unhealthy" in one.reasons for one in rules.budgets):
        yield (
            f"{field_name}.budgets with the reason Unhealthy need Karpenter 1.15 or "
            f"newer, got version={version}"
        )


def _server_problems(pool: ServerPool, version: str) -> Iterator[str]:
    if pool.size.min:
        yield (
            f"server_pools[{pool.name}].size.min must be 0, Karpenter keeps no empty "
            f"nodes: give servers that must run a managed group, got {pool.size.min}"
        )
    yield from _version_rules(f"server_pools[{pool.name}].pool", pool.pool, version)
