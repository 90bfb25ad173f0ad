"""What the CLI keeps about a stack, read from the files of its backend."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.environment import Layout

__all__ = ["PROJECT", "Checkpoint", "damaged", "is_locked", "read", "stacks"]

PROJECT = "eks-jobs"


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

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """Return the URNs of what is pending of a kind, such as `creating`."""
        return tuple(
            operation["resource"]["urn"]
            for operation in self.pending
            if operation["type"] == kind
        )

    @property
    def ids(self) -> frozenset[tuple[str, str]]:
        """URN and provider id of each resource that has an id."""
        return frozenset(
            (resource["urn"], resource["id"])
            for resource in self.resources
            if "id" in resource
        )


def stacks(layout: Layout) -> tuple[str, ...]:
    """Return the names of the stacks in the backend, sorted."""
    return tuple(sorted(path.stem for path in _folder(layout).glob("*.json")))


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
    text = (_folder(layout) / f"{stack}.json").read_text()
    latest = json.loads(text)["checkpoint"].get("latest") or {}
    return Checkpoint(
        resources=tuple(latest.get("resources") or ()),
        pending=tuple(latest.get("pending_operations") or ()),
    )


def is_locked(layout: Layout, stack: str) -> bool:
    """Tell whether a CLI holds the stack, or was killed while it did."""
    return any(_files(layout.backend / ".pulumi" / "locks", stack))


def _folder(layout: Layout) -> Path:
    return layout.backend / ".pulumi" / "stacks" / PROJECT


def _files(locks: Path, stack: str) -> Iterator[Path]:
    return locks.glob(f"*/{PROJECT}/{stack}/*.json")
