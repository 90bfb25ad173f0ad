"""
What the SDK accepts for a type or a function, read from its own classes.

The classes of `pulumi_aws` are loaded one package at a time, on first use: all of
them together take seconds.
"""

import collections.abc
import difflib
import enum
import functools
import importlib
import inspect
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pulumi
from pulumi import _types

from sandbox.aws.remembered import remembered
from sandbox.aws.shape import Shape
from sandbox.wire import UNKNOWN

Problem = tuple[str, str]
"""A property path, and what is wrong there."""


@remembered("arguments")
def arguments(token: str) -> Shape:
    """
    Return the inputs of a resource type, such as `aws:ec2/vpc:Vpc`.

    Raises:
        LookupError: The SDK has no such type.
    """
    return _object(_sdk_class(token, "{}Args"))


@remembered("outputs")
def outputs(token: str) -> frozenset[str]:
    """Return the names of everything that the SDK reads back from a type."""
    state = _sdk_class(token, "_{}State")
    return frozenset(_types.input_type_py_to_pulumi_names(state).values())


def configuration() -> Shape:
    """Return the inputs of the provider itself."""
    return _configuration("aws")


@remembered("configuration")
def _configuration(_token: str) -> Shape:
    return _object(importlib.import_module("pulumi_aws.provider").ProviderArgs)


@remembered("arguments of functions")
def function_arguments(token: str) -> frozenset[str]:
    """
    Return the names of the arguments of a function, such as `aws:eks/getCluster`.

    Raises:
        LookupError: The SDK has no such function.
    """
    module, _, name = token.removeprefix("aws:").partition("/")
    path = _snake(name.partition(":")[0])
    package = "pulumi_aws" if module == "index" else f"pulumi_aws.{module}"
    try:
        function = getattr(importlib.import_module(f"{package}.{path}"), path)
    except (ImportError, AttributeError):
        raise LookupError(f"the SDK has no function {token}") from None
    names = set(inspect.signature(function).parameters) - {"opts"}
    return frozenset(_camel(name) for name in names)


def problems(shape: Shape, value: Any, path: str = "") -> Iterator[Problem]:
    """List what the SDK's types do not allow, in the order of the properties."""
    if value == UNKNOWN or shape.kind == "any":
        return
    if shape.kind == "object":
        yield from _object_problems(shape, value, path)
    elif shape.kind == "map" and isinstance(value, Mapping):
        for key, entry in value.items():
            yield from problems(_item(shape), entry, f'{path}["{key}"]')
    elif shape.kind == "list" and _is_list(value):
        for index, entry in enumerate(value):
            yield from problems(_item(shape), entry, f"{path}[{index}]")
    elif not _is_scalar_of(shape.kind, value):
        article = "an" if shape.kind == "integer" else "a"
        yield path, f"must be {article} {shape.kind}, got {value!r}"


def _object_problems(shape: Shape, value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        yield path, f"must be an object, got {value!r}"
        return
    prefix = f"{path}." if path else ""
    for name in sorted(shape.required - set(value)):
        yield f"{prefix}{name}", "is required"
    for name, entry in sorted(value.items()):
        if name.startswith("__"):
            continue
        if name in shape.fields:
            yield from problems(shape.fields[name], entry, f"{prefix}{name}")
        else:
            yield f"{prefix}{name}", f"unknown property{_hint(name, shape.fields)}"


def _hint(name: str, known: Mapping[str, Shape]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    expected = near or sorted(known)
    word = "did you mean" if near else "expected one of"
    return f", {word} {', '.join(expected)}"


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_scalar_of(kind: str, value: Any) -> bool:
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    if kind == "string":
        return isinstance(value, str)
    if kind == "integer":
        return isinstance(value, int)
    return kind == "number" and isinstance(value, int | float)


def _item(shape: Shape) -> Shape:
    return shape.item or Shape(kind="any")


@functools.cache
def _sdk_class(token: str, pattern: str) -> type:
    module, _, name = token.removeprefix("aws:").partition(":")
    package, _, stem = module.partition("/")
    path = f"pulumi_aws.{package}.{_snake(stem)}"
    try:
        # The package first: it loads on the first look into it, and loses the names
        # of a module whose import makes it load.
        _ = importlib.import_module(f"pulumi_aws.{package}")._utilities
        return getattr(importlib.import_module(path), pattern.format(name))
    except (ImportError, AttributeError):
        raise LookupError(f"the SDK has no resource type {token}") from None


@functools.cache
def _object(cls: type) -> Shape:
    names = _types.input_type_py_to_pulumi_names(cls)
    parameters = inspect.signature(cls.__init__).parameters
    hints = _types.input_type_types(cls)
    return Shape(
        kind="object",
        fields={name: _shape(hints[name]) for name in names.values()},
        required=frozenset(
            names[name]
            for name, parameter in parameters.items()
            if name in names and parameter.default is inspect.Parameter.empty
        ),
    )


_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _shape(hint: Any) -> Shape:
    if hint in _SCALARS:
        return Shape(kind=_SCALARS[hint])
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _union(typing.get_args(hint))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return Shape(kind="map", item=_shape(typing.get_args(hint)[1]))
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return Shape(kind="list", item=_shape(typing.get_args(hint)[0]))
    if inspect.isclass(hint) and _types.is_input_type(hint):
        return _object(hint)
    return Shape(kind="any")


def _union(members: tuple[Any, ...]) -> Shape:
    """
    Leave out what only stands for a later value, and the enums beside a string.

    What is left of `Union[str, PolicyDocumentArgs]` is two forms: anything goes.
    """
    shapes = [_shape(member) for member in members if not _is_beside(member)]
    return shapes[0] if len(shapes) == 1 else Shape(kind="any")


def _is_beside(member: Any) -> bool:
    origin = typing.get_origin(member)
    if inspect.isclass(member) and issubclass(member, enum.Enum | types.NoneType):
        return True
    return origin in (collections.abc.Awaitable, pulumi.Output)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _camel(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)
