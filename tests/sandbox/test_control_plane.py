"""
The processes of a control plane, played by shell scripts.

Not proven here: that the real programs take these arguments; tests/cluster does that.
"""

import os
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from sandbox import control_plane, control_plane_tools, tools
from sandbox.__main__ import main
from sandbox.builder import folder_of
from sandbox.control_plane import ControlPlane, ControlPlaneError
from sandbox.control_plane_tools import BUNDLES, built, programs, versions
from sandbox.tools import PROGRAMS

RUNS = 'echo "$@"; echo $$ >"$0.pid"; exec sleep 60'
ENDS = "echo unknown flag; exit 3"


@pytest.fixture
def scripts(tmp_path):
    """Return a function that writes programs, by name."""

    def write(**bodies):
        files = {}
        for name, body in bodies.items():
            file = tmp_path / name.replace("_", "-")
            file.write_text(f"#!/bin/sh\n{body}\n")
            file.chmod(0o755)
            files[file.name] = file
        return files

    return write


@pytest.fixture
def state(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


def is_running(program):
    pid = program.with_name(f"{program.name}.pid").read_text().strip()
    return subprocess.run(["kill", "-0", pid], capture_output=True).returncode == 0


def wait_for(path):
    end = time.monotonic() + 10
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return path.read_text()


def test_a_program_that_ends_is_named_with_its_log_and_the_others_are_stopped(
    scripts, state
):
    files = scripts(etcd=RUNS, kube_apiserver=f"sleep 0.3; {ENDS}")

    with pytest.raises(ControlPlaneError) as caught:
        ControlPlane(programs=files, state=state).__enter__()

    assert "kube-apiserver ended with 3:\nunknown flag" == str(caught.value)
    assert not is_running(files["etcd"])


def test_a_program_that_never_gets_ready_is_named(scripts, state, monkeypatch):
    monkeypatch.setattr(control_plane, "_READY_SECONDS", 0.3)
    files = scripts(etcd=RUNS, kube_apiserver="echo waiting for etcd; exec sleep 60")

    with pytest.raises(ControlPlaneError) as caught:
        ControlPlane(programs=files, state=state).__enter__()

    assert "kube-apiserver was not ready in 0.3 s:\nwaiting for etcd" == str(
        caught.value
    )


def test_everything_is_stopped_when_the_block_fails(scripts, state, monkeypatch):
    monkeypatch.setattr(ControlPlane, "_is_ready", lambda _: True)
    files = scripts(etcd=RUNS, kube_apiserver=RUNS, kube_scheduler=RUNS)
    running = ControlPlane(programs=files, state=state, components=("kube-scheduler",))

    def fail():
        with running:
            for program in files.values():
                wait_for(program.with_name(f"{program.name}.pid"))
            before.extend(is_running(program) for program in files.values())
            raise KeyError

    before = []
    with pytest.raises(KeyError):
        fail()

    assert [True] * 3 == before
    assert [False] * 3 == [is_running(program) for program in files.values()]


def test_the_scheduler_reads_the_given_profiles_and_the_kubeconfig(
    scripts, state, monkeypatch
):
    monkeypatch.setattr(ControlPlane, "_is_ready", lambda _: True)
    profiles = [{"schedulerName": "a"}]
    files = scripts(etcd=RUNS, kube_apiserver=RUNS, kube_scheduler=RUNS)
    running = ControlPlane(
        programs=files,
        state=state,
        components=("kube-scheduler",),
        scheduler_config={"profiles": profiles},
    )
    with running:
        arguments = wait_for(state / "kube-scheduler.log")
        config = yaml.safe_load((state / "scheduler.yaml").read_text())

    assert arguments.endswith(f"--config={state}/scheduler.yaml\n")
    assert profiles == config["profiles"]
    assert str(state / "kubeconfig.yaml") == config["clientConnection"]["kubeconfig"]


@pytest.mark.parametrize("aggregation", [False, True])
def test_other_servers_are_asked_with_a_certificate_where_it_is_wanted(
    scripts, state, monkeypatch, aggregation
):
    monkeypatch.setattr(ControlPlane, "_is_ready", lambda _: True)
    files = scripts(etcd=RUNS, kube_apiserver=RUNS)
    with ControlPlane(programs=files, state=state, aggregation=aggregation):
        arguments = wait_for(state / "kube-apiserver.log").split()
    given = dict(one.split("=", 1) for one in arguments)
    names = ("--proxy-client-cert-file", "--requestheader-client-ca-file")

    assert [aggregation] * 2 == [name in given for name in names]
    assert all(Path(given[name]).exists() for name in names if name in given)


def test_the_kubeconfig_is_for_its_user_alone(scripts, state, monkeypatch):
    monkeypatch.setattr(ControlPlane, "_is_ready", lambda _: True)
    with ControlPlane(
        programs=scripts(etcd=RUNS, kube_apiserver=RUNS), state=state
    ) as running:
        mode = running.kubeconfig.stat().st_mode & 0o777

    assert 0o600 == mode


def test_every_program_is_a_bundle_of_its_own_with_a_pinned_version():
    pinned = versions()

    assert {
        "etcd",
        "kube-apiserver",
        "kube-scheduler",
        "kube-controller-manager",
        "kyverno",
        "pulumi-resource-kubernetes",
        "kwok",
        "karpenter-kwok",
        "helm",
        "keda-operator",
        "keda-adapter",
        "prometheus",
        "promtool",
        "pulumi-language-yaml",
    } == pinned.keys()
    assert [1] * len(pinned) == [len(bundle.builds) for bundle in BUNDLES]
    assert 1 == len({pinned[name] for name in pinned if name.startswith("kube-")})


def test_what_is_to_be_built_is_said_with_its_time_before_it_begins(
    tmp_path, monkeypatch, capsys
):
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    etcd, *others = BUNDLES
    folder_of(etcd, environ).mkdir(parents=True)
    monkeypatch.setattr(control_plane_tools, "obtain", folder_of)

    found = programs(environ)
    minutes = sum(bundle.minutes for bundle in others)

    assert (
        f"13 of 14 parts are to be built, once: about {minutes} min on two cores.\n"
        == capsys.readouterr().out
    )
    assert versions().keys() == found.keys()
    assert folder_of(etcd, environ) / "etcd" == found["etcd"]


def test_what_was_built_is_listed_and_nothing_is_built(tmp_path):
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    etcd = folder_of(BUNDLES[0], environ)
    etcd.mkdir(parents=True)

    assert {"etcd": etcd / "etcd"} == built(environ)


@pytest.mark.parametrize(
    ("arguments", "control_plane_programs"),
    [(["tools"], {"etcd"}), (["tools", "--cluster"], versions().keys())],
)
def test_every_built_tool_is_printed_with_its_path(
    tmp_path, monkeypatch, capsys, arguments, control_plane_programs
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder_of(BUNDLES[0], os.environ).mkdir(parents=True)
    monkeypatch.setattr(control_plane_tools, "obtain", folder_of)
    monkeypatch.setattr(tools, "pulumi_folder", lambda _: tmp_path / "pulumi")

    assert 0 == main(arguments)

    printed = [line for line in capsys.readouterr().out.splitlines() if " /" in line]
    shown = dict(line.split(" ") for line in printed)

    assert set(PROGRAMS) | control_plane_programs == shown.keys()
    assert all(path.endswith(f"/{name}") for name, path in shown.items())
