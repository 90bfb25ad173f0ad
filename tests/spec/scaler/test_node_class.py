"""
Not proved: that Karpenter accepts a class; `tests/cluster` asks its CRDs.

Whether a node honours it shows on a real cluster alone.
"""

import re

import pytest
import yaml

from components.spec import mime
from components.spec.groups import UserDataPart
from components.spec.kubelet import KubeletTuning
from components.spec.node_config import effective_node_config
from components.spec.scaler.karpenter import ServerPool
from components.spec.scaler.node_class import Site, ec2_node_class, node_class_tags
from components.spec.scaler.node_class_kubelet import (
    CLASS_FIELDS,
    node_configuration,
    user_data_problems,
)
from components.spec.volume import Gp3Volume
from tests.spec.scaler.builders import TYPES, job, site

ALIAS = "al2023@v20260714"


def config(**spec):
    return UserDataPart(
        kind="node-config",
        content=yaml.safe_dump(
            {
                "apiVersion": "node.eks.aws/v1alpha1",
                "kind": "NodeConfig",
                "spec": spec,
            }
        ),
    )


def parts(text):
    return [part.content for part in mime.parse(text)]


def test_h028_the_class_holds_what_every_version_takes():
    kubelet, user_data = node_configuration(job(), TYPES)

    assert kubelet == {
        "maxPods": 60,
        "kubeReserved": {
            "cpu": "110m",
            "memory": "915Mi",
            "ephemeral-storage": "1Gi",
        },
    }
    assert effective_node_config(mime.parse(str(user_data)))["spec"] == {
        "kubelet": {
            "config": {
                "registryPullQPS": 40,
                "registryBurst": 60,
                "runtimeRequestTimeout": "15m",
            }
        }
    }


def test_h028_a_newer_version_can_have_it_all_in_the_class():
    kubelet, user_data = node_configuration(job(), TYPES, extended=True)

    assert kubelet == {
        "maxPods": 60,
        "kubeReserved": {
            "cpu": "110m",
            "memory": "915Mi",
            "ephemeral-storage": "1Gi",
        },
        "registryPullQPS": 40,
        "registryBurst": 60,
        "runtimeRequestTimeout": "15m",
    }
    assert user_data is None


def test_h027_what_karpenter_plans_with_is_moved_out_of_user_data():
    group = job(
        user_data=(
            config(
                kubelet={
                    "config": {
                        "evictionHard": {"memory.available": "200Mi"},
                        "containerLogMaxSize": "20Mi",
                    }
                },
                instance={"localStorage": {"strategy": "Mount"}},
            ),
            config(kubelet={"config": {"systemReserved": {"cpu": "100m"}}}),
        )
    )

    kubelet, user_data = node_configuration(group, TYPES)

    assert {"memory.available": "200Mi"} == kubelet["evictionHard"]
    assert {"cpu": "100m"} == kubelet["systemReserved"]
    _, second = parts(user_data)
    assert yaml.safe_load(second)["spec"] == {
        "kubelet": {"config": {"containerLogMaxSize": "20Mi"}},
        "instance": {"localStorage": {"strategy": "Mount"}},
    }


def stored(**local_storage):
    return config(instance={"localStorage": local_storage})


def test_h027_karpenter_plans_with_the_disks_that_become_one_array():
    group = job(user_data=(stored(strategy="RAID0", disabledMounts=["PodLogs"]),))

    spec = ec2_node_class(group, site(), ALIAS, TYPES)["spec"]

    assert "RAID0" == spec["instanceStorePolicy"]
    assert {"instance": {"localStorage": {"disabledMounts": ["PodLogs"]}}} == (
        yaml.safe_load(parts(spec["userData"])[1])["spec"]
    )


def test_a_part_that_only_stripes_the_disks_is_left_out():
    pool = ServerPool(
        name="more",
        architecture="amd64",
        instance_types=("m7i.xlarge",),
        user_data=(stored(strategy="RAID0"),),
    )

    spec = ec2_node_class(pool, site(), ALIAS, TYPES)["spec"]

    assert "RAID0" == spec["instanceStorePolicy"]
    assert "userData" not in spec


@pytest.mark.parametrize("strategies", [("Mount",), ("RAID10",), ("RAID0", "Mount")])
def test_other_uses_of_the_disks_stay_in_user_data(strategies):
    given = tuple(stored(strategy=one) for one in strategies)

    spec = ec2_node_class(job(user_data=given), site(), ALIAS, TYPES)["spec"]

    assert "instanceStorePolicy" not in spec
    assert [one.content for one in given] == parts(spec["userData"])[1:]


def test_nothing_that_the_class_takes_is_left_in_user_data():
    every = {
        "clusterDNS": ["169.254.20.10"],
        "podsPerCore": 10,
        "systemReserved": {"cpu": "100m"},
        "evictionHard": {"memory.available": "200Mi"},
        "evictionSoft": {"memory.available": "400Mi"},
        "evictionSoftGracePeriod": {"memory.available": "1m"},
        "evictionMaxPodGracePeriod": 60,
        "imageGCHighThresholdPercent": 70,
        "imageGCLowThresholdPercent": 60,
        "cpuCFSQuota": False,
    }
    group = job(user_data=(config(kubelet={"config": every}),))

    kubelet, user_data = node_configuration(group, TYPES)

    assert set(CLASS_FIELDS) == set(kubelet)
    assert 1 == len(parts(user_data))


def test_a_part_that_needs_no_change_stays_as_it_was_written():
    text = "# why\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec: {}\n"
    script = "#!/bin/bash\necho hello\n"
    group = job(
        user_data=(
            UserDataPart(kind="node-config", content=text),
            UserDataPart(kind="shell", content=script),
        )
    )

    _, user_data = node_configuration(group, TYPES)

    assert [text, script] == parts(user_data)[1:]


def test_h031_user_data_is_one_multipart_text_and_not_encoded():
    _, user_data = node_configuration(job(), TYPES)

    assert str(user_data).startswith("MIME-Version: 1.0\n")


def test_h036_types_that_are_not_known_reserve_nothing_by_name():
    kubelet, _ = node_configuration(job(instance_types=("m99i.4xlarge",)), TYPES)

    assert {"maxPods": 60} == kubelet


def test_a_pool_for_servers_leaves_the_kubelet_alone():
    pool = ServerPool(name="more", architecture="amd64", instance_types=("m7i.xlarge",))

    assert ({}, None) == node_configuration(pool, TYPES)
    spec = ec2_node_class(pool, site(), ALIAS, TYPES)["spec"]
    assert {"kubelet", "userData"} & set(spec) == set()


@pytest.mark.parametrize(
    ("kubelet", "message"),
    [
        (
            {"config": {"maxPods": 60}},
            "user_data must leave out spec.kubelet.config.maxPods, set "
            "kubelet.max_pods",
        ),
        (
            {"maxPodsExpression": "60"},
            "user_data must leave out spec.kubelet.maxPodsExpression, set "
            "kubelet.max_pods",
        ),
        (
            {"flags": ["--max-pods=60"]},
            "user_data must leave out the flag --max-pods, set kubelet.max_pods",
        ),
        (
            {"flags": ["--register-with-taints=a=b:NoSchedule"]},
            "user_data must leave out the flag --register-with-taints, set taints",
        ),
        (
            {"flags": ["--node-labels=a=b"]},
            "user_data must leave out the flag --node-labels, set labels",
        ),
        (
            {"flags": ["--eviction-hard=memory.available<200Mi"]},
            "user_data must leave out the flag --eviction-hard, which Karpenter does "
            "not see, set spec.kubelet.config.evictionHard",
        ),
    ],
)
def test_h027_h034_refuses_what_karpenter_always_writes_itself(kubelet, message):
    assert [message] == list(user_data_problems(config(kubelet=kubelet)))


@pytest.mark.parametrize("flag", ["--eviction_hard=x", "--eviction-hard x"])
def test_h027_a_hidden_flag_is_found_in_every_spelling(flag):
    (problem,) = user_data_problems(config(kubelet={"flags": [flag]}))

    assert problem.startswith("user_data must leave out the flag --eviction-hard, ")


@pytest.mark.parametrize(
    ("config_of_part", "message"),
    [
        (
            {"evictionHard": {"containerfs.available": "5%"}},
            "user_data: spec.kubelet.config.evictionHard must have keys of "
            "memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, "
            "imagefs.inodesFree, pid.available with Karpenter, got "
            "'containerfs.available'",
        ),
        (
            {"evictionMaxPodGracePeriod": -1},
            "user_data: spec.kubelet.config.evictionMaxPodGracePeriod must be 0 or "
            "more with Karpenter, got -1",
        ),
    ],
)
def test_what_the_kubelet_takes_and_karpenter_does_not_is_refused(
    config_of_part, message
):
    part = config(kubelet={"config": config_of_part})

    assert [message] == list(user_data_problems(part))


def test_scripts_are_not_read():
    part = UserDataPart(kind="shell", content="#!/bin/bash\nuptime\n")

    assert [] == list(user_data_problems(part))


def test_h042_an_image_of_ones_own_stands_alone():
    spec = ec2_node_class(job(ami_id="ami-0123456789abcdef0"), site(), ALIAS, TYPES)[
        "spec"
    ]

    assert [{"id": "ami-0123456789abcdef0"}] == spec["amiSelectorTerms"]
    assert "AL2023" == spec["amiFamily"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"instance_profile": "nodes"},
            "exactly one of role and instance_profile must be given",
        ),
        ({"role": None}, "exactly one of role and instance_profile must be given"),
        (
            {"role": "arn:x:iam::1:role/a"},
            "role must be a name, not an ARN, got role=arn:x:iam::1:role/a",
        ),
        ({"subnet_ids": ()}, "subnet_ids must be 1 to 30, got 0"),
        ({"subnet_ids": ("subnet-a",) * 31}, "subnet_ids must be 1 to 30, got 31"),
        ({"security_group_ids": ()}, "security_group_ids must name at least one"),
    ],
)
def test_h042_refuses_what_the_crd_would_refuse(overrides, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        site(**overrides)


def test_a_profile_takes_the_place_of_a_role():
    where = site(role=None, instance_profile="nodes")

    assert {"instanceProfile": "nodes"} == where.identity()


def test_h080_security_groups_are_chosen_by_id():
    assert site().selectors() == {
        "subnetSelectorTerms": [{"id": "subnet-a"}, {"id": "subnet-b"}],
        "securityGroupSelectorTerms": [{"id": "sg-cluster"}],
    }


def test_values_that_are_not_known_yet_are_placed_and_not_looked_into():
    class Unknown:
        def __bool__(self):
            raise AssertionError("looked into")

        __str__ = __eq__ = __hash__ = __bool__

    later = Unknown()
    spec = ec2_node_class(
        job(),
        Site(
            cluster_name="prod",
            subnet_ids=(later,),
            security_group_ids=(later,),
            role=later,
        ),
        ALIAS,
        TYPES,
    )["spec"]

    assert later is spec["role"]
    assert later is spec["subnetSelectorTerms"][0]["id"]


def test_the_tags_of_a_group_win():
    where = site(tags={"team": "all", "Name": "none"})

    assert {"Name": "none", "team": "data"} == node_class_tags(
        where, job(tags={"team": "data"})
    )


def test_h040_the_volume_is_written_out_with_its_key():
    volume = Gp3Volume(
        size_gib=200, iops=3_200, throughput_mib=800, kms_key_id="alias/k"
    )
    spec = ec2_node_class(job(volume=volume), site(), ALIAS, TYPES)["spec"]

    assert [
        {
            "deviceName": "/dev/xvda",
            "rootVolume": True,
            "ebs": {
                "volumeType": "gp3",
                "volumeSize": "200Gi",
                "iops": 3_200,
                "throughput": 800,
                "encrypted": True,
                "deleteOnTermination": True,
                "kmsKeyID": "alias/k",
            },
        }
    ] == spec["blockDeviceMappings"]


def test_the_largest_type_decides_what_is_reserved():
    group = job(
        instance_types=("m7i.xlarge", "m7i.4xlarge"),
        kubelet=KubeletTuning(max_pods=50),
    )

    kubelet, _ = node_configuration(group, TYPES)

    assert ("110m", "805Mi") == (
        kubelet["kubeReserved"]["cpu"],
        kubelet["kubeReserved"]["memory"],
    )


@pytest.mark.parametrize("hops", [1, 2])
def test_the_metadata_service_answers_as_far_as_the_group_says(hops):
    made = ec2_node_class(job(metadata_hop_limit=hops), site(), ALIAS, TYPES)

    assert {
        "httpEndpoint": "enabled",
        "httpProtocolIPv6": "disabled",
        "httpPutResponseHopLimit": hops,
        "httpTokens": "required",
    } == made["spec"]["metadataOptions"]
