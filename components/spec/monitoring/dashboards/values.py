"""Dashboards as values: what is shown, before any JSON is written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = [
    "GRID",
    "Colour",
    "Dashboard",
    "Level",
    "Panel",
    "PanelKind",
    "Query",
    "Section",
    "Variable",
    "VariableKind",
]

GRID = 24
"""Columns of Grafana's grid."""

Colour = Literal["green", "orange", "red"]
"""`red` wakes somebody, `orange` waits for the morning."""

PanelKind = Literal["stat", "timeseries", "table", "text"]
VariableKind = Literal["datasource", "query", "choice"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """
    A colour that begins at a value.

    Args:
        value: Where it begins; None is the colour of everything below.
        colour: The colour.
    """

    value: float | None
    colour: Colour


@dataclass(frozen=True, kw_only=True, slots=True)
class Query:
    """
    Something that Prometheus is asked.

    Args:
        expr: The expression, with variables of Grafana.
        legend: What its series are called; in a table, the heading of its values.
        unit: Unit of its values, as Grafana calls it.
        levels: Colours of its values in a table.
    """

    expr: str
    legend: str
    unit: str
    levels: tuple[Level, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """
    A panel.

    Args:
        kind: How it looks.
        title: Its title.
        description: What it says and where it comes from; of a text, the text.
        queries: What it asks; the first names the unit of all but tables.
        width: Of the 24 columns of the grid.
        height: In rows of the grid, about 38 pixels each.
        levels: From when on it turns to which colour.
        columns: Headings of the labels of a table, in their order.
        links: Addresses of pages about it, by their titles.
        cell_links: Addresses to which a column of a table leads, by its heading.
        empty: What it shows when there is nothing.
    """

    kind: PanelKind
    title: str
    description: str
    queries: tuple[Query, ...] = ()
    width: int
    height: int
    levels: tuple[Level, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    cell_links: Mapping[str, str] = field(default_factory=dict)
    empty: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """
    Panels under a heading, from left to right and line by line.

    Args:
        title: The heading.
        panels: The panels.
    """

    title: str
    panels: tuple[Panel, ...]

    def placed(self) -> Iterator[tuple[Panel, int, int]]:
        """Return each panel with its column and its row below the heading."""
        column, row, tallest = 0, 0, 0
        for panel in self.panels:
            if column + panel.width > GRID:
                column, row, tallest = 0, row + tallest, 0
            yield panel, column, row
            column, tallest = column + panel.width, max(tallest, panel.height)

    @property
    def height(self) -> int:
        """Rows of the grid that its panels take."""
        return max((row + panel.height for panel, _, row in self.placed()), default=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Variable:
    """
    What the reader of a dashboard chooses.

    Args:
        name: Its name in expressions.
        title: What the reader sees.
        kind: Where its values come from.
        values: A type of data sources, a query, or values with commas between them.
        chosen: What is chosen at first, None: the first.
        several: Whether several may be chosen, and all are at first.
    """

    name: str
    title: str
    kind: VariableKind
    values: str
    chosen: str | None = None
    several: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Dashboard:
    """
    A dashboard.

    Args:
        name: Its uid, and the name of its file and object.
        title: Its title.
        description: What it is for.
        begin: Begin of its range at first, such as `now-6h`.
        refresh: How often it asks again; empty is never.
        variables: What its reader chooses.
        sections: Its panels.
    """

    name: str
    title: str
    description: str
    begin: str
    refresh: str
    variables: tuple[Variable, ...]
    sections: tuple[Section, ...]

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All panels in their order."""
        return tuple(panel for section in self.sections for panel in section.panels)
