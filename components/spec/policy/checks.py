"""Checks that several settings of the policy share."""

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_args

from ..problems import duplicates

__all__ = [
    "SYSTEM_NAMESPACES",
    "choice_problem",
    "idle_problems",
    "namespace_problems",
]

SYSTEM_NAMESPACES = ("kube-system", "kube-public", "kube-node-lease")
"""Namespaces that no policy of ours ever touches."""

_NAMESPACE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def choice_problem(name: str, value: object, choices: Any) -> Iterator[str]:
    """Refuse a value that is none of the *choices*, a Literal."""
    accepted = get_args(choices)
    if value not in accepted:
        yield f"{name} must be one of {', '.join(accepted)}, got {name}={value!r}"


def namespace_problems(name: str, namespaces: tuple[str, ...]) -> Iterator[str]:
    """Name what Kubernetes would not take as a namespace, and what repeats."""
    yield from duplicates(name, namespaces)
    for one in namespaces:
        if not isinstance(one, str) or not _NAMESPACE.fullmatch(one):
            yield (
                f"{name} must be 1 to 63 lower-case letters, digits and '-', with a "
                f"letter or digit at both ends, got {one!r}"
            )


def idle_problems(value: Any, names: tuple[str, ...], needs: str) -> Iterator[str]:
    """Refuse fields that were set although they do nothing."""
    for one in fields(value):
        if one.name in names and getattr(value, one.name) != one.default:
            given = getattr(value, one.name)
            yield f"{one.name} needs {needs}, got {one.name}={given!r}"
