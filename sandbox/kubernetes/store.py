"""The objects of one stack as YAML files: what the API server keeps in etcd."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sandbox.errors import RefusedError

__all__ = ["Identity", "Store", "Stored", "render"]

_FIRST = ("apiVersion", "kind", "metadata")
_LONGEST_NAME = 200
_OWNER = "# "
_CLUSTER = "# of "


@dataclass(frozen=True, kw_only=True, slots=True)
class Identity:
    """
    What makes two objects the same object: no two have all four in common.

    Args:
        group: API group; its version does not matter.
        kind: Kind.
        namespace: Namespace, or None for an object of the whole cluster.
        name: Name.
    """

    group: str
    kind: str
    namespace: str | None
    name: str

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> "Identity":
        """Return the identity of a whole object."""
        metadata = manifest["metadata"]
        return cls(
            group=str(manifest["apiVersion"]).rpartition("/")[0],
            kind=manifest["kind"],
            namespace=metadata.get("namespace"),
            name=metadata["name"],
        )

    @property
    def text(self) -> str:
        """The id of the resource, such as ``default/jobs``."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """
    An object as it is kept.

    Args:
        urn: The Pulumi resource that wrote it last.
        cluster: Address of the API server that it was sent to.
        manifest: The object.
    """

    urn: str
    cluster: str
    manifest: dict[str, Any]


class Store:
    """
    A folder with one file for each object, ``<kind>-<namespace>-<name>.yaml``.

    Only the owner can read the files, since Secrets are among them. A file is
    replaced as a whole, so a killed run leaves the old or the new one. An object that
    was sent to another cluster is another object: a new cluster starts empty.

    Args:
        folder: Made when the first object is written.
        cluster: Address of the API server.
    """

    def __init__(self, folder: Path, cluster: str) -> None:
        self.folder = folder
        self.cluster = cluster

    def read(self, identity: Identity) -> Stored | None:
        """
        Return the object, or None when it is gone.

        Raises:
            RefusedError: The file is there and holds no object.
        """
        path = self._find(identity)
        return None if path is None else _load(path)

    def write(self, urn: str, manifest: Mapping[str, Any]) -> Path:
        """Keep the object in place of its older self, and return where."""
        identity = Identity.of(manifest)
        path = self._find(identity) or self._free(identity, urn)
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self.folder, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{_OWNER}{urn}\n{_CLUSTER}{self.cluster}\n")
                file.write(render(manifest))
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        return path

    def delete(self, identity: Identity) -> None:
        """Remove the object; one that is gone is no problem."""
        path = self._find(identity)
        if path is not None:
            path.unlink()

    def _find(self, identity: Identity) -> Path | None:
        for path in self._candidates(identity):
            stored = _load(path)
            if stored is None or stored.cluster != self.cluster:
                continue
            if Identity.of(stored.manifest) == identity:
                return path
        return None

    def _free(self, identity: Identity, urn: str) -> Path:
        """
        Return the file for a new object: the plain one unless another object has it.

        What the same resource left there for a cluster of the past gives way.
        """
        plain, hashed = self._candidates(identity)
        stored = _load(plain)
        past = stored is not None and (
            stored.urn == urn and stored.cluster != self.cluster
        )
        return plain if stored is None or past else hashed

    def _candidates(self, identity: Identity) -> tuple[Path, Path]:
        parts = (identity.kind.lower(), identity.namespace, identity.name)
        name = "-".join(part for part in parts if part)
        whole = f"{identity} {self.cluster}"
        suffix = hashlib.sha256(whole.encode()).hexdigest()[:8]
        hashed = self.folder / f"{name[:_LONGEST_NAME]}-{suffix}.yaml"
        plain = self.folder / f"{name}.yaml"
        return (plain if len(name) <= _LONGEST_NAME else hashed), hashed


def _load(path: Path) -> Stored | None:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        manifest = yaml.safe_load(text)
        Identity.of(manifest)
        owner, cluster, *_ = text.split("\n", 2)
        if not owner.startswith(_OWNER) or not cluster.startswith(_CLUSTER):
            raise ValueError(owner)
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise RefusedError(f"{path} is not an object of Kubernetes any more") from error
    return Stored(
        urn=owner.removeprefix(_OWNER),
        cluster=cluster.removeprefix(_CLUSTER),
        manifest=manifest,
    )


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def render(manifest: Mapping[str, Any]) -> str:
    """Return the object as YAML: equal objects give equal bytes."""
    rest = sorted(manifest.keys() - set(_FIRST))
    keys = [*(key for key in _FIRST if key in manifest), *rest]
    ordered = {key: _sorted(manifest[key]) for key in keys}
    return yaml.dump(ordered, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def _sorted(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value
