"""
Values of the plugin protocol as plain Python, and back with their secrets.

Unknown values of a preview stay as the marker string that the engine sends.
"""

from collections.abc import Mapping
from typing import Any

from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime.rpc import UNKNOWN

from sandbox.errors import RefusedError

__all__ = [
    "UNKNOWN",
    "contains_unknown",
    "plain",
    "plain_map",
    "without_nulls",
    "wrap",
    "wrap_map",
]

_SCALARS = (bool, float, str, type(None))


def plain(value: PropertyValue, *, nulls: bool = False) -> Any:
    """
    Return the value without its secret marks; an unknown one is `UNKNOWN`.

    Numbers without a fraction become integers. Map entries that are null are left
    out, as providers do, unless *nulls* asks to keep them.

    Raises:
        RefusedError: The value holds an asset or a resource; no request can.
    """
    inner = value.value
    if isinstance(inner, _SCALARS):
        if isinstance(inner, float) and inner.is_integer():
            return int(inner)
        return inner
    if isinstance(inner, Mapping):
        return plain_map(inner, nulls=nulls)
    if isinstance(inner, tuple):
        return [plain(item, nulls=nulls) for item in inner]
    raise RefusedError(f"a {type(inner).__name__} cannot be part of a request")


def plain_map(
    values: Mapping[str, PropertyValue], *, nulls: bool = False
) -> dict[str, Any]:
    """Return `plain` of each value, in the order of the keys."""
    return {
        key: plain(values[key], nulls=nulls)
        for key in sorted(values)
        if nulls or values[key].value is not None
    }


def wrap(value: Any, model: PropertyValue | None = None) -> PropertyValue:
    """Return the plain *value* as a property, secret wherever *model* is secret."""
    hidden = model is not None and model.is_secret
    parts = model.value if model is not None else None
    if isinstance(value, Mapping):
        models = parts if isinstance(parts, Mapping) else {}
        fields = {key: wrap(item, models.get(key)) for key, item in value.items()}
        return PropertyValue(fields, is_secret=hidden)
    if isinstance(value, list | tuple):
        items = parts if isinstance(parts, tuple) else ()
        known = [*items, *[None] * (len(value) - len(items))]
        return PropertyValue(
            [wrap(*pair) for pair in zip(value, known, strict=False)], is_secret=hidden
        )
    if isinstance(value, int) and not isinstance(value, bool):
        return PropertyValue(float(value), is_secret=hidden)
    return PropertyValue(value, is_secret=hidden)


def wrap_map(
    values: Mapping[str, Any], models: Mapping[str, PropertyValue] | None = None
) -> dict[str, PropertyValue]:
    """Return `wrap` of each value, with the model of the same key."""
    known = models or {}
    return {key: wrap(value, known.get(key)) for key, value in values.items()}


def without_nulls(value: Any) -> Any:
    """Leave out what is null in maps, however deep."""
    if isinstance(value, Mapping):
        return {
            key: without_nulls(item) for key, item in value.items() if item is not None
        }
    if isinstance(value, list | tuple):
        return [without_nulls(item) for item in value]
    return value


def contains_unknown(value: Any) -> bool:
    """Say whether a plain value is unknown, or holds something that is."""
    if isinstance(value, Mapping):
        return any(contains_unknown(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(contains_unknown(item) for item in value)
    return value == UNKNOWN
