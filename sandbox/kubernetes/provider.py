"""The stand-in for the Kubernetes provider and the API server behind it."""

import os
from collections.abc import Mapping
from pathlib import Path

from pulumi.provider.experimental import provider as rpc

from sandbox.errors import RefusedError
from sandbox.kubernetes import control_plane, kinds, kubeconfig, settings
from sandbox.kubernetes.control_plane import ControlPlane
from sandbox.kubernetes.objects import ObjectType, Surroundings
from sandbox.kubernetes.release import ReleaseType
from sandbox.kubernetes.store import Identity, Store, Stored
from sandbox.wire import contains_unknown, plain_map, wrap_map

__all__ = ["KubernetesProvider"]

_STATE = "EKS_JOBS_SANDBOX"


class KubernetesProvider(rpc.Provider):
    """
    Checks objects as the API server would and keeps them in a folder of the sandbox.

    An object that exists and belongs to another resource is refused, as the provider
    refuses it; one that the same resource made in a run that was killed is taken over.

    Args:
        environ: Environment of the process: EKS_JOBS_SANDBOX is the state folder,
            AWS_ENDPOINT_URL the local AWS.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ
        self._settings = settings.Settings()

    async def check_config(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        """Refuse unknown arguments and broken kubeconfigs."""
        found = settings.problems(plain_map(request.new_inputs))
        return rpc.CheckResponse(request.new_inputs, _failures(found))

    async def configure(self, request: rpc.ConfigureRequest) -> rpc.ConfigureResponse:
        """Take the arguments over."""
        self._settings = settings.read(plain_map(request.args))
        return rpc.ConfigureResponse(accept_secrets=True, supports_preview=True)

    async def check(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        """Fill in names and defaults, and find what would be refused."""
        kind = _type(request.type)
        around = Surroundings(
            logical_name=request.name,
            seed=request.random_seed,
            namespace=self._settings.namespace,
            version=self._control_plane().version,
        )
        inputs = plain_map(request.new_inputs, nulls=kind.keeps_nulls)
        checked = kind.check(inputs, plain_map(request.old_inputs), around)
        return rpc.CheckResponse(
            wrap_map(checked.inputs, request.new_inputs), _failures(checked.problems)
        )

    async def diff(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        """Compare the state with the new inputs."""
        kind = _type(request.type)
        old, new = (
            plain_map(values, nulls=kind.keeps_nulls)
            for values in (request.old_state, request.new_inputs)
        )
        return kind.diff(old, new, self._settings.switches)

    async def create(self, request: rpc.CreateRequest) -> rpc.CreateResponse:
        """Keep a new object."""
        kind = _type(request.type)
        state = kind.hidden(request.properties)
        if request.preview:
            return rpc.CreateResponse(properties=state)
        self._require_cluster()
        store = self._store(request.urn)
        values = plain_map(request.properties, nulls=kind.keeps_nulls)
        manifest = kind.manifest(values)
        identity = Identity.of(manifest)
        self._refuse_taken(identity, store.read(identity), request.urn)
        state |= wrap_map(kind.computed(values, {}), {})
        store.write(request.urn, manifest)
        return rpc.CreateResponse(identity.text, state)

    async def read(self, request: rpc.ReadRequest) -> rpc.ReadResponse:
        """Return what is kept now, so that drift shows; an empty id when it is gone."""
        reason = self._control_plane().unreachable
        if reason is not None:
            if "deleteUnreachable" in self._settings.switches:
                return rpc.ReadResponse()
            if "skipUpdateUnreachable" in self._settings.switches:
                return await super().read(request)
            raise RefusedError(_unreachable(reason))
        kind = _type(request.type)
        state = plain_map(request.properties, nulls=kind.keeps_nulls)
        if state and not contains_unknown(state):
            identity = Identity.of(kind.manifest(state))
        else:
            identity = kind.identity(request.resource_id)
        stored = self._store(request.urn).read(identity)
        if stored is None:
            return rpc.ReadResponse()
        known = {} if contains_unknown(state) else state
        inputs = wrap_map(kind.inputs(stored.manifest, known), request.inputs)
        computed = {k: v for k, v in request.properties.items() if k == "status"}
        return rpc.ReadResponse(
            request.resource_id, {**computed, **kind.hidden(inputs)}, inputs
        )

    async def update(self, request: rpc.UpdateRequest) -> rpc.UpdateResponse:
        """Keep the new object in place of the old one."""
        kind = _type(request.type)
        old, new = (
            plain_map(values, nulls=kind.keeps_nulls)
            for values in (request.olds, request.news)
        )
        kind.refuse_update(old, new)
        state = kind.hidden(request.news)
        if request.preview:
            return rpc.UpdateResponse(state)
        self._require_cluster()
        state |= wrap_map(kind.computed(new, old), {})
        store = self._store(request.urn)
        stored = store.read(Identity.of(kind.manifest(old)))
        live = kind.manifest(old) if stored is None else stored.manifest
        store.write(request.urn, kind.updated(live, old, new))
        return rpc.UpdateResponse(state)

    async def delete(self, request: rpc.DeleteRequest) -> None:
        """Remove an object; one that is gone already is no problem."""
        reason = self._control_plane().unreachable
        if reason is None:
            kind = _type(request.type)
            state = plain_map(request.properties, nulls=kind.keeps_nulls)
            self._store(request.urn).delete(Identity.of(kind.manifest(state)))
        elif "deleteUnreachable" not in self._settings.switches:
            raise RefusedError(_unreachable(reason))

    async def invoke(self, request: rpc.InvokeRequest) -> rpc.InvokeResponse:
        """Refuse every function by its name."""
        raise RefusedError(f"the sandbox does not imitate the function {request.tok}")

    async def construct(self, request: rpc.ConstructRequest) -> rpc.ConstructResponse:
        """Refuse charts and YAML files by their name."""
        raise RefusedError(
            f"the sandbox does not imitate {request.resource_type}, only single "
            f"objects and {kinds.RELEASE}"
        )

    async def call(self, request: rpc.CallRequest) -> rpc.CallResponse:
        """Refuse every method by its name."""
        raise RefusedError(f"the sandbox does not imitate the method {request.tok}")

    def _control_plane(self) -> ControlPlane:
        text = self._settings.kubeconfig
        if text is None:
            return ControlPlane(
                unreachable=(
                    "the provider has no kubeconfig, and the sandbox does not use the "
                    "one of this machine; pass a provider with one to the resource"
                )
            )
        target = kubeconfig.target(text, self._settings.overrides)
        return control_plane.ask(target, self._environ)

    def _require_cluster(self) -> None:
        reason = self._control_plane().unreachable
        if reason is not None:
            raise RefusedError(
                f"configured Kubernetes cluster is unreachable: {reason}"
            )

    def _refuse_taken(
        self, identity: Identity, stored: Stored | None, urn: str
    ) -> None:
        if stored is None or stored.urn == urn:
            return
        if "upsertExistingObjects" not in self._settings.switches:
            raise RefusedError(
                f"{identity.kind} {identity.text} already exists, it belongs to "
                f"{stored.urn}"
            )

    def _store(self, urn: str) -> Store:
        state = self._environ.get(_STATE)
        if not state:
            raise RefusedError(f"{_STATE} must name the state folder of the sandbox")
        stack = urn.split("::")[0].rpartition(":")[2]
        target = kubeconfig.target(
            self._settings.kubeconfig or "", self._settings.overrides
        )
        return Store(Path(state) / "kubernetes" / stack, target.server)


def _type(chain: str) -> ObjectType | ReleaseType:
    # What the SDK calls the type is that of the whole ancestry: `parent$child`.
    token = chain.rpartition("$")[2]
    return ReleaseType() if token == kinds.RELEASE else ObjectType(token)


def _failures(found: list[str]) -> list[rpc.CheckFailure]:
    return [rpc.CheckFailure("", text) for text in found]


def _unreachable(reason: str) -> str:
    return (
        f"configured Kubernetes cluster is unreachable: {reason}. If the cluster was "
        f"deleted, set delete_unreachable on the provider, or deleted_with on the "
        f"resource, to forget its objects"
    )
