"""Plain values of a stack file in, dataclasses out; every problem at once."""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
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

from infra.scalars import (
    describe,
    expect_map,
    expected,
    looks_like,
    meant,
    read_literal,
    read_scalar,
)

__all__ = ["build", "problems", "read_fields"]

# Below this likeness a suggestion is a guess: scaler would become cluster.
_NEAR = 0.7

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


D = TypeVar("D", bound=_Dataclass)
T = TypeVar("T")


def build(cls: type[D], path: str, values: Any, usual: D | None = None) -> D:
    """
    Make a *cls* from the mapping that a stack file holds at *path*.

    Fields that the file leaves out are those of *usual*, or else have their defaults.

    Fields are read in their order in the class, unknown keys follow by name, and
    the checks of the class itself come last, when all its fields could be read.

    Raises:
        pulumi.RunError: Keys are missing, unknown, mistyped or out of range: one
            line for each, with its path.
    """
    found, wrong = read_fields(cls, path, values, usual=usual)
    if found.keys() == set(_names(cls)):
        wrong = [*wrong, *problems(path, lambda: cls(**found))]
    if wrong:
        raise pulumi.RunError("\n".join(wrong))
    return cls(**found)


def read_fields(
    cls: Any, path: str, values: Any, given: Sequence[str] = (), usual: Any = None
) -> tuple[dict[str, Any], list[str]]:
    """
    Read what can be read of a *cls*, and list the problems of the rest.

    Fields that the file leaves out get their defaults.

    Args:
        cls: The dataclass whose fields the file holds at *path*.
        path: Where the file holds them; empty for the file itself.
        values: What the file says.
        given: Fields that the program supplies; the file may not name them.
        usual: A *cls* whose values are the defaults, instead of those of the class.

    Raises:
        pulumi.RunError: *values* is no map.
    """
    known = {f.name: f for f in fields(cls) if f.name not in given}
    accepted = [*_kinds([cls]), *known]
    values = expect_map(path, values)
    unknown = sorted((k for k in values if k not in accepted), key=str)
    wanted = [k for k in known if k in values or _is_required(known[k])]

    def read(key: Any) -> Any:
        if key not in known:
            raise pulumi.RunError(_unknown_key(_at(path, key), key, accepted))
        if key not in values:
            raise pulumi.RunError(f"{_at(path, key)}: missing key")
        return _read(
            _types(cls)[key], _at(path, key), values[key], _value(known[key], usual)
        )

    found, wrong = _collect(read, [*wanted, *unknown])
    return {**_defaults(known, values, usual), **found}, wrong


def problems(path: str, check: Callable[[], Any]) -> list[str]:
    """Call *check*, and return the lines of its ValueError with *path* in front."""
    try:
        check()
    except ValueError as error:
        front = f"{path}: " if path else ""
        return [front + line for line in str(error).splitlines()]
    return []


def _unknown_key(path: str, key: Any, accepted: Sequence[str]) -> str:
    """Say that *key* is unknown, what would be accepted, and which is nearest."""
    near = get_close_matches(str(key), accepted, n=1, cutoff=_NEAR)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{path}: unknown key, expected one of {', '.join(accepted)}{hint}"


def _at(path: str, key: Any) -> str:
    """Name *key* below *path* as `pulumi config set --path` does."""
    if isinstance(key, str) and _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{dumps(str(key))}]"


def _collect(
    read: Callable[[Any], T], keys: Iterable[Any]
) -> tuple[dict[Any, T], list[str]]:
    """Read every key, and keep the problems of all of them together."""
    values: dict[Any, T] = {}
    wrong: list[str] = []
    for key in keys:
        try:
            values[key] = read(key)
        except pulumi.RunError as error:
            wrong.append(str(error))
    return values, wrong


def _read_all(read: Callable[[Any], T], keys: Iterable[Any]) -> dict[Any, T]:
    values, wrong = _collect(read, keys)
    if wrong:
        raise pulumi.RunError("\n".join(wrong))
    return values


def _read(type_: Any, path: str, value: Any, usual: Any = None) -> Any:
    origin, value = get_origin(type_), meant(type_, value)
    if origin in (Union, UnionType):
        return _read_union(get_args(type_), path, value)
    if is_dataclass(type_):
        own = _without_kind(type_, value)
        return build(_variant([type_], path, value), path, own, usual)
    if origin is tuple:
        return _read_list(get_args(type_)[0], path, value)
    if origin is Mapping:
        return _read_map(get_args(type_)[1], path, value)
    if origin is Literal:
        return read_literal(get_args(type_), path, value)
    return read_scalar(type_, path, value)


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
        if member not in classes and looks_like(member, value):
            return _read(member, path, value)
    raise expected(" or ".join(describe(member) for member in members), path, value)


def _read_list(item: Any, path: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise expected("a list", path, value)
    return tuple(
        _read_all(
            lambda i: _read(item, f"{path}[{i}]", value[i]), range(len(value))
        ).values()
    )


def _read_map(item: Any, path: str, value: Any) -> dict[str, Any]:
    values = expect_map(path, value)

    def read(key: Any) -> Any:
        if not isinstance(key, str):
            raise expected("a text as key", _at(path, key), key)
        return _read(item, _at(path, key), values[key])

    return _read_all(read, sorted(values, key=str))


def _variant(classes: Sequence[Any], path: str, value: Any) -> Any:
    """Choose the class of a union by its `kind`, or else by the keys in use."""
    values = expect_map(path, value)
    if not _kinds(classes):
        return _by_keys(classes, path, values)
    by_kind = {cls.kind: cls for cls in classes}
    if "kind" in values:
        given = meant(str, values["kind"])
        kind = read_literal(list(by_kind), _at(path, "kind"), given)
        return by_kind[kind]
    usual = [cls for cls in classes if len(classes) == 1 or _is_usual(cls)]
    if usual:
        return usual[0]
    accepted = ["kind", *dict.fromkeys(n for cls in classes for n in _names(cls))]
    missing = f"{_at(path, 'kind')}: missing key, expected one of {', '.join(by_kind)}"
    raise pulumi.RunError("\n".join([missing, *_unknown_keys(path, values, accepted)]))


def _unknown_keys(
    path: str, values: Mapping[Any, Any], accepted: Sequence[str]
) -> list[str]:
    unknown = sorted((key for key in values if key not in accepted), key=str)
    return [_unknown_key(_at(path, key), key, accepted) for key in unknown]


def _is_usual(cls: Any) -> bool:
    """Tell whether the class says that it is meant where a file gives no kind."""
    return getattr(cls, "usual_kind", False)


def _by_keys(classes: Sequence[Any], path: str, values: Mapping[Any, Any]) -> Any:
    names = {cls: _names(cls) for cls in classes}
    accepted = [name for cls in classes for name in names[cls]]
    best = max(classes, key=lambda cls: sum(key in names[cls] for key in values))
    own = [key for key in values if key in names[best]]
    ways = " or the keys ".join(", ".join(names[cls]) for cls in classes)
    if values and not own:
        raise pulumi.RunError("\n".join(_unknown_keys(path, values, accepted)))
    if not values and all(any(map(_is_required, fields(cls))) for cls in classes):
        raise pulumi.RunError(f"{path}: expected the keys {ways}, got an empty map")
    alien = [key for key in values if key in accepted and key not in names[best]]
    if alien:
        raise pulumi.RunError(
            f"{path}: {own[0]} and {alien[0]} exclude each other, expected the keys "
            f"{ways}"
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


def _value(field: Field[Any], usual: Any) -> Any:
    """Return what stands there when the file says nothing; None is nothing."""
    if usual is not None:
        return getattr(usual, field.name)
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


def _defaults(
    known: Mapping[str, Field[Any]], values: Container[Any], usual: Any
) -> dict[str, Any]:
    return {
        key: _value(field, usual)
        for key, field in known.items()
        if key not in values and (usual is not None or not _is_required(field))
    }
