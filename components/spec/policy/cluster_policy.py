"""
The policy as Kyverno's ClusterPolicy, for charts that still run it.

The same definition in JMESPath. Every condition is a whole expression that gives true
or false: Kyverno's own operators take "1" and "1000m" for equal.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .definition import (
    POLICY_NAME,
    AddLabel,
    Annotate,
    AppendAffinity,
    AppendToleration,
    Change,
    HostDns,
    HostNetwork,
    PolicyDefinition,
    definitions,
)
from .kyverno import WEBHOOK_TIMEOUT_SECONDS
from .matchers import SERVER_OWNERS, Handle, Label, Owner
from .settings import JobPolicySettings

__all__ = ["cluster_policies"]

_POD = "request.object"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_KEEPS_POD_NETWORK = (
    f"{_POD}.spec.hostNetwork == `true`",
    f"length({_POD}.spec.containers[].ports[] || `[]`) > `0`",
    f"length({_POD}.spec.initContainers[].ports[] || `[]`) > `0`",
    f"{_POD}.spec.hostUsers == `false`",
    f"{_POD}.spec.os.name == 'windows'",
    f"({_POD}.spec.hostnameOverride || '') != ''",
    f"length({_POD}.spec.securityContext.sysctls[?starts_with(name, 'net')]"
    " || `[]`) > `0`",
)


def cluster_policies(
    settings: JobPolicySettings, name: str = POLICY_NAME
) -> list[dict[str, Any]]:
    """
    Return the policies, one rule for each change.

    What Kyverno would fill in is written out, and the annotation keeps it from
    deriving rules for Jobs and Deployments. Which pods are jobs is decided in the
    rules alone: with match conditions for the API server Kyverno's own CLI (1.19)
    breaks down, and nobody could try the policy before it is used.

    Shape:
        ClusterPolicy, kyverno.io/v1.
    """
    return [_policy(definition) for definition in definitions(settings, name)]


def _policy(definition: PolicyDefinition) -> dict[str, Any]:
    return {
        "apiVersion": "kyverno.io/v1",
        "kind": "ClusterPolicy",
        "metadata": {
            "name": definition.name,
            "annotations": {"pod-policies.kyverno.io/autogen-controllers": "none"},
        },
        "spec": {
            "admission": True,
            "applyRules": "All",
            "background": False,
            "emitWarning": False,
            "validationFailureAction": "Audit",
            "webhookConfiguration": {
                "failurePolicy": "Ignore",
                "timeoutSeconds": WEBHOOK_TIMEOUT_SECONDS,
            },
            "rules": [_rule(definition, change) for change in definition.changes],
        },
    }


def _rule(definition: PolicyDefinition, change: Change) -> dict[str, Any]:
    stops, mutate = _parts(change)
    never = [*_server_pod(), *stops]
    return {
        "name": change.name,
        "skipBackgroundRequests": True,
        "match": {
            "any": [
                {
                    "resources": {
                        "kinds": ["v1/Pod"],
                        "operations": ["CREATE"],
                        "namespaceSelector": definition.namespace_selector(),
                    }
                }
            ]
        },
        "preconditions": {
            "all": [_condition(stop, expected=False) for stop in never],
            "any": [_condition(test) for test in _job_pod(definition.handles)],
        },
        "mutate": mutate,
    }


def _condition(expression: str, *, expected: bool = True) -> dict[str, Any]:
    return {
        "key": f"{{{{ {expression} }}}}",
        "operator": "Equals",
        "value": expected,
    }


def _server_pod() -> list[str]:
    mirror = f'{_POD}.metadata.annotations."kubernetes.io/config.mirror" != `null`'
    return [mirror, _controlled_by(_is_owner(*owner) for owner in SERVER_OWNERS)]


def _job_pod(handles: tuple[Handle, ...]) -> list[str]:
    owners = [one for one in handles if isinstance(one, Owner)]
    tests = []
    if owners:
        tests.append(_controlled_by(_is_owner(o.kind, o.api_group) for o in owners))
    return tests + [_has_label(one) for one in handles if isinstance(one, Label)]


def _controlled_by(tests: Iterable[str]) -> str:
    owners = f"{_POD}.metadata.ownerReferences[?controller && ({' || '.join(tests)})]"
    return f"length({owners} || `[]`) > `0`"


def _is_owner(kind: str, group: str) -> str:
    of_group = (
        f"starts_with(apiVersion, '{group}/')"
        if group
        else "!contains(apiVersion, '/')"
    )
    return f"(kind == '{kind}' && {of_group})"


def _has_label(label: Label) -> str:
    if label.value is None:
        return f"{_label(label.key)} != `null`"
    return f"{_label(label.key)} == '{label.value}'"


def _label(key: str) -> str:
    return f'{_POD}.metadata.labels."{key}"'


def _parts(change: Change) -> tuple[list[str], dict[str, Any]]:
    """Return what stops the change, and the change."""
    match change:
        case AddLabel():
            return [], _merge(
                {"metadata": {"labels": {_absent(change.key): change.value}}}
            )
        case Annotate():
            key = change.key if change.overwrite else _absent(change.key)
            return [], _merge({"metadata": {"annotations": {key: change.value}}})
        case AppendAffinity():
            return _append_term(change)
        case AppendToleration():
            return _append_toleration(change.toleration)
        case HostDns():
            other_dns = f"({_POD}.spec.dnsPolicy || 'ClusterFirst') != 'ClusterFirst'"
            return [*_KEEPS_POD_NETWORK, other_dns], _merge(
                {"spec": {"dnsPolicy": "ClusterFirstWithHostNet"}}
            )
        case HostNetwork():
            return [*_KEEPS_POD_NETWORK], _merge({"spec": {"hostNetwork": True}})


def _append_term(change: AppendAffinity) -> tuple[list[str], dict[str, Any]]:
    terms = f"{_POD}.spec.affinity.podAffinity.{_PREFERRED}"
    own = " && ".join(_same("podAffinityTerm", change.term["podAffinityTerm"]))
    unpacked = json.dumps(list(change.unpacked))
    return [
        f"({_POD}.spec.nodeName || '') != ''",
        f"contains(`{unpacked}`, {_POD}.metadata.namespace || '')",
        f"{_label(change.key)} != `null` && {_label(change.key)} != '{change.value}'",
        f"length({terms}[?{own}] || `[]`) > `0`",
    ], _append(f"/spec/affinity/podAffinity/{_PREFERRED}", change.term)


def _append_toleration(
    toleration: Mapping[str, str],
) -> tuple[list[str], dict[str, Any]]:
    key, effect = toleration["key"], toleration["effect"]
    reach = (
        f"operator == 'Exists' && (!key || key == '{key}')"
        f" && (!effect || effect == '{effect}')"
    )
    return [f"length({_POD}.spec.tolerations[?{reach}] || `[]`) > `0`"], _append(
        "/spec/tolerations", toleration
    )


def _same(path: str, value: Any) -> Iterator[str]:
    """
    Compare with a JSON value, one test for each part.

    Kyverno finds the end of an expression by its braces, and looks one level deep.
    """
    if isinstance(value, dict) and any(
        isinstance(v, dict | list) for v in value.values()
    ):
        yield f"length(keys({path} || `{{}}`)) == `{len(value)}`"
        for key, item in value.items():
            yield from _same(f'{path}."{key}"', item)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        yield f"length({path} || `[]`) == `{len(value)}`"
        for place, item in enumerate(value):
            yield f"{path}[{place}] == `{json.dumps(item)}`"
    else:
        yield f"{path} == `{json.dumps(value)}`"


def _append(path: str, value: Mapping[str, Any]) -> dict[str, Any]:
    patch = {"op": "add", "path": f"{path}/-", "value": dict(value)}
    return {"patchesJson6902": json.dumps([patch])}


def _merge(patch: dict[str, Any]) -> dict[str, Any]:
    return {"patchStrategicMerge": patch}


def _absent(key: str) -> str:
    """Mark a key that is set only when it is absent."""
    return f"+({key})"
