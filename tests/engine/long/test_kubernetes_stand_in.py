"""
The Kubernetes stand-in on the real engine.

Not proven: anything about a cluster; the objects are files.
"""

import json

import pytest
import yaml

from tests.sandbox.engine_stack import EngineStack
from tests.sandbox.kubernetes_driver import kubeconfig

PROGRAM = """
import pulumi
import pulumi_kubernetes as kubernetes

provider = kubernetes.Provider("p", kubeconfig=KUBECONFIG)
here = pulumi.ResourceOptions(provider=provider)
space = kubernetes.core.v1.Namespace("jobs", opts=here)
kubernetes.core.v1.ConfigMap(
    "settings",
    metadata={"name": "settings", "namespace": space.metadata["name"]},
    data={"a": "1"},
    opts=here,
)
kubernetes.core.v1.Secret(
    "key",
    metadata={"name": "key"},
    string_data={"k": pulumi.Output.secret("hush")},
    opts=here,
)
kubernetes.scheduling.v1.PriorityClass(
    "balloon", metadata={"name": "balloon"}, value=-10, opts=here
)
kubernetes.apiextensions.CustomResource(
    "pool",
    api_version="karpenter.sh/v1",
    kind="NodePool",
    metadata={"name": "job"},
    spec={"limits": {"cpu": 100}},
    opts=here,
)
release = kubernetes.helm.v3.Release(
    "karpenter", chart="karpenter", version="1.15.1", opts=here
)
pulumi.export("space", space.metadata["name"])
pulumi.export("status", release.status)
"""


def program(**changes):
    text = PROGRAM.replace("KUBECONFIG", repr(kubeconfig()))
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.fixture
def stack(tmp_path):
    return EngineStack(tmp_path, program())


def test_objects_live_through_a_whole_run(stack):
    outputs = stack.up()
    folder = stack.layout.manifests / "dev"
    space, release = outputs["space"], outputs["status"]["name"]

    assert {
        f"configmap-{space}-settings.yaml",
        f"namespace-{space}.yaml",
        "nodepool-job.yaml",
        "priorityclass-balloon.yaml",
        f"release-default-{release}.yaml",
        "secret-default-key.yaml",
    } == {path.name for path in folder.iterdir()}
    assert "hush" not in json.dumps(stack.resources())

    # A hand on the files is drift, which a refresh finds.
    pool = folder / "nodepool-job.yaml"
    pool.write_text(pool.read_text().replace("100", "7"))
    (folder / "priorityclass-balloon.yaml").unlink()

    assert {
        "kubernetes:karpenter.sh/v1:NodePool::pool": "update",
        "kubernetes:scheduling.k8s.io/v1:PriorityClass::balloon": "create",
    } == stack.steps("--refresh")

    stack.write(program(a=('"a": "1"', '"a": "2"'), b=('"token": "t"', '"token": "u"')))

    assert {
        "kubernetes:core/v1:ConfigMap::settings": "replace",
        "pulumi:providers:kubernetes::p": "update",
    } == stack.steps()

    stack.up()
    kept = yaml.safe_load((folder / f"configmap-{space}-settings.yaml").read_text())

    assert {"a": "2"} == kept["data"]

    stack.run("destroy", "--yes", "--skip-preview", "--stack", "dev")

    assert {} == stack.resources()
    assert [] == [*folder.iterdir()]


def test_a_refusal_reaches_the_user_in_words(stack):
    stack.write(program(a=('"a": "1"', '"a": True')))
    done = stack.run("preview", "--stack", "dev")

    assert 0 != done.code
    assert "resource 'settings' has a problem: data.a: must be a string" in done.text
    assert "Traceback" not in done.text
