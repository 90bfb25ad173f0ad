"""The name of an object, and what the API server demands of its metadata."""

import hashlib
import re
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kubernetes.kinds import Kind
from sandbox.wire import UNKNOWN, contains_unknown

__all__ = ["AUTONAMED", "adopt_name", "is_autonamed", "label_problems", "problems"]

AUTONAMED = "pulumi.com/autonamed"

# Kubernetes, "Object Names and IDs", "Labels and Selectors", "Annotations".
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_DNS_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_QUALIFIED = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_PATH_SEGMENT = re.compile(r"(?!\.{1,2}$)[^/%]+")
_LONGEST_LABEL = 63
_LONGEST_SUBDOMAIN = 253
_LARGEST_ANNOTATIONS = 256 * 1024
_LONGEST_CRON_JOB = 52

_LABEL_NAMED = {("", "Namespace"), ("", "Service")}
_PATH_NAMED = {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"}


def adopt_name(
    manifest: dict[str, Any], old: Mapping[str, Any], logical_name: str, seed: bytes
) -> None:
    """
    Give an object without a name the name of its old self, or a new random one.

    The annotation ``pulumi.com/autonamed`` marks the names made here; only such a
    name is taken over from *old*.

    Sources:
        Logical name, a hyphen and 8 hexadecimal digits: pulumi-kubernetes,
        provider/pkg/metadata/naming.go.
    """
    metadata = manifest.setdefault("metadata", {})
    if not isinstance(metadata, dict) or metadata.get("name"):
        return
    before = old.get("metadata")
    if isinstance(before, Mapping) and is_autonamed(old) and before.get("name"):
        metadata["name"] = before["name"]
    else:
        metadata["name"] = f"{logical_name}-{random_suffix(logical_name, seed)}"
    annotations = metadata.setdefault("annotations", {})
    if isinstance(annotations, dict):
        annotations[AUTONAMED] = "true"


def random_suffix(logical_name: str, seed: bytes) -> str:
    """Return 8 hexadecimal digits, the same for the same *seed* of the engine."""
    if not seed:
        return secrets.token_hex(4)
    return hashlib.sha256(seed + logical_name.encode()).hexdigest()[:8]


def is_autonamed(manifest: Mapping[str, Any]) -> bool:
    """Say whether the name of the object was made by `adopt_name`."""
    metadata = manifest.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    return isinstance(annotations, Mapping) and annotations.get(AUTONAMED) == "true"


def problems(kind: Kind, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the API server would say about the metadata, unknowns apart."""
    metadata = manifest.get("metadata")
    if metadata == UNKNOWN:
        return
    if not isinstance(metadata, Mapping):
        yield f"metadata: must be an object, got {metadata!r}"
        return
    if "generateName" in metadata:
        yield (
            "metadata.generateName: not supported with server-side apply, "
            "leave the name out or set metadata.name"
        )
    yield from _name_problems(kind, metadata.get("name"))
    yield from _namespace_problems(kind, metadata.get("namespace"))
    yield from label_problems(metadata, "metadata")


def label_problems(metadata: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield the problems of the labels and annotations of *metadata* at *path*."""
    for key, value in _entries(metadata.get("labels")):
        place = f"{path}.labels.{key}"
        yield from _key_problems(key, place)
        if not isinstance(value, str):
            yield f"{place}: must be a string, got {value!r}"
        elif not _is_label_value(value):
            yield (
                f"{place}: must be at most {_LONGEST_LABEL} letters, digits, '-', '_' "
                f"or '.', with a letter or digit at both ends, got {value!r}"
            )
    annotations = _entries(metadata.get("annotations"))
    for key, value in annotations:
        place = f"{path}.annotations.{key}"
        yield from _key_problems(key, place)
        if not isinstance(value, str):
            yield f"{place}: must be a string, got {value!r}"
    size = sum(len(f"{key}{value}".encode()) for key, value in annotations)
    if size > _LARGEST_ANNOTATIONS:
        yield (
            f"{path}.annotations: must be at most {_LARGEST_ANNOTATIONS} bytes "
            f"together, got {size}"
        )


def _entries(values: Any) -> list[tuple[str, Any]]:
    return sorted(values.items()) if isinstance(values, Mapping) else []


def _key_problems(key: str, place: str) -> Iterator[str]:
    prefix, slash, name = key.rpartition("/")
    if len(name) > _LONGEST_LABEL or not _QUALIFIED.fullmatch(name):
        yield (
            f"{place}: the key must be at most {_LONGEST_LABEL} letters, digits, "
            f"'-', '_' or '.', with a letter or digit at both ends"
        )
    if slash and not _is_subdomain(prefix.lower()):
        yield f"{place}: the part before the '/' must be a DNS name"


def _name_problems(kind: Kind, name: Any) -> Iterator[str]:
    if contains_unknown(name):
        return
    if not isinstance(name, str):
        yield f"metadata.name: must be a string, got {name!r}"
    elif kind.group == "rbac.authorization.k8s.io" and kind.name in _PATH_NAMED:
        if not _PATH_SEGMENT.fullmatch(name):
            yield f"metadata.name: must not hold '/' or '%', got {name!r}"
    elif (kind.group, kind.name) in _LABEL_NAMED:
        if not _is_label(name):
            yield (
                f"metadata.name: must be at most {_LONGEST_LABEL} lower-case "
                f"letters, digits or '-', with a letter or digit at both ends, "
                f"got {name!r}"
            )
    elif not _is_subdomain(name):
        yield (
            f"metadata.name: must be at most {_LONGEST_SUBDOMAIN} lower-case letters, "
            f"digits, '-' or '.', with a letter or digit at both ends, got {name!r}"
        )
    elif kind.name == "CronJob" and len(name) > _LONGEST_CRON_JOB:
        yield (
            f"metadata.name: must be at most {_LONGEST_CRON_JOB} characters for a "
            f"CronJob, got {len(name)}"
        )


def _namespace_problems(kind: Kind, namespace: Any) -> Iterator[str]:
    if namespace is None or contains_unknown(namespace):
        return
    if kind.namespaced is False:
        yield (
            f"metadata.namespace: {kind.name} belongs to the whole cluster, "
            f"leave the namespace out, got {namespace!r}"
        )
    elif not isinstance(namespace, str) or not _is_label(namespace):
        yield (
            f"metadata.namespace: must be at most {_LONGEST_LABEL} lower-case letters, "
            f"digits or '-', with a letter or digit at both ends, got {namespace!r}"
        )


def _is_label_value(text: str) -> bool:
    if text in ("", UNKNOWN):
        return True
    return len(text) <= _LONGEST_LABEL and _QUALIFIED.fullmatch(text) is not None


def _is_label(text: str) -> bool:
    return len(text) <= _LONGEST_LABEL and _DNS_LABEL.fullmatch(text) is not None


def _is_subdomain(text: str) -> bool:
    return (
        len(text) <= _LONGEST_SUBDOMAIN and _DNS_SUBDOMAIN.fullmatch(text) is not None
    )
