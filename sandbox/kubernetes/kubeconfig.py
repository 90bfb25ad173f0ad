"""The kubeconfig of a provider: which cluster it means, and whether it is sound."""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

__all__ = ["Target", "active_cluster", "problems", "target"]

_SECTIONS = {"clusters": "cluster", "contexts": "context", "users": "user"}
_EXEC = ("apiVersion", "command")


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """
    The cluster that a kubeconfig means.

    Args:
        server: Address of its API server.
        eks_name: Name on EKS, where the user is authenticated by the AWS CLI.
        region: AWS region that goes with it.
    """

    server: str
    eks_name: str | None
    region: str | None


def problems(text: Any, overrides: Mapping[str, Any]) -> list[str]:
    """
    Return what is wrong with a kubeconfig, an empty list when it can be used.

    Args:
        text: YAML or JSON. The path of a file is refused: the sandbox never reads the
            kubeconfig of the machine.
        overrides: The arguments ``context`` and ``cluster`` of the provider.
    """
    config = _parse(text)
    if config is None:
        return ["must be the text of a kubeconfig, in YAML or JSON"]
    found = [*_shape_problems(config)]
    return found or [*_reference_problems(config, overrides)]


def active_cluster(text: Any, overrides: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the settings of the cluster in use, or None where there is none."""
    config = _parse(text) or {}
    context = _context(config, overrides) or {}
    return _entry(
        config, "clusters", overrides.get("cluster") or context.get("cluster")
    )


def target(text: Any, overrides: Mapping[str, Any]) -> Target:
    """Return the cluster that a sound kubeconfig means."""
    config = _parse(text) or {}
    cluster = active_cluster(text, overrides) or {}
    context = _context(config, overrides) or {}
    user = _entry(config, "users", context.get("user")) or {}
    words = [str(word) for word in user.get("exec", {}).get("args", ())]
    on_eks = "get-token" in words
    return Target(
        server=cluster.get("server", ""),
        eks_name=_option(words, "--cluster-name") if on_eks else None,
        region=_option(words, "--region") if on_eks else None,
    )


def _option(words: list[str], name: str) -> str | None:
    if name not in words[:-1]:
        return None
    return words[words.index(name) + 1]


def _parse(text: Any) -> Mapping[str, Any] | None:
    if isinstance(text, Mapping):
        return text
    try:
        parsed = json.loads(text) if text.lstrip()[:1] == "{" else yaml.safe_load(text)
    except (ValueError, AttributeError, yaml.YAMLError):
        return None
    return parsed if isinstance(parsed, Mapping) else None


def _shape_problems(config: Mapping[str, Any]) -> Iterator[str]:
    if config.get("kind", "Config") != "Config":
        yield f"kind: must be Config, got {config['kind']!r}"
    for section, inner in _SECTIONS.items():
        entries = config.get(section)
        if not isinstance(entries, list) or not entries:
            yield f"{section}: must list at least one {inner}"
            continue
        for index, entry in enumerate(entries):
            shaped = isinstance(entry, Mapping) and isinstance(entry.get("name"), str)
            if not shaped or not isinstance(entry.get(inner), Mapping):
                yield f"{section}[{index}]: must have a name and a {inner}"


def _reference_problems(
    config: Mapping[str, Any], overrides: Mapping[str, Any]
) -> Iterator[str]:
    name = overrides.get("context") or config.get("current-context")
    context = _context(config, overrides)
    if context is None:
        yield f"current-context: no context is called {name!r}"
        return
    chosen = overrides.get("cluster") or context.get("cluster")
    cluster = _entry(config, "clusters", chosen)
    if cluster is None:
        yield f"contexts: no cluster is called {chosen!r}"
    else:
        yield from _cluster_problems(cluster)
    user = _entry(config, "users", context.get("user"))
    if user is None:
        yield f"contexts: no user is called {context.get('user')!r}"
    elif "exec" in user:
        missing = [key for key in _EXEC if key not in user["exec"]]
        yield from (f"users: exec of the user lacks {key}" for key in missing)


def _cluster_problems(cluster: Mapping[str, Any]) -> Iterator[str]:
    server = cluster.get("server")
    if not isinstance(server, str) or not server.startswith(("https://", "http://")):
        yield f"clusters: server must be an address, got {server!r}"
    try:
        base64.b64decode(cluster.get("certificate-authority-data", ""), validate=True)
    except (binascii.Error, TypeError):
        yield "clusters: certificate-authority-data must be base64"


def _context(
    config: Mapping[str, Any], overrides: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    name = overrides.get("context") or config.get("current-context")
    return _entry(config, "contexts", name)


def _entry(
    config: Mapping[str, Any], section: str, name: Any
) -> Mapping[str, Any] | None:
    for entry in config.get(section) or ():
        if entry["name"] == name:
            return entry[_SECTIONS[section]]
    return None
