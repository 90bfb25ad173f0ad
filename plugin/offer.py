"""One component as programs of other languages see it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from inspect import getdoc
from typing import Any, get_type_hints

import pulumi

from components import ClusterFacts

__all__ = [
    "Input",
    "Made",
    "Offer",
    "camel_case",
    "inputs_of",
    "provider_of",
    "reached",
]

# An argument in a docstring, with the lines that are indented below it.
_ARGUMENT = re.compile(r"^    (\w+): (.*(?:\n {6,}.*)*)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Input:
    """
    An input of a component.

    Args:
        type: Its type in Python.
        text: What it is.
        required: Whether it must be given.
    """

    type: Any
    text: str
    required: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """
    A component that was made.

    Args:
        component: The component.
        outputs: Its outputs, by the names of `Offer.outputs`.
    """

    component: pulumi.ComponentResource
    outputs: Mapping[str, pulumi.Input[Any]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """
    What is offered under one type token.

    Args:
        text: What it is, for documentation.
        inputs: Its inputs by name, in snake_case.
        outputs: Names and types of its outputs.
        make: Makes the component of its name, its inputs as a stack file would hold
            them, and options. Raises `ValueError` or `pulumi.RunError`.
        flowing: Beginnings of paths whose values may be unknown in a preview: they
            only flow into resources.
    """

    text: str
    inputs: Mapping[str, Input]
    outputs: Mapping[str, Any]
    make: Callable[[str, Mapping[str, Any], pulumi.ResourceOptions], Made]
    flowing: tuple[str, ...] = ()


def inputs_of(cls: Any, *left_out: str) -> dict[str, Input]:
    """Make the inputs that are fields of the dataclass *cls*, with its explanations."""
    types = get_type_hints(cls)
    texts = {
        name: " ".join(text.split())
        for name, text in _ARGUMENT.findall(getdoc(cls) or "")
    }
    return {
        field.name: Input(
            type=types[field.name],
            text=texts[field.name],
            required=field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(cls)
        if field.name not in left_out
    }


def camel_case(name: str) -> str:
    """Write the name of a field as programs of other languages do."""
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)


def provider_of(package: str, opts: pulumi.ResourceOptions) -> Any:
    """Return the provider that the program gave for *package*, None without one."""
    given = opts.providers if isinstance(opts.providers, Mapping) else {}
    return given.get(package)


def reached(version: str, opts: pulumi.ResourceOptions) -> ClusterFacts:
    """
    Describe a cluster of which only Kubernetes objects are wanted.

    Args:
        version: Its Kubernetes version.
        opts: Options with a provider for Kubernetes; the components refuse to be
            without one.
    """
    return ClusterFacts(
        name="cluster",
        endpoint="",
        certificate_authority="",
        service_cidr="",
        security_group_id="",
        vpc_id="",
        subnet_ids=[""],
        version=version,
        provider=provider_of("kubernetes", opts),
    )
