"""Rules of the API server that no schema holds, for the kinds that jobs are made of."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from sandbox.kubernetes import metadata
from sandbox.kubernetes.changes import at
from sandbox.kubernetes.kinds import Kind
from sandbox.wire import contains_unknown

__all__ = ["problems"]

# Kubernetes, "Resource units" and resource.Quantity.
_QUANTITY = re.compile(
    r"(?P<number>[+-]?(\d+(\.\d*)?|\.\d+))(?P<unit>[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+|)"
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12}
_DECIMAL |= {"P": 15, "E": 18}
_BINARY = {unit: 10 * power for power, unit in enumerate("KMGTPE", start=1)}

_TEMPLATES = {
    ("apps", "DaemonSet"): "spec.template",
    ("apps", "Deployment"): "spec.template",
    ("apps", "ReplicaSet"): "spec.template",
    ("apps", "StatefulSet"): "spec.template",
    ("batch", "CronJob"): "spec.jobTemplate.spec.template",
    ("batch", "Job"): "spec.template",
}


def problems(kind: Kind, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the pods that the object describes."""
    path = _TEMPLATES.get((kind.group, kind.name))
    if path is not None:
        template = at(manifest, path)
        if isinstance(template, Mapping):
            yield from _template_problems(kind, manifest, template, path)
    elif (kind.group, kind.name) == ("", "Pod"):
        yield from _container_problems(manifest.get("spec"), "spec")


def _template_problems(
    kind: Kind, manifest: Mapping[str, Any], template: Mapping[str, Any], path: str
) -> Iterator[str]:
    inner = template.get("metadata")
    if isinstance(inner, Mapping):
        yield from metadata.label_problems(inner, f"{path}.metadata")
    if kind.group == "apps":
        selected = at(manifest, "spec.selector.matchLabels") or {}
        labels = at(template, "metadata.labels") or {}
        if contains_unknown(selected) or contains_unknown(labels):
            return
        if not selected.items() <= labels.items():
            yield f"{path}.metadata.labels: must have the labels of spec.selector"
    else:
        policy = at(template, "spec.restartPolicy")
        if policy not in ("Never", "OnFailure") and not contains_unknown(policy):
            yield (
                f"{path}.spec.restartPolicy: must be Never or OnFailure in a job, "
                f"got {policy!r}"
            )
    yield from _container_problems(template.get("spec"), f"{path}.spec")


def _container_problems(spec: Any, path: str) -> Iterator[str]:
    for field in ("initContainers", "containers"):
        containers = spec.get(field) if isinstance(spec, Mapping) else None
        for index, container in enumerate(_maps(containers)):
            yield from _resource_problems(
                container.get("resources"), f"{path}.{field}[{index}].resources"
            )


def _maps(values: Any) -> list[Mapping[str, Any]]:
    items = values if isinstance(values, list) else []
    return [item for item in items if isinstance(item, Mapping)]


def _resource_problems(resources: Any, path: str) -> Iterator[str]:
    amounts: dict[str, dict[str, Decimal]] = {"requests": {}, "limits": {}}
    for field, known in amounts.items():
        values = resources.get(field) if isinstance(resources, Mapping) else None
        for name, value in sorted(values.items()) if isinstance(values, dict) else ():
            if contains_unknown(value):
                continue
            amount = _amount(str(value))
            if amount is None:
                yield f"{path}.{field}.{name}: must be a quantity, got {value!r}"
            else:
                known[name] = amount
    for name, limit in amounts["limits"].items():
        if amounts["requests"].get(name, limit) > limit:
            yield f"{path}.requests.{name}: must be at most the limit"


def _amount(text: str) -> Decimal | None:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    number, unit = Decimal(match["number"]), match["unit"]
    if unit in _DECIMAL:
        return number.scaleb(_DECIMAL[unit])
    if unit.endswith("i"):
        return number * 2 ** _BINARY[unit[0]]
    return number.scaleb(int(unit[1:]))
