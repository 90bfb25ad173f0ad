"""EKS add-ons, all made in one way."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_aws as aws

from ._children import invoke_with
from .cluster_facts import ClusterFacts

__all__ = ["addon"]


def addon(
    name: str,
    cluster: ClusterFacts,
    addon_name: str,
    version: str | None,
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
    **more: Any,
) -> aws.eks.Addon:
    """
    Create an EKS add-on whose settings the program alone decides.

    Conflicts are overwritten: a value set by hand, or by the copy that EKS installs
    itself, does not stop an update half-way. The software stays when the add-on
    leaves the program, so that no line removed there cuts a node from its network.

    Args:
        name: Logical name.
        cluster: The cluster.
        addon_name: Name of the add-on at EKS.
        version: Pinned version; None takes what EKS installs by default with this
            version of Kubernetes, which changes seldom. It is not "latest".
        tags: Tags of the add-on.
        opts: Options of the children; the parent makes the call of the provider.
        more: Further inputs of `aws.eks.Addon`.
    """
    return aws.eks.Addon(
        name,
        cluster_name=cluster.name,
        addon_name=addon_name,
        addon_version=_version(cluster, addon_name, opts)
        if version is None
        else version,
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="OVERWRITE",
        preserve=True,
        tags=tags,
        opts=opts,
        **more,
    )


def _version(
    cluster: ClusterFacts, addon_name: str, opts: pulumi.ResourceOptions
) -> pulumi.Output[str]:
    return aws.eks.get_addon_version_output(
        addon_name=addon_name,
        kubernetes_version=cluster.version,
        most_recent=False,
        opts=invoke_with(opts),
    ).version
