"""The Kubernetes plugin without an engine: plain values in, plain values out."""

import asyncio
import json
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pulumi.provider.experimental import provider as rpc

from sandbox.kubernetes.provider import KubernetesProvider
from sandbox.wire import plain_map, wrap_map

SEED = b"seed"
T = TypeVar("T")


def wait(answer: Coroutine[Any, Any, T]) -> T:
    """Run to the end; `asyncio.run` would take away the loop that mocks need."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(answer)
    finally:
        loop.close()


def kubeconfig(server: str = "https://a.example.com", **user: Any) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
            "users": [{"name": "u", "user": user or {"token": "t"}}],
        }
    )


def urn(token: str, name: str, stack: str = "dev") -> str:
    return f"urn:pulumi:{stack}::project::{token}::{name}"


@dataclass(frozen=True, kw_only=True)
class Diff:
    changed: dict[str, str]
    replaces: list[str]
    delete_first: bool


@dataclass
class Driver:
    """
    One configured plugin.

    Args:
        state: State folder of the sandbox.
        arguments: Arguments of the provider besides the kubeconfig.
        environ: More of the environment.
    """

    state: Path
    arguments: dict[str, Any] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        environ = {"EKS_JOBS_SANDBOX": str(self.state), **self.environ}
        self.provider = KubernetesProvider(environ)
        self.configure()

    def configure(self, **arguments: Any) -> None:
        values = {"kubeconfig": kubeconfig(), **self.arguments, **arguments}
        given = {key: value for key, value in values.items() if value is not None}
        request = rpc.ConfigureRequest({}, wrap_map(given, {}), True, True)
        wait(self.provider.configure(request))

    def check(self, token: str, name: str, inputs: Any, old: Any = None) -> Any:
        """Return the checked inputs and the problems."""
        request = rpc.CheckRequest(
            urn(token, name), wrap_map(old or {}, {}), wrap_map(inputs, {}), SEED
        )
        answer = wait(self.provider.check(request))
        assert answer.inputs is not None
        problems = [failure.reason for failure in answer.failures or []]
        return plain_map(answer.inputs), problems

    def problems(self, token: str, inputs: Any, name: str = "thing") -> list[str]:
        return self.check(token, name, inputs)[1]

    def create(self, token: str, name: str, inputs: Any, **kwargs: Any) -> Any:
        """Return the id and the state."""
        request = rpc.CreateRequest(
            kwargs.get("urn") or urn(token, name),
            wrap_map(inputs, {}),
            0,
            kwargs.get("preview", False),
        )
        answer = wait(self.provider.create(request))
        return answer.resource_id, plain_map(answer.properties)

    def diff(self, token: str, old: Any, new: Any) -> Diff:
        request = rpc.DiffRequest(
            urn(token, "thing"), "id", wrap_map(old, {}), wrap_map(new, {}), []
        )
        answer = wait(self.provider.diff(request))
        assert bool(answer.detailed_diff) == answer.changes
        return Diff(
            changed={k: v.kind.name for k, v in answer.detailed_diff.items()},
            replaces=answer.replaces,
            delete_first=answer.delete_before_replace,
        )

    def update(
        self, token: str, name: str, old: Any, new: Any, *, preview: bool = False
    ) -> Any:
        request = rpc.UpdateRequest(
            urn(token, name), "id", wrap_map(old, {}), wrap_map(new, {}), 0, [], preview
        )
        return plain_map(wait(self.provider.update(request)).properties)

    def read(self, token: str, id_: str, state: Any = None, inputs: Any = None) -> Any:
        """Return the id and the inputs; the id is None for what is gone."""
        request = rpc.ReadRequest(
            urn(token, "thing"),
            id_,
            wrap_map(state or {}, {}),
            wrap_map(inputs or {}, {}),
        )
        answer = wait(self.provider.read(request))
        return answer.resource_id, plain_map(answer.inputs)

    def delete(self, token: str, name: str, state: Any) -> None:
        request = rpc.DeleteRequest(urn(token, name), "id", wrap_map(state, {}), 0)
        wait(self.provider.delete(request))

    @property
    def files(self) -> dict[str, str]:
        folder = self.state / "kubernetes" / "dev"
        return {path.name: path.read_text() for path in sorted(folder.glob("*"))}
