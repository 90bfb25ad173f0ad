"""What the engine keeps of a resource: inputs, laid over what AWS says of it."""

from collections.abc import Mapping
from typing import Any

from sandbox.aws import schema
from sandbox.aws.difference import EMPTY, same
from sandbox.aws.resource import Resource, Values
from sandbox.wire import UNKNOWN


def foreseen(kind: Resource, inputs: Values, region: str) -> Values:
    """Return the state that the preview of a creation can promise."""
    names = schema.outputs(kind.token)
    outputs = names - set(schema.arguments(kind.token).fields)
    filled_in = {name for name in kind.computed if "." not in name}
    state: Values = dict.fromkeys(outputs | filled_in, UNKNOWN)
    if "region" in names:
        state["region"] = region
    state |= inputs
    for top, _, rest in (path.partition(".") for path in sorted(kind.computed)):
        if rest and isinstance(state.get(top), dict):
            state[top] = _with_unknown(state[top], rest)
    return state


def outcome(kind: Resource, found: Values, inputs: Values) -> Values:
    """Return the state after a creation or an update."""
    names = set(schema.arguments(kind.token).fields)
    partly = {path.partition(".")[0] for path in kind.computed} & set(inputs)
    computed = {
        name: value
        for name, value in found.items()
        if name not in names or name in {*kind.computed, *partly, "region"}
    }
    return _merged(kind, "", computed, inputs)


def kept(kind: Resource, old: Values, inputs: Values) -> Values:
    """Return the old outputs with the new inputs."""
    names = set(schema.arguments(kind.token).fields)
    outputs = {
        name: value
        for name, value in old.items()
        if name not in names or name in kind.computed or name == "region"
    } | {name: old[name] for name in inputs if name in old}
    return _merged(kind, "", outputs, inputs)


def _with_unknown(value: Values, path: str) -> Values:
    """Mark a part of an object as known only later, unless it is given."""
    name, _, rest = path.partition(".")
    if not rest:
        return {name: UNKNOWN} | value
    if not isinstance(value.get(name), dict):
        return value
    return value | {name: _with_unknown(value[name], rest)}


def _merged(kind: Resource, path: str, found: Values, inputs: Values) -> Values:
    """Lay inputs over outputs; in objects computed parts show through."""
    result = dict(found)
    for name, value in inputs.items():
        below = f"{path}.{name}" if path else name
        seen = found.get(name)
        if isinstance(value, dict) and isinstance(seen, dict) and below != "tags":
            shown = {k: v for k, v in seen.items() if f"{below}.{k}" in kind.computed}
            result[name] = _merged(kind, below, shown, value)
        else:
            result[name] = value
    return result


def drift(
    kind: Resource, old: Values, inputs: Values, found: Values
) -> tuple[Values, Values]:
    """Return state and inputs after a refresh; what means the same stays as it was."""
    state, drifted = dict(old), dict(inputs)
    shapes = schema.arguments(kind.token).fields
    for name, value in found.items():
        seen = value
        if name in inputs:
            seen = _shaped_like(shapes[name], old.get(name), value)
        if same(kind, name, old.get(name), seen):
            continue
        if old.get(name) in EMPTY and seen in EMPTY:
            continue
        state[name] = seen
        if name in inputs:
            drifted[name] = seen
    return state, drifted


def _shaped_like(shape: schema.Shape, old: Any, found: Any) -> Any:
    """Leave out of an object what the program did not ask for."""
    if shape.kind != "object" or not isinstance(old, Mapping):
        return found
    if not isinstance(found, Mapping):
        return found
    return dict(old) | {
        name: _shaped_like(shape.fields[name], old[name], value)
        for name, value in found.items()
        if name in old and name in shape.fields
    }
