"""
A stand-in for the part of an API server that runs a native policy.

It evaluates the CEL of the manifests in a CEL runtime (the C++ one), with the optional
types, and applies the JSON patches in order. `JSONPatch` is a protobuf message with
the fields of Kubernetes' own type, so a misspelt field or a wrong type of one does not
compile. Not proved: the cost limits of a real API server, its ban on mixed literals,
its validation of the pod; tests/cluster runs the same pods against one.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import jsonpatch
import yaml
from cel_expr_python import cel
from cel_expr_python.ext import ext_optional
from google.protobuf import descriptor_pb2, descriptor_pool, struct_pb2
from google.protobuf.json_format import MessageToDict

__all__ = [
    "AFFINITY",
    "CASES",
    "DO_NOT_DISRUPT",
    "LABEL",
    "SAFE_TO_EVICT",
    "TERM",
    "TOLERATION",
    "admit",
    "decoded",
    "evaluate",
    "expected_pod",
    "in_namespaces",
]

LABEL = "eks-jobs/workload"
DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"
AFFINITY = "preferredDuringSchedulingIgnoredDuringExecution"
TERM: dict[str, Any] = {
    "weight": 100,
    "podAffinityTerm": {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {LABEL: "job"}},
        "namespaceSelector": {},
    },
}

TOLERATION = {
    "key": "karpenter.sh/unregistered",
    "operator": "Exists",
    "effect": "NoExecute",
}

_DATA = Path(__file__).parents[2] / "data" / "pods.yaml"


def _whole_pod(case: Mapping[str, Any]) -> dict[str, Any]:
    """Put in what all pods of the file have in common."""
    metadata = {"name": case["name"], **case["pod"]["metadata"]}
    return {"apiVersion": "v1", "kind": "Pod", **case["pod"], "metadata": metadata}


CASES: list[dict[str, Any]] = [
    {**case, "pod": _whole_pod(case)} for case in yaml.safe_load(_DATA.read_text())
]

# Fields that the API server leaves out when they hold nothing: maps of text, and
# what is no pointer in its Go types.
_MAPS = ("annotations", "labels", "matchLabels", "nodeSelector")
_PLAIN = ("hostNetwork", "nodeName")


def admit(manifests: list[dict[str, Any]], pod: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the pod after a create request.

    Raises:
        ValueError: An expression failed, which a real API server would ignore
            together with the whole policy.
    """
    admitted = deepcopy(dict(pod))
    for policy in _bound_policies(manifests):
        admitted = _run(policy["spec"], admitted)
    return admitted


def evaluate(expression: str, pod: Mapping[str, Any]) -> Any:
    """Return the value of one expression, with the pod as `object`."""
    value = _compile(expression).eval(data={"object": pod})
    if value.type() == cel.Type.ERROR:
        raise ValueError(f"{value.plain_value()} in {expression}")
    return value.plain_value()


def in_namespaces(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Say whether a namespace with these labels is selected; NotIn alone is known."""
    assert {"matchExpressions"} == selector.keys()
    rules = selector["matchExpressions"]
    assert {"NotIn"} == {rule["operator"] for rule in rules}
    return all(labels.get(rule["key"]) not in rule["values"] for rule in rules)


def decoded(value: Any) -> Any:
    """Return an object as the API server reads and writes it: without emptiness."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: decoded(item) for key, item in value.items() if item is not None}
    return {
        key: item
        for key, item in kept.items()
        if not (
            item == []
            or (item == {} and key in _MAPS)
            or (key in _PLAIN and item in ("", False))
        )
    }


def expected_pod(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole pod that a case of pods.yaml describes, decoded."""
    pod = decoded(deepcopy(case["pod"]))
    expected = case.get("expected")
    if expected is None:
        return pod
    pod["metadata"].setdefault("labels", {})[LABEL] = expected["label"]
    annotations = pod["metadata"].setdefault("annotations", {})
    annotations[DO_NOT_DISRUPT] = expected["do-not-disrupt"]
    annotations[SAFE_TO_EVICT] = expected["safe-to-evict"]
    if expected["affinity"] == "appended":
        affinity = pod["spec"].setdefault("affinity", {}).setdefault("podAffinity", {})
        affinity.setdefault(AFFINITY, []).append(deepcopy(TERM))
    else:
        assert expected["affinity"] == "unchanged"
    if expected.get("toleration") != "unchanged":
        pod["spec"].setdefault("tolerations", []).append(dict(TOLERATION))
    return pod


def _bound_policies(manifests: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    bound = {
        one["spec"]["policyName"]
        for one in manifests
        if one["kind"] == "MutatingAdmissionPolicyBinding"
    }
    for one in manifests:
        if one["kind"] != "MutatingAdmissionPolicyBinding":
            assert one["kind"] == "MutatingPolicy" or one["metadata"]["name"] in bound
            yield one


def _run(spec: Mapping[str, Any], pod: dict[str, Any]) -> dict[str, Any]:
    namespace = {"kubernetes.io/metadata.name": pod["metadata"]["namespace"]}
    selector = spec["matchConstraints"]["namespaceSelector"]
    conditions = [one["expression"] for one in spec["matchConditions"]]
    if not in_namespaces(selector, namespace) or not all(
        evaluate(condition, pod) is True for condition in conditions
    ):
        return pod
    for mutation in spec["mutations"]:
        patches = evaluate(mutation["jsonPatch"]["expression"], pod)
        operations = [_whole(MessageToDict(patch)) for patch in patches]
        pod = jsonpatch.JsonPatch(operations).apply(pod)
    return pod


def _whole(value: Any) -> Any:
    """Undo protobuf's JSON values, in which every number is a float."""
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@cache
def _compile(expression: str) -> cel.Expression:
    return _environment().compile(expression)


@cache
def _environment() -> cel.Env:
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(struct_pb2.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(_json_patch().SerializeToString())
    return cel.NewEnv(
        pool,
        variables={"object": cel.Type.DYN},
        extensions=[ext_optional.ExtOptional()],
    )


def _json_patch() -> Any:
    schema: Any = descriptor_pb2  # its classes are made while it is imported
    file = schema.FileDescriptorProto(
        name="json_patch.proto",
        syntax="proto3",
        dependency=["google/protobuf/struct.proto"],
    )
    message = file.message_type.add(name="JSONPatch")
    field = schema.FieldDescriptorProto
    for number, name in enumerate(("op", "path"), start=1):
        message.field.add(name=name, number=number, type=field.TYPE_STRING, label=1)
    message.field.add(
        name="value",
        number=3,
        type=field.TYPE_MESSAGE,
        type_name=".google.protobuf.Value",
        label=1,
    )
    return file
