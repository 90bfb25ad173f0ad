"""Objects against the OpenAPI schema of one Kubernetes version."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from sandbox.kubernetes.kinds import Kind
from sandbox.wire import UNKNOWN, contains_unknown

__all__ = ["problems", "served_version"]

_FOLDER = "kubernetes-json-schema"
_DEFINITIONS = "_definitions.json"
_UNEXPECTED = re.compile(r"'([^']*)'")
_WITHOUT_UNKNOWNS = {"additionalProperties", "required"}
_WORDS = {
    "array": "a list",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_TYPES = {
    bool: "boolean",
    dict: "object",
    float: "number",
    int: "integer",
    list: "array",
    str: "string",
}


def problems(
    kind: Kind, manifest: Mapping[str, Any], version: str | None
) -> Iterator[str]:
    """
    Yield what the schema of the kind says about the object, in the order of paths.

    Unknown fields, wrong types and missing fields are problems; an unknown value of a
    preview is none. Kinds of groups that the API server does not serve itself have no
    schema here and yield nothing.

    Args:
        kind: Kind of the object.
        manifest: The whole object.
        version: Kubernetes version such as ``1.36``; None means the newest known.
    """
    if not kind.built_in:
        return
    served = served_version(version)
    try:
        validator = _validator(kind, served)
    except FileNotFoundError:
        yield f"{kind.api_version} {kind.name} is not served by Kubernetes {served}"
        return
    if "items" in validator.schema["properties"]:
        yield f"{kind.name} is a list; make its items one by one"
        return
    errors = sorted(validator.iter_errors(manifest), key=lambda e: _place(e.path))
    for error in errors:
        if error.validator in _WITHOUT_UNKNOWNS or not contains_unknown(error.instance):
            yield from _texts(error)


def served_version(version: str | None) -> str:
    """Return the newest version with a schema that is not newer than *version*."""
    known = _versions()
    if version is None:
        return known[-1]
    older = [each for each in known if _order(each) <= _order(version)]
    return older[-1] if older else known[0]


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


@cache
def _versions() -> list[str]:
    from kubernetes_validate import utils

    return [utils.major_minor(version) for version in utils.all_versions()]


@cache
def _validator(kind: Kind, version: str) -> Any:
    # Imported when the first object arrives: together they take 0.2 s to load, and
    # the engine waits for the port of the plugin.
    import jsonschema
    from referencing import Registry, Resource

    group = kind.group.split(".")[0]
    prefix = f"{group}-" if group else ""
    schema = _load(f"{kind.name.lower()}-{prefix}{kind.version}.json", version)
    if "x-kubernetes-group-version-kind" not in schema:
        raise FileNotFoundError(kind.name)
    definitions = Resource.from_contents(_load(_DEFINITIONS, version))
    registry = definitions @ (Resource.from_contents(schema) @ Registry())
    return jsonschema.Draft202012Validator(schema, registry=registry)


@cache
def _load(name: str, version: str) -> Any:
    from kubernetes_validate import utils

    folder = f"{_FOLDER}/v{version}.0-local-strict"
    return utils.schema_contents(f"{folder}/{name}", version)


def _texts(error: Any) -> Iterator[str]:
    place = _place(error.path)
    if error.validator == "additionalProperties":
        if error.instance == UNKNOWN:
            return
        names = error.instance.keys() - error.schema.get("properties", {}).keys()
        for name in sorted(names):
            yield f"{_join(place, name)}: unknown field"
    elif error.validator == "required":
        (name,) = _UNEXPECTED.findall(error.message)[-1:]
        yield f"{_join(place, name)}: required"
    elif error.validator in {"type", "oneOf", "anyOf"}:
        wanted = " or ".join(_WORDS[each] for each in sorted(_wanted(error.schema)))
        yield f"{place}: must be {wanted}, got {_word(error.instance)}"
    elif error.validator == "enum":
        allowed = ", ".join(json.dumps(each) for each in error.validator_value)
        yield f"{place}: must be one of {allowed}, got {json.dumps(error.instance)}"
    else:
        yield f"{place}: {error.message}"


def _word(value: Any) -> str:
    return "null" if value is None else _WORDS[_TYPES[type(value)]]


def _wanted(schema: Mapping[str, Any]) -> set[str]:
    names = schema.get("type", ())
    names = {names} if isinstance(names, str) else set(names)
    for inner in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
        names |= _wanted(inner)
    return names - {"null"}


def _place(path: Any) -> str:
    text = ""
    for part in path:
        text = f"{text}[{part}]" if isinstance(part, int) else _join(text, part)
    return text


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
