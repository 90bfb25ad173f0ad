"""What a program sent, as the plain values that a stack file would hold."""

from collections.abc import Iterator, Mapping
from typing import Any

import pulumi
from pulumi.output import Unknown

__all__ = ["plain", "receive", "unknown_paths"]


def receive(inputs: Mapping[str, pulumi.Input[Any]]) -> pulumi.Output[dict[str, Any]]:
    """
    Wait for all inputs of a component.

    Returns:
        `values`, plain but for what a preview does not know; `secrets`, for each input
        whether it holds any; `resources`, those that the values come from.
    """
    outputs = {name: pulumi.Output.from_input(value) for name, value in inputs.items()}
    everything = pulumi.Output.from_input(dict(outputs))
    return pulumi.Output.all(
        # A secret is marked again where it flows into a resource.
        values=pulumi.Output.unsecret(everything),
        secrets={name: output.is_secret() for name, output in outputs.items()},
        resources=everything.resources(),
    )


def plain(value: Any) -> Any:
    """Write whole numbers as such: on their way they all were floats."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def unknown_paths(path: str, value: Any) -> Iterator[str]:
    """Name what a preview does not know, as errors name keys."""
    if isinstance(value, Unknown):
        yield path
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from unknown_paths(f"{path}.{key}" if path else key, item)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from unknown_paths(f"{path}[{place}]", item)
