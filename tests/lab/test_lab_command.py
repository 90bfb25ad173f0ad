"""
What the command line of the lab takes, and what it answers to mistakes.

Nothing is started here: tests/cluster/test_lab.py runs it.
"""

import json
import os
import re
import signal
import subprocess
from dataclasses import fields
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from lab import command, report
from lab.load import article_load
from lab.model import NodeRecord, PodRecord, ScenarioRun
from lab.options import Report, Run, parse
from lab.scale import Scale
from lab.shapes import node_shapes
from sandbox.environment import ROOT
from tests.spec.scaler.builders import TYPES, job

MAKE = ("make", "--no-print-directory", "--dry-run", "lab")


def test_without_a_word_it_runs_the_default():
    options = parse([])

    assert isinstance(options, Run)
    assert ("prod", None, None, "", 20.0, 1.0, 2_000, 1) == (
        options.stack,
        options.trace,
        options.prices,
        options.faults,
        options.speed,
        options.hours,
        options.jobs,
        options.seed,
    )
    assert options.scenarios.startswith("default,")
    assert (Path("build/lab"), "python -m lab run") == (options.out, options.words)


def test_the_hours_of_a_trace_can_be_said():
    options = parse(["--trace", "a.yaml", "--hours", "2"])

    assert (2.0, Path("a.yaml")) == (options.hours, options.trace)


def test_run_may_be_left_out():
    assert parse(["run", "--speed", "5"]) == parse(["--speed", "5"])


@pytest.mark.parametrize(
    ("arguments", "scenarios"),
    [
        ([], ""),
        (["--scenarios", "both"], "both"),
    ],
)
def test_the_scheduler_is_measured_alone_unless_scenarios_are_named(
    arguments, scenarios
):
    options = parse(["--nodes", "5", "--pods", "10", *arguments])

    assert (5, 10, scenarios) == (options.nodes, options.pods, options.scenarios)


def test_a_report_is_of_the_last_run():
    assert Report(records=Path("build/lab"), docs=None) == parse(["report"])
    assert Report(records=Path("a"), docs=Path("docs/a.md")) == parse(
        ["report", "--from", "a", "--docs", "docs/a.md"]
    )


def test_a_folder_in_place_of_a_document_is_refused(capsys):
    """Its pictures would be taken for older ones of a report, and go."""
    with pytest.raises(SystemExit) as caught:
        parse(["report", "--docs", "docs"])

    assert 2 == caught.value.code
    assert "--docs must be a file that ends with .md, got docs" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nodes", "5"], "--nodes and --pods must be given together"),
        (["--speed", "fast"], "argument --speed: invalid float value: 'fast'"),
        (["--balloons", "many"], "argument --balloons: invalid choice: 'many'"),
        (
            ["--trace", "a.yaml", "--jobs", "5", "--seed", "0", "--hours", "2"],
            "--jobs, --seed must be left out: a.yaml says it all",
        ),
        (
            ["--trace", "a.csv", "--hours", "2"],
            "--hours must be left out: a.csv says it all",
        ),
        (["--hour", "2"], "unrecognized arguments: --hour 2"),
        (["walk"], "argument command: invalid choice: 'walk'"),
    ],
)
def test_refuses_other_words(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        parse(arguments)

    assert 2 == caught.value.code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--speed", "500"], "speed must be 1 to 100, got speed=500"),
        (["--faults", "fire"], "FAULTS must be of drift, expiry, node-lost, zone"),
        (["--scenarios", "best"], "SCENARIOS must be of default, none"),
        (["--jobs", "0"], "jobs must be at least 1, got jobs=0"),
        (["--stack", "nowhere"], "nowhere"),
        (["--trace", "nothing.yaml"], "nothing.yaml: must be a trace"),
        (["--trace", "nothing.csv"], "nothing.csv: must be a table of jobs"),
        (["--prices", "nothing.yaml"], "nothing.yaml: must be a file of prices"),
        (
            ["--nodes", "0", "--pods", "1"],
            "nodes must be 1 to 5,000, got nodes=0\n"
            "pods must be 2 to 150,000, got pods=1",
        ),
        (["report", "--from", "nothing"], "from must be a folder of a lab run"),
    ],
)
def test_a_mistake_is_named_before_anything_starts(
    arguments, message, capsys, monkeypatch, tmp_path
):
    monkeypatch.setattr(command.Tools, "obtain", lambda: pytest.fail("it started"))

    assert 1 == command.main(arguments, {"EKS_JOBS_SANDBOX": str(tmp_path)})
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error


def test_refuses_to_run_twice(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(command.Tools, "obtain", lambda: pytest.fail("it started"))
    (tmp_path / "lab").mkdir()
    note = {"runner": 42, "cli": None, "what": "a run of the lab"}
    with (tmp_path / "lab" / "run.lock").open("w+") as held:
        held.write(json.dumps(note))
        held.flush()
        flock(held, LOCK_EX)

        assert 1 == command.main([], {"EKS_JOBS_SANDBOX": str(tmp_path)})
    assert (
        "error: a run of the lab is at work as process 42: "
        "wait for it, or press Ctrl-C there\n"
    ) == capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_and_is_then_left_alone(
    number, capsys, monkeypatch, tmp_path
):
    before = signal.getsignal(number)

    def interrupted():
        try:
            os.kill(os.getpid(), number)
        finally:
            # While everything stops, nothing interrupts it.
            os.kill(os.getpid(), number)

    monkeypatch.setattr(command.Tools, "obtain", interrupted)

    assert 130 == command.main([], {"EKS_JOBS_SANDBOX": str(tmp_path)})
    assert "Interrupted: everything is stopped.\n" == capsys.readouterr().err
    assert before == signal.getsignal(number)


def test_a_report_can_be_written_again(tmp_path, capsys):
    groups = (job(),)
    load = article_load(jobs=1, groups=groups)
    (first, _) = node_shapes(groups, TYPES)
    times = {"created": 0.0, "bound": 1.0, "started": 1.0, "finished": 9.0}
    pod = PodRecord(
        job=load.jobs[0].name, group="job", node="n", outcome="succeeded", **times
    )
    node = NodeRecord(name="n", shape=first, created=0.0, ready=1.0, deleted=10.0)
    run = ScenarioRun(
        scenario="affinity", pods=(pod,), nodes=(node,), end=10.0, speed=20.0
    )
    report.write([run], load, [first], tmp_path)
    before = (tmp_path / "report.json").read_text()
    (tmp_path / "report.json").unlink()

    assert 0 == command.main(["report", "--from", str(tmp_path)])
    assert before == (tmp_path / "report.json").read_text()
    assert "affinity" in capsys.readouterr().out


def test_the_time_of_a_measurement_is_stated_before_it():
    assert 60.0 == Scale(nodes=5, pods=100).seconds
    assert 1_200.0 == Scale(nodes=500, pods=10_000).seconds


def test_every_option_of_a_run_is_a_variable_of_make():
    """A report says by make how it is repeated."""
    text = (ROOT / "Makefile").read_text()
    variables = re.findall(r"^LAB := (.+)$", text, re.M)[0].split()
    options = {each.name.upper() for each in fields(Run)} - {"WORDS"}

    assert options == {*variables, "STACK", "OUT"}


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], "--stack prod --out build/lab"),
        (["STACK=alpha", "OUT=here"], "--stack alpha --out here"),
        (
            ["TRACE=jobs.yaml", "PRICES=p.yaml", "SCENARIOS=both,none", "SPEED=5"],
            "--trace jobs.yaml --prices p.yaml --scenarios both,none --speed 5 "
            "--stack prod --out build/lab",
        ),
        (
            ["FAULTS=drift", "BALLOONS=burst", "NODES=500", "PODS=10000"],
            "--faults drift --balloons burst --nodes 500 --pods 10000 "
            "--stack prod --out build/lab",
        ),
    ],
)
def test_make_passes_on_what_was_said(words, options):
    environ = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [*MAKE, *words],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    *_, line = done.stdout.replace("\\\n", " ").splitlines()

    assert f".venv/bin/python -m lab run {options}" == re.sub(
        r"\s+", " ", line.replace("'", "")
    )
