"""Helm releases: checked for shape and recorded; no chart is fetched or rendered."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.provider import DiffResponse

from sandbox.errors import RefusedError
from sandbox.kubernetes import changes
from sandbox.kubernetes.metadata import random_suffix
from sandbox.kubernetes.objects import Checked, Surroundings
from sandbox.kubernetes.store import Identity
from sandbox.wire import UNKNOWN, contains_unknown

__all__ = ["ReleaseType"]

_API_VERSION = "helm.sh/v3"
_REPLACED = ("name", "namespace")
_COMPUTED = ("resourceNames", "status")

_BOOLEANS = (
    "allowNullValues",
    "atomic",
    "cleanupOnFail",
    "createNamespace",
    "dependencyUpdate",
    "devel",
    "disableCRDHooks",
    "disableOpenapiValidation",
    "disableWebhooks",
    "forceUpdate",
    "lint",
    "recreatePods",
    "renderSubchartNotes",
    "replace",
    "resetValues",
    "reuseValues",
    "skipAwait",
    "skipCrds",
    "takeOwnership",
    "verify",
    "waitForJobs",
)
_TYPES: dict[str, type] = {
    **dict.fromkeys(_BOOLEANS, bool),
    "chart": str,
    "description": str,
    "keyring": str,
    "maxHistory": int,
    "name": str,
    "namespace": str,
    "repositoryOpts": dict,
    "timeout": int,
    "values": dict,
    "version": str,
}
_WORDS: dict[type, str] = {
    bool: "a boolean",
    int: "an integer",
    str: "a string",
    dict: "an object",
}
_REPOSITORY = ("caFile", "certFile", "keyFile", "password", "repo", "username")
_NOT_IMITATED = {
    "manifest": "it is an output",
    "postrender": "no chart is rendered here",
    "resourceNames": "it is an output",
    "valueYamlFiles": "pass the values as `values`",
}

# Helm, chartutil.ValidateReleaseName, and semantic versions 2.0 with an optional v.
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_NAME = 53
_VERSION = re.compile(r"v?\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
_TIMEOUT_SECONDS = 300


class ReleaseType:
    """A Helm release: its arguments are recorded, its chart is neither read nor run."""

    keeps_nulls = True

    def check(
        self, inputs: dict[str, Any], old: Mapping[str, Any], around: Surroundings
    ) -> Checked:
        """Fill in the defaults of the provider, and find wrong arguments."""
        # The SDK adds `compat`, which is about the provider's own old versions.
        release = {key: value for key, value in inputs.items() if key != "compat"}
        if not release.get("name"):
            suffix = random_suffix(around.logical_name, around.seed)
            release["name"] = old.get("name") or f"{around.logical_name}-{suffix}"
        release.setdefault("namespace", around.namespace)
        if release.get("skipAwait") is not True:
            release.setdefault("timeout", _TIMEOUT_SECONDS)
        if release.get("allowNullValues") is not True:
            release = _without_nulls(release)
        return Checked(inputs=release, problems=[*_problems(release)])

    def diff(
        self, old: dict[str, Any], new: dict[str, Any], _switches: frozenset[str]
    ) -> DiffResponse:
        """Compare; another name or namespace is another release."""
        before = {key: value for key, value in old.items() if key not in _COMPUTED}
        found = changes.between(before, new)
        return changes.response(found, _REPLACED, same_name=False)

    def refuse_update(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        """Helm upgrades whatever changed."""

    def manifest(self, values: dict[str, Any]) -> dict[str, Any]:
        """**Shape**: `Release`, with the arguments of the program as its spec."""
        hidden = {*_REPLACED, *_COMPUTED}
        return {
            "apiVersion": _API_VERSION,
            "kind": "Release",
            "metadata": {key: values[key] for key in _REPLACED},
            "spec": {key: value for key, value in values.items() if key not in hidden},
        }

    def updated(
        self, _live: dict[str, Any], _old: dict[str, Any], new: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the release that is kept after an upgrade."""
        return self.manifest(new)

    def inputs(
        self, manifest: dict[str, Any], _known: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the arguments that `manifest` was made of."""
        return {**manifest["metadata"], **manifest["spec"]}

    def computed(
        self, values: dict[str, Any], old: Mapping[str, Any]
    ) -> dict[str, Any]:
        """
        Return the output ``status`` of a deployed release.

        Its revision is 1 after the installation and one more after each upgrade.
        """
        chart = _local_chart(values["chart"]) or {
            "name": values["chart"].rstrip("/").rpartition("/")[2],
            "version": values["version"].removeprefix("v"),
        }
        known = {
            "appVersion": chart.get("appVersion"),
            "chart": chart["name"],
            "name": values["name"],
            "namespace": values["namespace"],
            "revision": old.get("status", {}).get("revision", 0) + 1,
            "status": "deployed",
            "version": chart["version"],
        }
        return {"status": {k: v for k, v in known.items() if v is not None}}

    def hidden(self, values: Mapping[str, PropertyValue]) -> dict[str, PropertyValue]:
        """Return the outputs; what the program marked as secret stays so."""
        return dict(values)

    def identity(self, resource_id: str) -> Identity:
        """Return what an id such as ``kube-system/karpenter`` means."""
        namespace, _, name = resource_id.rpartition("/")
        return Identity(
            group=_API_VERSION.split("/")[0],
            kind="Release",
            namespace=namespace or "default",
            name=name,
        )


def _problems(release: Mapping[str, Any]) -> Iterator[str]:
    for key, value in sorted(release.items()):
        if key in _NOT_IMITATED:
            yield f"{key}: not imitated by the sandbox, {_NOT_IMITATED[key]}"
        elif key not in _TYPES:
            expected = ", ".join(sorted(_TYPES))
            yield f"{key}: unknown argument, expected one of {expected}"
        elif value != UNKNOWN and not _is(value, _TYPES[key]):
            yield f"{key}: must be {_WORDS[_TYPES[key]]}, got {value!r}"
    yield from _chart_problems(release)
    yield from _name_problems(release["name"])
    repository = release.get("repositoryOpts")
    if isinstance(repository, Mapping):
        for key in sorted(repository.keys() - set(_REPOSITORY)):
            expected = ", ".join(_REPOSITORY)
            yield f"repositoryOpts.{key}: unknown field, expected one of {expected}"


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {key: item for key, item in value.items() if item is not None}
        return {key: _without_nulls(item) for key, item in kept.items()}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value if item is not None]
    return value


def _is(value: Any, wanted: type) -> bool:
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, wanted)


def _chart_problems(release: Mapping[str, Any]) -> Iterator[str]:
    chart, version = release.get("chart"), release.get("version")
    if chart in (None, ""):
        yield "chart: required"
        return
    if contains_unknown(chart) or contains_unknown(version):
        return
    if isinstance(version, str):
        if not _VERSION.fullmatch(version):
            yield f"version: must be one exact version, got {version!r}"
    elif isinstance(chart, str) and _local_chart(chart) is None:
        yield "version: required, the sandbox looks up no latest version"


def _name_problems(name: Any) -> Iterator[str]:
    if contains_unknown(name) or not isinstance(name, str):
        return
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        yield (
            f"name: must be at most {_LONGEST_NAME} lower-case letters, digits, '-' or "
            f"'.', with a letter or digit at both ends, got {name!r}"
        )


def _local_chart(chart: str) -> Mapping[str, Any] | None:
    path = Path(chart) / "Chart.yaml"
    if not path.is_file():
        return None
    described = yaml.safe_load(path.read_text(encoding="utf-8"))
    if (
        not isinstance(described, Mapping)
        or not {"name", "version"} <= described.keys()
    ):
        raise RefusedError(f"{path} must have a name and a version")
    return described
