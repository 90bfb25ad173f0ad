"""The objects of one stack as YAML files: what the API server keeps in etcd."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sandbox.kubernetes.errors import RefusedError

__all__ = ["Identity", "Store", "Stored", "render"]

_FIRST = ("apiVersion", "kind", "metadata")
_LONGEST_NAME = 200
_OWNER = "# urn:"


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
        manifest: The object.
    """

    urn: str
    manifest: dict[str, Any]


class Store:
    """
    A folder with one file for each object, ``<kind>-<namespace>-<name>.yaml``.

    Only the owner can read the files, since Secrets are among them. A file is
    replaced as a whole, so a killed run leaves the old or the new one.

    Args:
        folder: Made when the first object is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, identity: Identity) -> Stored | None:
        """
        Return the object, or None when it is gone.

        Raises:
            RefusedError: The file is there and holds no object.
        """
        for path in self._candidates(identity):
            stored = self._load(path)
            if stored is not None and Identity.of(stored.manifest) == identity:
                return stored
        return None

    def write(self, urn: str, manifest: Mapping[str, Any]) -> Path:
        """Keep the object in place of its older self, and return where."""
        path = self._place(Identity.of(manifest))
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self.folder, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"# {urn}\n{render(manifest)}")
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
        return path

    def delete(self, identity: Identity) -> None:
        """Remove the object; one that is gone is no problem."""
        if self.read(identity) is not None:
            self._place(identity).unlink()
            if not any(self.folder.iterdir()):
                self.folder.rmdir()

    def _place(self, identity: Identity) -> Path:
        """Return the file of the object: the plain one unless another object has it."""
        plain, hashed = self._candidates(identity)
        stored = self._load(plain)
        taken = stored is not None and Identity.of(stored.manifest) != identity
        return hashed if taken else plain

    def _candidates(self, identity: Identity) -> tuple[Path, Path]:
        parts = (identity.kind.lower(), identity.namespace, identity.name)
        name = "-".join(part for part in parts if part)
        suffix = hashlib.sha256(repr(identity).encode()).hexdigest()[:8]
        hashed = self.folder / f"{name[:_LONGEST_NAME]}-{suffix}.yaml"
        plain = self.folder / f"{name}.yaml"
        return (plain if len(name) <= _LONGEST_NAME else hashed), hashed

    def _load(self, path: Path) -> Stored | None:
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        try:
            manifest = yaml.safe_load(text)
            Identity.of(manifest)
        except (yaml.YAMLError, KeyError, TypeError) as error:
            raise RefusedError(
                f"{path} is not an object of Kubernetes any more"
            ) from error
        first = text.split("\n", 1)[0]
        urn = first.removeprefix("# ") if first.startswith(_OWNER) else ""
        return Stored(urn=urn, manifest=manifest)


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
