"""What the policy becomes on one cluster: its engine, and what that engine needs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..cluster import ClusterSettings
from ..group_review import Notice
from ..groups import JobGroup, ServerGroup
from ..problems import refuse, refused
from ..scheduler import ResourceWeight, SchedulerScoring
from .engine import (
    KYVERNO_CHART,
    KYVERNO_CHART_VERSION,
    KYVERNO_REPOSITORY,
    Engine,
    choose_engine,
)
from .kyverno_chart import kyverno_values
from .packing import resource_weights, scoring_problems
from .policy_review import review_policy
from .protection import ScalerFacts, check_scalers
from .settings import JobPolicySettings

__all__ = [
    "KyvernoRelease",
    "check_policy",
    "engine_of",
    "kyverno_release",
    "policy_notices",
    "validate_policy",
    "with_scoring",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class KyvernoRelease:
    """
    The Helm release of Kyverno.

    Args:
        version: Version of the chart.
        namespace: Where it runs.
        values: Values of the chart.
    """

    version: str
    namespace: str
    values: dict[str, Any]

    name = "kyverno"
    chart = KYVERNO_CHART
    repository = KYVERNO_REPOSITORY


def engine_of(settings: JobPolicySettings, cluster_version: str) -> Engine:
    """
    Return what runs the policy on a cluster of this version, as `1.36`.

    Raises:
        ValueError: The cluster or the chart does not run the engine that was asked
            for.
    """
    return choose_engine(
        settings.engine,
        cluster_version=cluster_version,
        install=settings.kyverno.install,
        chart_version=settings.kyverno.chart_version,
    )


def check_policy(
    settings: JobPolicySettings,
    *,
    cluster_version: str,
    scheduler: SchedulerScoring | None,
    scalers: Iterable[ScalerFacts] = (),
) -> None:
    """
    Refuse a policy that this cluster would not run, or that would not pack on it.

    Args:
        settings: The policy.
        cluster_version: Version of Kubernetes, as `1.36`.
        scheduler: Scoring of the cluster's scheduler, None for that of EKS.
        scalers: What adds and removes its nodes, as far as it is known.

    Raises:
        ValueError: The cluster lacks the engine or the scoring, or a scaler ignores
            the protection. All problems are named.
    """
    strategy = None if scheduler is None else scheduler.strategy
    refuse(
        [
            *refused("", engine_of, settings, cluster_version),
            *refused("", check_scalers, "protection", settings.protection, scalers),
            *scoring_problems(settings.packing, cluster_version, strategy),
        ]
    )


def validate_policy(
    policy: JobPolicySettings,
    cluster: ClusterSettings,
    scalers: Iterable[ScalerFacts] = (),
) -> None:
    """
    Refuse a policy that a cluster with these settings would not run.

    Args:
        policy: The policy.
        cluster: The control plane.
        scalers: What adds and removes its nodes, as far as it is known.

    Raises:
        ValueError: As `check_policy`, with the scoring that the packing brings.
    """
    check_policy(
        policy,
        cluster_version=cluster.version,
        scheduler=with_scoring(cluster, policy).scheduler,
        scalers=scalers,
    )


def kyverno_release(
    settings: JobPolicySettings,
    cluster_version: str,
    servers: Sequence[ServerGroup],
    jobs: Sequence[JobGroup],
) -> KyvernoRelease | None:
    """
    Return the release to install, None when the policy needs none of ours.

    Raises:
        ValueError: None of the groups of servers may hold it. The text names fields
            of `KyvernoSettings`.
    """
    native = settings.engine == "native" or (
        settings.engine == "auto" and engine_of(settings, cluster_version) == "native"
    )
    if native or not settings.kyverno.install:
        return None
    return KyvernoRelease(
        version=settings.kyverno.chart_version or KYVERNO_CHART_VERSION,
        namespace=settings.kyverno.namespace,
        values=kyverno_values(settings.kyverno, servers, jobs),
    )


def policy_notices(
    settings: JobPolicySettings | None, cluster_version: str, jobs: Sequence[JobGroup]
) -> tuple[Notice, ...]:
    """
    List what will not work as well as it may look, on this cluster.

    Args:
        settings: The policy, None when there is none.
        cluster_version: Version of Kubernetes, as `1.36`.
        jobs: Its job groups.
    """
    if settings is None:
        return (
            Notice(
                path="policy",
                text="none: job pods are neither packed nor kept from being ended, "
                "unless their authors see to it",
                severity="info",
            ),
        )
    return review_policy(
        settings,
        engine=engine_of(settings, cluster_version),
        cluster_version=cluster_version,
        most_job_nodes=sum(group.size.max for group in jobs),
    )


def with_scoring(
    cluster: ClusterSettings, policy: JobPolicySettings | None
) -> ClusterSettings:
    """Add the scoring that the packing needs, unless the settings have one."""
    weights = {} if policy is None else resource_weights(policy.packing)
    if not weights or cluster.scheduler is not None:
        return cluster
    resources = tuple(
        ResourceWeight(name=name, weight=weight) for name, weight in weights.items()
    )
    scoring = SchedulerScoring(strategy="MostAllocated", resources=resources)
    return replace(cluster, scheduler=scoring)
