"""
What the runner asks of the CLI and tells the user, with a script in place of both.

Not proven here: that the CLI does what it is asked; tests/engine runs the real one.
"""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from sandbox import account, repair, runner, tools
from sandbox.__main__ import main
from sandbox.account import Account
from sandbox.cli import CliError
from sandbox.environment import Layout

STACK = "sandbox"
KEPT = " What is done is kept: `make {} STACK=sandbox` goes on from there."
URN = "urn:pulumi:sandbox::eks-jobs::aws:ec2/vpc:Vpc::platform"

# Keeps the state of a stack as the CLI does: a file that `stack init` makes and
# `stack rm` removes. Says what it was asked, and ends as the test wants it to.
PULUMI = """#!/bin/sh
echo "$*" >>"$CALLS"
state="${PULUMI_BACKEND_URL#file://}/.pulumi/stacks/eks-jobs/sandbox.json"
case "$*" in
*"stack init"*)
    mkdir -p "${state%/*}"
    echo '{"checkpoint": {"latest": {"resources": []}}}' >"$state" ;;
*"stack rm"*) rm "$state" ;;
*"stack export"*) sed 's/.*"latest": /{"deployment": /; s/}$//' "$state" ;;
*"stack import"*) cp "${CALLS%/*}/state/mended.json" "$CALLS.imported" ;;
*" $ENDS_AT "*) eval "$ENDS" ;;
esac
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Set up a CLI, a local AWS that is only a note, and an empty state folder."""
    pulumi = tmp_path / "tools" / "pulumi"
    pulumi.parent.mkdir()
    pulumi.write_text(PULUMI)
    pulumi.chmod(0o755)
    monkeypatch.setattr(tools, "pulumi_folder", lambda _environ: pulumi.parent)
    return Machine(tmp_path, monkeypatch)


class Machine:
    def __init__(self, folder, monkeypatch):
        self.layout = Layout(state=folder / "state")
        self.calls = folder / "calls"
        self.imported = folder / "calls.imported"
        self.environ = {
            "PATH": os.environ["PATH"],
            "CALLS": str(self.calls),
            "ENDS_AT": "never",
            "ENDS": "",
        }
        self.local = None
        monkeypatch.setattr(account, "find", lambda _layout: self.local)
        monkeypatch.setattr(account, "start", self._start)
        monkeypatch.setattr(account, "stop", self._stop)

    def _start(self, _layout, _environ):
        self.local = Account(pid=7, port=4566)
        return self.local

    def _stop(self, _layout):
        self.local = None

    def run(self, action, **environ):
        return action(self.layout, self.environ | environ, STACK)

    def asked(self):
        """Return what the CLI was asked since the last time, without the paths."""
        text = self.calls.read_text() if self.calls.exists() else ""
        self.calls.write_text("")
        config = self.layout.config(STACK)
        return [
            line.replace(f" --config-file {config}", "").split(" ", 2)[2]
            for line in text.splitlines()
        ]

    def write_state(self, latest):
        file = self.layout.backend / ".pulumi/stacks/eks-jobs/sandbox.json"
        file.write_text(json.dumps({"checkpoint": {"latest": latest}}))


def flags(command):
    return f"{command} --yes --skip-preview --suppress-permalink=true --stack {STACK}"


def test_the_first_up_makes_the_stack_and_deploys_it(machine):
    assert 0 == machine.run(runner.up)
    assert ["stack init --no-select --stack sandbox", flags("up")] == machine.asked()


def test_the_second_up_deploys_the_same_stack(machine):
    machine.run(runner.up)
    machine.asked()

    assert 0 == machine.run(runner.up)
    assert [flags("up")] == machine.asked()


def test_up_ends_with_where_to_look_and_what_is_not_proven(machine, capsys):
    machine.run(runner.up)

    assert [
        "Local AWS at http://127.0.0.1:4566, process 7",
        f"  its log      {machine.layout.server_log}",
        f"  Pulumi state {machine.layout.backend}",
        f"  manifests    {machine.layout.manifests}/sandbox",
        "Not proven here: that AWS grants the permissions and has the capacity, that "
        "nodes boot and join, that pods are scheduled.",
    ] == capsys.readouterr().out.splitlines()


def test_the_program_runs_where_it_is_and_the_state_commands_beside_the_copies(machine):
    machine.run(runner.up)
    folders = [
        line.split()[1]
        for line in machine.calls.read_text().splitlines()
        if line.startswith("-C ")
    ]
    root = Path(runner.__file__).parent.parent

    assert [str(machine.layout.project), str(root)] == folders


def test_preview_of_a_new_stack_makes_it_and_changes_nothing(machine):
    assert 0 == machine.run(runner.preview)
    assert [
        "stack init --no-select --stack sandbox",
        "preview --suppress-permalink=true --stack sandbox",
    ] == machine.asked()


def test_down_destroys_the_stack_and_ends_the_account(machine, capsys):
    machine.run(runner.up)
    machine.asked()
    capsys.readouterr()

    assert 0 == machine.run(runner.down)
    assert [
        flags("destroy"),
        "stack rm --yes --preserve-config --stack sandbox",
    ] == machine.asked()
    assert "Stack sandbox is removed, with its state.\n" == capsys.readouterr().out
    assert machine.local is None


def test_down_keeps_the_account_while_another_stack_is_in_it(machine):
    machine.run(runner.up)
    (machine.layout.backend / ".pulumi/stacks/eks-jobs/alpha.json").write_text(
        '{"checkpoint": {}}'
    )
    machine.run(runner.down)

    assert machine.local is not None


@pytest.mark.parametrize("times", [1, 2])
def test_down_of_nothing_is_no_fault(machine, capsys, times):
    codes = [machine.run(runner.down) for _ in range(times)]

    assert [0] * times == codes
    assert "Nothing to remove: stack sandbox is not deployed.\n" * times == (
        capsys.readouterr().out
    )
    assert not machine.layout.state.exists()


def test_down_twice_after_an_up(machine, capsys):
    machine.run(runner.up)
    machine.run(runner.down)
    capsys.readouterr()

    assert 0 == machine.run(runner.down)
    assert "Nothing to remove: stack sandbox is not deployed.\n" == (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("command", "action", "text"),
    [
        ("up", runner.up, KEPT.format("up")),
        ("preview", runner.preview, ""),
        ("destroy", runner.down, KEPT.format("down")),
    ],
)
def test_a_failure_of_the_cli_is_passed_on_with_how_to_continue(
    machine, capsys, command, action, text
):
    machine.run(runner.up)
    capsys.readouterr()

    assert 3 == machine.run(action, ENDS_AT=command, ENDS="exit 3")
    assert f"Pulumi failed, status 3.{text}\n" == capsys.readouterr().out
    assert machine.local is not None


def test_a_killed_cli_is_named_as_such(machine, capsys):
    assert 137 == machine.run(runner.up, ENDS_AT="up", ENDS="kill -9 $$")
    assert (
        "\nPulumi was ended by signal 9. What is done is kept: "
        "`make up STACK=sandbox` goes on from there.\n"
    ) == capsys.readouterr().out


def test_ctrl_c_is_passed_on_once_and_the_cli_is_waited_for(machine, tmp_path):
    ready, end = tmp_path / "ready", tmp_path / "end"
    script = (
        f"trap 'echo interrupted >>{end}; exit 5' INT; "
        f"touch {ready}; while :; do sleep 0.05; done"
    )

    def press():
        while not ready.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    keyboard = threading.Thread(target=press)
    keyboard.start()
    code = machine.run(runner.up, ENDS_AT="up", ENDS=script)
    keyboard.join()

    assert 5 == code
    assert "interrupted\n" == end.read_text()
    assert before == signal.getsignal(signal.SIGINT)


def test_the_cli_hears_of_ctrl_c_where_a_shell_ignores_it(machine, tmp_path):
    """As in a script that runs `make up` beside it: each plugin would be waited for."""
    seen = tmp_path / "seen"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        machine.run(
            runner.up, ENDS_AT="up", ENDS=f"grep SigIgn /proc/$$/status >{seen}"
        )
    finally:
        signal.signal(signal.SIGINT, before)
    ignored = int(seen.read_text().split()[1], base=16)

    assert 0 == ignored & 1 << signal.SIGINT - 1


def test_an_account_that_has_ended_takes_its_stacks_with_it(machine, capsys):
    machine.run(runner.up)
    machine.asked()
    capsys.readouterr()
    machine.local = None

    assert 0 == machine.run(runner.up)
    assert ["stack init --no-select --stack sandbox", flags("up")] == machine.asked()
    assert (
        "The local AWS of an earlier run has ended: "
        "forgetting all that was deployed (sandbox).\n"
    ) in capsys.readouterr().out


def test_down_after_the_account_has_ended(machine, capsys):
    machine.run(runner.up)
    machine.asked()
    capsys.readouterr()
    machine.local = None

    assert 0 == machine.run(runner.down)
    assert [] == machine.asked()
    assert (
        "The local AWS of an earlier run has ended: "
        "forgetting all that was deployed (sandbox).\n"
        "Nothing to remove: stack sandbox is not deployed.\n"
    ) == capsys.readouterr().out


@pytest.mark.parametrize("action", [runner.up, runner.down])
def test_a_state_that_cannot_be_read_is_forgotten(machine, capsys, action):
    machine.run(runner.up)
    file = machine.layout.backend / ".pulumi/stacks/eks-jobs/sandbox.json"
    file.write_text('{"checkpoint": {')
    capsys.readouterr()

    assert 0 == machine.run(action)
    assert capsys.readouterr().out.startswith(
        "The state of sandbox cannot be read: "
        "forgetting all that was deployed (sandbox).\n"
    )


def test_a_lock_that_was_left_behind_is_released(machine, capsys):
    machine.run(runner.up)
    lock = machine.layout.backend / ".pulumi/locks/organization/eks-jobs/sandbox/a.json"
    lock.parent.mkdir(parents=True)
    lock.write_text("{}")
    machine.asked()
    capsys.readouterr()

    assert 0 == machine.run(runner.up)
    assert ["cancel --yes --stack sandbox", flags("up")] == machine.asked()
    assert (
        "The last run on stack sandbox was killed: releasing its lock.\n"
        == (capsys.readouterr().out.splitlines(keepends=True)[0])
    )


@pytest.mark.parametrize("text", ["", '{"user.cache'])
def test_a_torn_note_beside_a_state_is_removed(machine, text):
    """A killed CLI leaves it; `failed to load checkpoint: EOF` is what follows."""
    machine.run(runner.up)
    (state,) = machine.layout.backend.glob(".pulumi/stacks/*/sandbox.json")
    torn, whole = (state.with_name(f"{name}.json.attrs") for name in ("sandbox", "b"))
    torn.write_text(text)
    whole.write_text("{}")

    assert 0 == machine.run(runner.up)
    assert (False, True) == (torn.exists(), whole.exists())


@pytest.mark.parametrize("action", [runner.up, runner.preview, runner.down])
def test_open_operations_are_settled_before_anything_else(
    machine, capsys, monkeypatch, action
):
    machine.run(runner.up)
    pending = [{"type": "creating", "resource": {"urn": URN, "inputs": {"a": 1}}}]
    machine.write_state({"pending_operations": pending})
    monkeypatch.setattr(repair, "noted", lambda _local, _urn: "vpc-1")
    machine.asked()
    capsys.readouterr()
    code = machine.run(action)
    imported = json.loads(machine.imported.read_text())

    assert 0 == code
    assert [
        "stack export --stack sandbox",
        f"stack import --file {machine.layout.state}/mended.json --stack sandbox",
        flags("refresh"),
    ] == machine.asked()[:3]
    assert [{"urn": URN, "inputs": {"a": 1}, "id": "vpc-1", "outputs": {"a": 1}}] == (
        imported["deployment"]["resources"]
    )
    assert (
        "It left 1 operations open: reading the stack again.\n"
        == (capsys.readouterr().out.splitlines(keepends=True)[0])
    )


def test_a_stack_that_cannot_be_read_again_is_not_changed(machine, monkeypatch):
    machine.run(runner.up)
    pending = [{"type": "updating", "resource": {"urn": URN}}]
    machine.write_state({"pending_operations": pending})
    monkeypatch.setattr(repair, "noted", lambda _local, _urn: None)
    with pytest.raises(CliError) as caught:
        machine.run(runner.up, ENDS_AT="refresh", ENDS="exit 1")

    assert "stack sandbox could not be read again" == str(caught.value)
    assert flags("refresh") == machine.asked()[-1]


def test_status_names_account_and_stacks(machine, capsys):
    machine.run(runner.up)
    machine.write_state(
        {
            "resources": [{"urn": URN, "type": "aws:ec2/vpc:Vpc"}],
            "pending_operations": [{"type": "updating", "resource": {"urn": URN}}],
        }
    )
    capsys.readouterr()
    runner.status(machine.layout)

    assert [
        "Local AWS at http://127.0.0.1:4566, process 7",
        f"  its log      {machine.layout.server_log}",
        f"  Pulumi state {machine.layout.backend}",
        "  stack sandbox: 1 resources, 1 operations open",
    ] == capsys.readouterr().out.splitlines()


def test_status_without_an_account(machine, capsys):
    runner.status(machine.layout)

    assert "Nothing is deployed: no local AWS runs.\n" == capsys.readouterr().out


def test_an_expected_error_is_one_line_and_a_status(machine, capsys, monkeypatch):
    monkeypatch.setenv("EKS_JOBS_SANDBOX", str(machine.layout.state))
    code = main(["up", "--stack", "nope"])

    assert 1 == code
    assert capsys.readouterr().err.startswith("error: stack must be one of ")
    assert not machine.layout.state.exists()


def test_the_tools_are_printed_by_name_and_path(machine, capsys, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(machine.layout.state))

    assert 0 == main(["tools"])
    assert [
        f"{name} {machine.calls.parent}/tools/{name}" for name in tools.PROGRAMS
    ] == capsys.readouterr().out.splitlines()
