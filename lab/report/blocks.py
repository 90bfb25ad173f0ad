"""What a document is made of, before it is HTML or Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Block", "Bullets", "Code", "Picture", "Section", "Table", "Text"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A paragraph: sentences, one an entry."""

    sentences: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Bullets:
    """A list: what it speaks of, which may be empty, and what is said of it."""

    items: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Code:
    """Something to type."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """
    A table; the first cell of each row names it.

    Args:
        caption: What it shows.
        head: Headings of the columns, with units.
        rows: The cells.
        words: Columns of text; the others are numbers, set to the right.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: frozenset[int] = frozenset({0})


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """
    A drawing.

    Args:
        name: Of its file, a word.
        caption: What it shows and how to read it.
        says: What can be seen in it, for those who cannot.
        svg: The drawing; its ink is `currentColor`.
    """

    name: str
    caption: str
    says: str
    svg: str


Block = Text | Bullets | Code | Table | Picture


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A question and its answer."""

    title: str
    blocks: Sequence[Block]
