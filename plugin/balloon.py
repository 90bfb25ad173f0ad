"""`Balloon`, for a job group of any cluster that a program has a provider for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from components import (
    Balloon,
    BalloonArgs,
    BufferBalloon,
    InstanceType,
    InstanceTypes,
    JobGroup,
    JobPolicySettings,
    PodBalloon,
    Scaler,
    StaticBalloon,
)
from components.spec.balloon.settings import NAMESPACE
from infra import reader
from plugin.offer import Made, Offer, inputs_of, reached

__all__ = ["BALLOON"]


@dataclass(frozen=True, kw_only=True, slots=True)
class BalloonInputs:
    """
    Inputs of `Balloon`, named as in a stack file.

    Args:
        version: Kubernetes version of the cluster, such as 1.36.
        balloon: What waits: an item of balloons in a stack file.
        group: The job group that it waits for: an item of jobs in a stack file.
        scaler: What makes nodes.
        policy: What happens to job pods, as far as it is known.
        instance_types: Facts about types that the bundled table lacks or has wrong.
        namespace: Where its objects live; it must exist.
    """

    version: str
    balloon: PodBalloon | BufferBalloon | StaticBalloon
    group: JobGroup
    scaler: Scaler
    policy: JobPolicySettings | None = None
    instance_types: tuple[InstanceType, ...] = ()
    namespace: str = NAMESPACE


def _make(name: str, values: Mapping[str, Any], opts: pulumi.ResourceOptions) -> Made:
    read = reader.build(BalloonInputs, "", values)
    balloon = Balloon(
        name,
        BalloonArgs(
            cluster=reached(read.version, opts),
            balloon=read.balloon,
            group=read.group,
            scaler=read.scaler,
            policy=read.policy,
            instance_types=InstanceTypes.bundled().including(read.instance_types),
            namespace=read.namespace,
        ),
        opts,
    )
    return Made(component=balloon, outputs={"name": read.balloon.object_name})


BALLOON = Offer(
    text=(
        "Room on nodes of a job group that a job gets at once, while the next node "
        "starts. Its provider for Kubernetes is the one in `providers`."
    ),
    inputs=inputs_of(BalloonInputs),
    outputs={"name": str},
    make=_make,
)
