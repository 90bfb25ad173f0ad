"""
One operating system, Amazon Linux 2023: images of others are refused by their name.

Not proven here: that AWS has an image for every version of Kubernetes.
"""

import re
from dataclasses import fields

import pytest

from components.spec.architecture import ami_parameter, ami_type
from components.spec.cluster import KUBERNETES_VERSIONS
from components.spec.groups import JobGroup, ServerGroup
from components.spec.scaler.karpenter import Karpenter, ServerPool
from components.spec.scaler.node_class import ec2_node_class
from components.spec.volume import Gp3Volume
from tests.spec.scaler.builders import TYPES, job, site

RELEASE = "v20260714"


@pytest.mark.parametrize(
    "family", ["al2", "bottlerocket", "windows2019", "windows2022", "custom"]
)
def test_h038_h041_h056_h088_an_alias_of_another_family_is_refused(family):
    message = (
        "ami_alias must be of al2023, the only family that the user data of a group is "
        f"written for, got ami_alias={family}@{RELEASE}"
    )

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Karpenter(ami_alias=f"{family}@{RELEASE}")


@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
@pytest.mark.parametrize(
    ("architecture", "type_"),
    [("amd64", "AL2023_x86_64_STANDARD"), ("arm64", "AL2023_ARM_64_STANDARD")],
)
def test_h056_no_accepted_version_has_nodes_of_an_older_family(
    version, architecture, type_
):
    parameter = ami_parameter(architecture, version, RELEASE)

    assert type_ == ami_type(architecture)
    assert f"optimized-ami/{version}/amazon-linux-2023/" in parameter


@pytest.mark.parametrize("key", ["ami_type", "ami_family", "operating_system"])
@pytest.mark.parametrize("groups", [JobGroup, ServerGroup, ServerPool])
def test_h038_h041_h056_h088_no_setting_of_a_group_names_another_system(groups, key):
    assert key not in {field.name for field in fields(groups)}


def test_h041_the_tuned_device_is_the_one_that_holds_the_images():
    group = job(volume=Gp3Volume(size_gib=200, iops=9_000, throughput_mib=900))
    spec = ec2_node_class(group, site(), f"al2023@{RELEASE}", TYPES)["spec"]
    (of_class,) = spec["blockDeviceMappings"]
    of_template = group.volume.block_device()

    assert ("/dev/xvda", True) == (of_class["deviceName"], of_class["rootVolume"])
    assert ("200Gi", 9_000, 900) == tuple(
        of_class["ebs"][key] for key in ("volumeSize", "iops", "throughput")
    )
    assert "/dev/xvda" == of_template["device_name"]
    assert {"volume_size": 200, "iops": 9_000, "throughput": 900}.items() <= (
        of_template["ebs"].items()
    )
