"""
Stack files, read as the Pulumi CLI reads them.

The CLI hands a program YAML 1.2 through JSON, while PyYAML alone reads YAML 1.1:
there an unquoted `yes` is a boolean and `1:30` is ninety.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import yaml
from yaml.constructor import ConstructorError

__all__ = ["SECRET_TEXT", "project_name", "read_config", "stack_names"]

# Stands for a value that only the CLI can decrypt.
SECRET_TEXT = "secret"

_TAG = "tag:yaml.org,2002:"

# Beyond 64 bits the CLI reads a whole number as a float.
_INT64 = 2**63

# From here on Go writes a whole number as an exponent, and JSON reads a float.
_EXPONENT = 1e21


class _Loader(yaml.SafeLoader):
    """Scalars as Go's YAML library resolves them; no key twice in one map."""

    # Those of SafeLoader are YAML 1.1: start from none.
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
        keys: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in keys:
                raise ConstructorError(
                    problem=f"key {key.value} stands twice",
                    problem_mark=key.start_mark,
                )
            keys.add(str(key.value))
        return super().construct_mapping(node, deep)


def _number(text: str) -> int | float:
    text = text.replace("_", "").lower()
    if re.fullmatch(r"[-+]?0[0-7]+", text):
        return int(text, 8)
    try:
        number: int | float = int(text, 0)
    except ValueError:
        number = float(re.sub(r"\.(inf|nan)", r"\1", text))
    if isinstance(number, float):
        whole = number.is_integer() and abs(number) < _EXPONENT
        return int(number) if whole else number
    return number if -_INT64 <= number < 2 * _INT64 else float(text)


def _timestamp(text: str) -> str:
    """Write a date as Go does, since that is what the CLI hands over."""
    year, month, day = (int(part) for part in text[:10].split("-"))
    return f"{year}-{month:02}-{day:02} {text[11:19] or '00:00:00'} +0000 UTC"


def _constructor(read: Callable[[str], Any]) -> Callable[[_Loader, Any], Any]:
    """Read a scalar; what only looks like a number or a date stays a text."""

    def construct(loader: _Loader, node: Any) -> Any:
        text = str(loader.construct_scalar(node))
        try:
            return read(text)
        except (OverflowError, ValueError):
            return text

    return construct


_DAY = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"

# In the order in which they are tried; the characters are those a match begins with.
_SCALARS = (
    ("bool", "tTfF", r"true|True|TRUE|false|False|FALSE"),
    ("null", ["", *"~nN"], r"|~|null|Null|NULL"),
    ("merge", "<", r"<<"),
    ("timestamp", "0123456789", rf"{_DAY}|{_DAY}[Tt ]\d\d:\d\d:\d\d.*"),
    (
        "int",
        "-+0123456789",
        r"[-+]?(0[bB][01_]+|0[oO]?[0-7_]+|0[xX][0-9a-fA-F_]+|0|[1-9][0-9_]*)",
    ),
    (
        "float",
        "-+.0123456789",
        r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
        r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
    ),
)

for _name, _first, _pattern in _SCALARS:
    _Loader.add_implicit_resolver(
        f"{_TAG}{_name}", re.compile(f"(?:{_pattern})\\Z"), list(_first)
    )
for _name, _read in (("int", _number), ("float", _number), ("timestamp", _timestamp)):
    _Loader.add_constructor(f"{_TAG}{_name}", _constructor(_read))


def read_config(root: Path, stack: str) -> dict[str, Any]:
    """
    Read `config` of one stack file below *root*; encrypted values are `SECRET_TEXT`.

    Keys carry their namespace: one without belongs to the project, as for the CLI.

    Raises:
        pulumi.RunError: There is no such file, or it is no stack file: one line.
    """
    name = f"Pulumi.{stack}.yaml"
    if not (root / name).is_file():
        raise pulumi.RunError(
            f"{name}: no such stack file, expected one of the stacks "
            f"{', '.join(stack_names(root))}"
        )
    config = _load(root / name).get("config")
    config = {} if config is None else config
    if not isinstance(config, dict):
        raise pulumi.RunError(f"{name}: config: expected a map")
    project = project_name(root)
    full = [str(key) if ":" in str(key) else f"{project}:{key}" for key in config]
    twice = sorted({key for key in full if full.count(key) > 1})
    if twice:
        # The CLI would take either of the two.
        raise pulumi.RunError(
            "\n".join(
                f"{name}: {key} stands twice, with and without the name of the project"
                for key in twice
            )
        )
    values = map(_without_secrets, config.values())
    return dict(zip(full, values, strict=True))


def project_name(root: Path) -> str:
    """
    Return the name of the project, which is the namespace of its keys.

    Raises:
        pulumi.RunError: `Pulumi.yaml` cannot be read or names no project: one line.
    """
    name = _load(root / "Pulumi.yaml").get("name")
    if not isinstance(name, str):
        raise pulumi.RunError("Pulumi.yaml: name: missing key")
    return name


def stack_names(root: Path) -> list[str]:
    """Return the names of the stacks that have a file in *root*, sorted."""
    return sorted(path.name[7:-5] for path in root.glob("Pulumi.?*.yaml"))


def _load(path: Path) -> dict[Any, Any]:
    try:
        content = yaml.load(path.read_bytes(), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise pulumi.RunError(f"{path.name}: {place}{error.problem}") from error
    except RecursionError as error:
        raise pulumi.RunError(f"{path.name}: nested too deeply") from error
    except (OSError, yaml.YAMLError) as error:
        text = " ".join(str(error).split())
        raise pulumi.RunError(f"{path.name}: cannot be read: {text}") from error
    if not isinstance(content, dict):
        raise pulumi.RunError(f"{path.name}: expected a map")
    return content


def _without_secrets(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    if not isinstance(value, dict):
        return value
    if list(value) == ["secure"] and isinstance(value["secure"], str):
        return SECRET_TEXT
    return {key: _without_secrets(item) for key, item in value.items()}
