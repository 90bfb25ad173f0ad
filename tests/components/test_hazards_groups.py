"""What holds for every managed group, of servers and of jobs, in a whole platform."""

import pytest

from infra import program, settings

GROUP = {"architecture": "amd64", "instance_types": ["m7i.4xlarge", "m6i.4xlarge"]}
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


@pytest.fixture(scope="module")
def platform(deploy):
    values = {
        "network": {"zones": 2},
        "cluster": {"version": "1.36"},
        "servers": [{"name": "server", **GROUP, "volume": {"size_gib": 50}}],
        "jobs": [
            {"name": "job", **GROUP, "volume": {"size_gib": 300}},
            {"name": "own", **GROUP, "ami_id": "ami-0123456789abcdef0"},
        ],
        "scaler": {"kind": "cluster-autoscaler", "groups": "managed"},
    }
    selected = settings.read(values, region="ap-northeast-2", cluster_name="prod")
    return deploy(lambda: program.deploy(selected))


def test_h054_what_a_template_says_no_managed_group_says(platform):
    said = {key for group in platform.of_type(NODE_GROUP) for key in group.inputs}

    assert 5 == len(platform.of_type(NODE_GROUP))
    assert set() == said & {"diskSize", "remoteAccess"}


def test_h054_what_a_managed_group_says_no_template_says(platform):
    said = {key for template in platform.of_type(TEMPLATE) for key in template.inputs}

    assert 3 == len(platform.of_type(TEMPLATE))
    assert set() == said & {
        "instanceType",
        "instanceRequirements",
        "iamInstanceProfile",
    }


def test_h054_an_image_of_ones_own_is_named_once(platform):
    groups = {one.name: one.inputs for one in platform.of_type(NODE_GROUP)}

    assert (
        "ami-0123456789abcdef0"
        == platform.only(TEMPLATE, "platform-own").inputs["imageId"]
    )
    assert {"platform-own-1", "platform-own-2"} == {
        name for name, inputs in groups.items() if "amiType" not in inputs
    }


def test_h055_no_managed_group_has_a_fixed_name(platform):
    said = {key for group in platform.of_type(NODE_GROUP) for key in group.inputs}

    assert "nodeGroupName" not in said
