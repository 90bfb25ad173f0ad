"""
Plain Python values in place of the wire's property values.

Unknown values of a preview stay as the marker string that the engine sends.
Secrets never arrive: the plugin declines them, so the engine strips the mark
and puts it back on the answer itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime import rpc

UNKNOWN = rpc.UNKNOWN
"""How the engine writes a value that is known only after the update."""


def plain(value: PropertyValue) -> Any:
    """Unwrap one value; whole numbers become integers, absent map entries go."""
    inner = value.value
    if isinstance(inner, Mapping):
        return plain_map(inner)
    if isinstance(inner, Sequence) and not isinstance(inner, str):
        return [plain(item) for item in inner]
    if isinstance(inner, float) and inner.is_integer():
        return int(inner)
    return inner


def plain_map(values: Mapping[str, PropertyValue]) -> dict[str, Any]:
    """Unwrap the properties of a resource."""
    unwrapped = {key: plain(value) for key, value in values.items()}
    return {key: value for key, value in unwrapped.items() if value is not None}


def wire(value: Any) -> PropertyValue:
    """Wrap one value."""
    if isinstance(value, Mapping):
        return PropertyValue(wire_map(value))
    if isinstance(value, list | tuple):
        return PropertyValue([wire(item) for item in value])
    if isinstance(value, int) and not isinstance(value, bool):
        return PropertyValue(float(value))
    return PropertyValue(value)


def wire_map(values: Mapping[str, Any]) -> dict[str, PropertyValue]:
    """Wrap the properties of a resource, in the order of their names."""
    return {
        key: wire(value) for key, value in sorted(values.items()) if value is not None
    }


def has_unknown(value: Any) -> bool:
    """Tell whether a value is, or holds, something known only later."""
    return any(leaf == UNKNOWN for leaf in _leaves(value))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value
