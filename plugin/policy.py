"""`JobPolicy`, on any cluster that a program has a provider for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from components import (
    JobGroup,
    JobPolicy,
    JobPolicyArgs,
    JobPolicySettings,
    Scaler,
    SchedulerScoring,
    ServerGroup,
)
from components.spec.scaler.plan import scaler_facts
from infra import reader
from plugin.offer import Made, Offer, inputs_of, reached

__all__ = ["POLICY"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyInputs:
    """
    Inputs of `JobPolicy`, named as in a stack file.

    Args:
        version: Kubernetes version of the cluster, such as 1.36.
        policy: What makes a pod a job, and what happens to it.
        scalers: What adds and removes nodes, as far as it is known; each must honour
            the protection.
        servers: Server groups of the cluster; Kyverno is installed on one.
        jobs: Job groups of the cluster, for warnings about their size.
        scheduler: Scoring of the scheduler of the cluster; packing by the scheduler
            needs one.
    """

    version: str
    policy: JobPolicySettings = JobPolicySettings()
    scalers: tuple[Scaler, ...] = ()
    servers: tuple[ServerGroup, ...] = ()
    jobs: tuple[JobGroup, ...] = ()
    scheduler: SchedulerScoring | None = None


def _make(name: str, values: Mapping[str, Any], opts: pulumi.ResourceOptions) -> Made:
    read = reader.build(PolicyInputs, "", values)
    policy = JobPolicy(
        name,
        JobPolicyArgs(
            cluster=reached(read.version, opts),
            settings=read.policy,
            scalers=tuple(
                facts
                for scaler in read.scalers
                for facts in scaler_facts(scaler, None, read.version)
            ),
            servers=read.servers,
            jobs=read.jobs,
            scheduler=read.scheduler,
        ),
        opts,
    )
    label = read.policy.label
    return Made(
        component=policy,
        outputs={"engine": policy.engine, "label": {label.key: label.value}},
    )


POLICY = Offer(
    text=(
        "Label, affinity and protection for every job pod that is created from now on, "
        "on any cluster. Its provider for Kubernetes is the one in `providers`."
    ),
    inputs=inputs_of(PolicyInputs),
    outputs={"engine": str, "label": Mapping[str, str]},
    make=_make,
)
