"""
Write docs/reference.md: every key of a stack file, from the classes that read it.

    python -m scripts.reference

Path, type and default come from the fields of the dataclasses, the meaning from the
part `Args` of their docstrings, the reason of a default from the part `Sources`.
"""

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import yaml

from infra.settings import GIVEN, Settings

__all__ = ["FILE", "Key", "Section", "keys", "reference", "sections"]

ROOT = Path(__file__).parent.parent
FILE = "docs/reference.md"

_HEAD = """\
# Reference of a stack file

Written by `make reference` from the classes that read a stack file, and held to them \
by a test; do not edit it.

Each key stands below `config:` in `Pulumi.<stack>.yaml`.
`pulumi config set` writes the name of the project in front, `eks-jobs:network`: that \
is the same key, which may stand once.
A key with a name that is nearly that of the project, such as `eks_jobs:network`, \
is refused; keys of other namespaces belong to providers, and are not looked at.
Besides these there is `aws:region`, which is required.
`[]` is an item of a list, `<name>` a key of a map.
"None" in a text is a key that is left out, or `null`.
A default stands where the whole key may be left out: a map that is given has for each \
of its own keys the default of that key.
Units stand in names: `_gib` is GiB, `_mib` MiB or MiB/s, `_days` days, `_seconds` \
seconds.
Unknown keys and bad values are refused with their path, all at once, before anything \
is created.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """
    A key of a stack file.

    Args:
        path: `jobs[].volume.iops`, without its variant.
        name: The last part of the path.
        type: What it takes, in words.
        default: In YAML, or in words; empty where the key is required.
        meaning: From the docstring.
    """

    path: str
    name: str
    type: str
    default: str
    meaning: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """
    The keys of one map of a stack file.

    Args:
        path: Where the map stands: `jobs[].volume`; empty for the file.
        variant: What tells it from others at the same place, `kind: karpenter`.
        cls: The class that is made from it.
        keys: Its keys, in the order of the class.
    """

    path: str
    variant: str
    cls: Any
    keys: tuple[Key, ...]

    @property
    def title(self) -> str:
        """The path with the variant."""
        return f"{self.path} ({self.variant})" if self.variant else self.path


def sections(
    cls: Any = Settings, path: str = "", variant: str = "", usual: Any = None
) -> list[Section]:
    """
    List a class and what is below it, depth first, in the order of the fields.

    Args:
        cls: The class.
        path: Where it stands.
        variant: What tells it from others there.
        usual: What stands there when nothing is said: its fields are the defaults.
    """
    types, texts = get_type_hints(cls), _arguments(cls)
    named = [field for field in fields(cls) if path or field.name not in GIVEN]
    own = (
        *_kind(cls, path),
        *(
            Key(
                path=f"{path}.{field.name}".lstrip("."),
                name=field.name,
                type=_words(types[field.name]),
                default=_default(_value(field, usual)),
                meaning=texts.get(field.name, ""),
            )
            for field in named
        ),
    )
    values = {field.name: _value(field, usual) for field in named}
    below = [
        section
        for key in own
        for place, inner, told in _classes(types.get(key.name), key.path)
        for section in sections(
            inner,
            place,
            told,
            # Of a union the file names a class anew, and starts from its defaults.
            values[key.name] if type(values.get(key.name)) is types[key.name] else None,
        )
    ]
    return [Section(path=path, variant=variant, cls=cls, keys=own), *below]


def keys(found: Sequence[Section]) -> Iterator[tuple[Section, Key]]:
    """Yield every key with its section."""
    yield from ((section, key) for section in found for key in section.keys)


def reference() -> str:
    """Render the document."""
    found = sections()
    twins = _twins(found)
    return "\n".join(
        [_HEAD, *(_rendered(one, found, twins) for one in found if _shown(one, twins))]
    )


def main() -> int:
    """Write the document."""
    (ROOT / FILE).write_text(reference())
    return 0


def _classes(type_: Any, path: str) -> Iterator[tuple[str, Any, str]]:
    """Yield the classes that may stand at *path*, with what tells them apart."""
    origin = get_origin(type_)
    if origin in (Union, UnionType):
        members = [one for one in get_args(type_) if is_dataclass(one)]
        several = len(members) > 1
        for member in get_args(type_):
            for place, cls, _ in _classes(member, path):
                told = _variant(cls) if place == path and several else ""
                yield place, cls, told
    elif origin is tuple:
        yield from _classes(get_args(type_)[0], f"{path}[]")
    elif origin is Mapping:
        yield from _classes(get_args(type_)[1], f"{path}.<name>")
    elif is_dataclass(type_):
        yield path, type_, ""


def _variant(cls: Any) -> str:
    return f"kind: {cls.kind}" if _has_kind(cls) else f"with {fields(cls)[0].name}"


def _has_kind(cls: Any) -> bool:
    """Tell whether a file tells the class from others by `kind`, as no field of it."""
    return hasattr(cls, "kind") and "kind" not in [field.name for field in fields(cls)]


def _kind(cls: Any, path: str) -> Iterator[Key]:
    if _has_kind(cls):
        usual = getattr(cls, "usual_kind", False)
        yield Key(
            path=f"{path}.kind",
            name="kind",
            type=f"`{cls.kind}`",
            default=f"`{cls.kind}`" if usual else "",
            meaning="Says that the keys below are meant.",
        )


def _words(type_: Any) -> str:
    """Name a type in the words of a stack file."""
    origin, inner = get_origin(type_), get_args(type_)
    if origin in (Union, UnionType):
        words = dict.fromkeys(_words(one) for one in inner if one is not NoneType)
        return " or ".join([*words, *(["null"] if NoneType in inner else [])])
    if origin is tuple:
        return f"list of {_words(inner[0])}"
    if origin is Mapping:
        return f"map of {_words(inner[1])}"
    if origin is Literal:
        return ", ".join(f"`{one}`" for one in inner)
    plain = {str: "text", bool: "true or false", int: "whole number", float: "number"}
    return plain.get(type_, "map")


def _value(field: Field[Any], usual: Any) -> Any:
    """Return what a field is when a file leaves it out."""
    return _plain_default(field) if usual is None else getattr(usual, field.name)


def _default(value: Any) -> str:
    if value is MISSING:
        return ""
    if is_dataclass(value) and (not _written(value) or not _has_kind(type(value))):
        return "as below"
    return f"`{_yaml(_written(value))}`"


def _written(value: Any) -> Any:
    """Return what a stack file would say; keys with their own default are left out."""
    if isinstance(value, tuple | list | frozenset):
        return [_written(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _written(item) for key, item in value.items()}
    if not is_dataclass(value):
        return value
    kind = {"kind": value.kind} if _has_kind(value) else {}
    return kind | {
        field.name: _written(getattr(value, field.name))
        for field in fields(value)
        if getattr(value, field.name) != _plain_default(field)
    }


def _plain_default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


def _yaml(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=999)
    return text.removesuffix("...\n").strip()


def _arguments(cls: Any) -> dict[str, str]:
    """Read the part `Args` of a class and of those that it extends."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        lines = _part(base, "Args")
        for name, text in re.findall(r"^(\w+): (.+(?:\n .+|\n(?=\n))*)", lines, re.M):
            found[name] = _joined(text)
    return found


def _part(cls: Any, name: str) -> str:
    """Return a part of a docstring without its indentation."""
    text = inspect.cleandoc(cls.__dict__.get("__doc__") or "")
    found = re.search(rf"^{name}:\n((?:    .*\n|\n)*)", f"{text}\n", re.MULTILINE)
    return textwrap.dedent(found[1]) if found else ""


def _summary(cls: Any) -> str:
    return _joined(inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0])


def _joined(text: str) -> str:
    """Write a docstring as Markdown: a name in stars is an argument, which is code."""
    plain = " ".join(text.split()).replace("``", "`")
    return re.sub(r"(?<!\*)\*(\w+)\*(?!\*)", r"`\1`", plain)


def _twins(found: Sequence[Section]) -> dict[str, str]:
    """Return keys of the file that take the same as one before them, with that one."""
    roots: dict[tuple[Any, ...], str] = {}
    twins: dict[str, str] = {}
    for key in found[0].keys:
        classes = tuple(one.cls for one in found if one.path == key.path)
        first = roots.setdefault(classes, key.path) if classes else key.path
        twins |= {key.path: first} if first != key.path else {}
    return twins


def _shown(section: Section, twins: Mapping[str, str]) -> bool:
    return re.split(r"[.\[]", section.path)[0] not in twins


def _rendered(
    section: Section, found: Sequence[Section], twins: Mapping[str, str]
) -> str:
    source = _joined(_part(section.cls, "Sources"))
    level = "###" if "." in section.path else "##"
    head = [f"{level} {section.title}", "", _summary(section.cls), ""]
    rows = [
        f"| {_linked(key.path, found, twins)} | {_cell(key.type)} | "
        f"{_cell(key.default) or 'required'} | {_cell(_meaning(key, twins))} |"
        for key in section.keys
    ]
    table = ["| key | takes | default | meaning |", "|---|---|---|---|", *rows, ""]
    about = [f"Sources: {source}", ""] if source else []
    return "\n".join([*(head if section.path else []), *table, *about])


def _meaning(key: Key, twins: Mapping[str, str]) -> str:
    if key.path not in twins:
        return key.meaning
    return f"{key.meaning} Its keys are those of `{twins[key.path]}`."


def _linked(path: str, found: Sequence[Section], twins: Mapping[str, str]) -> str:
    """Link the keys of the file to the section that describes what they take."""
    target = twins.get(path, path)
    titles = [one.title for one in found if one.path in (target, f"{target}[]")]
    if "." in path or not titles:
        return f"`{path}`"
    anchor = re.sub(r"[^\w\- ]", "", titles[0].lower()).replace(" ", "-")
    return f"[`{path}`](#{anchor})"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    sys.exit(main())
