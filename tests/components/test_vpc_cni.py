"""The settings of the VPC CNI as EKS is sent them."""

import json
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from components import (
    VpcCni,
    VpcCniArgs,
    WarmAddresses,
    WarmInterfaces,
    WarmPrefixes,
)
from tests.components.builders import facts

COMPONENT = "eks-jobs:index:VpcCni"
ADDON = "aws:eks/addon:Addon"


def args(**overrides) -> VpcCniArgs:
    defaults: dict[str, Any] = {"cluster": facts()}
    return VpcCniArgs(**defaults | overrides)


def test_identity_is_pinned(deploy):
    deployment = deploy(lambda: VpcCni("cni", args()))

    assert [f"{COMPONENT}${ADDON}::cni", f"{COMPONENT}::cni"] == [
        resource.path for resource in deployment.resources
    ]


def test_h077_the_program_alone_writes_the_settings(deploy):
    version = "v1.20.4-eksbuild.1"
    inputs = deploy(lambda: VpcCni("cni", args(version=version))).only(ADDON).inputs

    assert {
        "clusterName": "alpha",
        "addonName": "vpc-cni",
        "addonVersion": version,
        "configurationValues": WarmPrefixes().configuration_values(),
        "resolveConflictsOnCreate": "OVERWRITE",
        "resolveConflictsOnUpdate": "OVERWRITE",
        "preserve": True,
        "tags": {},
    } == inputs


@pytest.mark.parametrize("tuning", [WarmPrefixes(), WarmAddresses(), WarmInterfaces()])
def test_h077_every_value_is_a_string(deploy, tuning):
    inputs = deploy(lambda: VpcCni("cni", args(tuning=tuning))).only(ADDON).inputs
    sent = json.loads(inputs["configurationValues"])

    assert json.loads(tuning.configuration_values()) == sent
    assert {str} == {type(value) for value in sent["env"].values()}


def test_the_version_is_an_output(deploy):
    deployment = deploy(lambda: VpcCni("cni", args()))

    assert {"version": "v1.0.0-eksbuild.36"} == deployment.outputs[f"{COMPONENT}::cni"]


def test_it_waits_for_the_cluster(deploy):
    def program():
        cluster = aws.ec2.Eip("cluster")
        VpcCni("cni", args(cluster=facts(ready=(cluster,))))

    deployment = deploy(program)

    assert {"aws:ec2/eip:Eip::cluster"} == deployment.waits_for(deployment.only(ADDON))


def test_h074_an_explicit_provider_makes_everything(deploy):
    def program():
        provider = aws.Provider("explicit", region="eu-west-1")
        VpcCni("cni", args(), pulumi.ResourceOptions(providers=[provider]))

    assert [] == deploy(program).on_default_providers()


def test_h073_it_works_in_a_preview(deploy):
    deployment = deploy(lambda: VpcCni("cni", args()), preview=True)

    assert "alpha" == deployment.only(ADDON).inputs["clusterName"]


def test_rejects_tags_that_aws_would_refuse():
    with pytest.raises(ValueError, match=r"^tags must leave out eks:team: "):
        args(tags={"eks:team": "jobs"})


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"name": "-alpha"},
            "name must be 1 to 100 letters, digits, - and _, and begin with a letter "
            "or digit, got name='-alpha'",
        ),
        ({"subnet_ids": []}, "subnet_ids must name at least one subnet"),
    ],
)
def test_facts_of_a_cluster_that_cannot_be_are_refused(overrides, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        facts(**overrides)
