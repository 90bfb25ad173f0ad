"""
Whose a field is: an object holds what the program wrote, and what others wrote.

A controller that scales a Deployment writes its replicas. Server-side apply leaves
them alone as long as the program does not write them too. What the API server refuses
to write over is not imitated: the files do not say who wrote what.
"""

from collections.abc import Mapping
from typing import Any

__all__ = ["applied", "owned"]


def applied(
    live: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]
) -> dict[str, Any]:
    """
    Return what an apply makes of an object.

    Args:
        live: The object as it is kept.
        old: What the program wrote before.
        new: What it writes now; what it leaves out of *old* goes.
    """
    made: dict[str, Any] = {}
    for key in {**live, **new}:
        before, now = old.get(key), live.get(key)
        if key not in new and key not in old:
            made[key] = now
        elif isinstance(now, Mapping) and isinstance(new.get(key, {}), Mapping):
            inner = applied(now, _map(before), _map(new.get(key)))
            if key in new or inner:
                made[key] = inner
        elif key in new:
            made[key] = new[key]
    return made


def owned(live: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of an object that the program wrote, as it is now."""
    return {
        key: owned(now, known[key])
        if isinstance(now, Mapping) and isinstance(known[key], Mapping)
        else now
        for key, now in live.items()
        if key in known
    }


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
