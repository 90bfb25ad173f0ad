"""A pool of a fixed number of nodes beside the one of its group."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..groups import JobGroup
from ..instance_types import InstanceTypes
from ..scaler.auto_mode import AutoMode
from ..scaler.karpenter import Karpenter
from ..scaler.lifetime import Lifetime, auto_lifetime, lifetime
from ..scaler.node_pool import (
    AUTO_NODE_CLASS,
    EC2_NODE_CLASS,
    node_pool,
)
from .settings import AnyBalloon, StaticBalloon

__all__ = ["beside_static", "static_life", "static_nodes", "static_pool"]


def static_pool(
    balloon: StaticBalloon,
    group: JobGroup,
    scaler: Karpenter | AutoMode,
    instance_types: InstanceTypes,
) -> dict[str, Any]:
    """
    Return the NodePool of a static balloon.

    Nodes are those of the group, of its node class and with its rules; a weight and
    a limit of cores are not for static pools. A fifth more nodes than it has, one at
    least, may stand while nodes are replaced, as many as the default budget replaces
    at once.

    Args:
        balloon: The balloon.
        group: Its job group.
        scaler: What makes its nodes.
        instance_types: Facts about its types.

    Shape:
        NodePool of karpenter.sh/v1 with `replicas`.

    Sources:
        CRD of NodePool, Karpenter 1.15: only `limits.nodes`, and no `weight`.
    """
    node_class = AUTO_NODE_CLASS if isinstance(scaler, AutoMode) else EC2_NODE_CLASS
    pool = node_pool(
        group,
        replace(scaler.rules(group.name), weight=None),
        static_life(group, scaler),
        node_class,
        instance_types,
    )
    surge = max(1, -(-balloon.nodes // 5))
    return {
        **pool,
        "metadata": {"name": balloon.object_name},
        "spec": {
            **pool["spec"],
            "replicas": balloon.nodes,
            "limits": {"nodes": str(balloon.nodes + surge)},
        },
    }


def static_life(group: JobGroup, scaler: Karpenter | AutoMode) -> Lifetime:
    """Return how long nodes of a static pool live: as long as those of its group."""
    life = auto_lifetime if isinstance(scaler, AutoMode) else lifetime
    return life(scaler.rules(group.name), group.longest_job)


def static_nodes(balloons: Sequence[AnyBalloon], group: str) -> int:
    """Count the nodes of the static pools of a group."""
    return sum(
        one.nodes
        for one in balloons
        if isinstance(one, StaticBalloon) and one.group == group
    )


def beside_static(
    jobs: Sequence[JobGroup], balloons: Sequence[AnyBalloon]
) -> tuple[JobGroup, ...]:
    """
    Return the groups as their other pools see them.

    The nodes of static pools count towards `size.max`, so the rest is less.

    Args:
        jobs: Job groups.
        balloons: Balloons that `validate_balloons` lets pass.
    """
    return tuple(
        replace(group, size=replace(group.size, max=group.size.max - taken))
        if taken
        else group
        for group in jobs
        for taken in [static_nodes(balloons, group.name)]
    )
