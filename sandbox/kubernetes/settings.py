"""What a program may configure on `pulumi_kubernetes.Provider`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sandbox.kubernetes import kubeconfig
from sandbox.wire import UNKNOWN, contains_unknown

__all__ = ["Settings", "changed", "problems", "read"]

_TEXTS = ("cluster", "clusterIdentifier", "context", "kubeconfig", "namespace")
_SWITCHES = (
    "deleteUnreachable",
    "enableConfigMapMutable",
    "enablePatchForce",
    "enableSecretMutable",
    "enableServerSideApply",
    "skipUpdateUnreachable",
    "suppressDeprecationWarnings",
    "suppressHelmHookWarnings",
    "upsertExistingObjects",
)
_OBJECTS = {
    "helmReleaseSettings": (
        "driver",
        "pluginsPath",
        "registryConfigPath",
        "repositoryCache",
        "repositoryConfigPath",
    ),
    "kubeClientSettings": ("burst", "qps", "timeout"),
}
_NOT_IMITATED = {
    "alwaysRender": "the sandbox writes every object as YAML anyway",
    "renderYamlToDirectory": "the sandbox writes every object as YAML anyway",
}
_KNOWN = (*_TEXTS, *_SWITCHES, *_OBJECTS)
# What the engine adds to the arguments of a provider.
_ENGINE = {
    "__internal",
    "__defaults",
    "pluginChecksums",
    "pluginDownloadURL",
    "version",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """
    A configured provider.

    Server-side apply is on, as it is by default. Nothing but Pulumi writes to the
    cluster of the sandbox, so `enablePatchForce` never has a conflict to settle, and
    there are no warnings to suppress.

    Args:
        kubeconfig: Text of the kubeconfig, or None without one.
        overrides: ``context`` and ``cluster``, where given.
        namespace: Namespace of objects that name none.
        switches: The switches that are on.
    """

    kubeconfig: str | None = None
    overrides: Mapping[str, str] = field(default_factory=dict)
    namespace: str = "default"
    switches: frozenset[str] = frozenset()


def problems(arguments: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the arguments, in the order of their names."""
    found: list[str] = []
    for name, value in sorted(arguments.items()):
        if contains_unknown(value) or name in _ENGINE:
            continue
        found += [f"{name}: {text}" for text in _problems(name, value, arguments)]
    return found


def _problems(name: str, value: Any, arguments: Mapping[str, Any]) -> list[str]:
    if name in _NOT_IMITATED:
        return [f"not imitated by the sandbox, {_NOT_IMITATED[name]}"]
    if name not in _KNOWN:
        return [f"unknown argument, expected one of {', '.join(sorted(_KNOWN))}"]
    if name == "kubeconfig":
        return kubeconfig.problems(value, _overrides(arguments))
    if name in _TEXTS:
        return [] if isinstance(value, str) else [f"must be a string, got {value!r}"]
    parsed = _parsed(value)
    if name in _OBJECTS:
        return _object_problems(parsed, _OBJECTS[name])
    if not isinstance(parsed, bool):
        return [f"must be a boolean, got {value!r}"]
    if name == "enableServerSideApply" and not parsed:
        return ["must be true, the sandbox imitates server-side apply only"]
    return []


def _object_problems(value: Any, fields: tuple[str, ...]) -> list[str]:
    if not isinstance(value, Mapping):
        return [f"must be an object, got {value!r}"]
    expected = ", ".join(fields)
    unknown = sorted(value.keys() - set(fields))
    return [f"unknown field {key}, expected one of {expected}" for key in unknown]


def read(arguments: Mapping[str, Any]) -> Settings:
    """Return the settings that sound *arguments* stand for."""
    return Settings(
        kubeconfig=arguments.get("kubeconfig") or None,
        overrides=_overrides(arguments),
        namespace=arguments.get("namespace") or "default",
        switches=frozenset(
            name for name in _SWITCHES if _parsed(arguments.get(name)) is True
        ),
    )


def changed(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[list[str], list[str]]:
    """
    Return the arguments that changed, and those for which the provider is replaced.

    A replaced provider replaces every object made with it. The provider does that
    when the active cluster of the kubeconfig is another one, or cannot be known yet;
    with a `clusterIdentifier` only a change of that counts.

    Sources:
        ``DiffConfig`` of pulumi-kubernetes, provider/pkg/provider/provider.go.
    """
    names = sorted((old.keys() | new.keys()) - _ENGINE)
    diffs = [name for name in names if old.get(name) != new.get(name)]
    before, after = old.get("clusterIdentifier"), new.get("clusterIdentifier")
    if before is not None and after is not None:
        return diffs, ["clusterIdentifier"] if before != after else []
    related = [name for name in ("kubeconfig", "context", "cluster") if name in diffs]
    unknown = [name for name in related if new.get(name) == UNKNOWN]
    if unknown:
        return diffs, unknown
    clusters = [
        kubeconfig.active_cluster(each.get("kubeconfig") or "{}", _overrides(each))
        for each in (old, new)
    ]
    other = None not in clusters and clusters[0] != clusters[1]
    return diffs, related if other else []


def _overrides(arguments: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: arguments[name] for name in ("context", "cluster") if arguments.get(name)
    }


def _parsed(value: Any) -> Any:
    """Return what the SDK wrote as JSON: it sends every argument as a string."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
