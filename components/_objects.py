"""Objects of Kubernetes, out of the manifests that `spec` writes."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

__all__ = ["custom_resource"]


def custom_resource(
    name: str, manifest: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> kubernetes.apiextensions.CustomResource:
    """
    Make an object of a kind that a definition in the cluster brings.

    Args:
        name: Logical name.
        manifest: The object, with a `spec`.
        opts: Options of the children, with the provider of the cluster.
    """
    return kubernetes.apiextensions.CustomResource(
        name,
        api_version=manifest["apiVersion"],
        kind=manifest["kind"],
        metadata=manifest["metadata"],
        spec=manifest["spec"],
        opts=opts,
    )
