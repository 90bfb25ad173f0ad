"""The form of a value of a resource, as the SDK's types say it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Shape"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """
    The form of a value.

    Args:
        kind: `string`, `integer`, `number`, `boolean`, `list`, `map`, `object` or
            `any`.
        item: Form of the entries of a list or a map.
        fields: Forms of the properties of an object, by their name on the wire.
        required: Properties that an object cannot do without.
    """

    kind: str
    item: "Shape | None" = None
    fields: Mapping[str, "Shape"] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
