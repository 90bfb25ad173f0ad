"""
Patterns, lengths, ranges and enums of the service models.

botocore checks types, required members and lower bounds before it sends a
request. The rest of what the models say is checked here, since moto rarely
checks it.

A pattern must match the whole value: the services anchor it, whether or not it
is written with anchors.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from botocore.model import ListShape, MapShape, OperationModel, Shape, StructureShape

from sandbox.errors import RefusedError

# Unicode classes of Java and Ruby regular expressions, which `re` lacks. Inside a
# set the nearest class of `re` is a little wider, which only accepts more.
_CLASSES = {
    r"\p{L}": r"\w",
    r"\p{N}": r"\d",
    r"\p{Z}": r"\s",
    r"\p{M}": r"\w",
    r"\p{P}": r"\S",
    r"\w-": r"\w\-",
    r"\uD800\uDC00-\uDBFF\uDFFF": "\U00010000-\U0010ffff",
    r"\p{Alpha}": "a-zA-Z",
    r"\p{Alnum}": "a-zA-Z0-9",
    r"\p{ASCII}": r"\x00-\x7f",
    r"[[:print:]]": r"[\x20-\x7e]",
    r"\u{10FFFF}": "\U0010ffff",
    r"\x{10FFFF}": "\U0010ffff",
}


def refuse(params: Mapping[str, Any], model: OperationModel, **_: Any) -> None:
    """
    Check one request; a handler of botocore's `before-parameter-build`.

    Raises:
        RefusedError: Every member that its model does not allow, one a line.
    """
    if model.input_shape is None:
        return
    found = [
        f"{model.service_model.service_name}:{model.name}: {problem}"
        for problem in _problems(model.input_shape, params, "")
    ]
    if found:
        raise RefusedError("\n".join(found))


def _problems(shape: Shape, value: Any, path: str) -> Iterator[str]:
    if isinstance(shape, StructureShape) and isinstance(value, Mapping):
        for name, member in shape.members.items():
            if name in value:
                prefix = f"{path}." if path else ""
                yield from _problems(member, value[name], f"{prefix}{name}")
    elif isinstance(shape, ListShape) and isinstance(value, list | tuple):
        yield from _range_problems(shape, len(value), path, "number of items")
        for index, item in enumerate(value):
            yield from _problems(shape.member, item, f"{path}[{index}]")
    elif isinstance(shape, MapShape) and isinstance(value, Mapping):
        yield from _range_problems(shape, len(value), path, "number of entries")
        for key, item in value.items():
            yield from _problems(shape.key, key, f"{path} key")
            yield from _problems(shape.value, item, f"{path}[{key}]")
    elif shape.type_name == "string" and isinstance(value, str):
        yield from _string_problems(shape, value, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _range_problems(shape, value, path, "value")


def _string_problems(shape: Shape, value: str, path: str) -> Iterator[str]:
    yield from _range_problems(shape, len(value), path, "length")
    allowed = shape.metadata.get("enum")
    if allowed and value not in allowed:
        yield f"{path} must be one of {_some(allowed)}, got {value!r}"
    pattern = shape.metadata.get("pattern")
    expression = compiled(pattern) if pattern else None
    if expression and not expression.fullmatch(value):
        yield f"{path} must match {pattern}, got {value!r}"


def _range_problems(shape: Shape, size: float, path: str, what: str) -> Iterator[str]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and size < low:
        yield f"{path}: {what} must be at least {low}, got {size}"
    if high is not None and size > high:
        yield f"{path}: {what} must be at most {high}, got {size}"


def _some(allowed: list[str]) -> str:
    more = f" and {len(allowed) - 20} more" if len(allowed) > 20 else ""
    return ", ".join(allowed[:20]) + more


@functools.cache
def compiled(pattern: str) -> re.Pattern[str] | None:
    """Return a model's pattern, or None when `re` cannot express it."""
    for theirs, ours in _CLASSES.items():
        pattern = pattern.replace(theirs, ours)
    try:
        return re.compile(pattern)
    except re.error:
        return None
