"""How a value object refuses: every problem at once, in a fixed order."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["choices", "duplicates", "known", "refuse", "refused"]


def refuse(problems: Iterable[str]) -> None:
    """
    Do nothing without problems.

    Raises:
        ValueError: The problems, one a line, in the order given.
    """
    text = "\n".join(problems)
    if text:
        raise ValueError(text)


def refused(path: str, check: Callable[..., Any], *arguments: Any) -> Iterator[str]:
    """Call *check*, and yield the lines of its ValueError with *path* in front."""
    try:
        check(*arguments)
    except ValueError as error:
        for line in str(error).splitlines():
            yield f"{path}{line}"


def choices(
    field: str, values: Iterable[str], accepted: Iterable[str]
) -> Iterator[str]:
    """Name the *values* that are not among *accepted*, and those that repeat."""
    listed, offered = list(values), list(accepted)
    yield from duplicates(field, listed)
    for value in dict.fromkeys(listed):
        if value not in offered:
            yield f"{field} must be of {', '.join(offered)}, got {value!r}"


def duplicates(field: str, values: Iterable[str]) -> Iterator[str]:
    """Name the *values* that repeat, in the order of their first place."""
    for value, times in Counter(values).items():
        if times > 1:
            yield f"{field} must not repeat, got {value!r} {times} times"


def known(values: Iterable[str]) -> list[str]:
    """Leave out what a program only knows once it runs: a `pulumi.Output`."""
    return [value for value in values if not hasattr(value, "apply")]
