"""
What a change of each setting does to a stack that runs, and that it spares jobs.

The stack is deployed before and after the change on a fake engine, and the stand-ins
of the sandbox say what needs a new resource. Not proven here: that EKS, EC2 and the
scalers treat nodes as told; tests/cluster has a real Karpenter.
"""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pulumi
import pytest
import yaml

from infra import program, settings
from tests.conftest import REGION
from tests.engine.long.update_changes import (
    BASES,
    CHANGES,
    MAY_END_JOBS,
    Change,
    edited,
)
from tests.engine.long.update_effects import (
    MANAGED,
    Effect,
    effects,
    ends_jobs,
    lost,
    summary,
    undefined,
)

DOCUMENT = Path(__file__).parents[3] / "docs" / "updates.md"

# Images and roles that are looked up: another name, another answer.
ANSWERS = {
    "aws:ssm/getParameter:getParameter": lambda args: {
        "name": args["name"],
        "value": f"ami-{hashlib.sha256(args['name'].encode()).hexdigest()[:17]}",
    },
    "aws:iam/getRole:getRole": {"arn": "arn:test:role/nodes"},
    "aws:iam/getInstanceProfile:getInstanceProfile": {
        "roleArn": "arn:test:role/nodes",
        "roleName": "nodes",
    },
}

TITLE = ["| key | changed to | with | effect |", "|---|---|---|---|"]

HEAD = """\
# What a change does to a stack that runs

Written by `make updates`, which deploys a small stack before and after each change \
and compares; do not edit it.
It has a server group `server` and a job group `job`; "with" is the way in which nodes \
of jobs are made.
Bounds of a managed group (all of servers, and `groups: managed`) go to EKS with its \
size: they are refused, in the preview too, while nodes run that the state does not \
know, and `pulumi up --refresh` takes them.

| word | meaning |
|---|---|
| in place | the resource is updated, and no node takes notice |
| new nodes | nodes that come from now on are made in the new way; those \
that run stay until the autoscaler takes them, empty |
| drift | the scaler makes new nodes, and takes old ones when their jobs are \
done, within the budgets of the pool |
| **rolls** | EKS makes new nodes and drains the old ones: servers \
move, jobs are evicted |
| **replaces**, **removes** | the nodes go; EKS drains those of managed \
groups, and makes the new group first |
| **shuts out** | the cluster refuses nodes that run: it takes them for lost, and \
evicts their pods after five minutes |
| **old limit** | nodes that run keep the shorter limit that they were made with, and \
drift ends jobs that run past it |
| **cuts connections** | routes of nodes go, or lead to another NAT gateway: \
connections of jobs to the outside break, and new ones come from another address |
| **deletes logs** | what CloudWatch kept goes, audit logs too |
| adds, removes, replaces | other resources, which no job stands on |
| leaves definitions | the kinds of Karpenter, Kyverno or KEDA stay in the cluster, \
and no object goes with them |
| nothing | no resource changes |
| refused | the file is not accepted, and the message names the way out |
"""


@pytest.fixture(scope="module")
def run(deploy):
    """Deploy a stack file, equal ones once; None when it is refused."""
    known = {}

    def select(values):
        key = json.dumps(values, sort_keys=True)
        if key not in known:
            try:
                selected = settings.read(values, region=REGION, cluster_name="prod")
            except pulumi.RunError:
                known[key] = None
            else:
                known[key] = deployed(deploy, selected)
        return known[key]

    return select


def deployed(deploy, selected):
    """Deploy, and add to the cluster what only a transform of the engine would."""
    deployment = deploy(lambda: program.deploy(selected), answers=ANSWERS)
    cluster = deployment.only("eks:index:Cluster")
    said = selected.cluster
    dict.update(
        cluster.inputs,
        kubeSchedulerConfig=said.kube_scheduler_config(),
        kubeControllerManagerConfig=said.kube_controller_manager_config(),
    )
    return deployment


@pytest.fixture(scope="module")
def outcomes(run):
    """Return what each change comes to, and whether it may end jobs."""
    found: list[tuple[Change, str, bool]] = []
    for change in CHANGES:
        before, after = (run(values) for values in edited(change))
        assert before is not None, change
        if after is None:
            found.append((change, "refused", False))
            continue
        effect = effects(before, after)
        ends = ends_jobs(effect, after, {"job", "second"})
        found.append((change, summary(effect, after), ends))
    return found


def test_no_change_ends_jobs_but_those_that_say_so(outcomes):
    ending = {(change.key, change.base) for change, _, ends in outcomes if ends}

    assert MAY_END_JOBS.keys() == ending


def test_the_document_is_what_the_changes_come_to(outcomes, request):
    text = document(outcomes)
    if request.config.getoption("--update-golden"):
        DOCUMENT.write_text(text)

    assert text == DOCUMENT.read_text()


def document(outcomes) -> str:
    """Render what may end jobs, then a table for each key of the file."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for change, effect, ends in outcomes:
        shown = _shown(change.to)
        if change.path in change.given:
            shown += f" after {_shown(change.given[change.path])}"
        text = f"{effect} (**may end jobs**)" if ends else effect
        rows.setdefault((change.key, shown, text), []).append(change.base)
    places = {change.key: place for place, change in reversed([*enumerate(CHANGES)])}
    tables: dict[str, list[str]] = {}
    for key, shown, text in sorted(rows, key=lambda row: places[row[0]]):
        top = key.partition(".")[0].removesuffix("[]")
        bases = ", ".join(rows[key, shown, text])
        tables.setdefault(top, []).append(f"| `{key}` | {shown} | {bases} | {text} |")
    parts = ["\n".join([f"## {top}", "", *TITLE, *tables[top], ""]) for top in tables]
    return "\n".join([HEAD, *_ends(), *parts])


def _shown(value: object) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=999)
    text = " ".join(text.removesuffix("...\n").split())
    return f"`{text if len(text) <= 60 else f'{text[:57]}...'}`"


def _ends() -> list[str]:
    """List the changes that may end jobs by the reason, which is the way out."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for (key, base), reason in MAY_END_JOBS.items():
        reasons.setdefault(reason, {}).setdefault(key, []).append(base)
    lines = [
        f"* {', '.join(f'`{key}`' for key in keys)}, with {_ways(keys)}: {reason}."
        for reason, keys in reasons.items()
    ]
    return ["## What may end jobs", "", *lines, ""]


def _ways(keys: dict[str, list[str]]) -> str:
    """Name the ways in which nodes are made, in one order."""
    ways = {base for bases in keys.values() for base in bases}
    return ", ".join(base for base in BASES if base in ways)


def test_an_effect_says_the_hardest_first():
    found = [
        Effect(type="LaunchTemplate", name="platform-job", how="changes"),
        Effect(type="Vpc", name="platform", how="replaces"),
    ]

    assert "**replaces the network**" == summary(found, None)
    assert "nothing" == summary([], None)


@pytest.mark.parametrize("letters", ["ab", "ba"])
def test_zones_that_get_names_keep_every_group_of_nodes(run, letters):
    """In another order the NAT gateway moves, which the row of it says."""
    named = [f"{REGION}{letter}" for letter in letters]
    naming = Change(key="network.zones", to=named, base="managed", given={})
    before, after = (run(values) for values in edited(naming))
    found = effects(before, after)

    assert {"platform-server", *(f"platform-job-{zone}" for zone in named)} == {
        one.name for one in after.of_type(MANAGED)
    }
    assert [] == lost(found)
    assert [] == [one.name for one in found if one.type == "Tag"]
    assert (letters == "ab") == (found == [])


def test_definitions_that_do_not_stay_take_the_pools_along(run):
    """So that the row of `scaler.install` would say it."""
    install = Change(key="scaler.install", to=False, base="karpenter", given={})
    before, after = (run(values) for values in edited(install))
    kept = effects(before, after)
    lost = [
        replace(one, old=replace(one.old, inputs={**one.old.inputs, "values": {}}))
        if one.name == "platform-karpenter-crds"
        else one
        for one in kept
    ]

    assert [] == undefined(kept, after)
    assert ["platform-karpenter-job"] == undefined(lost, after)
    assert ends_jobs(lost, after, {"job"})
