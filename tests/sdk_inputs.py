"""
What the SDKs' own input types say about captured inputs.

Pulumi mocks accept anything: a misspelt nested key, a string for a number. The
provider would refuse it, at the first deployment. This finds it in a test.
"""

import collections.abc
import enum
import functools
import importlib
import inspect
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import _types
from pulumi.output import Unknown
from pulumi.runtime import rpc

__all__ = ["problems"]

_UNCHECKED = ("pulumi-python:", "pulumi:")
# Groups of custom resources: the SDK knows only what every object has.
_CUSTOM = (
    "autoscaling.x-k8s.io/v1beta1",
    "eks.amazonaws.com/v1",
    "karpenter.k8s.aws/v1",
    "karpenter.sh/v1",
    "keda.sh/v1alpha1",
    "kyverno.io/v1",
    "monitoring.coreos.com/v1",
    "policies.kyverno.io/v1",
)
_WRAPPERS = (collections.abc.Awaitable, pulumi.Output)
_SCALARS = {int: (int,), float: (int, float), str: (str,), bool: (bool,)}


def problems(type_: str, inputs: Mapping[str, Any]) -> list[str]:
    """
    Compare the inputs of one resource with the SDK's argument class.

    Returns:
        One line for each unknown key, wrong scalar and missing required key; a
        type that no imported SDK declares is a problem too.
    """
    if type_.startswith(_UNCHECKED):
        return []
    args = _args_class(type_)
    if args is None:
        return [f"{type_}: no imported SDK declares this type"]
    return list(_object(type_, args, inputs))


@functools.cache
def _args_class(type_: str) -> type | None:
    """
    Find the argument class of a type token, such as `VpcArgs`.

    It is the annotation of `args` in one of the overloads of the constructor: its
    name varies (`StorageClassInitArgs`), its place does not.
    """
    package, module, _ = type_.split(":")
    registered = rpc.get_resource_module(package, module, "")
    # Every generated SDK registers such a table; the abstract class hides it.
    about = getattr(registered, "mod_info", {"classes": {}})
    if type_ in about["classes"]:
        name = about["classes"][type_]
        resource = getattr(importlib.import_module(about["fqn"]), name)
    elif module in _CUSTOM:
        return kubernetes.apiextensions.CustomResourceArgs
    else:
        return None
    for overload in typing.get_overloads(resource.__init__):
        if "args" in overload.__annotations__:
            (found,) = _alternatives(overload.__annotations__["args"])
            return found
    return None


def _object(path: str, cls: type, value: Any) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{path}: expected {cls.__name__}, got {value!r}"
        return
    hints = _hints(cls)
    for key in sorted(_required(cls) - value.keys()):
        yield f"{path}.{key}: missing, {cls.__name__} requires it"
    for key, item in value.items():
        if key not in hints:
            yield f"{path}.{key}: unknown key of {cls.__name__}"
        else:
            yield from _value(f"{path}.{key}", hints[key], item)


def _value(path: str, hint: Any, value: Any) -> Iterator[str]:
    """Yield nothing when *value* fits one of the alternatives of *hint*."""
    value = _open(value)
    if isinstance(value, Unknown | pulumi.Resource):
        return
    found: list[str] = []
    for alternative in _alternatives(hint):
        found = list(_alternative(path, alternative, value))
        if not found:
            return
    yield from found


def _alternative(path: str, hint: Any, value: Any) -> Iterator[str]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return
    if origin is collections.abc.Sequence or origin is list:
        if not isinstance(value, list):
            yield f"{path}: expected a list, got {value!r}"
            return
        for index, item in enumerate(value):
            yield from _value(f"{path}[{index}]", arguments[0], item)
    elif origin is collections.abc.Mapping or origin is dict:
        if not isinstance(value, Mapping):
            yield f"{path}: expected a map, got {value!r}"
            return
        for key, item in value.items():
            yield from _value(f"{path}.{key}", arguments[1], item)
    elif origin is typing.Literal:
        if value not in arguments:
            yield f"{path}: expected one of {arguments}, got {value!r}"
    elif isinstance(hint, type) and _types.is_input_type(hint):
        yield from _object(path, hint, value)
    elif isinstance(hint, type) and issubclass(hint, enum.Enum):
        if value not in {member.value for member in hint}:
            yield f"{path}: expected one of {hint.__name__}, got {value!r}"
    elif hint in _SCALARS:
        is_flag = isinstance(value, bool) and hint is not bool
        if is_flag or not isinstance(value, _SCALARS[hint]):
            yield f"{path}: expected {hint.__name__}, got {value!r}"
    elif hint is not dict:
        yield f"{path}: expected {hint}, got {value!r}"


def _alternatives(hint: Any) -> Iterator[Any]:
    """Take `Input`, `Output`, `Awaitable` and `Optional` off an annotation."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        for argument in typing.get_args(hint):
            yield from _alternatives(argument)
    elif typing.get_origin(hint) not in _WRAPPERS and hint is not type(None):
        yield hint


def _open(value: Any) -> Any:
    """Take a secret out of the marker that the wire puts around it."""
    return rpc.unwrap_rpc_secret(value) if rpc.is_rpc_secret(value) else value


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    # The only reader of these annotations that knows the SDKs' forward references
    # is private to the SDK, which is pinned.
    return _types._raw_return_hints(cls)


@functools.cache
def _required(cls: type) -> frozenset[str]:
    names = _types.input_type_py_to_pulumi_names(cls)
    return frozenset(
        names[parameter.name]
        for parameter in inspect.signature(cls.__init__).parameters.values()
        if parameter.name in names and parameter.default is parameter.empty
    )
