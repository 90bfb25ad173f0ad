"""What the lab takes from the stack files of this project."""

import pytest
import yaml

from components.spec.scaler.pool import PoolRules
from lab.stack import Stack, read_stack
from sandbox.environment import ROOT


@pytest.mark.parametrize("name", ["alpha", "prod", "sandbox"])
def test_every_stack_can_be_replayed(name):
    stack = read_stack(ROOT, name)

    assert name == stack.name
    assert len(stack.jobs) > 0
    assert all(balloon.schedule is None for balloon in stack.balloons)


def test_karpenter_has_the_rules_of_the_file():
    stack = read_stack(ROOT, "sandbox")

    assert "15m" == stack.karpenter.rules("job").consolidate_after
    assert PoolRules() == stack.karpenter.rules("job-arm")
    assert 2 == stack.scoring.resources[1].weight


def test_another_scaler_is_named():
    note = "The stack scales by cluster-autoscaler: the lab has Karpenter instead."

    assert note in read_stack(ROOT, "alpha").notes


def test_no_node_waits_for_an_agent_that_does_not_run_here(tmp_path):
    for name in ("Pulumi.yaml", "Pulumi.alpha.yaml"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    plain = read_stack(tmp_path, "alpha")
    file = tmp_path / "Pulumi.alpha.yaml"
    content = yaml.safe_load(file.read_text())
    groups = content["config"]["jobs"]
    groups[0]["taints"] = [{"key": "agent-not-ready", "startup": True}, {"key": "gpu"}]
    file.write_text(yaml.safe_dump(content))

    stack = read_stack(tmp_path, "alpha")

    assert ["gpu"] == [taint.key for taint in stack.jobs[0].taints]
    assert ("Taints that agents take away are left out: no agent runs here.",) == (
        tuple(note for note in stack.notes if note not in plain.notes)
    )


def test_a_stack_without_job_groups_has_nothing_to_replay():
    with pytest.raises(
        ValueError, match="^jobs must have one group at least, got none"
    ):
        Stack(name="test", jobs=())
