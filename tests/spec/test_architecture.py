import gzip
import json
from importlib import resources

import pytest

from components.spec.architecture import (
    ami_parameter,
    ami_type,
    architecture_of,
    driver_problems,
    instance_type_problems,
)
from components.spec.instance_types import InstanceTypes

_NONE = {"Gpus": ()}


@pytest.mark.parametrize(
    "name",
    ["a1.large", "t4g.small", "m7g.4xlarge", "c7gn.4xlarge", "x2gd.large"]
    + ["im4gn.large", "is4gen.large", "i4g.large", "hpc7g.4xlarge", "g5g.xlarge"]
    + ["m8gb.4xlarge", "i8ge.large", "x8g.large", "c9gd.metal-24xl"]
    + ["p6e-gb200.36xlarge"],
)
def test_graviton_and_grace_are_arm64(name):
    assert architecture_of(name) == "arm64"


@pytest.mark.parametrize(
    "name",
    ["m7i.4xlarge", "g5.xlarge", "g4dn.xlarge", "g6e.xlarge", "gr6.4xlarge", "c4.large"]
    + ["m7i-flex.large", "u-3tb1.56xlarge", "u7in-24tb.224xlarge", "u7i-6tb.112xlarge"]
    + ["p6-b200.48xlarge", "trn2u.48xlarge", "mac1.metal"],
)
def test_a_g_in_front_of_the_generation_is_no_graviton(name):
    assert architecture_of(name) == "amd64"


@pytest.mark.parametrize("name", ["m99x.large", "z12abc.96xlarge"])
def test_h046_families_of_the_future_are_amd64_unless_they_say_g(name):
    assert architecture_of(name) == "amd64"


def test_h046_a_graviton_family_of_the_future_is_arm64():
    assert architecture_of("q11gx.32xlarge") == "arm64"


@pytest.mark.parametrize("name", ["", "m7i", ".large", "m7i.", "large.m"])
def test_says_nothing_about_names_without_the_pattern(name):
    assert architecture_of(name) is None


def test_the_rule_agrees_with_every_type_that_ec2_describes():
    told = {one.name: architecture_of(one.name) for one in InstanceTypes.bundled()}

    assert {one.name: one.architecture for one in InstanceTypes.bundled()} == told


@pytest.mark.parametrize(
    "name",
    ["p2.xlarge", "p3dn.24xlarge", "p5en.48xlarge", "p6-b200.48xlarge"]
    + ["p6e-gb200.36xlarge", "g3s.xlarge", "g4dn.xlarge", "g5.xlarge", "g5g.xlarge"]
    + ["g6f.large", "gr6f.4xlarge", "g7e.2xlarge", "inf1.xlarge", "inf2.xlarge"]
    + ["trn1n.32xlarge", "trn2u.48xlarge"],
)
def test_a_type_that_needs_a_driver_is_refused_for_the_standard_image(name):
    assert [
        "instance_types must be without GPUs and Neuron chips, for which the standard "
        f"image has no driver, got {name}: choose other types"
    ] == driver_problems(["m7i.large", name], "choose other types")


@pytest.mark.parametrize(
    "name", ["m7g.large", "c7gn.large", "g4ad.xlarge", "i4g.large", "t3.large", "gpu"]
)
def test_other_types_need_no_driver(name):
    assert [] == driver_problems([name], "choose other types")


def test_the_types_that_need_a_driver_are_those_that_ec2_describes():
    answers = resources.files("moto") / "ec2" / "resources" / "instance_types.json.gz"
    described = json.loads(gzip.decompress(answers.read_bytes()))
    chips = {
        name
        for name, one in described.items()
        if "NeuronInfo" in one
        or "NVIDIA"
        in {gpu["Manufacturer"] for gpu in one.get("GpuInfo", _NONE)["Gpus"]}
    }
    # EC2 says nothing about the chips of Trn2 UltraServers.
    named = {name for name in described if driver_problems([name], "")}

    assert chips | {"trn2u.48xlarge"} == named


@pytest.mark.parametrize(
    ("architecture", "name"),
    [("amd64", "AL2023_x86_64_STANDARD"), ("arm64", "AL2023_ARM_64_STANDARD")],
)
def test_h045_the_ami_type_follows_from_the_architecture(architecture, name):
    assert name == ami_type(architecture)


@pytest.mark.parametrize(
    ("architecture", "parameter"),
    [
        (
            "amd64",
            "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/"
            "amazon-eks-node-al2023-x86_64-standard-1.36-v20260714/image_id",
        ),
        (
            "arm64",
            "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/arm64/standard/"
            "amazon-eks-node-al2023-arm64-standard-1.36-v20260714/image_id",
        ),
    ],
)
def test_a_pinned_image_has_a_parameter_of_its_own(architecture, parameter):
    assert parameter == ami_parameter(architecture, "1.36", "v20260714")


@pytest.mark.parametrize(
    ("names", "architecture", "problems"),
    [
        (("m7i.4xlarge", "m6i.4xlarge"), "amd64", []),
        (("m7g.4xlarge", "q11gx.large"), "arm64", []),
        (
            ("m7g.large", "m7i.large", "c7gn.large"),
            "amd64",
            [
                "instance_types must be amd64 like the group, "
                "got m7g.large (arm64), c7gn.large (arm64)"
            ],
        ),
        (
            ("m7i.large",),
            "arm64",
            ["instance_types must be arm64 like the group, got m7i.large (amd64)"],
        ),
        ((), "amd64", ["instance_types must name at least one EC2 type"]),
        (
            ("m7i", "m7i.large", "m7i.large"),
            "amd64",
            [
                "instance_types must look like m7i.4xlarge, got m7i",
                "instance_types must name each type once, got m7i.large twice",
            ],
        ),
        (
            ("m7i.large",),
            "x86_64",
            ["architecture must be amd64 or arm64, got architecture=x86_64"],
        ),
    ],
)
def test_h045_types_that_contradict_the_architecture_are_named(
    names, architecture, problems
):
    assert problems == instance_type_problems(names, architecture)


def test_h088_macs_are_refused_as_not_linux():
    assert instance_type_problems(("mac2.metal",), "arm64") == [
        "instance_types must run Linux (Linux only), got mac2.metal"
    ]
