"""Helm releases in a namespace of their own."""

from collections.abc import Mapping
from typing import Any, Protocol

import pulumi
import pulumi_kubernetes as kubernetes

__all__ = ["chart_release"]


class _Release(Protocol):
    """What `spec` says about a release."""

    @property
    def name(self) -> str: ...
    @property
    def chart(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def repository(self) -> str: ...
    @property
    def namespace(self) -> str: ...
    @property
    def values(self) -> Mapping[str, Any]: ...


def chart_release(
    name: str, release: _Release, opts: pulumi.ResourceOptions
) -> kubernetes.helm.v3.Release:
    """
    Install a chart, and the namespace that it lives in.

    Args:
        name: Logical name.
        release: The release.
        opts: Options of the children, with the provider of the cluster.
    """
    return kubernetes.helm.v3.Release(
        name,
        name=release.name,
        chart=release.chart,
        version=release.version,
        repository_opts={"repo": release.repository},
        namespace=release.namespace,
        create_namespace=True,
        values=dict(release.values),
        opts=opts,
    )
