"""How a value object refuses: every problem at once, in a fixed order."""

from collections.abc import Iterable

__all__ = ["refuse"]


def refuse(problems: Iterable[str]) -> None:
    """
    Do nothing without problems.

    Raises:
        ValueError: The problems, one a line, in the order given.
    """
    text = "\n".join(problems)
    if text:
        raise ValueError(text)
