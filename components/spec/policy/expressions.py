"""
The policy in CEL, for the API server and for Kyverno's MutatingPolicy.

None of these expressions can fail: a field that may be absent is read with `.?`. All
text that is put in was checked by the value objects, so it holds no quotes.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from .definition import (
    AddLabel,
    Annotate,
    AppendAffinity,
    AppendToleration,
    Change,
    HostDns,
    HostNetwork,
)
from .matchers import SERVER_OWNERS, Handle, Label, Owner

__all__ = ["cel", "match_conditions", "mutation"]

_LABELS = "object.metadata.?labels.orValue({})"
_ANNOTATIONS = "object.metadata.?annotations.orValue({})"
_OWNERS = "object.metadata.?ownerReferences.orValue([])"
_MIRROR = "kubernetes.io/config.mirror"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"

# The API server refuses a pod on the host network that has one of these, or that
# declares a port twice; two pods with one port never share a node.
_KEEPS_POD_NETWORK = """\
object.spec.?hostNetwork.orValue(false)
|| object.spec.containers.exists(c, size(c.?ports.orValue([])) > 0)
|| object.spec.?initContainers.orValue([]).exists(c, size(c.?ports.orValue([])) > 0)
|| !object.spec.?hostUsers.orValue(true)
|| object.spec.?os.?name.orValue('') == 'windows'
|| object.spec.?hostnameOverride.orValue('') != ''
|| object.spec.?securityContext.?sysctls.orValue([])
     .exists(s, s.name.startsWith('net'))"""


def match_conditions(handles: Iterable[Handle]) -> list[dict[str, str]]:
    """
    Return what makes a pod a job, and what makes it none whatever it carries.

    Shape:
        The `matchConditions` of a policy; all must hold.
    """
    return [
        {"name": "no-server-pod", "expression": _no_server_pod()},
        {"name": "job-pod", "expression": _job_pod(tuple(handles))},
    ]


def mutation(change: Change) -> dict[str, Any]:
    """
    Return one change.

    Shape:
        An item of the `mutations` of a policy. A JSON patch, since an apply
        configuration can write neither an atomic list nor append to one.
    """
    return {
        "patchType": "JSONPatch",
        "jsonPatch": {"expression": _expression(change)},
    }


def cel(value: Any) -> str:
    """
    Write a JSON value as a CEL literal.

    Maps of one value type are plain; where the types differ each value is wrapped,
    because the API server allows no mixed literals.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, Mapping):
        mixed = any(not isinstance(item, str) for item in value.values())
        pairs = (
            f"{cel(key)}: {f'dyn({cel(item)})' if mixed else cel(item)}"
            for key, item in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(cel, value))}]"
    return str(value)


def _no_server_pod() -> str:
    servers = _controlled_by(_is_owner(kind, group) for kind, group in SERVER_OWNERS)
    return f"!({cel(_MIRROR)} in {_ANNOTATIONS})\n&& !{servers}"


def _job_pod(handles: tuple[Handle, ...]) -> str:
    owners = [one for one in handles if isinstance(one, Owner)]
    tests = []
    if owners:
        tests.append(_controlled_by(_is_owner(o.kind, o.api_group) for o in owners))
    tests += [_has_label(one) for one in handles if isinstance(one, Label)]
    return "\n|| ".join(tests)


def _controlled_by(tests: Iterable[str]) -> str:
    alternatives = "\n  || ".join(tests)
    return f"{_OWNERS}.exists(o, o.?controller.orValue(false) && (\n  {alternatives}))"


def _is_owner(kind: str, group: str) -> str:
    of_group = (
        f"o.apiVersion.startsWith({cel(f'{group}/')})"
        if group
        else "!o.apiVersion.contains('/')"
    )
    return f"(o.kind == {cel(kind)} && {of_group})"


def _has_label(label: Label) -> str:
    if label.value is None:
        return f"{cel(label.key)} in {_LABELS}"
    return f"{_label_value(label.key)} == {cel(label.value)}"


def _label_value(key: str) -> str:
    return f"object.metadata.?labels[?{cel(key)}].orValue('')"


def _expression(change: Change) -> str:
    match change:
        case AddLabel():
            return _put("labels", change.key, change.value, _LABELS)
        case Annotate(overwrite=False):
            return _put("annotations", change.key, change.value, _ANNOTATIONS)
        case Annotate():
            return _overwrite(change)
        case AppendAffinity():
            return _append_term(change)
        case AppendToleration():
            return _append_toleration(change.toleration)
        case HostDns():
            return _unless(
                f"{_KEEPS_POD_NETWORK}\n"
                "|| object.spec.?dnsPolicy.orValue('ClusterFirst') != 'ClusterFirst'",
                [_add("/spec/dnsPolicy", "ClusterFirstWithHostNet")],
            )
        case HostNetwork():
            return _unless(_KEEPS_POD_NETWORK, [_add("/spec/hostNetwork", True)])


def _put(field: str, key: str, value: str, present: str) -> str:
    return f"{cel(key)} in {present}\n? []\n: {_into_map(field, key, value)}"


def _overwrite(change: Annotate) -> str:
    same = f"object.metadata.?annotations[?{cel(change.key)}].orValue('')"
    return (
        f"{same} == {cel(change.value)}\n? []\n"
        f": {_into_map('annotations', change.key, change.value)}"
    )


def _into_map(field: str, key: str, value: str) -> str:
    into = _add(f"/metadata/{field}/{_pointer(key)}", value)
    whole = _add(f"/metadata/{field}", {key: value})
    return f"has(object.metadata.{field})\n  ? [{into}]\n  : [{whole}]"


def _append_term(change: AppendAffinity) -> str:
    terms = f"object.spec.?affinity.?podAffinity.?{_PREFERRED}"
    own = cel(change.term["podAffinityTerm"])
    stops = ["object.spec.?nodeName.orValue('') != ''"]
    if change.unpacked:
        unpacked = cel(list(change.unpacked))
        stops.append(f"object.metadata.?namespace.orValue('') in {unpacked}")
    stops.append(f"{_label_value(change.key)} != {cel(change.value)}")
    stops.append(f"{terms}.orValue([]).exists(t,\n     t.podAffinityTerm == {own})")
    place = f"/spec/affinity/podAffinity/{_PREFERRED}"
    return _unless(
        "\n|| ".join(stops),
        [
            _missing("object.spec.?affinity", "/spec/affinity", {}),
            _missing(
                "object.spec.?affinity.?podAffinity", "/spec/affinity/podAffinity", {}
            ),
            _missing(terms, place, []),
            _add(f"{place}/-", change.term),
        ],
    )


def _append_toleration(toleration: Mapping[str, str]) -> str:
    own = "object.spec.?tolerations"
    key, effect = cel(["", toleration["key"]]), cel(["", toleration["effect"]])
    return _unless(
        f"{own}.orValue([]).exists(t,\n     t.?operator.orValue('') == 'Exists'"
        f" && t.?key.orValue('') in {key}\n     && t.?effect.orValue('') in {effect})",
        [
            _missing(own, "/spec/tolerations", []),
            _add("/spec/tolerations/-", dict(toleration)),
        ],
    )


def _unless(stop: str, patches: Iterable[str]) -> str:
    """Patch nothing when *stop* holds, else all the *patches* in order."""
    lists = (one if one.startswith("(") else f"[{one}]" for one in patches)
    return f"{stop}\n? []\n: " + "\n+ ".join(lists)


def _missing(present: str, path: str, value: Any) -> str:
    return f"({present}.hasValue() ? [] : [{_add(path, value)}])"


def _add(path: str, value: Any) -> str:
    return f"JSONPatch{{op: 'add', path: '{path}', value: {cel(value)}}}"


def _pointer(key: str) -> str:
    """Write a key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")
