"""
The guides of docs/adopt, step by step: a step adds what it says, and ends no job.

The blocks of Python in a guide continue each other, so step 3 is the first three
blocks. Not proven here: that the commands between the steps do what they should.
"""

import re
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest

from infra import program
from tests.document_blocks import ROOT, blocks, fragments, read_fragment

GUIDES = ROOT / "docs" / "adopt"
STEPS = [*sorted(GUIDES.glob("*.md")), ROOT / "docs" / "migration.md"]

_VICTIMS = "cronjob|deployment|job|node|nodeclaim|nodepool|pod|workflow"
KILLS = re.compile(
    rf"\bdrain\b|\bdelete ({_VICTIMS})s?\b|\bterminate-|\bdelete-nodegroup\b"
    r"|\bpulumi destroy\b|--force\b|--grace-period"
)

HARMLESS = (
    # The job that the guide itself has started.
    "kubectl delete job probe",
    # Pools without a node, and their classes.
    'test -z "$(kubectl get nodeclaims -o name)" && '
    "kubectl delete nodepools.karpenter.sh job job-arm --wait && "
    "kubectl delete nodeclasses.eks.amazonaws.com job job-arm",
)

NODES = "eks-jobs:index:JobNodes"
POLICY = "eks-jobs:index:JobPolicy"
SUSPENDED = "eks-jobs:index:SuspendedProcesses"
PROVIDER = "pulumi:providers:kubernetes"

# What each step of a guide adds, beside the children of its components.
ADDED = {
    "existing-cluster": [
        {f"{PROVIDER}::shop"},
        {f"{POLICY}::shop-jobs"},
        {f"{NODES}::shop-job"},
        {"eks-jobs:index:KarpenterNodes::shop-karpenter"},
    ],
    "from-the-article": [
        {f"{SUSPENDED}::old-job", f"{SUSPENDED}::old-job-arm"},
        {f"{PROVIDER}::shop", f"{POLICY}::shop-jobs"},
        {f"{NODES}::shop-job", f"{NODES}::shop-job-arm"},
    ],
    "suspend-az-rebalance": [
        {f"{SUSPENDED}::shop-batch"},
        {f"{SUSPENDED}::shop-nightly", f"{SUSPENDED}::shop-reports"},
    ],
}

ANSWERS = {
    "aws:eks/getNodeGroup:getNodeGroup": lambda args: {
        "id": args["nodeGroupName"],
        "resources": [
            {"autoscalingGroups": [{"name": f"eks-{args['nodeGroupName']}"}]}
        ],
    }
}


@pytest.fixture(scope="module")
def steps(deploy):
    """Deploy every step of every guide, once."""

    def run(text: str):
        return deploy(lambda: exec(text, {}), answers=ANSWERS)

    return {
        guide: [run("".join(parts[: count + 1])) for count in range(len(parts))]
        for guide in ADDED
        for parts in [blocks(GUIDES / f"{guide}.md", "python")]
    }


def above(deployment) -> set[str]:
    return {r.path for r in deployment.resources if "$" not in r.path}


def made(deployment):
    return {r.path: r.inputs for r in deployment.resources}


def test_every_guide_with_a_program_is_run():
    assert set(ADDED) == {
        path.stem for path in GUIDES.glob("*.md") if blocks(path, "python")
    }


@pytest.mark.parametrize("guide", ADDED)
def test_a_step_adds_what_the_guide_says(steps, guide):
    found = [set(), *(above(step) for step in steps[guide])]

    assert ADDED[guide] == [new - old for old, new in pairwise(found)]


@pytest.mark.parametrize("guide", ADDED)
def test_no_step_takes_over_nodes_of_others(steps, guide):
    """What others made is looked at, never registered."""
    types = ("aws:autoscaling/group:Group", "aws:eks/nodeGroup:NodeGroup")
    nodes = [r.path for r in steps[guide][-1].resources if r.type in types]

    assert [] == [path for path in nodes if not path.startswith("eks-jobs:index:")]


def killers(text: str) -> list[str]:
    """Name the commands that end a pod, a node or a group at once."""
    return [line for line in text.splitlines() if KILLS.search(line)]


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_no_command_of_a_guide_ends_a_job(path):
    found = [line for text in blocks(path, "") for line in killers(text)]

    assert [] == [line for line in found if line not in HARMLESS]


@pytest.mark.parametrize(
    "line",
    [
        "kubectl drain node-1 --ignore-daemonsets",
        "kubectl -n jobs delete pod a",
        "kubectl delete nodeclaim a",
        "aws autoscaling terminate-instance-in-auto-scaling-group --instance-id i-1",
        "pulumi destroy --stack prod",
    ],
)
def test_a_command_that_ends_jobs_is_seen(line):
    assert [line] == killers(line)


def test_the_protection_is_there_before_the_first_node(steps):
    first = {
        end: next(
            count
            for count, step in enumerate(steps["existing-cluster"])
            if any(end in path for path in above(step))
        )
        for end in ("JobPolicy", "JobNodes", "KarpenterNodes")
    }

    assert {"JobPolicy": 1, "JobNodes": 2, "KarpenterNodes": 3} == first


def test_the_article_keeps_its_label(steps):
    """Pods that are there and pods that come are packed together."""
    (policy,) = (
        resource
        for resource in steps["from-the-article"][-1].resources
        if resource.type.endswith(":MutatingAdmissionPolicy")
    )

    assert "'group' in object.metadata.?labels" in str(policy.inputs)


@pytest.fixture(scope="module")
def engines(deploy, tmp_path_factory):
    """Deploy the stack before and after the word is changed."""
    folder = tmp_path_factory.mktemp("native-policy")
    texts = fragments(GUIDES / "native-policy.md")
    return [
        deploy(partial(program.deploy, read_fragment(folder, text))) for text in texts
    ]


def names(deployment, kind: str) -> set[str]:
    """Name what the job policy of a stack makes, by the end of its path."""
    found = {r.path for r in deployment.resources if ":JobPolicy$" in r.path}
    return {path.rpartition("::")[2] for path in found if kind in path}


def test_another_engine_has_objects_of_other_names(engines):
    """The new ones can be there before the old ones go."""
    before, after = engines

    assert {"platform-policy-kyverno-legacy"} == names(before, "ClusterPolicy::")
    assert {"platform-policy-native"} == names(after, "MutatingAdmissionPolicy::")
    assert {"platform-policy-kyverno"} == names(before, "Release::")
    assert set() == names(after, "Release::")


def test_another_engine_changes_no_node(engines):
    before, after = (
        {path: inputs for path, inputs in made(one).items() if "JobPolicy" not in path}
        for one in engines
    )

    assert before == after


@pytest.fixture(scope="module")
def migrations(deploy, tmp_path_factory):
    """Deploy the stack before, during and after each move of docs/migration.md."""
    folder = tmp_path_factory.mktemp("migration")
    moves = []
    for text in fragments(ROOT / "docs" / "migration.md"):
        both = read_fragment(folder, text)
        before = replace(both, scaler=both.retiring_scaler, retiring_scaler=None)
        after = replace(both, retiring_scaler=None)
        stages = (before, both, after)
        moves.append([deploy(partial(program.deploy, stage)) for stage in stages])
    return moves


def hold_jobs(deployment):
    """Return what nodes of jobs are made from, by path."""
    kinds = ("Group:Group::", "LaunchTemplate::", ":NodePool::", "NodeClass::")
    return {
        path: inputs
        for path, inputs in made(deployment).items()
        if any(kind in path for kind in kinds) and "Server" not in path
    }


@pytest.mark.parametrize("move", [0, 1])
def test_both_scalers_stand_side_by_side_in_a_migration(migrations, move):
    before, both, after = (hold_jobs(stage) for stage in migrations[move])

    assert before.keys() | after.keys() == both.keys()
    assert set() == before.keys() & after.keys()


@pytest.mark.parametrize("move", [0, 1])
def test_the_nodes_of_the_retiring_scaler_stay_what_they_were(migrations, move):
    before, both, _ = (hold_jobs(stage) for stage in migrations[move])
    changed = [path for path in before if before[path] != both[path]]

    # A limit of zero is how a pool makes no new nodes.
    assert [] == [path for path in changed if ":NodePool::" not in path]
    assert {0: 0, 1: 2}[move] == len(changed)
