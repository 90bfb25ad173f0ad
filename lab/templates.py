"""What a pod template of a trace asks for, and what of it no simulated node has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from components.spec.groups import GROUP_LABEL
from lab.quantities import cpu_millicores, memory_mib

__all__ = ["Needs", "needs"]

_ARCH = ("kubernetes.io/arch", "beta.kubernetes.io/arch")
_READ = {"cpu": cpu_millicores, "memory": memory_mib}

# What is said of a pod and changes where or when it runs, other than by its requests.
_NOT_REPLAYED = {
    "priorityClassName": "every job of the lab has the same priority",
    "schedulerName": "the scheduler of the scenario places it",
    "schedulingGates": "nobody takes them away",
    "topologySpreadConstraints": "the job policy alone says how pods are placed",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Needs:
    """
    What one pod asks for.

    Args:
        cpu: Request, millicores.
        memory: Request, MiB.
        architectures: Those on which it may run; empty: no node at all.
        group: The job group that it names, None: none.
        obstacle: Why it cannot be replayed, empty: it can.
        notes: What of it is not replayed.
    """

    cpu: int = 0
    memory: int = 0
    architectures: frozenset[str] = frozenset({"amd64", "arm64"})
    group: str | None = None
    obstacle: str = ""
    notes: tuple[str, ...] = ()


def needs(spec: Mapping[str, Any]) -> tuple[Needs, list[str]]:
    """
    Read the `spec` of a pod template.

    Requests add up as the scheduler adds them: all containers with the sidecars, or
    the largest init container with the sidecars before it, whichever is more; then
    the overhead. A limit without a request is a request; requests of the whole pod
    replace the sum.

    Returns:
        What the pod needs, and problems that begin with the name of the field.

    Sources:
        Kubernetes, component-helpers/resource, PodRequests.
    """
    problems: list[str] = []
    amounts = {name: _total(spec, name, problems) for name in _READ}
    selector = _map(spec, "nodeSelector")
    terms = _node_terms(spec)
    return (
        Needs(
            cpu=amounts["cpu"],
            memory=amounts["memory"],
            architectures=frozenset(_architectures(selector, terms)),
            group=_group(spec, selector),
            obstacle=next(_obstacles(spec), ""),
            notes=tuple(_notes(spec, selector, terms)),
        ),
        list(dict.fromkeys(problems)),
    )


def _total(spec: Mapping[str, Any], resource: str, problems: list[str]) -> int:
    running = sum(
        _request(one, resource, f"containers[{place}]", problems)
        for place, one in enumerate(_list(spec, "containers"))
    )
    sidecars = starting = 0
    for place, one in enumerate(_list(spec, "initContainers")):
        amount = _request(one, resource, f"initContainers[{place}]", problems)
        if one.get("restartPolicy") == "Always":
            sidecars += amount
            starting = max(starting, sidecars)
        else:
            starting = max(starting, sidecars + amount)
    total = max(running + sidecars, starting)
    whole = _map(spec, "resources")
    if resource in _map(whole, "requests") or resource in _map(whole, "limits"):
        total = _request(spec, resource, "", problems)
    overhead = _map(spec, "overhead")
    if resource in overhead:
        total += _amount(overhead[resource], resource, f"overhead.{resource}", problems)
    return total


def _request(
    owner: Mapping[str, Any], resource: str, path: str, problems: list[str]
) -> int:
    resources = _map(owner, "resources")
    for kind in ("requests", "limits"):
        amounts = _map(resources, kind)
        if resource in amounts:
            field = f"{path}.resources.{kind}.{resource}".lstrip(".")
            return _amount(amounts[resource], resource, field, problems)
    return 0


def _amount(text: object, resource: str, field: str, problems: list[str]) -> int:
    try:
        return _READ[resource](text)
    except ValueError as error:
        problems.append(f"{field}: {error}")
        return 0


def _obstacles(spec: Mapping[str, Any]) -> Iterator[str]:
    if not _list(spec, "containers"):
        yield "its template has no containers"
    for resource in _resources(spec):
        if resource not in (*_READ, "ephemeral-storage"):
            yield f"it asks for {resource}, which the nodes of the lab do not have"
    if _list(spec, "resourceClaims"):
        yield "it claims devices, which the nodes of the lab do not have"
    if spec.get("nodeName"):
        yield f"it is bound to the node {spec['nodeName']} by its template"
    system = _map(spec, "os").get("name", "linux")
    selected = _map(spec, "nodeSelector").get("kubernetes.io/os", system)
    if selected != "linux":
        yield f"it runs on {selected}, and job groups on Linux"


def _notes(
    spec: Mapping[str, Any],
    selector: Mapping[str, Any],
    terms: Sequence[Mapping[str, Any]],
) -> Iterator[str]:
    own = (*_ARCH, GROUP_LABEL, "kubernetes.io/os")
    keys = [
        *selector,
        *(one.get("key") for term in terms for one in _list(term, "matchExpressions")),
        *("metadata.name" for term in terms if _list(term, "matchFields")),
    ]
    for key in dict.fromkeys(str(key) for key in keys):
        if key not in own:
            yield f"the node label {key}: the nodes of the lab do not have it"
    for field, reason in _NOT_REPLAYED.items():
        if spec.get(field) not in (None, "", [], "default-scheduler"):
            yield f"{field}: {reason}"
    affinity = _map(spec, "affinity")
    for field in ("podAffinity", "podAntiAffinity"):
        if affinity.get(field):
            yield f"{field}: the job policy alone says how pods are placed"
    if _map(affinity, "nodeAffinity").get(
        "preferredDuringSchedulingIgnoredDuringExecution"
    ):
        yield "preferred nodeAffinity: the nodes of a group are alike"
    if "ephemeral-storage" in _resources(spec):
        yield "ephemeral-storage: the nodes of the lab have no disks"
    if any("persistentVolumeClaim" in one for one in _list(spec, "volumes")):
        yield "persistentVolumeClaim: the nodes of the lab have no disks"
    if any("hostPort" in port for port in _ports(spec)):
        yield "hostPort: the nodes of the lab have no network"


def _ports(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for one in _list(spec, "containers"):
        yield from _list(one, "ports")


def _resources(spec: Mapping[str, Any]) -> list[str]:
    """Name every resource that is asked for with an amount."""
    owners = [spec, *_list(spec, "containers"), *_list(spec, "initContainers")]
    return list(
        dict.fromkeys(
            str(name)
            for owner in owners
            for kind in ("requests", "limits")
            for name, amount in _map(_map(owner, "resources"), kind).items()
            if not _is_zero(amount)
        )
    )


def _is_zero(amount: object) -> bool:
    text = str(amount)
    return text.isdecimal() and Decimal(text) == 0


def _group(spec: Mapping[str, Any], selector: Mapping[str, Any]) -> str | None:
    """Read the job group from what a pod for our nodes has to have."""
    if GROUP_LABEL in selector:
        return str(selector[GROUP_LABEL])
    named = [
        str(one["value"])
        for one in _list(spec, "tolerations")
        if one.get("key") == GROUP_LABEL and one.get("value")
    ]
    return named[0] if len(named) == 1 else None


def _node_terms(spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    affinity = _map(_map(spec, "affinity"), "nodeAffinity")
    required = _map(affinity, "requiredDuringSchedulingIgnoredDuringExecution")
    return _list(required, "nodeSelectorTerms")


def _architectures(
    selector: Mapping[str, Any], terms: Sequence[Mapping[str, Any]]
) -> set[str]:
    """Terms of an affinity are alternatives; what is inside of one must all hold."""
    every = {"amd64", "arm64"}
    allowed = {str(selector[key]) for key in _ARCH if key in selector} or every
    if terms:
        allowed &= set().union(*(_of_term(term, every) for term in terms))
    return allowed & every


def _of_term(term: Mapping[str, Any], every: set[str]) -> set[str]:
    allowed = every
    for one in _list(term, "matchExpressions"):
        if one.get("key") in _ARCH:
            values = {str(value) for value in one.get("values") or ()}
            if one.get("operator") == "In":
                allowed = allowed & values
            elif one.get("operator") == "NotIn":
                allowed = allowed - values
            elif one.get("operator") == "DoesNotExist":
                allowed = set()
    return allowed


def _map(owner: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = owner.get(key)
    return value if isinstance(value, Mapping) else {}


def _list(owner: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = owner.get(key)
    listed = value if isinstance(value, list) else []
    return [one for one in listed if isinstance(one, Mapping)]
