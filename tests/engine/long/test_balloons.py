"""
Balloons in the hands of the real engine: one story, told once.

What KEDA would do is done by hand on the kept objects. Not proven here: that KEDA
does it, that a job pushes a balloon out; both are for tests/cluster.
"""

from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from tests.engine.project import STACK, Project, Run, of

CLASS = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
SCALED = "kubernetes:keda.sh/v1alpha1:ScaledObject"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
BUFFER = "kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer"
SPACE = "kubernetes:core/v1:Namespace"
RELEASE = "kubernetes:helm.sh/v3:Release"


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        steps: Each command, by the name of the step.
        replicas: What the Deployment of the balloon `office` held after the step.
    """

    steps: dict[str, Run]
    replicas: dict[str, Any]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("balloons"))
    steps: dict[str, Run] = {}
    replicas: dict[str, Any] = {}

    def run(name: str, command: str = "up") -> None:
        steps[name] = project.run(command)
        replicas[name] = held(project)["spec"].get("replicas")

    project.edit(around_balloons)
    try:
        run("first")
        scale(project, 3)
        run("preview", "preview")
        project.edit(lambda keys: office(keys).update(labels={"team": "other"}))
        run("another label")
        scale(project, 0)
        project.edit(lambda keys: office(keys).pop("schedule"))
        run("no schedule")
        run("second preview", "preview")
        project.edit(lambda keys: keys.update(balloons=[]))
        project.edit(lambda keys: keys.pop("keda"))
        steps["none"] = project.run("up")
    finally:
        steps["down"] = project.run("down")
    return Story(steps=steps, replicas=replicas)


def around_balloons(keys) -> None:
    """Leave little but the balloons, and add a buffer, which a migration forbids."""
    keys["servers"], keys["jobs"] = keys["servers"][:1], keys["jobs"][:2]
    keys["network"] = {"cidr": "10.42.0.0/16", "zones": 2}
    keys["scaler"] = {"kind": "karpenter"}
    del keys["retiring_scaler"]
    request = {"replicas": 2, "cpu": "1", "memory": "1Gi"}
    keys["balloons"].append({"kind": "capacity-buffer", "group": "job", **request})


def office(keys) -> dict[str, Any]:
    (found,) = (one for one in keys["balloons"] if one.get("name") == "office")
    return found


def file(project: Project):
    folder = project.layout.state / "kubernetes" / STACK
    return folder / "deployment-eks-jobs-balloons-office.yaml"


def held(project: Project) -> dict[str, Any]:
    return yaml.safe_load(file(project).read_text())


def scale(project: Project, replicas: int) -> None:
    """Do what KEDA does: another number, behind the program's back."""
    header, _, body = file(project).read_text().partition("apiVersion")
    manifest = yaml.safe_load(f"apiVersion{body}")
    manifest["spec"]["replicas"] = replicas
    file(project).write_text(header + yaml.safe_dump(manifest))


def test_every_step_succeeds(story):
    assert {} == {name: r.text for name, r in story.steps.items() if r.code != 0}


def test_every_kind_is_made(story):
    made = story.steps["first"].added

    assert {
        f"{DEPLOYMENT}::platform-office",
        f"{DEPLOYMENT}::platform-balloon-job-arm",
        f"{SCALED}::platform-office",
        f"{SCALED}::platform-balloon-job-arm",
        f"{BUFFER}::platform-buffer-job",
        f"{POOL}::platform-static-job-arm",
        f"{POOL}::platform-karpenter-job",
        f"{POOL}::platform-karpenter-job-arm",
    } == of(made, DEPLOYMENT, SCALED, BUFFER, POOL)


def test_what_balloons_need_is_there_before_them(story):
    order = story.steps["first"].done("created")

    def place(type_: str, name: str) -> int:
        return order.index(f"{type_} platform-{name}")

    assert (
        place(SPACE, "balloons") < place(DEPLOYMENT, "office") < place(SCALED, "office")
    )
    assert place(CLASS, "office") < place(DEPLOYMENT, "office")
    assert place(RELEASE, "keda") < place(SCALED, "office")
    assert place(RELEASE, "karpenter") < place(BUFFER, "buffer-job")
    assert place(NODE_CLASS, "karpenter-job-arm") < place(POOL, "static-job-arm")


def test_a_second_preview_is_empty_although_keda_has_moved_replicas(story):
    assert (None, 3) == (story.replicas["first"], story.replicas["preview"])
    assert story.steps["preview"].unchanged


def test_an_update_leaves_the_number_to_keda(story):
    run = story.steps["another label"]

    assert {f"{DEPLOYMENT}::platform-office": {"spec"}} == run.changed
    assert 3 == story.replicas["another label"]


def test_without_a_schedule_the_number_is_that_of_the_file_again(story):
    run = story.steps["no schedule"]

    assert {f"{SCALED}::platform-office"} == of(run.removed, SCALED)
    assert (set(), set()) == (run.added, run.replaced)
    assert 3 == story.replicas["no schedule"]
    assert story.steps["second preview"].unchanged


def test_keda_goes_after_what_has_its_finalizer(story):
    gone = [name.split()[0] for name in story.steps["none"].done("deleted")]
    wanted = [SCALED, DEPLOYMENT, CLASS, RELEASE]

    assert [SCALED, DEPLOYMENT, CLASS] == [
        one for one in dict.fromkeys(gone) if one in wanted[:3]
    ]
    assert gone.index(SCALED) < gone.index(RELEASE)
    assert gone.index(DEPLOYMENT) < gone.index(SPACE)


def test_down_leaves_nothing(story):
    assert {} == story.steps["down"].after
