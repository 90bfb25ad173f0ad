"""
The component package on the real engine: its schema, a YAML program, and a move of it.

The program is the one of docs/other-languages.md. Not proven here: that the current
Python language host starts the package (it is not to be had; `plugin_host.py` does as
it says), that a generated SDK compiles.
"""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from plugin.provider import JobsProvider
from sandbox.control_plane_tools import BUNDLES, programs
from tests.engine.long.place import Done, Place, script
from tests.engine.project import ROOT
from tests.sandbox.engine_stack import EngineStack
from tests.sandbox.kubernetes_driver import kubeconfig

STACK = "dev"
NAME = "pulumi-language-yaml"
DOCUMENT = ROOT / "docs" / "other-languages.md"

# The same platform as in the document, for a program in Python.
IN_PYTHON = f"""
import sys

sys.path.append({str(ROOT)!r})

import components as jobs
from infra import versions

group = dict(architecture="amd64")
jobs.JobPlatform(
    "platform",
    jobs.JobPlatformArgs(
        network=jobs.NewNetwork(cidr="10.50.0.0/16", zones=2),
        cluster=jobs.ClusterSettings(
            version="1.36",
            public_access_cidrs=("203.0.113.0/24",),
            ami_release=versions.AMI_RELEASE,
        ),
        servers=(
            jobs.ServerGroup(
                name="server",
                instance_types=("m7i.large", "m6i.large"),
                size=jobs.Size(min=2, max=4),
                **group,
            ),
        ),
        jobs=(
            jobs.JobGroup(
                name="job",
                instance_types=("m7i.4xlarge", "m6i.4xlarge"),
                size=jobs.Size(min=0, max=20),
                **group,
            ),
        ),
    ),
)
"""

# What an SDK of another language sends, for a cluster that exists.
REMOTE = """
import pulumi
import pulumi_kubernetes as kubernetes

cluster = kubernetes.Provider("cluster", kubeconfig=KUBECONFIG)
group = {
    "name": "job",
    "architecture": "amd64",
    "instance_types": ["m7i.4xlarge"],
    "size": {"min": 0, "max": 20},
}
scaler = {"kind": "karpenter", "version": "1.15.1", "install": False}
balloon = {"group": "job", "replicas": 2, "cpu": "500m", "memory": "750Mi"}


class Remote(pulumi.ComponentResource):
    engine: pulumi.Output[str]

    def __init__(self, kind, name, props, opts=None):
        opts = pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(version=VERSION, providers=[cluster])
        )
        super().__init__(f"eks-jobs:index:{kind}", name, props, opts, remote=True)


policy = Remote(
    "JobPolicy",
    "jobs",
    # An output is one that is named among the inputs.
    {"version": "1.36", "scalers": [scaler], "engine": None},
)
Remote(
    "Balloon",
    "burst",
    {"version": "1.36", "balloon": balloon, "group": group, "scaler": scaler},
    pulumi.ResourceOptions(depends_on=[policy]),
)
pulumi.export("engine", policy.engine)
"""


@dataclass(frozen=True, kw_only=True)
class Story:
    """What the CLI said, and what there was after `up`."""

    schema: Done
    refused: Done
    up: Done
    again: Done
    moved: Done
    destroy: Done
    outputs: dict
    types: list[str]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    host = ROOT / "tests" / "engine" / "long" / "plugin_host.py"
    python = script(folder / "bin", "pulumi-language-python", host, ROOT)
    bundles = [bundle for bundle in BUNDLES if bundle.name == NAME]
    place = Place(folder, [python.parent, programs(os.environ, bundles)[NAME].parent])
    try:
        return told(place, python)
    finally:
        place.close()


def told(place: Place, python: Path) -> Story:
    schema = place.pulumi("package", "get-schema", str(ROOT / "plugin"))
    text = program()
    place.write("Pulumi.yaml", text.replace('version: "1.36"', "version: 1.36"))
    place.pulumi("stack", "init", STACK)
    place.pulumi("config", "set", "aws:region", "eu-central-1", "--stack", STACK)
    refused = place.pulumi("preview", "--stack", STACK)
    place.write("Pulumi.yaml", text)
    up = place.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)
    again = place.pulumi("preview", "--stack", STACK)
    outputs, resources = place.outputs(STACK), place.resources(STACK)

    # From here on the program is one in Python, run by the host beside the CLI.
    python.unlink()
    place.write("Pulumi.yaml", json.dumps({"name": "shop", "runtime": "python"}))
    place.write("__main__.py", IN_PYTHON)
    moved = place.pulumi("preview", "--json", "--stack", STACK)
    destroy = place.pulumi("destroy", "--yes", "--skip-preview", "--stack", STACK)
    return Story(
        schema=schema,
        refused=refused,
        up=up,
        again=again,
        moved=moved,
        destroy=destroy,
        outputs=dict(outputs),
        types=sorted({one["type"] for one in resources.values()}),
    )


def program() -> str:
    """Return the program of the document, with the folder of this checkout."""
    found = re.search(r"```yaml\n(name: .*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert found is not None
    text = found[1]
    assert "../eks-jobs/plugin" == yaml.safe_load(text)["packages"]["eks-jobs"]
    return text.replace("../eks-jobs/plugin", str(ROOT / "plugin"))


def test_the_cli_reads_the_schema(story):
    shown, ours = story.schema.document, json.loads(JobsProvider().schema)

    assert 0 == story.schema.code
    assert (ours["name"], ours["version"]) == (shown["name"], shown["version"])
    assert inputs(ours) == inputs(shown)


def inputs(schema) -> dict[str, list[str]]:
    """Return the names of all inputs, by component."""
    return {
        token: sorted(described["inputProperties"])
        for token, described in schema["resources"].items()
    }


def test_a_wrong_value_is_refused_as_in_a_stack_file(story):
    assert 0 != story.refused.code
    assert (
        "eks-jobs:index:JobPlatform resource 'platform' has a problem: "
        "cluster.version: expected a text, got 1.36; put it in quotes"
    ) in story.refused.text


def test_a_program_in_yaml_gets_a_platform(story):
    assert 0 == story.up.code, story.up.text
    assert "platform" == story.outputs["cluster"]
    assert {"job", "server"} == story.outputs["groups"].keys()
    assert {
        "aws:autoscaling/group:Group",
        "aws:eks/nodeGroup:NodeGroup",
        "eks-jobs:index:JobPolicy",
        "eks:index:Cluster",
    } <= set(story.types)


def test_a_second_run_changes_nothing(story):
    assert 0 == story.again.code, story.again.text
    assert re.search(r"Resources:\n +\d+ unchanged\n", story.again.text)


def test_the_same_program_in_python_replaces_nothing(story):
    assert 0 == story.moved.code, story.moved.text
    steps = story.moved.document["steps"]

    assert [] == [
        (step["op"], step["urn"])
        for step in steps
        if step["op"] != "same" and "pulumi:providers:" not in step["urn"]
    ]


def test_destroy_leaves_nothing(story):
    assert 0 == story.destroy.code, story.destroy.text
    assert " deleted\n" in story.destroy.text


def test_a_cluster_that_exists_gets_a_policy_and_a_balloon(tmp_path):
    version = JobsProvider().version
    text = REMOTE.replace("KUBECONFIG", repr(kubeconfig()))
    stack = EngineStack(tmp_path, text.replace("VERSION", repr(version)))
    plugins = stack.layout.home / ".pulumi" / "plugins"
    script(
        plugins / f"resource-eks-jobs-v{version}",
        "pulumi-resource-eks-jobs",
        ROOT / "plugin",
        ROOT,
    )

    outputs = stack.up()

    assert {"engine": "native"} == outputs
    assert {
        "eks-jobs:index:Balloon$kubernetes:apps/v1:Deployment::burst",
        "eks-jobs:index:JobPolicy$kubernetes:admissionregistration.k8s.io/v1:"
        "MutatingAdmissionPolicy::jobs-native",
    } <= stack.resources().keys()
    assert {} == stack.steps()
