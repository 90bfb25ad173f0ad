"""
Kyverno's policies in Kyverno's own engine, by its CLI, on each pod of pods.yaml.

Not proven here: Kyverno's webhook, and what it does while its pods are away.
"""

import pytest

from components.spec.policy.engine import Engine
from components.spec.policy.manifests import policy_manifests
from components.spec.policy.native import native_policies
from tests.cluster.kyverno import apply
from tests.cluster.policies import CANARY, EVERY_PRESET, VARIANTS
from tests.spec.policy.admission import CASES, LABEL, admit, decoded, expected_pod

ENGINES: tuple[Engine, ...] = ("kyverno", "kyverno-legacy")
# All of them in the engine with expressions of its own. The other shares those of
# the native policy, so two switches do that are not expressions alone.
SWITCHES = [
    *(("kyverno-legacy", variant) for variant in VARIANTS),
    ("kyverno", "left out"),
    ("kyverno", "host network"),
]


@pytest.fixture(scope="module", params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture(scope="module")
def first(built, engine, tmp_path_factory):
    """Return the pods after their creation, by name."""
    policies = policy_manifests(EVERY_PRESET, engine)
    pods = [case["pod"] for case in CASES]
    return apply(built["kyverno"], tmp_path_factory.mktemp("first"), policies, pods)


@pytest.fixture(scope="module")
def second(built, engine, tmp_path_factory):
    """Return the pods of `expected_pod`, and a new one, after another creation."""
    policies = policy_manifests(EVERY_PRESET, engine)
    pods = [CANARY, *(expected_pod(case) for case in CASES)]
    return apply(built["kyverno"], tmp_path_factory.mktemp("second"), policies, pods)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_kyverno_makes_of_each_pod_what_the_api_server_makes(first, case):
    left_alone = decoded(case["pod"])

    assert expected_pod(case) == first.get(case["name"], left_alone)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_kyverno_changes_nothing_a_second_time(second, case):
    expected = expected_pod(case)

    assert expected == second.get(case["name"], expected)


def test_kyverno_was_at_work_both_times(first, second):
    jobs = {case["name"] for case in CASES if "expected" in case}

    assert jobs <= first.keys()
    assert "job" == second["canary"]["metadata"]["labels"][LABEL]


@pytest.mark.parametrize(("engine", "variant"), SWITCHES)
def test_each_switch_does_in_kyverno_what_it_does_in_the_api_server(
    built, tmp_path, engine, variant
):
    settings = VARIANTS[variant]
    pods = {case["name"]: decoded(case["pod"]) for case in CASES}
    native = native_policies(settings)

    changed = apply(
        built["kyverno"], tmp_path, policy_manifests(settings, engine), pods.values()
    )

    assert {name: decoded(admit(native, pod)) for name, pod in pods.items()} == {
        name: changed.get(name, pod) for name, pod in pods.items()
    }
