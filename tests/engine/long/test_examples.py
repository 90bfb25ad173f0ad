"""
Every example on the real engine, each in a stack of its own: up, preview, destroy.

One local AWS holds them all, since their clusters differ in name; what an example takes
for granted exists beforehand. Not proven here: that AWS takes what is sent, that charts
of others read their values.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from sandbox import account
from sandbox.aws import eks_cluster_api
from sandbox.aws.eks_api import EksApi
from sandbox.aws.journal import Journal
from tests.engine import forks
from tests.engine.long.place import Done, Place
from tests.engine.project import ROOT
from tests.sandbox.kubernetes_driver import kubeconfig
from tests.test_examples import EXPORTS

REGION = "eu-west-1"
VPC, SUBNETS = "vpc-0123456789abcdef0", ["subnet-0a", "subnet-0b"]
GROUP = "eks-batch-c2c1"
NAMES = sorted(path.parent.name for path in ROOT.glob("examples/*/__main__.py"))

# Names of clusters in the kubeconfig of somebody who runs the examples.
CONTEXTS = ("ci", "shop")

# The name of the stack is the name of the example.
PROGRAM = f"""
import runpy

import pulumi

runpy.run_path(f"{ROOT}/examples/{{pulumi.get_stack()}}/__main__.py")
"""


@dataclass(frozen=True, kw_only=True)
class Story:
    """What was said at each step."""

    up: Done
    preview: Done
    destroy: Done


@pytest.fixture(scope="module")
def stories(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    checkout = forks.checkout(folder / "checkout")
    place = Place(folder, path=[checkout / ".venv" / "bin"])
    place.take_plugins_from(checkout)
    try:
        exists(place)
        place.environ["KUBECONFIG"] = clusters()
        place.write("Pulumi.yaml", "name: examples\nruntime: python\n")
        place.write("__main__.py", PROGRAM)
        # Dynamic resources look for the package beside the program.
        (place.program / "components").symlink_to(ROOT / "components")
        # The engine waits more than it works: two at a time.
        with ThreadPoolExecutor(max_workers=2) as pool:
            told = pool.map(lambda name: story(place, name), NAMES)
            yield dict(zip(NAMES, told, strict=True))
    finally:
        place.close()


def story(place: Place, name: str) -> Story:
    at = ("--stack", name)
    place.write(f"Pulumi.{name}.yaml", f"config: {{aws:region: {REGION}}}\n")
    place.pulumi("stack", "init", name)
    up = place.pulumi("up", "--yes", "--skip-preview", *at)
    preview = place.pulumi("preview", *at)
    destroy = place.pulumi("destroy", "--yes", "--skip-preview", *at)
    return Story(up=up, preview=preview, destroy=destroy)


def clusters() -> str:
    """Write the kubeconfig of a machine that knows the clusters of others."""
    config = json.loads(kubeconfig())
    (known,) = config["contexts"]
    config["contexts"] = [{**known, "name": name} for name in CONTEXTS]
    return json.dumps({**config, "current-context": CONTEXTS[0]})


def exists(place: Place) -> None:
    """Let the network, the cluster and the managed group of others exist."""
    account.lend(place.account, region=REGION, vpc_id=VPC, subnet_ids=SUBNETS)
    cloud = account.cloud(place.account, REGION)
    eks_cluster_api.create(
        EksApi(cloud, Journal(cloud)),
        {
            "name": "shop",
            "version": "1.36",
            # Of another account: nothing of it is looked up.
            "roleArn": "arn:aws:iam::111122223333:role/shop",
            "resourcesVpcConfig": {"subnetIds": SUBNETS},
            "accessConfig": {
                "authenticationMode": "API",
                "bootstrapClusterCreatorAdminPermissions": False,
            },
        },
    )
    scaling = cloud.client("autoscaling")
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


@pytest.mark.parametrize("name", NAMES)
def test_an_example_deploys(stories, name):
    told = stories[name]

    assert 0 == told.up.code, told.up.text
    shown = told.up.text.rpartition("Outputs:")[2]
    assert [] == [key for key in EXPORTS[name] if f"    {key}" not in shown]


@pytest.mark.parametrize("name", NAMES)
def test_a_second_preview_is_empty(stories, name):
    told = stories[name].preview

    assert 0 == told.code, told.text
    assert " unchanged\n" in told.text.rpartition("Resources:")[2]


@pytest.mark.parametrize("name", NAMES)
def test_a_destroy_leaves_nothing(stories, name):
    told = stories[name].destroy

    assert 0 == told.code, told.text
