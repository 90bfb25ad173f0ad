"""
The wheel in a fresh environment, and a stack of its own for a cluster that exists.

Dependencies come from the package index, at our pins. Not proven here: other versions
that the wheel allows.
"""

import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox import account
from tests.engine.long.place import Done, Place
from tests.engine.project import REGION, ROOT
from tests.sandbox.kubernetes_driver import kubeconfig

STACK = "dev"
GROUP = "eks-batch"
VPC = "vpc-0123456789abcdef0"
SUBNETS = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]

# What a build reads: nothing of it may be left in the checkout.
SOURCES = ("components", "LICENSE", "README.md", "pyproject.toml")

# The cluster that exists: another stack, of somebody else.
OTHERS = f"""
import json

import pulumi_aws as aws

trust = {{
    "Version": "2012-10-17",
    "Statement": [
        {{
            "Effect": "Allow",
            "Principal": {{"Service": "eks.amazonaws.com"}},
            "Action": "sts:AssumeRole",
        }}
    ],
}}
role = aws.iam.Role("shop", assume_role_policy=json.dumps(trust))
aws.eks.Cluster(
    "shop",
    name="shop",
    version="1.36",
    role_arn=role.arn,
    vpc_config={{"subnet_ids": {SUBNETS!r}}},
    access_config={{"authentication_mode": "API"}},
)
"""

PROGRAM = f"""
import eks_jobs as jobs
import pulumi
import pulumi_kubernetes as kubernetes

cluster = jobs.ClusterFacts(
    name="shop",
    endpoint="https://shop.example.com",
    certificate_authority="ZXhhbXBsZQ==",
    service_cidr="172.20.0.0/16",
    security_group_id="sg-0123456789abcdef0",
    vpc_id={VPC!r},
    subnet_ids={SUBNETS!r},
    version="1.36",
    provider=kubernetes.Provider("shop", kubeconfig={kubeconfig()!r}),
)
group = jobs.JobGroup(
    name="job", architecture="amd64", instance_types=("m7i.4xlarge", "m6i.4xlarge")
)
nodes = jobs.JobNodes(
    "shop-job",
    jobs.JobNodesArgs(cluster=cluster, group=group, ami_release="v20260714"),
)
policy = jobs.JobPolicy("shop-jobs", jobs.JobPolicyArgs(cluster=cluster))
jobs.SuspendedProcesses(
    "batch", jobs.SuspendedProcessesArgs(group_name={GROUP!r}, region={REGION!r})
)
pulumi.export("engine", policy.engine)
pulumi.export("group", nodes.group_name)
"""

LOADED = """
import sys

import eks_jobs
import eks_jobs.spec.groups

print(sorted(name for name in sys.modules if name.startswith("pulumi")))
"""


@dataclass(frozen=True, kw_only=True)
class Story:
    """What is in the wheel, what was said, and what was suspended at each step."""

    files: list[str]
    metadata: str
    loaded: Done
    up: Done
    again: Done
    destroy: Done
    outputs: dict
    suspended: list[list[str]]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    wheel = built(folder)
    python = installed(wheel, folder / "venv")
    with zipfile.ZipFile(wheel) as archive:
        files = sorted(archive.namelist())
        (metadata,) = (name for name in files if name.endswith("/METADATA"))
        described = archive.read(metadata).decode()
    place = Place(folder, [python.parent])
    place.environ["VIRTUAL_ENV"] = str(python.parent.parent)
    try:
        return Story(files=files, metadata=described, **told(place))
    finally:
        place.close()


def built(folder: Path) -> Path:
    source = folder / "source"
    source.mkdir()
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    pip("wheel", "--no-deps", "-w", str(folder), str(source))
    (wheel,) = folder.glob("*.whl")
    return wheel


def installed(wheel: Path, environment: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    # What is imported is compiled then; to compile all of the SDKs takes longer.
    pins = str(ROOT / "requirements.txt")
    there = ("--python", str(python))
    pip(*there, "install", "--no-compile", "-c", pins, str(wheel))
    return python


def pip(*words: str) -> None:
    """Run the pip of this environment, which is faster than that of an old Python."""
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *words], check=True)


def told(place: Place) -> dict:
    exists(place)
    owned = deployed(place, "others", OTHERS)
    assert 0 == owned.code, owned.text
    before = suspended(place)
    up = deployed(place, "own", PROGRAM)
    between, outputs = suspended(place), dict(place.outputs(STACK))
    again = place.pulumi("preview", "--stack", STACK)
    destroy = place.pulumi("destroy", "--yes", "--skip-preview", "--stack", STACK)
    return {
        "loaded": place.run("python", "-c", LOADED),
        "up": up,
        "again": again,
        "destroy": destroy,
        "outputs": outputs,
        "suspended": [before, between, suspended(place)],
    }


def deployed(place: Place, project: str, text: str) -> Done:
    place.write("Pulumi.yaml", f"name: {project}\nruntime: python\n")
    place.write("__main__.py", text)
    place.pulumi("stack", "init", STACK)
    place.pulumi("config", "set", "aws:region", REGION, "--stack", STACK)
    return place.pulumi("up", "--yes", "--skip-preview", "--stack", STACK)


def exists(place: Place) -> None:
    """Let a network exist, and a managed group."""
    account.lend(place.account, region=REGION, vpc_id=VPC, subnet_ids=SUBNETS)
    scaling = place.client("autoscaling")
    scaling.create_launch_configuration(
        LaunchConfigurationName="batch", ImageId="ami-1", InstanceType="m7i.large"
    )
    scaling.create_auto_scaling_group(
        AutoScalingGroupName=GROUP,
        LaunchConfigurationName="batch",
        MinSize=0,
        MaxSize=3,
        AvailabilityZones=[f"{REGION}a"],
    )


def suspended(place: Place) -> list[str]:
    found = place.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[GROUP]
    )
    (group,) = found["AutoScalingGroups"]
    return [process["ProcessName"] for process in group["SuspendedProcesses"]]


def test_the_wheel_holds_the_components_and_nothing_else(story):
    folders = {file.partition("/")[0] for file in story.files}
    modules = {
        path.relative_to(ROOT / "components").as_posix()
        for path in (ROOT / "components").rglob("*.py")
    }
    packed = {file.removeprefix("eks_jobs/") for file in story.files}

    assert {"eks_jobs", "eks_jobs-0.1.0.dist-info"} == folders
    assert modules == {file for file in packed if file.endswith(".py")}
    assert {"py.typed", "spec/instance_types.csv"} <= packed


def test_it_says_its_licence(story):
    said = {"License-Expression: Apache-2.0", "License-File: LICENSE"}

    assert said <= set(story.metadata.splitlines())
    assert "eks_jobs-0.1.0.dist-info/licenses/LICENSE" in story.files


def test_an_import_loads_no_sdk(story):
    assert "[]\n" == story.loaded.text


def test_a_stack_of_its_own_deploys(story):
    assert 0 == story.up.code, story.up.text
    assert "native" == story.outputs["engine"]
    assert story.outputs["group"].startswith("shop-job-")


def test_a_second_run_changes_nothing(story):
    assert 0 == story.again.code, story.again.text
    assert " unchanged\n" in story.again.text.rpartition("Resources:")[2]


def test_the_dynamic_provider_is_found_under_the_other_name(story):
    assert [[], ["AZRebalance"], []] == story.suspended


def test_destroy_leaves_the_cluster_to_others(story):
    assert 0 == story.destroy.code, story.destroy.text
