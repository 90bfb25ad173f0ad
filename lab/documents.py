"""YAML and CSV that people write, with the lines on which things stand."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from components.spec.problems import refuse

__all__ = ["Map", "rows", "yaml_documents"]


class Map(dict[str, Any]):
    """A map of a YAML document that knows its lines, counted from 1."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}

    def line_of(self, key: str) -> int:
        """Return the line of a key, or that of the map without it."""
        return self.lines.get(key, self.line)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # the fast one, if built
    """Maps with lines; no key twice in one map."""


def _construct_map(loader: Any, node: yaml.MappingNode) -> Iterator[Map]:
    made = Map(_line(node))
    yield made
    loader.flatten_mapping(node)
    for key_node, value in node.value:
        key = str(loader.construct_object(key_node, deep=True))
        if key in made.lines:
            raise ConstructorError(
                problem=f"key {key} stands twice", problem_mark=key_node.start_mark
            )
        made.lines[key] = _line(key_node)
        made[key] = loader.construct_object(value, deep=True)


def _line(node: Any) -> int:
    return node.start_mark.line + 1


_Loader.add_constructor("tag:yaml.org,2002:map", _construct_map)


def yaml_documents(text: str, name: str) -> list[Any]:
    """
    Read all documents of a YAML or JSON text; its maps are `Map`.

    Args:
        text: What the file holds.
        name: Of the file, for errors.

    Raises:
        ValueError: It is no YAML, or a key stands twice in a map: one line.
    """
    try:
        return [one for one in yaml.load_all(text, Loader=_Loader) if one is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{name}:{mark.line + 1}" if mark else name
        raise ValueError(f"{place}: must be YAML, got: {error.problem}") from error
    except (RecursionError, ValueError, yaml.YAMLError) as error:
        text = " ".join(str(error).split())
        raise ValueError(f"{name}: must be YAML, got: {text}") from error


def rows(
    text: str,
    name: str,
    columns: Mapping[str, Iterable[str]],
    optional: Iterable[str] = (),
) -> Iterator[tuple[int, dict[str, str]]]:
    """
    Read a table with a head; commas, semicolons or tabs between the fields.

    Empty lines, and those that begin with `#`, are passed over.

    Args:
        text: What the file holds.
        name: Of the file, for errors.
        columns: The names that each column may have.
        optional: Columns that may be missing.

    Returns:
        The number of each line from 1 on, and its fields by the name of the column.

    Raises:
        ValueError: There is no head, a column is unknown, missing or there twice, or
            a line has more or fewer fields than the head. All are named.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    kept = [
        (number, line)
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not kept:
        raise ValueError(
            f"{name}: must have a line with {', '.join(columns)}, got none"
        )
    place, first = kept[0]
    between = next((sign for sign in ",;\t" if sign in first), ",")
    table = [(number, _fields(line, between)) for number, line in kept]
    head = _head(table[0][1], columns)
    refuse(
        f"{name}:{place}: {problem}"
        for problem in _head_problems(head, table[0][1], columns, set(optional))
    )
    refuse(
        f"{name}:{number}: must have {len(head)} fields, got {len(fields)}"
        for number, fields in table[1:]
        if len(fields) != len(head)
    )
    for number, fields in table[1:]:
        yield number, dict(zip(map(str, head), fields, strict=True))


def _fields(line: str, between: str) -> list[str]:
    return [one.strip() for one in next(csv.reader([line], delimiter=between))]


def _head(
    fields: Iterable[str], columns: Mapping[str, Iterable[str]]
) -> list[str | None]:
    names = {other: own for own, others in columns.items() for other in (own, *others)}
    return [names.get(one.lower().replace(" ", "_")) for one in fields]


def _head_problems(
    head: list[str | None],
    fields: Iterable[str],
    columns: Mapping[str, Iterable[str]],
    optional: set[str],
) -> Iterator[str]:
    for own, field in zip(head, fields, strict=True):
        if own is None:
            accepted = ", ".join(columns)
            yield f"column must be of {accepted}, got {field!r}"
    for column in columns:
        if head.count(column) > 1:
            yield f"{column}: must be one column, got {head.count(column)}"
        if column not in head and column not in optional:
            yield f"{column}: must be a column, got none"
