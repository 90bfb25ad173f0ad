"""Differences between what is and what the program asks for."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.aws.resource import Resource
from sandbox.wire import UNKNOWN

_INDEX = re.compile(r"\[\d+\]")
EMPTY: tuple[Any, ...] = (None, "", [], {}, False)
"""What an input says when it says nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """
    One property that differs.

    Args:
        path: Where, as the engine writes it: `ebs[0].size`, `tags["a/b"]`.
        kind: `add`, `delete` or `update`.
    """

    path: str
    kind: str

    @property
    def top(self) -> str:
        """The input that the property belongs to."""
        return re.split(r"[.\[]", self.path, maxsplit=1)[0]

    @property
    def general(self) -> str:
        """The path without places in lists."""
        return _INDEX.sub("", self.path)


def changes(
    resource: Resource, names: Iterable[str], old: Mapping[str, Any], new: Mapping
) -> list[Change]:
    """
    Compare state with new inputs, property by property in the order of names.

    An input that the program leaves out is a change only when something is there
    that AWS does not fill in by itself.
    """
    found: list[Change] = []
    for name in sorted(names):
        before, after = old.get(name), new.get(name)
        if after is None and name in resource.computed:
            continue
        if before in EMPTY and after in EMPTY:
            continue
        found += _compare(resource, name, before, after)
    return found


def same(resource: Resource, path: str, old: Any, new: Any) -> bool:
    """Tell whether two values of a property mean the same."""
    return not any(_compare(resource, path, old, new))


def is_below(path: str, patterns: Iterable[str]) -> bool:
    """Tell whether a path is one of the patterns or leads into one."""
    return any(
        path == pattern or path.startswith((f"{pattern}.", f"{pattern}["))
        for pattern in patterns
    )


def _compare(resource: Resource, path: str, old: Any, new: Any) -> Iterator[Change]:
    general = _INDEX.sub("", path)
    if old == new:
        return
    if old is None:
        yield Change(path=path, kind="add")
    elif new is None:
        yield Change(path=path, kind="delete")
    elif UNKNOWN in (old, new):
        yield Change(path=path, kind="update")
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _compare_maps(resource, path, old, new)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _compare_lists(resource, path, old, new)
    elif not (general in resource.documents and _means_the_same(old, new)):
        yield Change(path=path, kind="update")


def _compare_maps(
    resource: Resource, path: str, old: Mapping, new: Mapping
) -> Iterator[Change]:
    for key in sorted({*old, *new}):
        step = f".{key}" if key.isidentifier() else f"[{json.dumps(key)}]"
        before, after = old.get(key), new.get(key)
        if after is None and _INDEX.sub("", f"{path}{step}") in resource.computed:
            continue
        if before in EMPTY and after in EMPTY:
            continue
        yield from _compare(resource, f"{path}{step}", before, after)


def _compare_lists(
    resource: Resource, path: str, old: list, new: list
) -> Iterator[Change]:
    if _INDEX.sub("", path) in resource.sets:
        old, new = _ordered(old), _ordered(new)
    if len(old) != len(new):
        yield Change(path=path, kind="update")
        return
    for index, (before, after) in enumerate(zip(old, new, strict=True)):
        yield from _compare(resource, f"{path}[{index}]", before, after)


def _ordered(values: list) -> list:
    return sorted(values, key=lambda value: json.dumps(value, sort_keys=True))


def _means_the_same(old: Any, new: Any) -> bool:
    try:
        return json.loads(old) == json.loads(new)
    except (TypeError, ValueError):
        return False
