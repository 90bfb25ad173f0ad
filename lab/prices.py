"""What nodes cost, by a table of the user: nobody else knows the discounts."""

from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from components.spec.architecture import is_instance_type_name
from components.spec.problems import refuse
from lab.documents import Map, rows, yaml_documents

__all__ = ["load_prices", "read_prices"]

_COLUMNS = {"instance_type": ("type",), "usd_per_hour": ("price", "usd", "usd/hour")}


def load_prices(path: Path) -> dict[str, float]:
    """
    Read a table of prices from a file.

    Raises:
        ValueError: See `read_prices`; or the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: must be a file of prices, got: {error}") from error
    return read_prices(text, path.name)


def read_prices(text: str, name: str) -> dict[str, float]:
    """
    Read a table of prices.

    Args:
        text: A CSV of `instance_type` and `usd_per_hour` when the name ends in
            `.csv`; or else YAML, a map of instance type to USD an hour.
        name: Of the file, for errors too.

    Raises:
        ValueError: A line is no instance type with a price above 0, or a type has
            two prices. All such lines are named.
    """
    found = list(_csv(text, name) if name.endswith(".csv") else _yaml(text, name))
    refuse(_problems(found, name))
    return {kind: float(price) for _, kind, price in found}


def _csv(text: str, name: str) -> Iterator[tuple[int, str, Any]]:
    for line, row in rows(text, name, _COLUMNS):
        yield line, row["instance_type"], _number(row["usd_per_hour"])


def _yaml(text: str, name: str) -> Iterator[tuple[int, str, Any]]:
    documents = yaml_documents(text, name)
    if len(documents) != 1 or not isinstance(documents[0], Mapping):
        raise ValueError(f"{name}: must be a map of instance type to USD an hour")
    prices: Map = documents[0]
    for kind, price in prices.items():
        yield prices.line_of(kind), kind, price


def _problems(found: list[tuple[int, str, Any]], name: str) -> Iterator[str]:
    lines: dict[str, int] = {}
    for line, kind, price in found:
        if not is_instance_type_name(kind):
            problem = f"must look like m7i.4xlarge, got {kind}"
            yield f"{name}:{line}: instance_type: {problem}"
        if kind in lines:
            yield (
                f"{name}:{line}: instance_type: must have one price, got {kind} of "
                f"line {lines[kind]} again"
            )
        lines.setdefault(kind, line)
        number = isinstance(price, int | float) and not isinstance(price, bool)
        if not number or not isfinite(price) or price <= 0:
            yield f"{name}:{line}: usd_per_hour: must be above 0, got {price!r}"


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
