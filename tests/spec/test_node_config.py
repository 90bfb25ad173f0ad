"""
These tests prove the text that a node is given, read back by the rules of nodeadm.

Not proved: that nodeadm and EKS accept it. No node was booted; whether the drop-in file
wins on a managed group is seen in the node's `capacity.pods`.
"""

import re
import subprocess

import pytest
import yaml

from components.spec import mime
from components.spec.groups import (
    GROUP_LABEL,
    JobGroup,
    ServerGroup,
    Taint,
    UserDataPart,
)
from components.spec.instance_types import InstanceType, InstanceTypes
from components.spec.kubelet import KubeletTuning
from components.spec.node_config import (
    NodeCluster,
    check_group,
    effective_node_config,
    job_user_data,
    managed_launch_data,
    managed_user_data,
)
from components.spec.nodeadm import read_node_config

CLUSTER = NodeCluster(
    name="alpha",
    endpoint="https://alpha.example.com",
    certificate_authority="YWxwaGE=",
    service_cidr="172.20.0.0/16",
)
TYPES = InstanceTypes.bundled()
HEAD = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"


def job(**overrides):
    fields = {
        "name": "job",
        "architecture": "amd64",
        "instance_types": ("m7i.4xlarge", "m6i.4xlarge"),
    }
    return JobGroup(**(fields | overrides))


def server(**overrides):
    fields = {
        "name": "server",
        "architecture": "amd64",
        "instance_types": ("m7i.xlarge",),
    }
    return ServerGroup(**(fields | overrides))


def kubelet_of(text):
    return effective_node_config(mime.parse(text))["spec"]["kubelet"]


JOBS = {
    "job": job(),
    "job_arm": job(
        name="job-arm",
        architecture="arm64",
        instance_types=("m7g.4xlarge", "m8g.4xlarge"),
        kubelet=KubeletTuning(max_pods=110, max_parallel_image_pulls=10),
        labels={"team": "data", "example.com/spot": "true"},
        taints=(Taint(key="example.com/spot", value="true", effect="NoExecute"),),
    ),
    "job_unknown_type": job(instance_types=("m99i.4xlarge",)),
    "job_with_parts": job(
        user_data=(
            UserDataPart(kind="shell", content="#!/bin/bash\necho ready\n"),
            UserDataPart(
                kind="node-config",
                content=f"{HEAD}spec:\n  kubelet:\n    flags: [--v=4]\n",
            ),
        )
    ),
}


@pytest.mark.parametrize("name", JOBS)
def test_job_user_data_matches_its_golden_file(golden, name):
    golden(f"user_data/{name}.txt", job_user_data(CLUSTER, JOBS[name], TYPES))


def test_managed_user_data_matches_its_golden_file(golden):
    """H036: on a managed group too, the reservation follows the pod count."""
    group = server(kubelet=KubeletTuning())

    golden("user_data/server_tuned.txt", managed_user_data(group, TYPES))


@pytest.mark.parametrize("group", JOBS.values(), ids=JOBS)
def test_h032_every_node_config_of_ours_keeps_to_the_schema(group):
    parts = mime.parse(job_user_data(CLUSTER, group, TYPES))
    documents = [one for one in parts if one.content_type == mime.NODE_CONFIG]

    assert read_node_config(documents[0].content)["spec"]["cluster"] == {
        "name": "alpha",
        "apiServerEndpoint": "https://alpha.example.com",
        "certificateAuthority": "YWxwaGE=",
        "cidr": "172.20.0.0/16",
    }


def test_h036_a_node_for_60_pods_reserves_915_mib_and_not_2829():
    kubelet = kubelet_of(
        job_user_data(CLUSTER, job(instance_types=("m6i.4xlarge",)), TYPES)
    )

    assert kubelet["config"]["maxPods"] == 60
    assert kubelet["config"]["kubeReserved"] == {
        "cpu": "110m",
        "memory": "915Mi",
        "ephemeral-storage": "1Gi",
    }
    assert "maxPodsExpression" not in kubelet


@pytest.mark.parametrize(
    ("instance_types", "cpu"),
    [
        (("m7i.2xlarge",), "90m"),
        (("m7i.2xlarge", "m7i.8xlarge", "m7i.4xlarge"), "150m"),
        (("m7i.4xlarge", "m99i.8xlarge"), "110m"),
    ],
)
def test_reserved_cpu_follows_the_largest_known_type(instance_types, cpu):
    group = job(instance_types=instance_types)
    kubelet = kubelet_of(job_user_data(CLUSTER, group, TYPES))

    assert cpu == kubelet["config"]["kubeReserved"]["cpu"]


def test_h046_without_a_known_type_nodeadm_reserves_on_the_node():
    group = job(instance_types=("m99i.4xlarge", "m98i.4xlarge"))
    kubelet = kubelet_of(job_user_data(CLUSTER, group, TYPES))

    assert kubelet["maxPodsExpression"] == "max_pods < 60 ? max_pods : 60"
    assert kubelet["config"]["maxPods"] == 60
    assert "kubeReserved" not in kubelet["config"]


def test_h048_the_node_carries_the_label_and_the_taint_of_its_group():
    kubelet = kubelet_of(job_user_data(CLUSTER, job(), TYPES))

    assert [f"--node-labels={GROUP_LABEL}=job"] == kubelet["flags"]
    assert [{"key": GROUP_LABEL, "value": "job", "effect": "NoSchedule"}] == (
        kubelet["config"]["registerWithTaints"]
    )


def test_h011_a_value_that_looks_like_a_boolean_stays_text():
    taints = (Taint(key="a", value="true"), Taint(key="b", value="1.0"))
    kubelet = kubelet_of(job_user_data(CLUSTER, job(taints=taints), TYPES))

    assert ["job", "true", "1.0"] == [
        one["value"] for one in kubelet["config"]["registerWithTaints"]
    ]


def test_the_node_starts_with_the_taints_that_go_at_the_start():
    taints = (Taint(key="agent-not-ready", startup=True), Taint(key="gpu"))
    kubelet = kubelet_of(job_user_data(CLUSTER, job(taints=taints), TYPES))

    assert ["eks-jobs/group", "agent-not-ready", "gpu"] == [
        one["key"] for one in kubelet["config"]["registerWithTaints"]
    ]


def test_the_order_of_labels_does_not_matter_and_that_of_taints_does():
    one, other = Taint(key="a"), Taint(key="b")

    def text(labels, taints):
        return job_user_data(CLUSTER, job(labels=labels, taints=taints), TYPES)

    assert text({"x": "1", "y": "2"}, ()) == text({"y": "2", "x": "1"}, ())
    assert text({}, (one, other)) != text({}, (other, one))


def test_h035_parts_of_the_user_come_last_and_are_merged_over_ours():
    part = UserDataPart(
        kind="node-config",
        content=f"{HEAD}spec: {{kubelet: {{config: {{evictionHard: "
        f"{{memory.available: 500Mi}}}}, flags: [--v=4]}}}}\n",
    )
    kubelet = kubelet_of(job_user_data(CLUSTER, job(user_data=(part,)), TYPES))

    assert [f"--node-labels={GROUP_LABEL}=job", "--v=4"] == kubelet["flags"]
    assert kubelet["config"]["evictionHard"] == {"memory.available": "500Mi"}
    assert kubelet["config"]["maxPods"] == 60


def test_an_untuned_server_group_without_parts_has_no_user_data():
    assert managed_user_data(server(), TYPES) is None


def test_an_untuned_server_group_gets_its_parts_and_nothing_else():
    part = UserDataPart(kind="shell", content="#!/bin/bash\necho ready\n")

    assert (part.mime_part,) == mime.parse(
        managed_user_data(server(user_data=(part,)), TYPES)
    )


def test_a_managed_group_is_told_no_cluster_since_eks_adds_it():
    text = managed_user_data(server(kubelet=KubeletTuning()), TYPES)

    assert effective_node_config(mime.parse(text))["spec"] == {
        "kubelet": {
            "config": {
                "registryPullQPS": 40,
                "registryBurst": 60,
                "runtimeRequestTimeout": "15m",
            }
        }
    }


def drop_in(group, folder):
    """Run the script of a server group with another root, and read what it wrote."""
    (script,) = (
        part.content
        for part in mime.parse(managed_user_data(group, TYPES))
        if part.content_type == mime.SHELL
    )
    moved = script.replace("/etc/eks/nodeadm.d", str(folder))
    subprocess.run(["bash", "-c", moved], check=True)
    (written,) = folder.iterdir()
    return written


@pytest.mark.parametrize(
    ("instance_types", "reserved"),
    [
        (
            ("m7i.xlarge",),
            {
                "kubeReserved": {
                    "cpu": "80m",
                    "memory": "915Mi",
                    "ephemeral-storage": "1Gi",
                }
            },
        ),
        (("m99i.xlarge",), {}),
    ],
)
def test_the_drop_in_file_sets_and_clamps_the_pod_count(
    tmp_path, instance_types, reserved
):
    group = server(kubelet=KubeletTuning(), instance_types=instance_types)
    written = drop_in(group, tmp_path / "drop-in")

    assert written.name == "50-eks-jobs.yaml"
    assert read_node_config(written.read_text())["spec"] == {
        "kubelet": {
            "config": {"maxPods": 60, **reserved},
            "maxPodsExpression": "max_pods < 60 ? max_pods : 60",
        }
    }


# On a type with 6,010 MiB a node for 250 pods keeps back exactly half.
def type_with(memory_mib):
    return InstanceType(
        name="m99i.large",
        architecture="amd64",
        vcpus=2,
        memory_mib=memory_mib,
        network_interfaces=3,
        ipv4_addresses_per_interface=10,
        ebs_baseline_mb_per_s=81.25,
        ebs_maximum_mb_per_s=1_250,
        ebs_baseline_iops=3_600,
        ebs_maximum_iops=40_000,
    )


@pytest.mark.parametrize("make", [job, server])
def test_a_reservation_of_half_of_the_memory_is_refused_with_the_numbers(make):
    group = make(
        instance_types=("m7i.4xlarge", "m99i.large"),
        kubelet=KubeletTuning(max_pods=250),
    )
    check_group(group, TYPES.including([type_with(6_011)]))
    message = (
        "kubelet.max_pods must reserve less than half of the memory, "
        "got max_pods=250: 3005 of 6010 MiB on m99i.large"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        check_group(group, TYPES.including([type_with(6_010)]))


def test_an_untuned_server_group_reserves_nothing_itself():
    check_group(server(instance_types=("m99i.large",)), TYPES)


def test_h045_facts_decide_where_the_name_does_not_tell():
    facts = {
        name: getattr(type_with(65_536), name) for name in InstanceType.__slots__
    } | {"name": "mx.large", "architecture": "arm64"}
    message = "instance_types must be amd64 like the group, got mx.large (arm64)"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_group(
            job(instance_types=("mx.large",)),
            TYPES.including([InstanceType(**facts)]),
        )


def test_h033_text_above_16_kib_is_refused_before_the_cluster_exists():
    def group(size):
        content = "#!/bin/bash\n#" + "x" * size
        return job(user_data=(UserDataPart(kind="shell", content=content),))

    check_group(group(13_000), TYPES)

    with pytest.raises(ValueError, match="^user_data must be at most 16384 bytes with"):
        check_group(group(15_000), TYPES)


@pytest.mark.parametrize("kubelet", [None, KubeletTuning()])
def test_h033_what_eks_adds_to_a_server_group_counts_too(kubelet):
    def group(size):
        content = "#!/bin/bash\n#" + "x" * size
        part = UserDataPart(kind="shell", content=content)
        return server(user_data=(part,), kubelet=kubelet)

    check_group(group(12_500), TYPES)
    managed_user_data(group(15_000), TYPES)

    with pytest.raises(ValueError, match="^user_data must be at most 16384 bytes with"):
        check_group(group(15_000), TYPES)


def test_the_text_of_a_launch_is_ours_and_then_that_of_eks():
    group = server(
        labels={"team": "data"},
        taints=(Taint(key="gpu"),),
        kubelet=KubeletTuning(),
    )
    ours = mime.parse(managed_user_data(group, TYPES))
    *first, last = mime.parse(managed_launch_data(group, TYPES))
    spec = read_node_config(last.content)["spec"]

    assert list(ours) == first
    assert ["name", "apiServerEndpoint", "certificateAuthority", "cidr"] == [
        *spec["cluster"]
    ]
    assert spec["kubelet"]["flags"] == [
        "--node-labels=eks-jobs/group=server,team=data,"
        "eks.amazonaws.com/capacityType=ON_DEMAND,"
        f"eks.amazonaws.com/nodegroup=server-{'0' * 20},"
        f"eks.amazonaws.com/nodegroup-image=ami-{'0' * 17},"
        f"eks.amazonaws.com/sourceLaunchTemplateId=lt-{'0' * 17},"
        "eks.amazonaws.com/sourceLaunchTemplateVersion=100",
        "--register-with-taints=gpu=:NoSchedule",
    ]


def test_a_group_whose_text_is_all_of_eks_has_none_to_measure():
    assert managed_launch_data(server(), TYPES) is None


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"name": "a.b"}, "name must be one of an EKS cluster, got name=a.b"),
        (
            {"endpoint": "alpha.example.com"},
            "endpoint must be an https URL, got alpha.example.com",
        ),
        (
            {"certificate_authority": "-----BEGIN CERTIFICATE-----\n"},
            "certificate_authority must be base64, got PEM",
        ),
        (
            {"service_cidr": "fd00::/108"},
            "service_cidr must be IPv4, got fd00::/108: "
            "IPv6 clusters are not supported",
        ),
    ],
)
def test_h083_rejects_clusters_that_a_node_would_not_find(overrides, message):
    facts = {name: getattr(CLUSTER, name) for name in NodeCluster.__slots__}

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        NodeCluster(**(facts | overrides))


def test_yaml_of_a_node_config_has_no_aliases():
    """Nodeadm reads JSON from it; two equal maps must both be written out."""
    text = job_user_data(CLUSTER, job(), TYPES)

    assert not re.search(r"[&*]id\d+", text)
    assert yaml.safe_load(mime.parse(text)[0].content)["kind"] == "NodeConfig"


def test_a_managed_job_group_is_tuned_as_a_server_group_is(golden):
    """H036: labels and taints are the node group's, so the text has none of them."""
    text = managed_user_data(job(taints=(Taint(key="team", value="data"),)), TYPES)

    golden("user_data/job_managed.txt", text)
    assert managed_user_data(server(kubelet=KubeletTuning()), TYPES) != text
    assert not any(key in text for key in (GROUP_LABEL, "team", "--node-labels"))
