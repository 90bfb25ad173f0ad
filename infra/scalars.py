"""Single values of a stack file: what passes for which type, and how errors show it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pulumi

__all__ = [
    "Written",
    "describe",
    "expect_map",
    "expected",
    "looks_like",
    "meant",
    "read_literal",
    "read_scalar",
]

# Pulumi carries numbers as 64-bit floats; a larger whole number would change.
_LARGEST = 2**53

# How many characters of a wrong value an error repeats.
_SHOWN = 60

# What Pulumi makes of an unquoted date in a stack file.
_GO_DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4} \S+")


# The scalar types, the Python types that stand for them in a file, and their names.
_SCALARS: Mapping[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a text"),
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
}


@dataclass(frozen=True, slots=True)
class Written:
    """
    A value that stands alone in the file: Pulumi writes it as a text, whatever it is.

    Args:
        text: What stands there.
        value: What that is as JSON, if it is no text.
    """

    text: str
    value: Any


def meant(type_: Any, value: Any) -> Any:
    """Take a value that stands alone for what *type_* wants: a text stays one."""
    if not isinstance(value, Written):
        return value
    types = get_args(type_) if get_origin(type_) in (Union, UnionType) else (type_,)
    choices = [get_args(one) for one in types if get_origin(one) is Literal]
    if (value.value is None and NoneType in types) or any(
        looks_like(one, value.value) for one in types
    ):
        return value.value
    if str in types or any(value.text in some for some in choices):
        return value.text
    return value.value


def read_literal(choices: Sequence[Any], path: str, value: Any) -> Any:
    """
    Take *value* if it is one of *choices*; true is not 1 here.

    Raises:
        pulumi.RunError: It is none of them.
    """
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return choice
    raise expected(f"one of {', '.join(map(str, choices))}", path, value)


def read_scalar(type_: Any, path: str, value: Any) -> Any:
    """
    Take *value* if it is a `str`, `bool`, `int` or `float`, as *type_* wants it.

    Raises:
        pulumi.RunError: It is something else, or a number beyond 2**53.
        TypeError: *type_* is no scalar: a fault of the program, not of the file.
    """
    if type_ not in _SCALARS:
        raise TypeError(f"{path}: cannot read {type_}")
    if not looks_like(type_, value):
        raise expected(describe(type_), path, value)
    if type_ is str:
        return _expect_unicode(path, value)
    if type_ is not bool and not abs(value) <= _LARGEST:
        raise expected(f"a number of at most {_LARGEST} in size", path, value)
    return float(value) if type_ is float else value


def looks_like(type_: Any, value: Any) -> bool:
    """Tell whether *value* stands for a scalar or a tuple of *type_*."""
    if get_origin(type_) is tuple:
        return isinstance(value, list)
    if type_ not in _SCALARS:
        return False
    if isinstance(value, bool):
        return type_ is bool
    return isinstance(value, _SCALARS[type_][0]) and not _is_go_date(value)


def _is_go_date(value: Any) -> bool:
    return isinstance(value, str) and _GO_DATE.fullmatch(value) is not None


def describe(type_: Any) -> str:
    """Name *type_* in the words of a stack file."""
    if get_origin(type_) is tuple:
        return "a list"
    return _SCALARS[type_][1] if type_ in _SCALARS else "a map"


def expect_map(path: str, value: Any) -> Mapping[Any, Any]:
    """
    Take *value* if it is a map.

    Raises:
        pulumi.RunError: It is not.
    """
    if not isinstance(value, Mapping):
        raise expected("a map", path, value)
    return value


def _expect_unicode(path: str, value: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise pulumi.RunError(f"{path}: expected valid Unicode, got {_show(value)}")
    return value


def expected(what: str, path: str, value: Any) -> pulumi.RunError:
    """Say on one line what *path* should be and what it is."""
    unquoted = isinstance(value, bool | int | float) or _is_go_date(value)
    hint = "; put it in quotes" if what == "a text" and unquoted else ""
    return pulumi.RunError(f"{path}: expected {what}, got {_show(value)}{hint}")


def _show(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, str) and not _is_go_date(value):
        text = dumps(value, ensure_ascii=not value.isprintable())
    else:
        text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
