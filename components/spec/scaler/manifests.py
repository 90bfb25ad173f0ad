"""What job groups become in a cluster whose nodes are made from node pools."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..groups import JobGroup, NodeGroup
from ..instance_types import InstanceTypes
from ..node_config import fact_problems
from ..problems import refused
from .auto_mode import AutoMode
from .auto_mode_nodes import auto_node_class
from .karpenter import Karpenter
from .launch_data import karpenter_launch_data
from .lifetime import (
    Lifetime,
    auto_lifetime,
    drain_limit,
    lifetime,
)
from .node_class import Site, ec2_node_class
from .node_pool import (
    AUTO_NODE_CLASS,
    EC2_NODE_CLASS,
    node_pool,
)
from .pool import PoolRules

__all__ = [
    "PoolObjects",
    "auto_mode_pools",
    "image_problems",
    "karpenter_pools",
    "user_data_refusals",
]

_STAND_IN = Site(
    cluster_name="c" * 100, subnet_ids=("",), security_group_ids=("",), role="role"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolObjects:
    """
    The two objects of one group.

    Args:
        group: The group.
        node_class: The machine; it comes first, and goes last.
        node_pool: How many of them, and when they go.
        life: How long its nodes live.
    """

    group: NodeGroup
    node_class: dict[str, Any]
    node_pool: dict[str, Any]
    life: Lifetime

    @property
    def drain_limit(self) -> str:
        """How long a deletion waits for the nodes of the pool."""
        return drain_limit(self.life)


def karpenter_pools(
    scaler: Karpenter,
    jobs: Sequence[JobGroup],
    site: Site,
    ami_release: str | None,
    instance_types: InstanceTypes,
    *,
    retiring: bool = False,
) -> tuple[PoolObjects, ...]:
    """
    Return the objects of all job groups, then those of the pools for servers.

    Args:
        scaler: The settings.
        jobs: Job groups.
        site: Where nodes are put.
        ami_release: Release of the images, needed unless `image_problems` are none.
        instance_types: Facts about the types.
        retiring: Whether no new nodes come.

    Raises:
        ValueError: A user data is above 16 KiB.
    """

    def objects(group: NodeGroup, rules: PoolRules, life: Lifetime) -> PoolObjects:
        return PoolObjects(
            group=group,
            node_class=ec2_node_class(
                group,
                site,
                scaler.alias(ami_release or ""),
                instance_types,
                extended_kubelet=scaler.extended_kubelet,
            ),
            node_pool=node_pool(
                group, rules, life, EC2_NODE_CLASS, instance_types, retiring=retiring
            ),
            life=life,
        )

    rules = [scaler.rules(group.name) for group in jobs]
    return (
        *(
            objects(group, own, lifetime(own, group.longest_job))
            for group, own in zip(jobs, rules, strict=True)
        ),
        *(
            objects(pool, pool.pool, lifetime(pool.pool, None))
            for pool in scaler.server_pools
        ),
    )


def auto_mode_pools(
    scaler: AutoMode,
    jobs: Sequence[JobGroup],
    site: Site,
    instance_types: InstanceTypes,
    *,
    retiring: bool = False,
) -> tuple[PoolObjects, ...]:
    """
    Return the objects of all job groups.

    Args:
        scaler: The settings.
        jobs: Job groups.
        site: Where nodes are put.
        instance_types: Facts about the types.
        retiring: Whether no new nodes come.
    """
    return tuple(
        PoolObjects(
            group=group,
            node_class=auto_node_class(group, site),
            node_pool=node_pool(
                group,
                scaler.rules(group.name),
                life,
                AUTO_NODE_CLASS,
                instance_types,
                retiring=retiring,
            ),
            life=life,
        )
        for group in jobs
        for life in [auto_lifetime(scaler.rules(group.name), group.longest_job)]
    )


def image_problems(
    scaler: Karpenter, jobs: Sequence[JobGroup], ami_release: str | None
) -> Iterator[str]:
    """Refuse nodes of Karpenter whose image is not named."""
    named = ami_release is not None or scaler.ami_alias is not None
    without = any(group.ami_id is None for group in jobs) or scaler.server_pools
    if without and not named:
        yield (
            "ami_release must be set, such as v20260714, or scaler.ami_alias: nothing "
            "is resolved to the latest image"
        )


def user_data_refusals(
    scaler: Karpenter, jobs: Sequence[JobGroup], instance_types: InstanceTypes
) -> Iterator[str]:
    """List what of a group does not fit its types, or does not fit on a node."""
    groups = [(f"jobs[{place}]", group) for place, group in enumerate(jobs)]
    pools = [
        (f"scaler.server_pools[{place}]", pool)
        for place, pool in enumerate(scaler.server_pools)
    ]
    for path, group in [*groups, *pools]:
        for line in fact_problems(group, instance_types):
            yield f"{path}: {line}"
        yield from refused(
            f"{path}: ",
            _check_launch,
            group,
            instance_types,
            scaler.extended_kubelet,
        )


def _check_launch(
    group: NodeGroup, instance_types: InstanceTypes, extended: bool
) -> None:
    """Refuse a group whose user data would be too large with what Karpenter adds."""
    node_class = ec2_node_class(
        group, _STAND_IN, "", instance_types, extended_kubelet=extended
    )
    karpenter_launch_data(group, node_class)
