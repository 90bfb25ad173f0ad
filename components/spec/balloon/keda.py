"""KEDA: what follows the schedules of balloons, and how it is installed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..groups import ServerGroup
from ..helm import KEPT
from ..policy.checks import SYSTEM_NAMESPACES, namespace_problems
from ..problems import refuse
from ..scaler.checks import Resources, idle_problems
from ..scaler.placement import on_servers
from ..scaler.versions import version_problems
from .settings import AnyBalloon, PodBalloon

__all__ = [
    "KEDA_TESTED",
    "KEDA_TOLERANCE",
    "KEDA_VERSION",
    "Keda",
    "KedaRelease",
    "keda_chart",
    "keda_release",
    "scheduled",
]

KEDA_VERSION = "2.20.2"
"""
Version of KEDA and of its chart when a stack names none.

Sources: releases of kedacore/charts; the CRDs of this version were read.
"""

KEDA_TESTED = {"2.20": ("1.33", "1.35")}
"""
Oldest and newest Kubernetes with which KEDA is tested, by its minor version.

Sources: KEDA documentation, 2.20, operate, cluster.
"""


KEDA_TOLERANCE = (2, 18, 0)
"""
Oldest KEDA whose ScaledObject has the tolerance of an HPA.

Sources: KEDA documentation, 2.18, ScaledObject; kedacore/keda-docs#1659.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Keda:
    """
    How KEDA gets into the cluster. It is installed when a balloon has a schedule.

    A cluster has one KEDA: only one server of external metrics can be registered. It
    scales whatever else has a ScaledObject too.

    Args:
        install: Install it; false when the cluster has it already. The fields below
            are for an installation of ours.
        version: Version of KEDA and of its chart.
        namespace: Where it runs.
        resources: What each of its three parts requests: operator, metrics server
            and webhooks, one replica of each. While one is down balloons stay as
            they are.

    Raises:
        ValueError: A value would be refused, or would do nothing. All problems are
            named.

    Sources:
        100m and 100Mi: requests of the chart; its limit of memory is 1000Mi, and
        256Mi a guess for few objects.
    """

    install: bool = True
    version: str = KEDA_VERSION
    namespace: str = "keda"
    resources: Resources = Resources(cpu="100m", memory="256Mi")

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        yield from version_problems("version", self.version)
        yield from namespace_problems("namespace", (self.namespace,))
        if self.namespace in SYSTEM_NAMESPACES:
            yield (
                f"namespace must be one of its own, got namespace={self.namespace!r}"
            )
        if not self.install:
            yield from idle_problems(
                self, ("version", "namespace", "resources"), "install: true"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class KedaRelease:
    """
    The Helm release of KEDA.

    Args:
        version: Version of the chart.
        namespace: Where it runs.
        values: Values of the chart.
    """

    version: str
    namespace: str
    values: dict[str, Any]

    name = "keda"
    chart = "keda"
    repository = "https://kedacore.github.io/charts"


def scheduled(balloons: Sequence[AnyBalloon]) -> bool:
    """Tell whether any balloon has a schedule, which is what KEDA is for."""
    return any(
        isinstance(one, PodBalloon) and one.schedule is not None for one in balloons
    )


def keda_release(
    keda: Keda, balloons: Sequence[AnyBalloon], servers: Sequence[ServerGroup]
) -> KedaRelease | None:
    """
    Return the release to install, None when no balloon needs one of ours.

    Args:
        keda: The settings.
        balloons: All balloons.
        servers: See `keda_chart`.
    """
    if not keda.install or not scheduled(balloons):
        return None
    return keda_chart(keda, servers)


def keda_chart(keda: Keda, servers: Sequence[ServerGroup]) -> KedaRelease:
    """
    Return the release of KEDA.

    Args:
        keda: The settings.
        servers: Server groups, on which it runs. Without any, nothing but the taints
            of job groups keeps it where it belongs.

    Shape:
        Values of chart keda 2.20; left out is what its defaults do already.

    Sources:
        Chart keda, values.yaml: the placement holds for all three parts; its README,
        `crds.additionalAnnotations`.
    """
    needs = keda.resources.requirements()
    return KedaRelease(
        version=keda.version,
        namespace=keda.namespace,
        values={
            # Schedules stay when the release goes: another KEDA goes on with them.
            "crds": {"install": True, "additionalAnnotations": dict(KEPT)},
            "nodeSelector": {"kubernetes.io/os": "linux"},
            **on_servers(servers),
            "resources": {
                part: {key: dict(value) for key, value in needs.items()}
                for part in ("operator", "metricServer", "webhooks")
            },
        },
    )
