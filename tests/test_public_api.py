"""
The public surface of the package, as one file that a reviewer reads.

Written down are the names that `import eks_jobs` offers, with the fields, signatures
and attributes of each as its source states them. Not proven here: what they do.
"""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, get_args

import components

GOLDEN = "public_api.txt"
NAMES = components.__all__


def described(name: str) -> list[str]:
    value = getattr(components, name)
    if inspect.isclass(value):
        return [f"class {name}{_bases(value)}", *_indented(_members(value))]
    if inspect.isfunction(value):
        return [_signature(_statement(inspect.getmodule(value), name))]
    return [_value(name, value)]


def _bases(cls: type) -> str:
    """Name the bases that others define; what ours add is listed with the class."""
    named = [base.__name__ for base in cls.__bases__ if not _is_ours(base)]
    listed = ", ".join(name for name in named if name != "object")
    mark = ", a dataclass" if hasattr(cls, "__dataclass_fields__") else ""
    return f"{f'({listed})' if listed else ''}{mark}"


def _members(cls: type) -> Iterator[str]:
    for owner in filter(_is_ours, reversed(cls.__mro__)):
        body = _statement(inspect.getmodule(owner), owner.__name__).body
        yield from (line for node in body for line in _member(node))


def _is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == components.__name__


def _member(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.AnnAssign) and _is_public(ast.unparse(node.target)):
        yield ast.unparse(node)
    elif isinstance(node, ast.FunctionDef) and (
        _is_public(node.name) or node.name == "__init__"
    ):
        marks = "".join(f"@{ast.unparse(one)} " for one in node.decorator_list)
        yield f"{marks}{_signature(node)}"


def _signature(node: Any) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"def {node.name}({ast.unparse(node.args)}){returns}"


def _value(name: str, value: Any) -> str:
    """Write a constant, or the members of a union."""
    members = [member.__name__ for member in get_args(value)]
    return f"{name} = {' | '.join(members) if members else repr(value)}"


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _statement(module: ModuleType | None, name: str) -> Any:
    assert module is not None
    (found,) = (
        node for node in _tree(module).body if getattr(node, "name", None) == name
    )
    return found


def _indented(lines: Iterator[str]) -> list[str]:
    """Indent each line once: a class may say again what its base says."""
    return [f"    {line}" for line in dict.fromkeys(lines)]


def _is_public(name: str) -> bool:
    return not name.startswith("_")


def test_the_public_surface_matches_its_golden_file(golden):
    blocks = ["\n".join(described(name)) for name in sorted(NAMES)]

    golden(GOLDEN, "\n\n".join(blocks) + "\n")


def test_every_public_name_explains_itself():
    values = [getattr(components, name) for name in NAMES]
    explained = [v for v in values if inspect.isclass(v) or inspect.isfunction(v)]

    assert [] == [value for value in explained if not inspect.getdoc(value)]
