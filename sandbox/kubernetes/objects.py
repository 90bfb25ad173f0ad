"""Objects of Kubernetes as a resource type of the provider."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.provider import DiffResponse

from sandbox.errors import RefusedError
from sandbox.kubernetes import changes, kinds, metadata, ownership, rules, schema
from sandbox.kubernetes.store import Identity

__all__ = ["Checked", "ObjectType", "Surroundings"]

_MUTABLE = {"ConfigMap": "enableConfigMapMutable", "Secret": "enableSecretMutable"}
_HIDDEN = ("data", "stringData")


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """
    What a check knows besides the arguments.

    Args:
        logical_name: Name of the resource in the program.
        seed: Seed of the engine for random names.
        namespace: Namespace for what names none.
        version: Kubernetes version of the cluster, None when nobody could say.
    """

    logical_name: str
    seed: bytes
    namespace: str
    version: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """
    The outcome of a check.

    Args:
        inputs: The arguments with names and defaults filled in.
        problems: Why they are refused, one text each.
    """

    inputs: dict[str, Any]
    problems: list[str]


class ObjectType:
    """
    Any kind of object, built in or custom.

    The state of an object is what the program asked for: the sandbox runs no
    controller and fills in no status.

    Args:
        token: Resource type, such as ``kubernetes:apps/v1:Deployment``.
    """

    keeps_nulls = False

    def __init__(self, token: str) -> None:
        self.token = token
        self.kind = kinds.of_token(token)

    def check(
        self, inputs: dict[str, Any], old: Mapping[str, Any], around: Surroundings
    ) -> Checked:
        """Fill in name and namespace, and find what the API server would refuse."""
        self._refuse_other_kind(inputs)
        metadata.adopt_name(inputs, old, around.logical_name, around.seed)
        inner = inputs["metadata"]
        if self.kind.namespaced and isinstance(inner, dict):
            inner.setdefault("namespace", around.namespace)
        found: dict[str, list[str]] = {}
        for source in (
            metadata.problems(self.kind, inputs),
            schema.problems(self.kind, inputs, around.version),
            rules.problems(self.kind, inputs),
        ):
            # The first to speak about a place is the one who knows it best.
            told = set(found)
            for text in source:
                place = text.partition(": ")[0]
                if place not in told:
                    found.setdefault(place, []).append(text)
        return Checked(inputs=inputs, problems=sum(found.values(), []))

    def _refuse_other_kind(self, inputs: dict[str, Any]) -> None:
        given = inputs.setdefault("kind", self.kind.name)
        if self.kind.name == f"{given}Patch":
            raise RefusedError(
                f"the sandbox does not imitate {self.token}: nothing but this stack "
                f"makes objects in its cluster"
            )
        wanted = {"apiVersion": self.kind.api_version, "kind": self.kind.name}
        for field, value in wanted.items():
            if inputs.setdefault(field, value) != value:
                raise RefusedError(
                    f"{field} of {self.token} must be {value}, got {inputs[field]}"
                )

    def diff(
        self, old: dict[str, Any], new: dict[str, Any], switches: frozenset[str]
    ) -> DiffResponse:
        """Compare, and replace what the provider replaces."""
        mutable = _MUTABLE.get(self.kind.name) in switches
        fields = kinds.replaced_fields(self.kind, new, mutable_data=mutable)
        if _sort(old) != _sort(new):
            fields = (*fields, "apiVersion", "kind")
        # A name that a person chose is needed again, so the old object goes first.
        kept = not metadata.is_autonamed(new) and _address(old) == _address(new)
        return changes.response(changes.between(old, new), fields, same_name=kept)

    def refuse_update(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        """
        Stop an update that the API server would not make.

        Raises:
            RefusedError: A field that cannot change would change.
        """
        fields = kinds.immutable_fields(self.kind, old)
        for field, default in fields.items():
            before, after = (
                default if changes.at(each, field) is None else changes.at(each, field)
                for each in (old, new)
            )
            if before != after:
                raise RefusedError(
                    f"{self.kind.name} {new['metadata']['name']} cannot be updated: "
                    f"{field} may not be changed. To replace the object, set the "
                    f'resource options replace_on_changes=["{field}"] and '
                    f"delete_before_replace=True"
                )

    def manifest(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the object that is kept."""
        return values

    def updated(
        self, live: dict[str, Any], old: dict[str, Any], new: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the object that is kept after an update."""
        return ownership.applied(live, old, new)

    def inputs(
        self, manifest: dict[str, Any], known: Mapping[str, Any]
    ) -> dict[str, Any]:
        """
        Return the arguments that stand for an object that was kept.

        What others wrote is none of them; with nothing *known* all of it is.
        """
        return ownership.owned(manifest, known) if known else manifest

    def computed(
        self, _values: dict[str, Any], _old: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the outputs that are no inputs: none, for no controller runs."""
        return {}

    def hidden(self, values: Mapping[str, PropertyValue]) -> dict[str, PropertyValue]:
        """Return the outputs, with the data of a Secret as secrets."""
        secret = (self.kind.group, self.kind.name) == ("", "Secret")
        return {
            key: value.with_secret(True) if secret and key in _HIDDEN else value
            for key, value in values.items()
        }

    def identity(self, resource_id: str) -> Identity:
        """Return what an id such as ``default/jobs`` means."""
        namespace, _, name = resource_id.rpartition("/")
        if self.kind.namespaced:
            namespace = namespace or "default"
        return Identity(
            group=self.kind.group,
            kind=self.kind.name,
            namespace=namespace or None,
            name=name,
        )


def _sort(manifest: Mapping[str, Any]) -> tuple[str, Any]:
    api_version = str(manifest.get("apiVersion"))
    return api_version.rpartition("/")[0], manifest.get("kind")


def _address(manifest: Mapping[str, Any]) -> tuple[Any, Any]:
    return changes.at(manifest, "metadata.namespace"), changes.at(
        manifest, "metadata.name"
    )
