"""
Every example deploys and explains itself.

Not proven here: that the real engine deploys them, see engine/long/test_examples.py;
that the charts of others read the values, whose keys were read in their sources.
"""

import runpy
from functools import partial
from pathlib import Path

import pytest

from components import JobPolicySettings, pod_fragment

FOLDERS = sorted(
    path
    for path in (Path(__file__).parent.parent / "examples").iterdir()
    if (path / "__main__.py").exists()
)

RELEASE = "kubernetes:helm.sh/v3:Release"
PLATFORM = "eks-jobs:index:JobPlatform"

# What an example makes, beside the children of its components.
COMPONENTS = {
    "airflow": [f"{RELEASE}::airflow", "pulumi:providers:kubernetes::airflow"],
    "argo_workflows": [
        f"{RELEASE}::argo-workflows",
        "pulumi:providers:kubernetes::argo",
    ],
    "arm64_only": [f"{PLATFORM}::arm"],
    "auto_mode": [f"{PLATFORM}::auto"],
    "balloons": [
        "eks-jobs:index:Balloon::shop-job",
        "kubernetes:core/v1:Namespace::room",
        "pulumi:providers:kubernetes::shop",
    ],
    "cluster_autoscaler": [f"{PLATFORM}::nightly"],
    "existing_cluster": [
        "eks-jobs:index:JobNodes::shop-job",
        "eks-jobs:index:SuspendedProcesses::shop-batch",
    ],
    "github_runners": [f"{RELEASE}::runners", "pulumi:providers:kubernetes::github"],
    "karpenter": [f"{PLATFORM}::data"],
    "monitoring": [
        "eks-jobs:index:JobMonitoring::shop-jobs",
        "pulumi:providers:kubernetes::shop",
    ],
    "policies_only": [
        "eks-jobs:index:JobPolicy::shop-jobs",
        "pulumi:providers:kubernetes::shop",
    ],
    "private_cluster": [f"{PLATFORM}::inside"],
    "several_job_groups": [f"{PLATFORM}::batch"],
}
EXPORTS = {
    "airflow": {"release": "airflow"},
    "argo_workflows": {"release": "argo-workflows"},
    "arm64_only": {"group_names": {"server": "arm-server", "job-arm": "job-arm"}},
    "auto_mode": {"group_names": {"job": "job"}},
    "balloons": {},
    "cluster_autoscaler": {
        "cluster_name": "nightly",
        "group_names": {"server": "nightly-server", "job": "nightly-job"},
    },
    "existing_cluster": {"group_name": "shop-job"},
    "github_runners": {"release": "eks-jobs"},
    "karpenter": {"group_names": {"server": "data-server", "job": "job"}},
    "monitoring": {"objects": 5},
    "policies_only": {"engine": "native"},
    "private_cluster": {"endpoint": "https://inside.eks.example.com"},
    "several_job_groups": {
        "group_names": {
            "server": "batch-server",
            "short": "short",
            "long": "long",
            "heavy": "heavy",
        }
    },
}

# Examples that put another's chart on job nodes, with the group that they name.
PRODUCERS = {"airflow": "job", "argo_workflows": "job-arm", "github_runners": "job"}

# Where the values of each chart hold a pod: selector and tolerations, then metadata.
POD = {
    "airflow": lambda values: values["workers"],
    "argo_workflows": lambda values: values["controller"]["workflowDefaults"]["spec"],
    "github_runners": lambda values: values["template"]["spec"],
}
LABELS = {
    "airflow": lambda values: values["workers"]["labels"],
    "argo_workflows": lambda values: POD["argo_workflows"](values)["podMetadata"][
        "labels"
    ],
    "github_runners": lambda values: values["template"]["metadata"]["labels"],
}
ANNOTATIONS = {
    "airflow": lambda values: values["workers"]["podAnnotations"],
    "argo_workflows": lambda values: POD["argo_workflows"](values)["podMetadata"][
        "annotations"
    ],
    "github_runners": lambda values: values["template"]["metadata"]["annotations"],
}

REGION = "ap-northeast-2"

ADDED = pod_fragment(JobPolicySettings())


@pytest.fixture(scope="module")
def deployments(deploy):
    """Deploy every example, once."""
    return {
        folder.name: deploy(partial(runpy.run_path, str(folder / "__main__.py")))
        for folder in FOLDERS
    }


def readme(name):
    (folder,) = (path for path in FOLDERS if path.name == name)
    return (folder / "README.md").read_text()


def test_every_example_is_known_here():
    assert sorted(COMPONENTS) == [folder.name for folder in FOLDERS]


@pytest.mark.parametrize("name", COMPONENTS)
def test_example_deploys(deployments, name):
    deployment = deployments[name]

    assert COMPONENTS[name] == [
        r.path for r in deployment.resources if "$" not in r.path
    ]
    assert EXPORTS[name] == deployment.exports


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_example_fits_on_a_screen(folder):
    lines = (folder / "__main__.py").read_text().splitlines()

    assert 15 <= len(lines) <= 40


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_example_has_a_readme(folder):
    assert (folder / "README.md").read_text().startswith("# ")


def test_the_tags_of_the_readme_are_those_of_the_group(deployments):
    group = deployments["cluster_autoscaler"].only("aws:autoscaling/group:Group")
    text = readme("cluster_autoscaler")
    keys = [tag["key"] for tag in group.inputs["tags"]]

    assert {
        "k8s.io/cluster-autoscaler/nightly",
        "k8s.io/cluster-autoscaler/enabled",
    } == {key for key in keys if f"`{key}`" in text}


def test_the_readme_names_what_the_policy_adds():
    text = readme("policies_only")
    added = ADDED["metadata"]
    lines = [
        *(f"`{key}: {value}`" for key, value in added["labels"].items()),
        *(f'`{key}: "{value}"`' for key, value in added["annotations"].items()),
    ]

    assert [] == [line for line in lines if line not in text]


def test_the_selector_of_the_readme_is_the_label_of_the_nodes():
    text = readme("existing_cluster")

    assert "nodeSelector: {eks-jobs/group: job}" in text
    assert "{key: eks-jobs/group, value: job, effect: NoSchedule}" in text


@pytest.mark.parametrize(("name", "group"), PRODUCERS.items())
def test_the_pods_of_a_chart_go_to_a_job_group(deployments, name, group):
    values = deployments[name].only(RELEASE).inputs["values"]
    pod = POD[name](values)

    assert {"eks-jobs/group": group} == pod["nodeSelector"]
    assert [
        {"key": "eks-jobs/group", "value": group, "effect": "NoSchedule"},
        *ADDED["spec"]["tolerations"],
    ] == pod["tolerations"]


@pytest.mark.parametrize("name", PRODUCERS)
def test_the_pods_of_a_chart_pass_the_policy_without_a_change(deployments, name):
    values = deployments[name].only(RELEASE).inputs["values"]

    assert ADDED["metadata"]["labels"] == LABELS[name](values)
    assert ADDED["metadata"]["annotations"] == ANNOTATIONS[name](values)
    assert ADDED["spec"]["affinity"] == POD[name](values)["affinity"]


@pytest.mark.parametrize("name", PRODUCERS)
def test_the_values_that_a_readme_explains_are_set(deployments, name):
    """A row of the table names a value; the last word of each is a key."""
    values = str(deployments[name].only(RELEASE).inputs["values"])
    rows = [row for row in readme(name).splitlines() if row.startswith("| `")]
    named = [part for row in rows for part in row.split("|")[1].split("`")[1::2]]
    keys = {part.rpartition(".")[2] for part in named}

    # The listener is named because it has no value.
    assert [] == [
        key for key in keys - {"listenerTemplate"} if f"'{key}'" not in values
    ]


def test_nothing_of_an_arm64_cluster_is_amd64(deployments):
    texts = [str(r.inputs) for r in deployments["arm64_only"].resources]

    assert [] == [text for text in texts if "amd64" in text or "x86_64" in text]


def test_the_private_cluster_has_no_public_way_in(deployments):
    deployment = deployments["private_cluster"]
    cluster = deployment.only("eks:index:Cluster").inputs
    subnets = deployment.of_type("aws:ec2/subnet:Subnet")

    assert (True, False) == (
        cluster["endpointPrivateAccess"],
        cluster["endpointPublicAccess"],
    )
    assert set() == {
        subnet.name
        for subnet in subnets
        if subnet.inputs.get("mapPublicIpOnLaunch") and "public" not in subnet.name
    }


def test_the_private_cluster_explains_each_of_its_endpoints(deployments):
    made = deployments["private_cluster"].of_type("aws:ec2/vpcEndpoint:VpcEndpoint")
    services = {one.inputs["serviceName"].partition(f"{REGION}.")[2] for one in made}

    assert set() == {
        name
        for name in services - {"s3"}
        if f"`{name}`" not in readme("private_cluster")
    }
