"""
The provider: what is the same for every resource type.

Checks against the SDK's own types, names, tags and default tags, differences,
previews with unknown values, drift, and errors without a traceback.

A create that the engine never heard about, because it was killed in that moment, is
found again: each create is noted in the journal with its URN, and the next one for
that URN and the same inputs takes the resource over.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from botocore.exceptions import ClientError
from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue

from sandbox.aws import naming, notes, schema, state
from sandbox.aws.cloud import Cloud
from sandbox.aws.difference import Change, changes, is_below
from sandbox.aws.journal import Journal
from sandbox.aws.registry import function, resource
from sandbox.aws.resource import Call, Resource, Values, is_gone
from sandbox.errors import RefusedError
from sandbox.wire import UNKNOWN, contains_unknown, plain_map, without_nulls, wrap_map

_KINDS = {
    ("add", False): rpc.PropertyDiffKind.ADD,
    ("add", True): rpc.PropertyDiffKind.ADD_REPLACE,
    ("delete", False): rpc.PropertyDiffKind.DELETE,
    ("delete", True): rpc.PropertyDiffKind.DELETE_REPLACE,
    ("update", False): rpc.PropertyDiffKind.UPDATE,
    ("update", True): rpc.PropertyDiffKind.UPDATE_REPLACE,
}
_ENGINE_KEYS = {"version", "pluginDownloadURL"}


class AwsProvider(rpc.Provider):
    """
    Serves pulumi-aws types on the sandbox.

    Args:
        url: Address of the sandbox.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._region = os.environ.get("AWS_REGION", "")
        self._default_tags: dict[str, str] = {}
        self._clouds: dict[str, Cloud] = {}
        self._mentioned: set[str] = set()

    async def check_config(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        """Refuse settings that the provider does not have."""
        known = {*schema.configuration().fields, *_ENGINE_KEYS}
        failures = [
            rpc.CheckFailure(name, f"unknown setting aws:{name}")
            for name in sorted(request.new_inputs)
            if name not in known and not name.startswith("__")
        ]
        return rpc.CheckResponse(inputs=request.new_inputs, failures=failures)

    async def diff_config(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        """Let the engine compare the settings; another region is another place."""
        old, new = plain_map(request.old_state), plain_map(request.new_inputs)
        moved = old.get("region") != new.get("region")
        return rpc.DiffResponse(replaces=["region"] if moved else [])

    async def configure(self, request: rpc.ConfigureRequest) -> rpc.ConfigureResponse:
        """
        Take over region and default tags.

        Settings about credentials and accounts are accepted and have no effect: any
        stack file can be rehearsed, and no rehearsal reaches an account.
        """
        settings = {key: _decoded(v) for key, v in plain_map(request.args).items()}
        self._region = settings.get("region") or self._region
        if not self._region:
            raise RefusedError("aws:region must be set, got no region")
        self._default_tags = (settings.get("defaultTags") or {}).get("tags", {})
        return rpc.ConfigureResponse(
            accept_secrets=False,
            supports_preview=True,
            accept_resources=False,
            accept_outputs=False,
        )

    async def check(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        """Refuse what the SDK's types do not allow, fill in defaults and names."""
        kind = resource(request.type)
        inputs, old = plain_map(request.new_inputs), plain_map(request.old_inputs)
        inputs.pop("__defaults", None)
        _encode_documents(kind, inputs)
        found = list(schema.problems(schema.arguments(kind.token), inputs))
        found += _not_imitated(kind, inputs)
        missing = {k: v for k, v in kind.defaults.items() if k not in inputs}
        inputs |= missing | ({"__defaults": list(missing)} if missing else {})
        if not found:
            if kind.name:
                old = old or notes.alike(
                    self._journal(), kind, request.urn, inputs, self._mentioned
                )
                problem = naming.fill_in(
                    kind.name, request.name, inputs, old, request.random_seed
                )
                found += [problem] if problem else []
            found += kind.rules(inputs)
        failures = [rpc.CheckFailure(path, reason) for path, reason in found]
        return rpc.CheckResponse(inputs=_sent(inputs), failures=failures)

    async def diff(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        """Compare, and say which changes need a new resource."""
        self._mentioned.add(request.resource_id)
        kind = resource(request.type)
        old, new = plain_map(request.old_state), plain_map(request.new_inputs)
        found = self._changes(kind, old, new, request.ignore_changes)
        by_value = kind.replace_if(old, new)
        fatal = [
            change
            for change in found
            if is_below(change.general, {*kind.replace, *by_value})
        ]
        return rpc.DiffResponse(
            changes=bool(found),
            replaces=sorted({change.top for change in fatal}),
            diffs=sorted({change.top for change in found}),
            delete_before_replace=bool(fatal) and _keeps_its_name(kind, found, new),
            detailed_diff={
                change.path: rpc.PropertyDiff(
                    _KINDS[change.kind, change in fatal], change.top != "tagsAll"
                )
                for change in found
            },
        )

    async def create(self, request: rpc.CreateRequest) -> rpc.CreateResponse:
        """Make a resource, or say in a preview what it would be."""
        kind, checked = resource(request.type), plain_map(request.properties)
        inputs = {key: v for key, v in checked.items() if key != "__defaults"}
        if request.preview:
            promised = inputs | self._tags_all(kind, inputs)
            foreseen = state.foreseen(kind, promised, self._region)
            return rpc.CreateResponse("", _sent(foreseen))
        call = self._call(kind, inputs)
        lost = notes.lost(call.journal, request.urn, inputs, self._mentioned)
        if lost and self._found(kind, replace(call, id=lost)) is not None:
            call = replace(call, id=lost)
        else:
            call = replace(call, id=kind.create(call))
            notes.write(call.journal, request.urn, call.id, checked)
        self._mentioned.add(call.id)
        return rpc.CreateResponse(call.id, _sent(self._outcome(kind, call)))

    async def update(self, request: rpc.UpdateRequest) -> rpc.UpdateResponse:
        """Change a resource in place."""
        self._mentioned.add(request.resource_id)
        kind = resource(request.type)
        old, inputs = plain_map(request.olds), plain_map(request.news)
        inputs.pop("__defaults", None)
        found = self._changes(kind, old, inputs, request.ignore_changes)
        changed = frozenset(change.top for change in found)
        if request.preview:
            moved = dict.fromkeys(kind.moves(changed), UNKNOWN)
            kept = state.kept(kind, old, inputs) | self._tags_all(kind, inputs)
            return rpc.UpdateResponse(_sent(kept | moved))
        call = self._call(kind, inputs, request.resource_id, old, changed)
        if kind.update and changed - ({"tags", "tagsAll"} if kind.tagging else set()):
            kind.update(call)
        if kind.tagging:
            _retag(kind, call)
        return rpc.UpdateResponse(_sent(self._outcome(kind, call)))

    async def read(self, request: rpc.ReadRequest) -> rpc.ReadResponse:
        """Look for drift; a resource that is gone has an empty id."""
        self._mentioned.add(request.resource_id)
        kind = resource(request.type)
        old, inputs = plain_map(request.properties), plain_map(request.inputs)
        if not old:
            return self._imported(kind, request)
        call = self._call(kind, inputs, request.resource_id, old)
        found = self._found(kind, call)
        if found is None:
            return rpc.ReadResponse("")
        now, drifted = state.drift(kind, old, inputs, found)
        return rpc.ReadResponse(request.resource_id, _sent(now), _sent(drifted))

    async def delete(self, request: rpc.DeleteRequest) -> None:
        """Remove a resource; one that is gone already is no error."""
        self._mentioned.add(request.resource_id)
        kind, old = resource(request.type), plain_map(request.properties)
        call = self._call(kind, old, request.resource_id, old)
        try:
            kind.delete(call)
        except ClientError as error:
            # Gone may be what it stood on, and not the thing itself.
            if not is_gone(error) or self._found(kind, call) is not None:
                raise
        notes.forget(call.journal, request.urn, request.resource_id)

    async def invoke(self, request: rpc.InvokeRequest) -> rpc.InvokeResponse:
        """Answer a function of the provider."""
        answer, args = function(request.tok), plain_map(request.args)
        known = schema.function_arguments(request.tok)
        failures = [
            rpc.CheckFailure(name, f"unknown argument of {request.tok}")
            for name in sorted(set(args) - known)
        ]
        if failures:
            return rpc.InvokeResponse(failures=failures)
        cloud = self._cloud(args.get("region", self._region))
        result = answer(cloud, args) | {"region": cloud.region}
        return rpc.InvokeResponse(_sent(result))

    def _cloud(self, region: str) -> Cloud:
        if region not in self._clouds:
            self._clouds[region] = Cloud(self._url, region)
        return self._clouds[region]

    def _journal(self) -> Journal:
        return Journal(self._cloud(self._region))

    def _call(
        self,
        kind: Resource,
        inputs: Values,
        id_: str = "",
        old: Values | None = None,
        changed: frozenset[str] = frozenset(),
    ) -> Call:
        cloud = self._cloud(inputs.get("region") or self._region)
        return Call(
            cloud=cloud,
            journal=Journal(cloud),
            id=id_,
            inputs=inputs,
            state=old or {},
            tags=self._all_tags(inputs) if kind.tagging else {},
            changed=changed,
        )

    def _all_tags(self, inputs: Values) -> dict[str, str]:
        own = inputs.get("tags", {})
        return self._default_tags | own if isinstance(own, dict) else {}

    def _tags_all(self, kind: Resource, inputs: Values) -> Values:
        if not kind.tagging:
            return {}
        unknown = inputs.get("tags") == UNKNOWN
        return {"tagsAll": UNKNOWN if unknown else self._all_tags(inputs)}

    def _changes(
        self, kind: Resource, old: Values, new: Values, ignored: list[str]
    ) -> list[Change]:
        names = set(schema.arguments(kind.token).fields)
        if "region" not in new:
            names.discard("region")
        found = changes(kind, names, old, new)
        tags_all = self._tags_all(kind, new)
        if tags_all and not any(change.top == "tags" for change in found):
            found += changes(kind, {"tagsAll"}, old, tags_all)
        return [change for change in found if not is_below(change.path, ignored)]

    def _outcome(self, kind: Resource, call: Call) -> Values:
        """Return the state after a create or update."""
        found = self._found(kind, call)
        if found is None:
            raise RefusedError(
                f"{kind.token}: {call.id} is gone right after its change"
            )
        return state.outcome(kind, found, call.inputs)

    def _found(self, kind: Resource, call: Call) -> Values | None:
        try:
            found = kind.read(call)
        except ClientError as error:
            if is_gone(error):
                return None
            raise
        if found is None:
            return None
        if "region" in schema.outputs(kind.token):
            found["region"] = call.cloud.region
        if kind.tagging:
            found["tagsAll"] = _user_tags(found.get("tagsAll", {}))
            found["tags"] = self._own_tags(found["tagsAll"], call.inputs)
        return found

    def _own_tags(self, all_tags: dict[str, str], inputs: Values) -> dict[str, str]:
        own = inputs.get("tags", {})
        return {
            key: value
            for key, value in all_tags.items()
            if key in own or self._default_tags.get(key) != value
        }

    def _imported(self, kind: Resource, request: rpc.ReadRequest) -> rpc.ReadResponse:
        """
        Read what the engine knows only by its id, after a killed run.

        Raises:
            RefusedError: It was not made by this stack.
        """
        noted = notes.read(self._journal(), request.urn)
        if noted is None or noted["id"] != request.resource_id:
            raise RefusedError(
                f"{kind.token}: the sandbox can only read what its stack made, "
                f"got id={request.resource_id}"
            )
        inputs = {k: v for k, v in noted["inputs"].items() if k != "__defaults"}
        call = self._call(kind, inputs, request.resource_id)
        if self._found(kind, call) is None:
            return rpc.ReadResponse("")
        outcome = self._outcome(kind, call)
        return rpc.ReadResponse(call.id, _sent(outcome), _sent(noted["inputs"]))


def _sent(values: Mapping[str, Any]) -> dict[str, PropertyValue]:
    return wrap_map(without_nulls(values))


def _decoded(value: Any) -> Any:
    """Decode a setting: those other than text arrive as JSON."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    return value


def _encode_documents(kind: Resource, inputs: Values) -> None:
    for name in kind.documents & set(inputs):
        value = inputs[name]
        if isinstance(value, dict | list) and not contains_unknown(value):
            inputs[name] = json.dumps(value)


def _not_imitated(kind: Resource, inputs: Values) -> list[schema.Problem]:
    known = schema.arguments(kind.token).fields
    return [
        (name, f"the sandbox does not imitate {name} of {kind.token}")
        for name, value in sorted(inputs.items())
        if name in known
        and name not in kind.inputs
        and value != kind.defaults.get(name, UNKNOWN)
    ]


def _keeps_its_name(kind: Resource, found: list[Change], inputs: Values) -> bool:
    """Two resources of one name cannot stand beside each other."""
    if not kind.name:
        return False
    made = kind.name.input in inputs.get("__defaults", [])
    return not made and kind.name.input not in {change.top for change in found}


def _retag(kind: Resource, call: Call) -> None:
    before, after = call.state.get("tagsAll", {}), call.tags
    gone = sorted(set(before) - set(after))
    new = {key: value for key, value in after.items() if before.get(key) != value}
    if kind.tagging and gone:
        kind.tagging.remove(call, gone)
    if kind.tagging and new:
        kind.tagging.write(call, new)


def _user_tags(tags: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in tags.items() if not key.startswith("aws:")}
