import re

import pytest

from components.spec.groups import (
    GROUP_LABEL,
    JobGroup,
    ServerGroup,
    Size,
    Taint,
    UserDataPart,
    open_groups,
    validate_groups,
)
from components.spec.kubelet import KubeletTuning
from components.spec.volume import Gp3Volume

FIELDS = {"name": "job", "architecture": "amd64", "instance_types": ("m7i.4xlarge",)}
NO_DNS = (
    "servers must have a group without taints and with size.min of at least 1: "
    "DNS of the cluster needs a node"
)


def job(**overrides):
    return JobGroup(**(FIELDS | overrides))


def server(**overrides):
    return ServerGroup(**(FIELDS | {"name": "server"} | overrides))


def node_config(text):
    head = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
    return UserDataPart(kind="node-config", content=head + text)


def test_a_job_group_has_the_numbers_of_the_brief():
    group = job()

    assert (Size(min=0, max=10), KubeletTuning(), Gp3Volume()) == (
        group.size,
        group.kubelet,
        group.volume,
    )
    assert (60, 8_000, 800) == (
        group.kubelet.max_pods,
        group.volume.iops,
        group.volume.throughput_mib,
    )


def test_a_server_group_keeps_two_nodes_and_pays_for_no_faster_disk():
    group = server()

    assert (Size(min=2, max=10), None) == (group.size, group.kubelet)
    assert Gp3Volume(size_gib=100, iops=3_000, throughput_mib=125) == group.volume


@pytest.mark.parametrize("make", [job, server])
def test_the_first_graviton_boots_no_image_of_eks(make):
    message = (
        "instance_types must boot Amazon Linux 2023, which needs Graviton2 or later, "
        "got a1.xlarge"
    )
    with pytest.raises(ValueError, match=f"^{message}$"):
        make(architecture="arm64", instance_types=("a1.xlarge", "m7g.xlarge"))


def test_the_first_graviton_boots_an_image_of_ones_own():
    job(architecture="arm64", instance_types=("a1.xlarge",), ami_id="ami-0a1b2c3d")


def test_servers_have_no_driver_for_gpus():
    message = (
        "instance_types must be without GPUs and Neuron chips, for which the standard "
        "image has no driver, got g6.xlarge: choose other types"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        server(instance_types=("g6.xlarge", "m7i.xlarge"))


def test_h048_label_and_taint_of_a_job_group_have_one_name():
    group = job(
        name="job-arm",
        architecture="arm64",
        instance_types=("m7g.large",),
        labels={"team": "data", "a": "b"},
        taints=(Taint(key="spot"),),
    )

    assert list(group.all_labels.items()) == [
        ("a", "b"),
        (GROUP_LABEL, "job-arm"),
        ("team", "data"),
    ]
    assert (Taint(key=GROUP_LABEL, value="job-arm"), Taint(key="spot")) == (
        group.all_taints
    )


def test_pods_need_not_tolerate_what_goes_at_the_start():
    starting, lasting = Taint(key="a", startup=True), Taint(key="b")
    own = Taint(key=GROUP_LABEL, value="job")
    group = job(taints=(starting, lasting))

    assert (own, starting, lasting) == group.all_taints
    assert (own, lasting) == group.lasting_taints


def test_servers_with_a_taint_of_the_start_are_not_open_to_all():
    plain = server()
    starting = server(name="b", taints=(Taint(key="a", startup=True),))

    assert [plain] == open_groups([starting, plain])


def test_h044_a_server_group_carries_the_label_and_no_taint_of_ours():
    group = server(taints=(Taint(key="gpu"),))

    assert {GROUP_LABEL: "server"} == group.all_labels
    assert (Taint(key="gpu"),) == group.all_taints


@pytest.mark.parametrize("name", ["a", "0", "job", "job-arm", "x" * 40, "8-bit"])
def test_accepts_dns_labels_of_up_to_40_characters_as_names(name):
    assert {GROUP_LABEL: name} == job(name=name).all_labels


@pytest.mark.parametrize("name", ["", "Job", "-a", "a-", "a_b", "a.b", "x" * 41, "a\n"])
def test_h078_rejects_names_from_which_other_names_cannot_be_made(name):
    message = (
        "name must be 1 to 40 lower-case letters, digits or '-', with a letter or "
        f"digit at both ends, got name={name}"
    )

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        job(name=name)


def test_h046_a_family_of_the_future_passes():
    assert ("m99x.large",) == job(instance_types=("m99x.large",)).instance_types


def test_h045_types_of_the_other_architecture_are_refused_by_name():
    message = "instance_types must be amd64 like the group, got m7g.large (arm64)"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        job(instance_types=("m7i.large", "m7g.large"))


@pytest.mark.parametrize("ami_id", ["ami-01234567", "ami-0123456789abcdef0", None])
def test_accepts_image_ids(ami_id):
    assert ami_id == job(ami_id=ami_id).ami_id


@pytest.mark.parametrize("ami_id", ["", "ami-123", "ami-0123456789ABCDEF0", "al2023"])
def test_rejects_what_is_no_image_id(ami_id):
    message = f"ami_id must look like ami-0123456789abcdef0, got ami_id={ami_id}"

    with pytest.raises(ValueError, match=f"^{message}$"):
        job(ami_id=ami_id)


@pytest.mark.parametrize("bounds", [(0, 1), (1, 1), (0, 1_000)])
def test_accepts_bounds_in_order(bounds):
    size = Size(min=bounds[0], max=bounds[1])

    assert bounds == (size.min, size.max)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"min": 0, "max": 0}, "max must be at least 1, got max=0"),
        ({"min": -1}, "min must be 0 to max, got min=-1, max=10"),
        ({"min": 11}, "min must be 0 to max, got min=11, max=10"),
    ],
)
def test_rejects_bounds_out_of_order(bounds, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        Size(**bounds)


def test_h049_two_effects_of_one_key_do_not_fit_into_one_tag():
    taints = (Taint(key="a"), Taint(key="a", effect="NoExecute"))
    server(taints=taints)
    message = (
        "taints must name each key once in a job group (a tag of the autoscaler "
        "holds one value), got a 2 times"
    )

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        job(taints=taints)


def test_limits_of_eks_hold_for_server_groups_alone():
    labels = {f"{'d' * 62}/x": "x"}
    job(labels=labels)
    message = "labels of a server group must have keys of at most 63 characters"

    with pytest.raises(ValueError, match=f"^{message}"):
        server(labels=labels)


def test_all_problems_are_told_at_once_and_in_order():
    message = "\n".join(
        [
            "name must be 1 to 40 lower-case letters, digits or '-', with a letter or "
            "digit at both ends, got name=Job",
            "instance_types must be amd64 like the group, got m7g.large (arm64)",
            "labels[spot] must be text, got True (bool): put it in quotes",
            "labels must leave out eks-jobs/group, which is set by this library",
            "taints must leave out eks-jobs/group, which is set by this library",
            "tags must leave out aws:x: keys that begin with aws: belong to AWS",
            "user_data must leave out spec.kubelet.config.maxPods, "
            "set kubelet.max_pods",
            "ami_id must look like ami-0123456789abcdef0, got ami_id=x",
        ]
    )

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        job(
            name="Job",
            instance_types=("m7g.large",),
            labels={"spot": True, GROUP_LABEL: "x"},
            taints=(Taint(key=GROUP_LABEL, value="x"),),
            tags={"aws:x": "y"},
            user_data=(node_config("spec: {kubelet: {config: {maxPods: 110}}}\n"),),
            ami_id="x",
        )


def test_h011_keys_that_are_no_text_do_not_end_in_a_traceback():
    message = "key of labels[1] must be text, got 1 (int): put it in quotes"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        job(labels={1: "a"})


@pytest.mark.parametrize("kubelet", [None, KubeletTuning()])
@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("config: {maxPods: 110}", "spec.kubelet.config.maxPods"),
        ('maxPodsExpression: "110"', "spec.kubelet.maxPodsExpression"),
        ('flags: ["--max-pods=110"]', "the flag --max-pods"),
    ],
)
def test_h029_the_pod_count_of_servers_is_set_where_eks_does_not_overrule_it(
    kubelet, text, key
):
    part = node_config(f"spec: {{kubelet: {{{text}}}}}\n")
    message = f"user_data must leave out {key}, set kubelet.max_pods"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        server(user_data=(part,), kubelet=kubelet)


def test_an_untuned_server_group_may_set_the_rest_of_the_kubelet_itself():
    part = node_config("spec: {kubelet: {config: {registryPullQPS: 10}}}\n")
    message = (
        "user_data must leave out spec.kubelet.config.registryPullQPS, "
        "set kubelet.registry_pull_qps"
    )

    assert (part,) == server(user_data=(part,)).user_data
    with pytest.raises(ValueError, match=f"^{message}$"):
        server(user_data=(part,), kubelet=KubeletTuning())


@pytest.mark.parametrize("make", [job, server])
def test_fields_of_the_kubelet_that_contradict_are_refused_in_every_group(make):
    part = node_config("spec: {kubelet: {config: {imageGCHighThresholdPercent: 80}}}\n")
    message = (
        "user_data: spec.kubelet.config.imageGCHighThresholdPercent must be above "
        "imageGCLowThresholdPercent, got 80 and 80 (85 and 80 when left out)"
    )

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make(user_data=(part,))


def test_groups_of_one_cluster_have_different_names():
    validate_groups([server()], [job(), job(name="job-arm")])
    message = (
        "name must be used once, got name=server for 2 groups\n"
        "name must be used once, got name=job for 2 groups"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        validate_groups([server()], [job(), job(), job(name="server")])


@pytest.mark.parametrize(
    "servers",
    [
        [],
        [server(taints=(Taint(key="gpu"),))],
        [server(size=Size(min=0, max=10))],
    ],
)
def test_h075_some_server_group_takes_the_pods_of_the_cluster(servers):
    with pytest.raises(ValueError, match=f"^{NO_DNS}$"):
        validate_groups(servers, [job()])


def test_h075_one_untainted_group_is_enough():
    validate_groups([server(name="gpu", taints=(Taint(key="gpu"),)), server()], [])


@pytest.mark.parametrize("hops", [1, 2, 64])
def test_h084_the_hop_limit_is_an_input(hops):
    assert hops == job(metadata_hop_limit=hops).metadata_hop_limit


@pytest.mark.parametrize("hops", [0, 65])
def test_h084_refuses_hop_limits_that_ec2_refuses(hops):
    message = f"metadata_hop_limit must be 1 to 64, got metadata_hop_limit={hops}"

    with pytest.raises(ValueError, match=f"^{message}$"):
        server(metadata_hop_limit=hops)
