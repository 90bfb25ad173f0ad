"""
From the provider's inputs to the members of a request.

The provider writes `volumeSize` where the API says `VolumeSize` or `volumeSize`, and
some numbers and booleans as text. Everything else that differs is given as a table.
"""

from collections.abc import Mapping
from typing import Any

from botocore.model import ListShape, MapShape, Shape, StructureShape

from sandbox.errors import RefusedError


def request(
    shape: Shape, value: Any, names: Mapping[str, str] | None = None, path: str = ""
) -> Any:
    """
    Return a value of a request.

    Args:
        shape: Its form in botocore's model.
        value: Inputs of the provider.
        names: Members by the path of an input, where the names differ.
        path: Where the value stands.

    Raises:
        RefusedError: The API has no such member, or a text is not of its type.
    """
    names = names or {}
    if isinstance(shape, StructureShape):
        return _structure(shape, value, names, path)
    if isinstance(shape, ListShape):
        items = value if isinstance(value, list) else [value]
        return [request(shape.member, item, names, path) for item in items]
    if isinstance(shape, MapShape):
        return dict(value)
    return _scalar(shape.type_name, value, path)


def _structure(
    shape: StructureShape, value: Any, names: Mapping[str, str], path: str
) -> dict[str, Any]:
    if isinstance(value, list):
        # A block that may appear once is a list in some versions of the provider.
        value = value[0] if value else {}
    members = {name.lower(): name for name in shape.members}
    result = {}
    for key, item in value.items():
        below = f"{path}.{key}" if path else key
        member = names.get(below) or members.get(key.lower())
        if member is None:
            raise RefusedError(f"{below}: {shape.name} has no such member")
        result[member] = request(shape.members[member], item, names, below)
    return result


def _scalar(kind: str, value: Any, path: str) -> Any:
    if not isinstance(value, str):
        return value
    if kind == "boolean":
        if value not in ("true", "false"):
            raise RefusedError(f"{path} must be true or false, got {value!r}")
        return value == "true"
    if kind in ("integer", "long"):
        if not value.isdigit():
            raise RefusedError(f"{path} must be a whole number, got {value!r}")
        return int(value)
    return value
