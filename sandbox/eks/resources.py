"""Resources of other providers, without their SDKs: those take seconds to load."""

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

import pulumi

__all__ = [
    "Inputs",
    "KubernetesProvider",
    "Made",
    "given",
    "invoke",
    "merged_tags",
]

Inputs = Mapping[str, Any]

_AWS = "pulumi-aws"
_KUBERNETES = "pulumi-kubernetes"


class Made(pulumi.CustomResource):
    """
    A resource of the AWS provider.

    Args:
        token: Resource type.
        name: Logical name.
        inputs: Arguments in camelCase; None means left out.
        outputs: Names of the outputs that are read.
        opts: Options; the version of the provider is that of the installed SDK.
    """

    def __init__(
        self,
        token: str,
        name: str,
        inputs: Mapping[str, Any],
        opts: pulumi.ResourceOptions,
        outputs: Iterable[str] = (),
    ) -> None:
        properties = {**dict.fromkeys(outputs), **inputs}
        pinned = opts.merge(pulumi.ResourceOptions(version=version(_AWS)))
        super().__init__(token, name, properties, pinned)

    def output(self, name: str) -> pulumi.Output[Any]:
        """Return one of the outputs that the constructor named."""
        return getattr(self, name)


class KubernetesProvider(pulumi.ProviderResource):
    """A Kubernetes provider."""

    def __init__(
        self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions
    ) -> None:
        pinned = opts.merge(pulumi.ResourceOptions(version=version(_KUBERNETES)))
        super().__init__("kubernetes", name, dict(inputs), pinned)


def invoke(
    token: str, arguments: Mapping[str, Any], parent: pulumi.Resource
) -> pulumi.Output[Any]:
    """Call a function of the AWS provider."""
    options = pulumi.InvokeOutputOptions(parent=parent, version=version(_AWS))
    return pulumi.runtime.invoke_output(token, dict(arguments), options)


def merged_tags(*groups: Any) -> pulumi.Output[dict[str, str]]:
    """Return the tags of all groups; the later one wins."""
    return pulumi.Output.all(*groups).apply(
        lambda known: {
            key: value for group in known for key, value in (group or {}).items()
        }
    )


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None."""
    return {key: value for key, value in values.items() if value is not None}
