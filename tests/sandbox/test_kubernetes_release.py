"""
Helm releases in the Kubernetes stand-in.

Not proven: that a chart exists, takes the values, or makes objects that are valid.
"""

import pytest
import yaml
from pulumi.runtime.rpc import UNKNOWN

from tests.sandbox.kubernetes_driver import Driver

RELEASE = "kubernetes:helm.sh/v3:Release"

KARPENTER = {
    "chart": "oci://registry.example.com/karpenter/karpenter",
    "name": "karpenter",
    "namespace": "kube-system",
    "timeout": 300,
    "values": {"replicas": 2},
    "version": "1.15.1",
}


@pytest.fixture
def driver(tmp_path):
    return Driver(tmp_path)


def test_defaults_are_those_of_the_provider(driver):
    inputs, problems = driver.check(
        RELEASE,
        "karpenter",
        {"chart": "karpenter", "version": "1.15.1", "compat": "true"},
    )

    assert [] == problems
    assert {
        "chart": "karpenter",
        "name": "karpenter-5d60226a",
        "namespace": "default",
        "timeout": 300,
        "version": "1.15.1",
    } == inputs


def test_a_random_name_is_kept_by_the_next_run(driver):
    given = {"chart": "karpenter", "version": "1.15.1"}
    inputs, _ = driver.check(RELEASE, "karpenter", given, {"name": "karpenter-1"})

    assert "karpenter-1" == inputs["name"]


def test_no_timeout_is_set_when_nobody_waits(driver):
    inputs, _ = driver.check(RELEASE, "karpenter", {"skipAwait": True, **CHART})

    assert "timeout" not in inputs


CHART = {"chart": "karpenter", "version": "1.15.1"}


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"chart": None}, "chart: required"),
        (
            {"version": None},
            "version: required, the sandbox looks up no latest version",
        ),
        ({"version": "^1.15"}, "version: must be one exact version, got '^1.15'"),
        ({"value": {}}, "value: unknown argument, expected one of allowNullValues, "),
        (
            {"valueYamlFiles": []},
            "valueYamlFiles: not imitated by the sandbox, pass the",
        ),
        ({"skipCrds": "yes"}, "skipCrds: must be a boolean, got 'yes'"),
        ({"timeout": True}, "timeout: must be an integer, got True"),
        ({"values": []}, "values: must be an object, got []"),
        (
            {"name": "k" * 54},
            "name: must be at most 53 lower-case letters, digits, '-' or '.', with a "
            f"letter or digit at both ends, got '{'k' * 54}'",
        ),
        (
            {"repositoryOpts": {"url": "https://charts.example.com"}},
            "repositoryOpts.url: unknown field, expected one of caFile, certFile, ",
        ),
    ],
)
def test_wrong_arguments_are_refused(driver, changed, problem):
    given = {k: v for k, v in {**KARPENTER, **changed}.items() if v is not None}
    (found,) = driver.problems(RELEASE, given)

    assert found.startswith(problem)


@pytest.mark.parametrize("version", ["1.15.1", "v1.15.1", "1.15", "2.0.0-rc.1+b"])
def test_an_exact_version_passes(driver, version):
    assert [] == driver.problems(RELEASE, KARPENTER | {"version": version})


def test_h073_unknown_values_of_a_preview_are_no_problem(driver):
    given = {"chart": UNKNOWN, "version": UNKNOWN, "values": {"a": UNKNOWN}}

    assert [] == driver.problems(RELEASE, given)


def test_a_release_is_recorded(driver):
    id_, state = driver.create(RELEASE, "karpenter", KARPENTER)

    assert "kube-system/karpenter" == id_
    assert {
        **KARPENTER,
        "status": {
            "chart": "karpenter",
            "name": "karpenter",
            "namespace": "kube-system",
            "revision": 1,
            "status": "deployed",
            "version": "1.15.1",
        },
    } == state
    assert {
        "apiVersion": "helm.sh/v3",
        "kind": "Release",
        "metadata": {"name": "karpenter", "namespace": "kube-system"},
        "spec": {
            "chart": "oci://registry.example.com/karpenter/karpenter",
            "timeout": 300,
            "values": {"replicas": 2},
            "version": "1.15.1",
        },
    } == yaml.safe_load(driver.files["release-kube-system-karpenter.yaml"])


def test_a_local_chart_says_its_version(tmp_path):
    chart = tmp_path / "chart"
    chart.mkdir()
    (chart / "Chart.yaml").write_text("name: jobs\nversion: 0.1.0\nappVersion: '2'\n")
    driver = Driver(tmp_path / "state")
    given, problems = driver.check(RELEASE, "jobs", {"chart": str(chart)})
    _, state = driver.create(RELEASE, "jobs", given)

    assert [] == problems
    assert ("jobs", "0.1.0", "2") == (
        state["status"]["chart"],
        state["status"]["version"],
        state["status"]["appVersion"],
    )


def test_an_upgrade_counts(driver):
    _, old = driver.create(RELEASE, "karpenter", KARPENTER)
    state = driver.update(RELEASE, "karpenter", old, KARPENTER | {"version": "1.16.0"})

    assert (2, "1.16.0") == (state["status"]["revision"], state["status"]["version"])


@pytest.mark.parametrize(
    ("changed", "changes", "replaces"),
    [
        ({}, {}, []),
        ({"version": "1.16.0"}, {"version": "UPDATE"}, []),
        ({"namespace": "karpenter"}, {"namespace": "UPDATE_REPLACE"}, ["namespace"]),
    ],
)
def test_another_name_is_another_release(driver, changed, changes, replaces):
    _, old = driver.create(RELEASE, "karpenter", KARPENTER)
    diff = driver.diff(RELEASE, old, KARPENTER | changed)

    assert (changes, replaces, False) == (
        diff.changed,
        diff.replaces,
        diff.delete_first,
    )


def test_nulls_reach_helm_only_when_they_are_allowed(driver):
    values = {"a": None, "b": 1}
    plain, _ = driver.check(RELEASE, "a", {**CHART, "values": values})
    driver.create(
        RELEASE, "a", {**KARPENTER, "values": values, "allowNullValues": True}
    )
    (text,) = driver.files.values()

    assert {"b": 1} == plain["values"]
    assert values == yaml.safe_load(text)["spec"]["values"]


def test_a_deleted_release_is_gone(driver):
    id_, state = driver.create(RELEASE, "karpenter", KARPENTER)

    assert (id_, KARPENTER) == driver.read(RELEASE, id_, state)
    assert (id_, KARPENTER) == driver.read(RELEASE, id_)

    driver.delete(RELEASE, "karpenter", state)

    assert (None, {}) == driver.read(RELEASE, id_, state)
