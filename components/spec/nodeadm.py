"""NodeConfig as nodeadm reads it: its schema and the rules by which parts merge."""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from types import FunctionType
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from .kubelet_fields import config_problems
from .kubelet_flags import flags_problems
from .problems import refuse

__all__ = ["API_VERSION", "merge", "node_config_problems", "read_node_config"]

API_VERSION = "node.eks.aws/v1alpha1"

# A document of another owner (metadata, OCI spec): any keys.
_ANY = object()


def _containerd_problems(path: str, text: Any) -> Iterator[str]:
    """List why nodeadm could not merge a text with containerd's configuration."""
    if not isinstance(text, str):
        yield f"{path} must be text, got {text!r}"
        return
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        yield f"{path} must be TOML, got text that cannot be read: {error}"


# `{...}` has these keys and no others, `[x]` is a list of x, `(x,)` maps text to x, a
# set names the values, a function lists problems. Source: amazon-eks-ami, nodeadm
# api/v1alpha1 and internal/api, read in November 2026.
_SCHEMA: dict[str, Any] = {
    "apiVersion": {API_VERSION},
    "kind": {"NodeConfig"},
    "metadata": _ANY,
    "spec": {
        "cluster": {
            "name": str,
            "apiServerEndpoint": str,
            "certificateAuthority": str,
            "cidr": str,
            "enableOutpost": bool,
            "id": str,
        },
        "containerd": {"config": _containerd_problems, "baseRuntimeSpec": _ANY},
        "instance": {
            "localStorage": {
                "strategy": {"RAID0", "RAID10", "Mount"},
                "mountPath": str,
                "disabledMounts": [{"Containerd", "PodLogs", "SOCI"}],
            },
            "storage": {
                "volumes": [{"device": str, "mountTargets": [str], "fsType": str}]
            },
            "environment": ((str,),),
            "network": {"nameservers": [str], "domains": [str]},
        },
        "kubelet": {
            "config": config_problems,
            "flags": flags_problems,
            "maxPodsExpression": str,
        },
        "featureGates": (bool,),
    },
}
_WORDS = {str: "text", bool: "true or false"}


class _Loader(yaml.SafeLoader):
    """Refuses a key that is given twice, as nodeadm does."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = [key for key in keys if keys.count(key) > 1]
        if twice:
            raise ConstructorError(
                None, None, f"key {twice[0]} is given twice", node.start_mark
            )
        return super().construct_mapping(node, deep)


def read_node_config(text: str) -> dict[str, Any]:
    """
    Read one NodeConfig and compare it with the schema.

    Raises:
        ValueError: The text is no YAML object, or keys and values differ from the
            schema or from what kubelet and containerd take; each is named with its
            path.
    """
    try:
        document = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        raise ValueError(
            f"content must be one YAML document: {_one_line(error)}"
        ) from None
    if not isinstance(document, dict):
        raise ValueError("content must be a NodeConfig, got no YAML object")
    problems = node_config_problems(document)
    refuse(problems)
    return document


def node_config_problems(document: Mapping[str, Any]) -> list[str]:
    """List where a document differs from NodeConfig, each with its path."""
    missing = [
        f"content.{key} must be {next(iter(_SCHEMA[key]))}, and is missing"
        for key in ("apiVersion", "kind")
        if key not in document
    ]
    return [*missing, *_differences("content", document, _SCHEMA)]


def _differences(path: str, value: Any, schema: Any) -> list[str]:
    match schema:
        case dict():
            return _object_differences(path, value, schema)
        case [item]:
            return _container_differences(path, value, schema, item)
        case set() if value not in [*schema]:
            return [f"{path} must be {' or '.join(sorted(schema))}, got {value!r}"]
        case type() if not isinstance(value, schema):
            return [f"{path} must be {_WORDS[schema]}, got {value!r}"]
        case FunctionType():
            return [*schema(path, value)]
    return []


def _object_differences(path: str, value: Any, schema: Mapping[str, Any]) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path} must be an object, got {value!r}"]
    problems = []
    for key, inner in value.items():
        if key not in schema:
            problems.append(_unknown(f"{path}.{key}", key, list(schema)))
        else:
            problems += _differences(f"{path}.{key}", inner, schema[key])
    return problems


def _container_differences(path: str, value: Any, schema: Any, item: Any) -> list[str]:
    wanted, word = (list, "a list") if isinstance(schema, list) else (dict, "an object")
    if not isinstance(value, wanted):
        return [f"{path} must be {word}, got {value!r}"]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [
        problem
        for key, one in inner
        for problem in _differences(
            f"{path}.{key}" if isinstance(value, dict) else f"{path}[{key}]", one, item
        )
    ]


def _unknown(path: str, key: Any, allowed: list[str]) -> str:
    near = [one for one in allowed if one.lower() == str(key).lower()]
    hint = f"write {near[0]}" if near else f"expected one of {', '.join(allowed)}"
    return f"{path}: unknown key, {hint}"


def _one_line(error: yaml.YAMLError) -> str:
    return " ".join(str(error).split())


def merge(documents: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """
    Merge NodeConfigs in their order, by nodeadm's rules.

    A later value wins; maps are merged key by key; kubelet flags are appended; every
    other list is replaced; two texts of containerd's TOML are merged as TOML. Empty
    texts and lists change nothing.

    Sources:
        amazon-eks-ami, nodeadm internal/api/merge.go.
    """
    return reduce(lambda done, one: _merge((), done, one), documents, {})


def _merge(path: tuple[str, ...], below: Any, above: Any) -> Any:
    if path == ("spec", "kubelet", "flags"):
        return [*(below or []), *above]
    if path == ("spec", "containerd", "config") and below and above:
        return _toml(_deep(tomllib.loads(below), tomllib.loads(above)))
    if path in (
        ("spec", "kubelet", "config"),
        ("spec", "containerd", "baseRuntimeSpec"),
    ):
        return _deep(below or {}, above)
    if isinstance(above, Mapping):
        known = below if isinstance(below, Mapping) else {}
        merged = {
            key: _merge((*path, key), known.get(key), above[key]) for key in above
        }
        return {**known, **merged}
    return below if above in (None, "", []) else above


def _deep(below: Any, above: Any) -> Any:
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    return {**below, **{key: _deep(below.get(key), above[key]) for key in above}}


def _toml(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> str:
    """Write TOML: values first, then one section for each table."""
    plain = {key: one for key, one in table.items() if not isinstance(one, Mapping)}
    lines = [f"{json.dumps(key)} = {_toml_value(one)}" for key, one in plain.items()]
    if path and (plain or not table):
        lines.insert(0, f"[{'.'.join(json.dumps(key) for key in path)}]")
    sections = [
        _toml(one, (*path, key)) for key, one in table.items() if key not in plain
    ]
    return "\n".join(filter(None, ["\n".join(lines), *sections]))


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (
            f"{json.dumps(key)} = {_toml_value(one)}" for key, one in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value) if isinstance(value, str | bool) else str(value)
