"""Checks that several scalers share."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any

from ..problems import refuse

__all__ = ["Resources", "idle_problems", "replica_problems", "unknown_groups"]

_CPU = re.compile(r"[1-9]\d*m?")
_MEMORY = re.compile(r"[1-9]\d*(?:Mi|Gi)")
_MOST_REPLICAS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Resources:
    """
    What one replica of a controller requests; its limit of memory is the same.

    Args:
        cpu: Cores, `1`, or millicores, `500m`.
        memory: Memory in `Mi` or `Gi`.

    Raises:
        ValueError: A quantity is spelled another way.
    """

    cpu: str
    memory: str

    def __post_init__(self) -> None:
        problems = []
        if not _CPU.fullmatch(self.cpu):
            problems.append(f"cpu must be such as 1 or 500m, got cpu={self.cpu}")
        if not _MEMORY.fullmatch(self.memory):
            problems.append(
                f"memory must be such as 512Mi or 1Gi, got memory={self.memory}"
            )
        refuse(problems)

    def requirements(self) -> dict[str, Any]:
        """Return the ResourceRequirements of a container."""
        return {
            "requests": {"cpu": self.cpu, "memory": self.memory},
            "limits": {"memory": self.memory},
        }


def replica_problems(replicas: int) -> list[str]:
    """Refuse a controller without replicas, or with more than can do any work."""
    if 1 <= replicas <= _MOST_REPLICAS:
        return []
    return [f"replicas must be 1 to {_MOST_REPLICAS}, got replicas={replicas}"]


def idle_problems(value: Any, names: tuple[str, ...], needs: str) -> Iterator[str]:
    """Refuse fields that were set although they do nothing without *needs*."""
    for one in fields(value):
        given = getattr(value, one.name)
        if one.name in names and given != _default(one):
            yield f"{one.name} needs {needs}, got {one.name}={given!r}"


def unknown_groups(
    field: str, names: Iterable[str], groups: Iterable[str]
) -> Iterator[str]:
    """Refuse names that no job group has."""
    known = list(groups)
    for name in names:
        if name not in known:
            yield (
                f"{field} must name job groups ({', '.join(known) or 'there are none'})"
                f", got {name}"
            )


def _default(one: Field[Any]) -> Any:
    if one.default_factory is not MISSING:
        return one.default_factory()
    return one.default
