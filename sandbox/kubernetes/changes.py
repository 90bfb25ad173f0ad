"""The difference between two objects, as the engine wants to hear it."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi.provider.experimental.provider import (
    DiffResponse,
    PropertyDiff,
    PropertyDiffKind,
)

__all__ = ["Change", "at", "between", "response"]

_MISSING = object()
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KINDS = {
    ("add", False): PropertyDiffKind.ADD,
    ("add", True): PropertyDiffKind.ADD_REPLACE,
    ("delete", False): PropertyDiffKind.DELETE,
    ("delete", True): PropertyDiffKind.DELETE_REPLACE,
    ("update", False): PropertyDiffKind.UPDATE,
    ("update", True): PropertyDiffKind.UPDATE_REPLACE,
}

Path = tuple[str | int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """
    One place where two objects differ.

    Args:
        path: Keys and positions from the root.
        kind: ``add``, ``delete`` or ``update``.
        values: What stands there, old and new; only what exists.
    """

    path: Path
    kind: str
    values: tuple[Any, ...]

    @property
    def text(self) -> str:
        """The path as the engine writes it."""
        text = ""
        for part in self.path:
            if isinstance(part, int):
                text += f"[{part}]"
            elif _PLAIN_KEY.fullmatch(part):
                text += f".{part}" if text else part
            else:
                text += f"[{json.dumps(part)}]"
        return text

    def touches(self, field: str) -> bool:
        """Say whether *field*, a dotted path, lies at, above or in the change."""
        wanted = tuple(field.split("."))
        depth = len(self.path)
        if self.path[: len(wanted)] == wanted:
            return True
        inside = wanted[:depth] == self.path
        rest = ".".join(wanted[depth:])
        return inside and any(at(value, rest) is not None for value in self.values)


def at(value: Any, field: str) -> Any:
    """Return what stands at the dotted path *field* of *value*, or None."""
    for key in field.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def between(old: Any, new: Any, path: Path = ()) -> Iterator[Change]:
    """Yield the differences in the order of their paths."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            yield from between(
                old.get(key, _MISSING), new.get(key, _MISSING), (*path, key)
            )
    elif isinstance(old, list) and isinstance(new, list):
        for index in range(max(len(old), len(new))):
            yield from between(
                old[index] if index < len(old) else _MISSING,
                new[index] if index < len(new) else _MISSING,
                (*path, index),
            )
    elif old is _MISSING:
        yield Change(path=path, kind="add", values=(new,))
    elif new is _MISSING:
        yield Change(path=path, kind="delete", values=(old,))
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield Change(path=path, kind="update", values=(old, new))


def response(
    changes: Iterable[Change], replaced: Iterable[str], *, same_name: bool
) -> DiffResponse:
    """
    Answer a diff request.

    Args:
        changes: The differences.
        replaced: Dotted paths that call for a replacement.
        same_name: The new object must have the name of the old one, so the old one
            goes first.
    """
    changes, fields = tuple(changes), tuple(replaced)
    tops = sorted({str(change.path[0]) for change in changes})
    detail: dict[str, PropertyDiff] = {}
    replaces: list[str] = []
    for change in changes:
        replace = any(change.touches(field) for field in fields)
        detail[change.text] = PropertyDiff(_KINDS[change.kind, replace], False)
        if replace:
            replaces.append(change.text)
    return DiffResponse(
        changes=bool(detail),
        replaces=replaces,
        delete_before_replace=bool(replaces) and same_name,
        diffs=tops,
        detailed_diff=detail,
    )
