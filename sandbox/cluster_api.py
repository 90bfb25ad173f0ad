"""
The API of a cluster, in plain JSON, through the official client's transport.

Objects are dicts as they stand in manifests and as the API server returns them, so
that tests compare what it said, not what classes of a client make of it.
"""

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kubernetes.client import ApiClient, Configuration
from kubernetes.client.exceptions import ApiException
from kubernetes.config import load_kube_config

__all__ = ["Answer", "ClusterApi", "RefusedError", "applied", "settled", "wait_until"]

Manifest = Mapping[str, Any]

_WAIT_SECONDS = 60.0
# What the API server writes into every object, and what differs between two creates.
_VOLATILE = (
    "creationTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
)


class RefusedError(Exception):
    """
    The API server did not do what it was asked; the text is its message.

    Args:
        status: HTTP status.
        message: Why.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """
    What the API server said.

    Args:
        object: The object, or a list of them.
        warnings: Texts of the `Warning` headers.
    """

    object: dict[str, Any]
    warnings: tuple[str, ...]


class ClusterApi:
    """
    A client.

    Args:
        kubeconfig: File that says where the API server is, and how to log in.
    """

    def __init__(self, kubeconfig: Path) -> None:
        configuration = Configuration()
        load_kube_config(str(kubeconfig), client_configuration=configuration)
        # The API server is on this machine; a proxy of the user's shell is not asked.
        configuration.proxy = None
        self._client = ApiClient(configuration)

    def create(self, manifest: Manifest, *, dry_run: bool = False) -> Answer:
        """
        Create an object; unknown and double fields are refused.

        Raises:
            RefusedError: The object was not accepted.
        """
        query = {"fieldValidation": "Strict"} | ({"dryRun": "All"} if dry_run else {})
        return self._send("POST", _path(manifest), body=manifest, query=query)

    def get(self, manifest: Manifest) -> dict[str, Any]:
        """
        Return an object as it is now.

        Raises:
            RefusedError: There is none, status 404.
        """
        return self._send("GET", _path(manifest, named=True)).object

    def items(self, manifest: Manifest) -> list[dict[str, Any]]:
        """Return all objects of the kind and namespace of *manifest*."""
        return self._send("GET", _path(manifest)).object["items"]

    def merge(
        self, manifest: Manifest, patch: Manifest, part: str = ""
    ) -> dict[str, Any]:
        """
        Merge *patch* into an object, or into a part such as `/status`.

        Raises:
            RefusedError: The change was not accepted.
        """
        path = f"{_path(manifest, named=True)}{part}"
        content = "application/merge-patch+json"
        return self._send("PATCH", path, body=patch, content=content).object

    def delete(self, manifest: Manifest) -> None:
        """
        Delete an object at once, without the time that a kubelet would take.

        Raises:
            RefusedError: There is none, status 404.
        """
        body = {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
        self._send("DELETE", _path(manifest, named=True), body=body)

    def delete_all(self, manifest: Manifest) -> None:
        """Delete all objects of the kind and namespace of *manifest* at once."""
        self._send("DELETE", _path(manifest), body={"gracePeriodSeconds": 0})

    def exists(self, manifest: Manifest) -> bool:
        """Say whether there is such an object."""
        try:
            self.get(manifest)
        except RefusedError as error:
            if error.status == 404:
                return False
            raise
        return True

    def _send(
        self,
        method: str,
        path: str,
        *,
        body: Manifest | None = None,
        query: Mapping[str, str] | None = None,
        content: str = "application/json",
    ) -> Answer:
        try:
            data, _, headers = self._client.call_api(
                path,
                method,
                body=body,
                query_params=list((query or {}).items()),
                header_params={"Content-Type": content, "Accept": "application/json"},
                response_types_map={200: "object", 201: "object", 202: "object"},
                auth_settings=["BearerToken"],
            )
        except ApiException as error:
            raise RefusedError(int(error.status or 0), _message(error)) from None
        return Answer(object=data, warnings=tuple(headers.getlist("Warning")))


def wait_until(
    condition: Callable[[], bool], what: str, seconds: float = _WAIT_SECONDS
) -> None:
    """
    Wait for something that a controller does.

    Raises:
        TimeoutError: It was not done in time.
    """
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not in {seconds:.0f} s")
        time.sleep(0.01)


@contextmanager
def applied(
    api: ClusterApi,
    manifests: Sequence[Manifest],
    canary: Manifest,
    ready: Callable[[Manifest], bool],
) -> Generator[None]:
    """
    Hold admission policies in force.

    The API server reads policies about once a second: they are in force when a
    canary pod shows it, and gone when it passes as it did before.

    Args:
        api: The cluster.
        manifests: The policies and their bindings, in the order of creation.
        canary: A pod that the policies change; it is never stored.
        ready: Whether a canary was changed by the last of the policies.

    Raises:
        RefusedError: A manifest was not accepted.
        TimeoutError: A policy did not come into force, or stayed in force.
    """

    def admitted() -> dict[str, Any]:
        return settled(api.create(canary, dry_run=True).object)

    before = admitted()
    created = []
    try:
        for manifest in manifests:
            api.create(manifest)
            created.append(manifest)
        wait_until(lambda: ready(admitted()), "policy in force")
        yield
    finally:
        for manifest in reversed(created):
            api.delete(manifest)
        wait_until(lambda: admitted() == before, "policy gone")


def settled(stored: Manifest) -> dict[str, Any]:
    """Return an object without its status and what differs between two creates."""
    kept = {key: value for key, value in stored.items() if key != "status"}
    metadata = stored["metadata"].items()
    kept["metadata"] = {key: value for key, value in metadata if key not in _VOLATILE}
    return kept


def _path(manifest: Manifest, *, named: bool = False) -> str:
    version, metadata = manifest["apiVersion"], manifest["metadata"]
    parts = ["apis" if "/" in version else "api", version]
    if "namespace" in metadata:
        parts += ["namespaces", metadata["namespace"]]
    parts.append(_plural(manifest["kind"].lower()))
    return "/" + "/".join([*parts, metadata["name"]] if named else parts)


def _plural(kind: str) -> str:
    if kind.endswith("y") and kind[-2] not in "aeiou":
        return f"{kind[:-1]}ies"
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


def _message(error: ApiException) -> str:
    """Return the message of a Status object, else whatever the body holds."""
    try:
        return json.loads(str(error.body))["message"]
    except (KeyError, TypeError, ValueError):
        return str(error.body or error.reason)
