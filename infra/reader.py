"""Plain values of a stack file in, dataclasses out; every problem at once."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from json import dumps
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import pulumi

__all__ = ["at", "build", "checked", "collect", "unknown_key"]

# Pulumi carries numbers as 64-bit floats; a larger whole number would change.
_LARGEST = 2**53

# How many characters of a wrong value an error repeats.
_SHOWN = 60

# What Pulumi makes of an unquoted date in a stack file.
_GO_DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4} \S+")

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


D = TypeVar("D", bound=_Dataclass)
T = TypeVar("T")


def build(cls: type[D], path: str, values: Any, **given: Any) -> D:
    """
    Make a *cls* from the mapping that a stack file holds at *path*.

    *given* are the fields that the program supplies; the file may not name them.
    Fields are read in their order in the class, unknown keys follow by name, and
    the checks of the class itself come last, when all its fields could be read.

    Raises:
        pulumi.RunError: Keys are missing, unknown, mistyped or out of range: one
            line for each, with its path.
    """
    known = {f.name: f for f in fields(cls) if f.name not in given}
    accepted = [*_kinds([cls]), *known]
    values = _expect_map(path, values)
    unknown = sorted((k for k in values if k not in accepted), key=str)
    wanted = [key for key in known if key in values or _is_required(known[key])]

    def read(key: Any) -> Any:
        if key not in known:
            raise pulumi.RunError(unknown_key(at(path, key), key, accepted))
        if key not in values:
            raise pulumi.RunError(f"{at(path, key)}: missing key")
        return _read(_types(cls)[key], at(path, key), values[key])

    read_values = collect(read, [*wanted, *unknown])
    return checked(path, lambda: cls(**read_values, **given))


def collect(read: Callable[[Any], T], keys: Iterable[Any]) -> dict[Any, T]:
    """
    Read every key, and report the problems of all keys together.

    Raises:
        pulumi.RunError: The lines of all the errors that *read* raised.
    """
    values: dict[Any, T] = {}
    problems: list[str] = []
    for key in keys:
        try:
            values[key] = read(key)
        except pulumi.RunError as error:
            problems.append(str(error))
    if problems:
        raise pulumi.RunError("\n".join(problems))
    return values


def checked(path: str, make: Callable[[], T]) -> T:
    """
    Call *make*, and put *path* in front of each line of its ValueError.

    Raises:
        pulumi.RunError: *make* raised a ValueError.
    """
    try:
        return make()
    except ValueError as error:
        front = f"{path}: " if path else ""
        lines = "\n".join(front + line for line in str(error).splitlines())
        raise pulumi.RunError(lines) from error


def unknown_key(path: str, key: Any, accepted: Sequence[str]) -> str:
    """Say that *key* is unknown, what would be accepted, and which is nearest."""
    near = get_close_matches(str(key), accepted, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{path}: unknown key, expected one of {', '.join(accepted)}{hint}"


def at(path: str, key: Any) -> str:
    """Name *key* below *path* as `pulumi config set --path` does."""
    if isinstance(key, str) and _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{dumps(str(key))}]"


def _read(type_: Any, path: str, value: Any) -> Any:
    origin = get_origin(type_)
    if origin in (Union, UnionType):
        return _read_union(get_args(type_), path, value)
    if is_dataclass(type_):
        return build(_variant([type_], path, value), path, _without_kind(type_, value))
    if origin is tuple:
        return _read_list(get_args(type_)[0], path, value)
    if origin is Mapping:
        return _read_map(get_args(type_)[1], path, value)
    if origin is Literal:
        return _read_literal(get_args(type_), path, value)
    return _read_scalar(type_, path, value)


def _read_union(types: Sequence[Any], path: str, value: Any) -> Any:
    if value is None and NoneType in types:
        return None
    members = [member for member in types if member is not NoneType]
    if len(members) == 1:
        return _read(members[0], path, value)
    classes = [member for member in members if is_dataclass(member)]
    if classes and (len(classes) == len(members) or isinstance(value, Mapping)):
        variant = _variant(classes, path, value)
        return build(variant, path, _without_kind(variant, value))
    for member in members:
        if member not in classes and _looks_like(member, value):
            return _read(member, path, value)
    raise _expected(" or ".join(_describe(member) for member in members), path, value)


def _read_list(item: Any, path: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _expected("a list", path, value)
    return tuple(
        collect(
            lambda i: _read(item, f"{path}[{i}]", value[i]), range(len(value))
        ).values()
    )


def _read_map(item: Any, path: str, value: Any) -> dict[str, Any]:
    values = _expect_map(path, value)

    def read(key: Any) -> Any:
        if not isinstance(key, str):
            raise _expected("a text as key", at(path, key), key)
        return _read(item, at(path, key), values[key])

    return collect(read, sorted(values, key=str))


def _read_literal(choices: Sequence[Any], path: str, value: Any) -> Any:
    for choice in choices:
        if type(choice) is type(value) and choice == value:
            return choice
    raise _expected(f"one of {', '.join(map(str, choices))}", path, value)


def _read_scalar(type_: Any, path: str, value: Any) -> Any:
    if type_ not in _SCALARS:
        raise TypeError(f"{path}: cannot read {type_}")
    if not _looks_like(type_, value):
        raise _expected(_describe(type_), path, value)
    if type_ is str:
        return _expect_unicode(path, value)
    if type_ is not bool and not abs(value) <= _LARGEST:
        raise _expected(f"a number of at most {_LARGEST} in size", path, value)
    return float(value) if type_ is float else value


# The scalar types, the Python types that stand for them in a file, and their names.
_SCALARS: Mapping[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a text"),
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
}


def _looks_like(type_: Any, value: Any) -> bool:
    if get_origin(type_) is tuple:
        return isinstance(value, list)
    if type_ not in _SCALARS:
        return False
    if isinstance(value, bool):
        return type_ is bool
    return isinstance(value, _SCALARS[type_][0]) and not _is_go_date(value)


def _is_go_date(value: Any) -> bool:
    return isinstance(value, str) and _GO_DATE.fullmatch(value) is not None


def _describe(type_: Any) -> str:
    if get_origin(type_) is tuple:
        return "a list"
    return _SCALARS[type_][1] if type_ in _SCALARS else "a map"


def _expect_map(path: str, value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise _expected("a map", path, value)
    return value


def _expect_unicode(path: str, value: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise pulumi.RunError(f"{path}: expected valid Unicode, got {_show(value)}")
    return value


def _expected(what: str, path: str, value: Any) -> pulumi.RunError:
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


def _variant(classes: Sequence[Any], path: str, value: Any) -> Any:
    """Choose the class of a union by its `kind`, or else by the keys in use."""
    values = _expect_map(path, value)
    if not _kinds(classes):
        return _by_keys(classes, path, values)
    by_kind = {cls.kind: cls for cls in classes}
    if "kind" not in values and len(classes) > 1:
        raise pulumi.RunError(
            f"{at(path, 'kind')}: missing key, expected one of {', '.join(by_kind)}"
        )
    kind = values.get("kind", classes[0].kind)
    return by_kind[_read_literal(list(by_kind), at(path, "kind"), kind)]


def _by_keys(classes: Sequence[Any], path: str, values: Mapping[Any, Any]) -> Any:
    names = {cls: _names(cls) for cls in classes}
    accepted = [name for cls in classes for name in names[cls]]
    best = max(classes, key=lambda cls: sum(key in names[cls] for key in values))
    own = [key for key in values if key in names[best]]
    if values and not own:
        lines = [unknown_key(at(path, k), k, accepted) for k in sorted(values, key=str)]
        raise pulumi.RunError("\n".join(lines))
    alien = [key for key in values if key in accepted and key not in names[best]]
    if alien:
        raise pulumi.RunError(
            f"{path}: {own[0]} and {alien[0]} exclude each other, expected the keys "
            f"{' or the keys '.join(', '.join(names[cls]) for cls in classes)}"
        )
    return best


def _kinds(classes: Sequence[Any]) -> list[str]:
    """Return ["kind"] when the file tells *classes* apart by that key."""
    return [
        "kind"
        for cls in classes[:1]
        if hasattr(cls, "kind") and "kind" not in _names(cls)
    ]


def _without_kind(cls: Any, value: Any) -> Any:
    if not _kinds([cls]) or not isinstance(value, Mapping):
        return value
    return {key: item for key, item in value.items() if key != "kind"}


def _names(cls: Any) -> list[str]:
    return [field.name for field in fields(cls)]


@cache
def _types(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING
