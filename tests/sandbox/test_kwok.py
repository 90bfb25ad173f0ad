"""
kwok and Karpenter, played by small scripts.

Not proven here: that the real programs take these arguments; tests/cluster does that.
"""

import json
import subprocess
import sys

import pytest
import yaml

from sandbox import controllers, kwok
from sandbox.control_plane import ControlPlaneError
from sandbox.kwok import (
    DURATION,
    ENDS_LATE,
    MachineType,
    karpenter,
    karpenter_crds,
    kubelets,
    node_class,
)

# Answers on the port that it is told, by the argument of kwok or by the variable of
# Karpenter, and writes down what it was given.
SERVER = """\
#!{python}
import http.server, json, os, sys
found = [one for one in sys.argv if one.startswith("--server-address=")]
port = found[0].rpartition(":")[2] if found else os.environ["HEALTH_PROBE_PORT"]
given = {{"arguments": sys.argv[1:], "environ": dict(os.environ), "pid": os.getpid()}}
open("given.json", "w").write(json.dumps(given))
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
"""
STAGE = {"metadata": {"name": "any"}, "spec": {"next": {}}}
COMPLETE = {
    "metadata": {"name": "pod-complete"},
    "spec": {"selector": {"matchExpressions": [{"key": ".a"}]}, "next": {}},
}
TYPE = MachineType(
    name="m7g.large",
    architecture="arm64",
    vcpus=2,
    memory_mib=8_192,
    pods=29,
    price=0.5,
)


@pytest.fixture
def script(tmp_path):
    """Return a function that writes a program."""

    def write(body):
        file = tmp_path / "program"
        file.write_text(body.format(python=sys.executable))
        file.chmod(0o755)
        return file

    return write


@pytest.fixture
def module(tmp_path):
    """Return a folder with the stages where kwok's module has them."""
    for stage in kwok._STAGES:
        file = tmp_path / "module" / "kustomize" / "stage" / f"{stage}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(COMPLETE if "complete" in stage else STAGE))
    return tmp_path / "module"


@pytest.fixture
def state(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


def is_running(given):
    done = subprocess.run(["kill", "-0", str(given["pid"])], capture_output=True)
    return done.returncode == 0


def test_kwok_runs_until_the_block_ends(script, module, state, tmp_path):
    with kubelets(script(SERVER), module, tmp_path / "kubeconfig", state):
        given = json.loads((state / "given.json").read_text())
        running = is_running(given)

    assert (True, False) == (running, is_running(given))
    assert [
        f"--config={state / 'kwok.yaml'}",
        f"--kubeconfig={tmp_path / 'kubeconfig'}",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
    ] == given["arguments"][:3]


def test_pods_of_jobs_end_when_their_time_is_over(script, module, state, tmp_path):
    with kubelets(script(SERVER), module, tmp_path / "kubeconfig", state):
        stages = list(yaml.safe_load_all((state / "kwok.yaml").read_text()))

    duration = f'.metadata.annotations["{DURATION}"]'
    changed = [stage for stage in stages if stage != STAGE]

    assert 5 == len(stages)
    assert [
        {
            "selector": {
                "matchExpressions": [
                    {"key": ".a"},
                    {"key": duration, "operator": "Exists"},
                ]
            },
            "delay": {
                "durationMilliseconds": 0,
                "durationFrom": {"expressionFrom": duration},
            },
            "next": {},
        }
    ] == [stage["spec"] for stage in changed]


def test_a_pod_that_ends_late_stays_until_its_grace_is_over(
    script, module, state, tmp_path
):
    stage = {"metadata": {"name": "pod-delete"}, "spec": {"next": {"delete": True}}}
    file = module / "kustomize" / "stage" / "pod" / "fast" / "pod-delete.yaml"
    file.write_text(yaml.safe_dump(stage))
    given = (script(SERVER), module, tmp_path / "kubeconfig", state)
    with kubelets(*given):
        stages = list(yaml.safe_load_all((state / "kwok.yaml").read_text()))

    late = f'select(.annotations["{ENDS_LATE}"] != null)'
    due = {
        "durationMilliseconds": 0,
        "durationFrom": {"expressionFrom": f".metadata | {late} | .deletionTimestamp"},
    }

    assert {**stage["spec"], "delay": due} == stages[-1]["spec"]


def test_a_pod_that_is_made_ready_twice_has_one_address(
    script, module, state, tmp_path
):
    """Two are refused by the API server, and kwok would let the pod run for ever."""
    template = "podIP: {{ . }}\npodIPs:\n{{ range . }}\n- ip: {{ . }}\n{{ end }}\n"
    stage = {
        "metadata": {"name": "pod-ready"},
        "spec": {"next": {"statusTemplate": template}},
    }
    file = module / "kustomize" / "stage" / "pod" / "fast" / "pod-ready.yaml"
    file.write_text(yaml.safe_dump(stage))
    with kubelets(script(SERVER), module, tmp_path / "kubeconfig", state):
        stages = list(yaml.safe_load_all((state / "kwok.yaml").read_text()))
    (ready,) = (one for one in stages if one["metadata"]["name"] == "pod-ready")

    assert (
        "podIP: {{ . }}\npodIPs:\n- $patch: replace\n"
        "{{ range . }}\n- ip: {{ . }}\n{{ end }}\n"
    ) == ready["spec"]["next"]["statusTemplate"]


def test_karpenter_gets_its_settings_and_nothing_of_the_users(
    script, state, tmp_path, monkeypatch
):
    monkeypatch.setenv("AWS_PROFILE", "prod")
    settings = {"PREFERENCE_POLICY": "Ignore"}
    file = tmp_path / "kubeconfig"
    with karpenter(script(SERVER), file, state, [TYPE], settings) as metrics_port:
        given = json.loads((state / "given.json").read_text())
    environ = given["environ"]

    assert not is_running(given)
    assert "AWS_PROFILE" not in environ
    assert ("Ignore", str(file), "true") == tuple(
        environ[name]
        for name in ("PREFERENCE_POLICY", "KUBECONFIG", "DISABLE_LEADER_ELECTION")
    )
    assert environ["HEALTH_PROBE_PORT"] != environ["METRICS_PORT"]
    assert str(metrics_port) == environ["METRICS_PORT"]
    assert [TYPE.manifest()] == json.loads((state / "instance-types.json").read_text())


def test_a_program_that_fails_in_the_block_is_ended(script, state, tmp_path):
    with (
        pytest.raises(KeyError),
        karpenter(script(SERVER), tmp_path / "kubeconfig", state, [TYPE], {}),
    ):
        raise KeyError

    assert not is_running(json.loads((state / "given.json").read_text()))


def test_a_program_that_ends_is_named_with_its_log(script, state, tmp_path):
    program = script("#!/bin/sh\necho no CRDs; exit 4\n")

    with (
        pytest.raises(ControlPlaneError) as caught,
        karpenter(program, tmp_path / "kubeconfig", state, [TYPE], {}),
    ):
        pass

    assert "program ended with 4:\nno CRDs" == str(caught.value)


def test_a_program_that_never_gets_ready_is_named(script, state, tmp_path, monkeypatch):
    monkeypatch.setattr(controllers, "_READY_SECONDS", 0.3)
    program = script("#!/bin/sh\necho $$ >pid; echo waiting; exec sleep 60\n")

    with (
        pytest.raises(ControlPlaneError) as caught,
        karpenter(program, tmp_path / "kubeconfig", state, [TYPE], {}),
    ):
        pass

    assert "program was not ready in 0.3 s:\nwaiting" == str(caught.value)
    assert not is_running({"pid": (state / "pid").read_text().strip()})


def test_a_machine_type_is_one_of_the_file_of_karpenter():
    made = TYPE.manifest()
    (offering,) = made["offerings"]

    assert {
        "cpu": "2",
        "memory": "8192Mi",
        "ephemeral-storage": "100Gi",
        "pods": "29",
    } == made["resources"]
    assert (0.5, True) == (offering["Price"], offering["Available"])
    assert {
        "karpenter.sh/capacity-type": ["on-demand"],
        "topology.kubernetes.io/zone": ["zone-a"],
    } == {one["key"]: one["values"] for one in offering["Requirements"]}


def test_a_node_class_has_the_name_of_its_pool():
    assert {
        "apiVersion": "karpenter.kwok.sh/v1alpha1",
        "kind": "KWOKNodeClass",
        "metadata": {"name": "job"},
    } == node_class("job")


def test_the_crds_are_those_of_both_folders(tmp_path):
    for folder in ("kwok/charts/crds", "kwok/apis/crds"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.yaml").write_text(f"folder: {folder}\n")

    assert [
        {"folder": "kwok/charts/crds"},
        {"folder": "kwok/apis/crds"},
    ] == karpenter_crds(tmp_path)
