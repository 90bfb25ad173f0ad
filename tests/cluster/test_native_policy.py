"""
The native policy on a real API server: what becomes of each pod of pods.yaml.

Nothing is stored: all pods are created as a dry run, which passes through admission.
Not proven here: that EKS runs the API server with MutatingAdmissionPolicy turned on.
"""

import pytest

from sandbox.cluster_api import RefusedError, settled
from tests.cluster.policies import EVERY_PRESET, in_force, job_pod
from tests.spec.policy.admission import (
    AFFINITY,
    CASES,
    DO_NOT_DISRUPT,
    LABEL,
    SAFE_TO_EVICT,
    TERM,
    expected_pod,
)

OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "u"}
CONTAINER = {"name": "c", "image": "example.com/c:1"}


@pytest.fixture(scope="module")
def policy(api):
    """Put the policy in force; yield what the API server said before it was."""
    before = {name: outcome(api, pod) for name, pod in REFUSED.items()}
    with in_force(api, EVERY_PRESET):
        yield before


def admitted(api, pod):
    return settled(api.create(pod, dry_run=True).object)


def metadata(**changes):
    pod = job_pod()
    return pod | {"metadata": pod["metadata"] | changes}


def outcome(api, pod):
    try:
        api.create(pod, dry_run=True)
    except RefusedError as error:
        return str(error)
    return "admitted"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.usefixtures("policy")
def test_each_pod_is_admitted_as_described_and_a_second_time_unchanged(
    api, untouched, case
):
    first = admitted(api, case["pod"])
    expected = expected_pod({**case, "pod": untouched[case["name"]]})

    assert expected == first
    assert expected == admitted(api, first)


NULLS = {
    "labels are null": metadata(labels=None),
    "annotations are null": metadata(annotations=None),
    "affinity is null": job_pod(affinity=None),
    "terms are null": job_pod(affinity={"podAffinity": {AFFINITY: None}}),
    "a generated name": metadata(name=None, generateName="p-"),
    "controller is null": metadata(
        ownerReferences=[
            *job_pod()["metadata"]["ownerReferences"],
            {**OWNER, "controller": None},
        ]
    ),
}


@pytest.mark.parametrize("pod", NULLS.values(), ids=NULLS)
@pytest.mark.usefixtures("policy")
def test_h001_what_is_null_is_as_good_as_missing(api, pod):
    job = admitted(api, pod)

    assert "job" == job["metadata"]["labels"][LABEL]
    assert {DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"} == job["metadata"][
        "annotations"
    ]
    assert [TERM] == job["spec"]["affinity"]["podAffinity"][AFFINITY]


BIG = {
    "1000 owners": metadata(
        ownerReferences=[
            *({**OWNER, "uid": f"u{number}"} for number in range(1_000)),
            *job_pod()["metadata"]["ownerReferences"],
        ]
    ),
    "1000 labels and annotations": metadata(
        labels={f"label-{number}": "x" for number in range(1_000)},
        annotations={f"annotation-{number}": "x" for number in range(1_000)},
    ),
    "200 terms": job_pod(
        affinity={
            "podAffinity": {
                AFFINITY: [
                    {
                        **TERM,
                        "podAffinityTerm": {
                            **TERM["podAffinityTerm"],
                            "topologyKey": f"zone-{number}",
                        },
                    }
                    for number in range(200)
                ]
            }
        }
    ),
    "300 containers": job_pod(
        containers=[{**CONTAINER, "name": f"c{number}"} for number in range(300)]
    ),
}


@pytest.mark.parametrize("pod", BIG.values(), ids=BIG)
@pytest.mark.usefixtures("policy")
def test_the_cost_limit_of_the_api_server_leaves_room_for_large_pods(api, pod):
    job = admitted(api, pod)

    assert "job" == job["metadata"]["labels"][LABEL]
    assert TERM == job["spec"]["affinity"]["podAffinity"][AFFINITY][-1]
    assert job == admitted(api, job)


REFUSED = {
    "no containers": job_pod(containers=[]),
    "no spec": {key: item for key, item in job_pod().items() if key != "spec"},
    "a label that is none": metadata(labels={"a b": "c"}),
    "two controllers": metadata(
        ownerReferences=[
            *job_pod()["metadata"]["ownerReferences"],
            {**OWNER, "controller": True},
        ]
    ),
    "an owner without a kind": metadata(
        ownerReferences=[{"apiVersion": "v1", "name": "x", "uid": "u"}]
    ),
    "a term without a topology key": job_pod(
        affinity={"podAffinity": {AFFINITY: [{"weight": 1, "podAffinityTerm": {}}]}}
    ),
    "labels of numbers": metadata(labels={"a": 1}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_h001_who_is_refused_is_refused_for_the_same_reason_without_us(
    api, policy, name
):
    without = policy[name]

    assert "admitted" != without
    assert without == outcome(api, REFUSED[name])
