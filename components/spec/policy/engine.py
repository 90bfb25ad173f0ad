"""Which engine runs the policy on a cluster."""

import re
from collections.abc import Iterator
from typing import Literal

from ..problems import refuse

__all__ = [
    "KYVERNO_CHART",
    "KYVERNO_CHART_VERSION",
    "KYVERNO_REPOSITORY",
    "Engine",
    "EngineChoice",
    "chart_problems",
    "choose_engine",
    "engine_warnings",
    "minor",
]

Engine = Literal["native", "kyverno", "kyverno-legacy"]
EngineChoice = Literal["auto", "native", "kyverno", "kyverno-legacy"]

KYVERNO_REPOSITORY = "https://kyverno.github.io/kyverno"
KYVERNO_CHART = "kyverno"
KYVERNO_CHART_VERSION = "3.9.1"
"""
The chart that is installed unless another is named; it brings Kyverno 1.19.1.

Sources:
    Chart of kyverno/kyverno v1.19.1.
"""

_CHART_VERSION = re.compile(r"v?(\d+)\.(\d+)\.\d+(?:-[0-9A-Za-z.-]+)?")
# MutatingAdmissionPolicy v1 is served and on from here; EKS lets nobody switch on
# the beta before it.
_NATIVE_SINCE = 36
# Chart 3.7 brings Kyverno 1.17, the first with MutatingPolicy v1; chart 3.10 brings
# 1.20, which keeps ClusterPolicies without running them.
_MUTATING_POLICY_SINCE = (3, 7)
_CLUSTER_POLICY_BEFORE = (3, 10)
# What Kyverno 1.19 says it supports.
_KYVERNO_TESTED = (33, 35)


def minor(cluster_version: str) -> int:
    """Return 36 of `1.36`."""
    return int(cluster_version.split(".")[1])


def chart_problems(version: str | None) -> Iterator[str]:
    """Say why a version of Kyverno's chart cannot be used at all."""
    if version is None:
        return
    if not isinstance(version, str) or not _CHART_VERSION.fullmatch(version):
        yield (
            "chart_version must be one version such as "
            f"{KYVERNO_CHART_VERSION}, got chart_version={version!r}"
        )
    elif _chart(version) < _MUTATING_POLICY_SINCE:
        yield (
            "chart_version must be 3.7.0 or newer, the first with MutatingPolicy "
            f"v1, got chart_version={version!r}"
        )


def choose_engine(
    choice: EngineChoice,
    *,
    cluster_version: str,
    install: bool = True,
    chart_version: str | None = None,
) -> Engine:
    """
    Return the engine for a cluster.

    Args:
        choice: What the settings say.
        cluster_version: Version of Kubernetes, as `1.36`.
        install: Whether Kyverno is installed by this library.
        chart_version: Version of its chart, None for the pinned or an unknown one.

    Raises:
        ValueError: The cluster or the chart does not run that engine.

    Sources:
        kubernetes, pkg/features: GA and on in 1.36. Kyverno: deprecations of 1.17,
        kyverno#17701, #17708.
    """
    if choice == "auto":
        return "native" if minor(cluster_version) >= _NATIVE_SINCE else "kyverno"
    problems = []
    if choice == "native" and minor(cluster_version) < _NATIVE_SINCE:
        problems.append(
            f"engine=native needs Kubernetes 1.{_NATIVE_SINCE} or newer, got version "
            f"{cluster_version}: use auto or kyverno"
        )
    if choice == "kyverno-legacy":
        problems += _legacy_problems(
            chart_version or (KYVERNO_CHART_VERSION if install else None)
        )
    refuse(problems)
    return choice


def engine_warnings(
    engine: Engine, *, cluster_version: str, chart_version: str | None
) -> Iterator[str]:
    """Say what an engine that works may still cost."""
    if engine == "native":
        return
    low, high = _KYVERNO_TESTED
    chart = chart_version or KYVERNO_CHART_VERSION
    if not low <= minor(cluster_version) <= high and _chart(chart) == (3, 9):
        yield (
            f"chart {chart} of Kyverno is tested by its makers with Kubernetes "
            f"1.{low} to 1.{high}, the cluster has {cluster_version}"
        )
    if engine == "kyverno-legacy":
        yield (
            "ClusterPolicy is deprecated, and Kyverno 1.20 (chart 3.10) keeps it "
            "without running it: jobs would start unpacked and unprotected; use "
            "engine auto"
        )


def _legacy_problems(chart_version: str | None) -> Iterator[str]:
    if chart_version is None:
        yield (
            "engine=kyverno-legacy needs kyverno.chart_version, to know that it is "
            "below 3.10: Kyverno 1.20 no longer runs ClusterPolicy"
        )
    elif _chart(chart_version) >= _CLUSTER_POLICY_BEFORE:
        yield (
            "engine=kyverno-legacy needs kyverno.chart_version below 3.10, got "
            f"{chart_version}: Kyverno 1.20 no longer runs ClusterPolicy"
        )


def _chart(version: str) -> tuple[int, int]:
    matched = _CHART_VERSION.fullmatch(version)
    assert matched is not None, version
    return int(matched[1]), int(matched[2])
