"""
The job policy in the hands of the real engine: no moment without a policy.

Not proven here: what a policy does to a pod, that Helm installs Kyverno, that the
webhooks of Kyverno go with it.
"""

import re

import pytest

from tests.engine.project import Project, Run, smallest

NATIVE = "kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy"
BINDING = f"{NATIVE}Binding"
KYVERNO = "kubernetes:policies.kyverno.io/v1:MutatingPolicy"
RELEASE = "kubernetes:helm.sh/v3:Release"
POLICIES = (NATIVE, BINDING, KYVERNO, RELEASE)

EVENT = re.compile(
    r"^ *[-+~]+ +(?P<type>kubernetes:\S+) \S+ (?P<what>created|deleting|deleted)\b",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("policy"))
    steps: dict[str, Run] = {}

    def change(name: str, policy) -> None:
        project.edit(lambda keys: keys.update(policy=policy))
        steps[name] = project.run("up")

    project.edit(without_scaler)
    try:
        change("kyverno", {"engine": "kyverno"})
        steps["preview of kyverno"] = project.run("preview")
        change("native", {"engine": "native"})
        change("kyverno again", {"engine": "kyverno"})
    finally:
        steps["down"] = project.run("down")
    return steps


def without_scaler(keys) -> None:
    """Leave what the policy needs alone."""
    smallest(keys)
    del keys["cluster"]["scheduler"], keys["retiring_scaler"]
    keys["scaler"] = {"kind": "cluster-autoscaler", "install": False}


def events(run: Run) -> list[tuple[str, str]]:
    """Return what happened to objects of the policy, in order."""
    return [
        (found["type"], found["what"])
        for found in EVENT.finditer(run.text)
        if found["type"] in POLICIES
    ]


def test_every_step_succeeds(story):
    assert {} == {name: run.text for name, run in story.items() if run.code != 0}


def test_h014_a_second_preview_shows_no_change(story):
    """The native engine is part of the sandbox stack, whose preview is tested too."""
    assert story["preview of kyverno"].unchanged


def test_a_change_of_engine_leaves_no_moment_without_a_policy(story):
    """Kyverno goes last, when no policy needs it any more, see H013."""
    assert [
        (NATIVE, "created"),
        (BINDING, "created"),
        (KYVERNO, "deleting"),
        (KYVERNO, "deleted"),
        (RELEASE, "deleting"),
        (RELEASE, "deleted"),
    ] == events(story["native"])


def test_the_new_policy_has_time_to_be_loaded(story):
    taken = re.search(
        rf"{re.escape(BINDING)} \S+ created \((?P<seconds>\d+)", story["native"].text
    )

    assert taken is not None
    assert int(taken["seconds"]) >= 5


def test_the_way_back_creates_before_it_deletes_too(story):
    assert [
        (RELEASE, "created"),
        (KYVERNO, "created"),
        (BINDING, "deleting"),
        (BINDING, "deleted"),
        (NATIVE, "deleting"),
        (NATIVE, "deleted"),
    ] == events(story["kyverno again"])


def test_h013_a_destroy_takes_policies_before_kyverno(story):
    assert [
        (KYVERNO, "deleting"),
        (KYVERNO, "deleted"),
        (RELEASE, "deleting"),
        (RELEASE, "deleted"),
    ] == events(story["down"])
    assert {} == story["down"].after
