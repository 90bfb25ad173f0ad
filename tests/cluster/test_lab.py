"""
The lab as people run it, made short: about four minutes.

Not proven here: the figures of the report on a real load; docs/lab.md shows them with
the command that repeats them.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.cluster import PROGRAMS
from lab.report import records
from sandbox.environment import ROOT

_SECONDS = 420
_LOAD = ("--hours", "0.15", "--jobs", "150", "--speed", "30", "--seed", "1")


@pytest.fixture(scope="module")
def place(built, tmp_path_factory):
    """Return a folder for reports and locks; every program is built."""
    assert set(PROGRAMS) <= built.keys()
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def ran(place):
    """Run two scenarios to their end, and try a second run meanwhile."""
    first = start(
        place,
        *("--scenarios", "affinity,unprotected", "--faults", "drift,expiry"),
        *_LOAD,
    )
    try:
        wait_until_at_work(first)
        seen = programs(children(first.pid))
        second = start(place, *_LOAD)
        answer, status = second.communicate(timeout=_SECONDS), second.returncode
        output, _ = first.communicate(timeout=_SECONDS)
    finally:
        first.terminate()
        first.communicate(timeout=_SECONDS)
    return {
        "status": first.returncode,
        "output": output,
        "seen": seen,
        "second": (status, answer),
        "first": first.pid,
    }


@pytest.fixture(scope="module")
def study(place, ran):
    assert 0 == ran["status"], ran["output"]
    return records.read(place / "out")


def start(place, *options):
    environ = {**os.environ, "EKS_JOBS_SANDBOX": str(place / "state")}
    return subprocess.Popen(
        [sys.executable, "-m", "lab", "run", "--out", str(place / "out"), *options],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def children(parent):
    """Return the programs that a process has started, by process."""
    answer = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(parent)],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line.split(None, 1) for line in answer.stdout.splitlines()]
    return {int(pid): name for pid, name in lines}


def programs(started):
    """Name the programs of the lab, without what is about to become one."""
    # The kernel keeps fifteen characters of a name.
    names = {name[:15] for name in PROGRAMS}
    return sorted(name for name in started.values() if name in names)


def wait_until_at_work(running):
    """Wait until Karpenter, the last that starts, has been started."""
    while len(programs(children(running.pid))) < len(PROGRAMS):
        if running.poll() is not None:
            pytest.fail(running.communicate()[0])
        time.sleep(0.2)


def interrupted(run):
    return [pod for pod in run.pods if pod.outcome == "interrupted"]


def by_name(study, name):
    (run,) = (run for run in study.runs if run.scenario == name)
    return run


def test_everything_real_takes_part(ran):
    assert sorted(name[:15] for name in PROGRAMS) == ran["seen"]


def test_a_second_run_is_refused_and_named(ran):
    status, (answer, _) = ran["second"]

    assert 1 == status
    assert (
        f"error: a run of the lab is at work as process {ran['first']}: "
        "wait for it, or press Ctrl-C there\n"
    ) == answer


def test_every_protected_job_runs_to_its_end(study):
    pods = by_name(study, "affinity").pods

    assert 150 == len(study.load.jobs)
    assert sorted(job.name for job in study.load.jobs) == sorted(
        pod.job for pod in pods if pod.outcome == "succeeded"
    )


def test_drift_and_expiry_interrupt_no_protected_job(study):
    run = by_name(study, "affinity")

    assert "drift 1 at" in run.facts["happened"]
    assert "drift, expiry" == run.facts["faults"]
    assert 0 < int(run.facts["nodes told to go while jobs ran on them"])
    assert [] == interrupted(run)


def test_they_do_interrupt_jobs_that_nothing_protects(study):
    found = interrupted(by_name(study, "unprotected"))

    assert 0 < len(found)
    assert {"EvictionByEvictionAPI"} == {pod.reason for pod in found}


def test_jobs_of_a_lost_node_and_a_lost_zone_run_again(place, ran):
    assert ran["status"] == 0
    faults = ("--scenarios", "affinity", "--faults", "node-lost,zone")
    running = start(place, *faults, "--out", str(place / "lost"), *_LOAD)
    output, _ = running.communicate(timeout=_SECONDS)
    assert 0 == running.returncode, output

    study = records.read(place / "lost")
    run = by_name(study, "affinity")
    ended = {pod.job for pod in run.pods if pod.outcome == "succeeded"}
    again = {job.name for job in study.load.jobs if job.owner == "Job"}
    assert "DeletionByPodGC" in {pod.reason for pod in interrupted(run)}
    assert "node lost (kwok-job" in run.facts["happened"]
    assert "zone lost (zone-" in run.facts["happened"]
    assert set() == again - ended


def test_nodes_come_for_jobs_and_go_after_them(study):
    run = by_name(study, "affinity")
    shapes = {shape.instance_type for shape in study.shapes}

    assert 0 < len(run.nodes)
    for node in run.nodes:
        assert node.shape.instance_type in shapes
        assert 0 <= node.created < node.ready < node.deleted <= run.end


def test_no_pod_runs_on_nodes_of_another_group(study):
    for run in study.runs:
        groups = {node.name: node.shape.group for node in run.nodes}

        assert {pod.group for pod in run.pods} == {"job", "job-arm"}
        assert [] == [
            pod for pod in run.pods if pod.node and groups[pod.node] != pod.group
        ]


def test_the_report_stands_beside_what_was_seen(place, study):
    page = (place / "out" / "report.html").read_text()
    table = json.loads((place / "out" / "report.json").read_text())

    assert ["affinity", "unprotected"] == [run.scenario for run in study.runs]
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert isinstance(table, dict)


def test_the_logs_of_each_scenario_are_kept(place, study):
    for run in study.runs:
        logs = {log.stem for log in (place / "out" / "logs" / run.scenario).glob("*")}

        assert {"karpenter", "kwok", "kube-scheduler", "etcd"} <= logs


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_of_a_run_that_is_interrupted(place, ran, number):
    assert ran["status"] == 0
    running = start(place, "--scenarios", "both", *_LOAD)
    wait_until_at_work(running)
    started = children(running.pid)
    running.send_signal(number)
    output, _ = running.communicate(timeout=60)

    assert 130 == running.returncode
    assert "Interrupted: everything is stopped." in output
    assert len(PROGRAMS) == len(programs(started))
    assert [] == [pid for pid in started if Path(f"/proc/{pid}").exists()]
