"""Tables of Markdown."""

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["pairs", "table"]


def pairs(items: Mapping[str, str]) -> str:
    """Write labels or tags in the order of their keys."""
    return ", ".join(f"`{key}={items[key]}`" for key in sorted(items)) or "none"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines]


def _cell(value: object) -> str:
    """Keep a cell in its row, whatever a user wrote into a label or a tag."""
    return str(value).replace("|", "\\|").replace("\n", " ")
