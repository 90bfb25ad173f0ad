"""Every example deploys and explains itself."""

import runpy
from pathlib import Path

import pytest

from components import JobPolicySettings, pod_fragment

FOLDERS = sorted(
    path
    for path in (Path(__file__).parent.parent / "examples").iterdir()
    if path.is_dir()
)

# What an example makes, beside the children of its components.
COMPONENTS = {
    "auto_mode": ["eks-jobs:index:JobPlatform::ci"],
    "balloons": [
        "eks-jobs:index:Balloon::shop-job",
        "kubernetes:core/v1:Namespace::room",
        "pulumi:providers:kubernetes::shop",
    ],
    "cluster_autoscaler": ["eks-jobs:index:JobPlatform::ci"],
    "existing_cluster": [
        "eks-jobs:index:JobNodes::shop-job",
        "eks-jobs:index:SuspendedProcesses::shop-batch",
    ],
    "karpenter": ["eks-jobs:index:JobPlatform::ci"],
    "policies_only": [
        "eks-jobs:index:JobPolicy::shop-jobs",
        "pulumi:providers:kubernetes::shop",
    ],
}
EXPORTS = {
    "auto_mode": {"group_names": {"job": "job"}},
    "balloons": {},
    "cluster_autoscaler": {
        "cluster_name": "ci",
        "group_names": {"server": "ci-server", "job": "ci-job"},
    },
    "existing_cluster": {"group_name": "shop-job"},
    "karpenter": {"group_names": {"server": "ci-server", "job": "job"}},
    "policies_only": {"engine": "native"},
}


def deployed(deploy, folder):
    return deploy(lambda: runpy.run_path(str(folder / "__main__.py")))


def test_every_example_is_known_here():
    assert sorted(COMPONENTS) == [folder.name for folder in FOLDERS]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_example_deploys(deploy, folder):
    deployment = deployed(deploy, folder)

    assert COMPONENTS[folder.name] == [
        r.path for r in deployment.resources if "$" not in r.path
    ]
    assert EXPORTS[folder.name] == deployment.exports


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_example_fits_on_a_screen(folder):
    lines = (folder / "__main__.py").read_text().splitlines()

    assert 15 <= len(lines) <= 40


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_example_has_a_readme(folder):
    assert (folder / "README.md").read_text().startswith("# ")


def test_the_tags_of_the_readme_are_those_of_the_group(deploy):
    (folder,) = (path for path in FOLDERS if path.name == "cluster_autoscaler")
    group = deployed(deploy, folder).only("aws:autoscaling/group:Group")
    readme = (folder / "README.md").read_text()
    keys = [tag["key"] for tag in group.inputs["tags"]]

    assert {"k8s.io/cluster-autoscaler/ci", "k8s.io/cluster-autoscaler/enabled"} == {
        key for key in keys if f"`{key}`" in readme
    }


def test_the_readme_names_what_the_policy_adds():
    (folder,) = (path for path in FOLDERS if path.name == "policies_only")
    readme = (folder / "README.md").read_text()
    added = pod_fragment(JobPolicySettings())["metadata"]
    lines = [
        *(f"`{key}: {value}`" for key, value in added["labels"].items()),
        *(f'`{key}: "{value}"`' for key, value in added["annotations"].items()),
    ]

    assert [] == [line for line in lines if line not in readme]


def test_the_balloon_of_the_example_is_that_of_its_readme(deploy):
    (folder,) = (path for path in FOLDERS if path.name == "balloons")
    deployment = deployed(deploy, folder)
    scaled = deployment.only("kubernetes:keda.sh/v1alpha1:ScaledObject").inputs["spec"]
    pods = deployment.only("kubernetes:apps/v1:Deployment").inputs["spec"]["template"]
    trigger = scaled["triggers"][0]["metadata"]

    assert ("30 8 * * 1-5", "0 18 * * 1-5", "Asia/Seoul", "3") == (
        trigger["start"],
        trigger["end"],
        trigger["timezone"],
        trigger["desiredReplicas"],
    )
    assert "job" == pods["spec"]["nodeSelector"]["eks-jobs/group"]


def test_the_selector_of_the_readme_is_the_label_of_the_nodes():
    (folder,) = (path for path in FOLDERS if path.name == "existing_cluster")
    readme = (folder / "README.md").read_text()

    assert "nodeSelector: {eks-jobs/group: job}" in readme
    assert "{key: eks-jobs/group, value: job, effect: NoSchedule}" in readme
