"""What the CLI keeps about a stack, read from the files of its backend."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.environment import Layout

__all__ = ["Checkpoint", "damaged", "drop_torn_notes", "is_locked", "read", "stacks"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """
    The last state of a stack that reached the disk.

    Args:
        resources: As the CLI wrote them, in order of creation.
        pending: What a killed CLI had begun and not finished: `type`, `resource`.
    """

    resources: tuple[Mapping[str, Any], ...]
    pending: tuple[Mapping[str, Any], ...]


def stacks(layout: Layout) -> tuple[str, ...]:
    """Return the names of the stacks in the backend, sorted."""
    return tuple(sorted(path.stem for path in _files(layout, "*")))


def damaged(layout: Layout) -> tuple[str, ...]:
    """Return the stacks whose state cannot be read, as after a full disk."""
    names = []
    for stack in stacks(layout):
        try:
            read(layout, stack)
        except (ValueError, LookupError):
            names.append(stack)
    return tuple(names)


def read(layout: Layout, stack: str) -> Checkpoint:
    """Return the state of a stack that the backend knows."""
    (file,) = _files(layout, stack)
    latest = json.loads(file.read_text())["checkpoint"].get("latest") or {}
    return Checkpoint(
        resources=tuple(latest.get("resources") or ()),
        pending=tuple(latest.get("pending_operations") or ()),
    )


def drop_torn_notes(layout: Layout) -> None:
    """
    Remove what a killed CLI left half written beside its files.

    A state appears at once, its `.attrs` with headers of the web does not: empty or
    cut off, it keeps the CLI from reading the state; without it all is well.
    """
    for note in layout.backend.rglob("*.attrs"):
        try:
            json.loads(note.read_text())
        except ValueError:
            note.unlink()


def is_locked(layout: Layout, stack: str) -> bool:
    """Tell whether a CLI holds the stack, or was killed while it did."""
    return any(layout.backend.glob(f".pulumi/locks/*/*/{stack}/*.json"))


def _files(layout: Layout, stack: str) -> Iterator[Path]:
    """Yield the file of a stack; the backend serves this one project only."""
    return layout.backend.glob(f".pulumi/stacks/*/{stack}.json")
