"""Not proved: that 50 is the limit of Auto Scaling groups, which AWS does not say."""

import re

import pytest

from components.spec.groups import GROUP_LABEL, JobGroup, Taint
from components.spec.kubelet import KubeletTuning
from components.spec.tags import (
    TAG_LIMIT,
    autoscaler_tags,
    check_tags,
)
from components.spec.volume import Gp3Limits, Gp3Volume

PREFIX = "k8s.io/cluster-autoscaler"
TEMPLATE = f"{PREFIX}/node-template"
ONE_KEY = "(IAM takes both for one key)"
TEXT_RULE = "must have letters, digits, spaces or . : / = + @ _ -"


def group(**overrides):
    return JobGroup(
        **{"name": "job", "architecture": "amd64", "instance_types": ("m7i.4xlarge",)}
        | overrides
    )


def test_h049_a_group_without_nodes_tells_all_in_its_tags():
    tags = autoscaler_tags(
        "prod",
        group(
            name="job-arm",
            architecture="arm64",
            instance_types=("m7g.4xlarge",),
            kubelet=KubeletTuning(max_pods=29),
            labels={"team": "data", "example.com/gpu": ""},
            taints=(Taint(key="example.com/gpu", effect="NoExecute"),),
        ),
    )

    assert tags == {
        f"{PREFIX}/enabled": "true",
        f"{PREFIX}/prod": "owned",
        f"{TEMPLATE}/label/eks-jobs/group": "job-arm",
        f"{TEMPLATE}/label/example.com/gpu": "",
        f"{TEMPLATE}/label/kubernetes.io/arch": "arm64",
        f"{TEMPLATE}/label/team": "data",
        f"{TEMPLATE}/taint/eks-jobs/group": "job-arm:NoSchedule",
        f"{TEMPLATE}/taint/example.com/gpu": ":NoExecute",
        f"{TEMPLATE}/resources/pods": "29",
        f"{TEMPLATE}/resources/ephemeral-storage": "90214Mi",
    }


def test_the_tags_come_in_one_order():
    one = autoscaler_tags("prod", group(labels={"a": "1", "b": "2"}))
    other = autoscaler_tags("prod", group(labels={"b": "2", "a": "1"}))

    assert list(one) == list(other)


def test_the_disk_is_promised_with_care():
    """A node with 100 GiB was seen to have 95,491,281,146 bytes for its pods."""
    tags = autoscaler_tags("prod", group(volume=Gp3Volume(size_gib=100)))
    promised = int(tags[f"{TEMPLATE}/resources/ephemeral-storage"].removesuffix("Mi"))

    assert 0.98 < promised * 2**20 / 95_491_281_146 < 1


@pytest.mark.parametrize(("size", "promised"), [(20, "17223Mi"), (1, "0Mi")])
def test_the_disk_that_is_promised_is_never_negative(size, promised):
    volume = Gp3Volume(
        size_gib=size,
        iops=3_000,
        throughput_mib=125,
        limits=Gp3Limits(min_size_gib=1),
    )
    tags = autoscaler_tags("prod", group(volume=volume))

    assert promised == tags[f"{TEMPLATE}/resources/ephemeral-storage"]


def test_h050_every_taint_tag_has_the_form_that_the_autoscaler_reads():
    taints = (Taint(key="a", value="b", effect="PreferNoSchedule"), Taint(key="c"))
    tags = autoscaler_tags("prod", group(taints=taints))
    values = [tags[key] for key in tags if key.startswith(f"{TEMPLATE}/taint/")]

    # The expression of aws_manager.go, extractTaintsFromAsg, in our words.
    effect = "(?:NoSchedule|NoExecute|PreferNoSchedule)"
    assert len(values) == 3
    assert all(re.fullmatch(rf"[^:]*:{effect}", value) for value in values)


def test_h100_the_tags_leave_out_taints_that_go_at_the_start():
    taints = (Taint(key="agent-not-ready", startup=True), Taint(key="gpu"))
    tags = autoscaler_tags("prod", group(taints=taints))

    assert [f"{TEMPLATE}/taint/{GROUP_LABEL}", f"{TEMPLATE}/taint/gpu"] == [
        key for key in tags if key.startswith(f"{TEMPLATE}/taint/")
    ]


def test_h052_every_job_group_has_tags_that_metadata_cannot_hold():
    """
    Why the metadata service never shows tags (``_nodes.metadata_options``).

    EC2 launches no instance that has them switched on and a key with a slash.
    """
    assert all("/" in key for key in autoscaler_tags("prod", group()))


@pytest.mark.parametrize(
    "tags",
    [
        {},
        {"k" * 128: "v" * 256},
        {"team": ""},
        {"Kosten stelle/größe": "a.b:c/d=e+f@g_h-i 1"},
        {"awsome": "x"},
    ],
)
def test_h087_accepts_the_edges_of_what_aws_accepts(tags):
    check_tags(tags)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        (
            {"owner;team": "a<b"},
            f"key of tags[owner;team] {TEXT_RULE}, got ;\n"
            f"tags[owner;team] {TEXT_RULE}, got <",
        ),
        ({"": "x"}, "key of tags[] must have 1 to 128 characters, got 0"),
        (
            {"k" * 129: "x"},
            f"key of tags[{'k' * 129}] must have 1 to 128 characters, got 129",
        ),
        ({"k": "v" * 257}, "tags[k] must have at most 256 characters, got 257"),
        *[
            (
                {key: "x"},
                f"tags must leave out {key}: keys that begin with {prefix} "
                f"belong to {owner}",
            )
            for key, prefix, owner in [
                ("aws:name", "aws:", "AWS"),
                ("AWS:name", "aws:", "AWS"),
                ("eks:cluster-name", "eks:", "EKS"),
                (f"{PREFIX}/enabled", f"{PREFIX}/", "this library"),
                ("kubernetes.io/cluster/a", "kubernetes.io/cluster/", "this library"),
                ("karpenter.sh/discovery", "karpenter.sh/", "Karpenter"),
                ("eks-jobs/group", "eks-jobs/", "this library"),
            ]
        ],
    ],
)
def test_h087_rejects_what_aws_would_reject_late(tags, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_tags(tags)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        (
            {"team": "a", "cost": "1", "Team": "b", "TEAM": "c"},
            f"tags must have keys that differ by more than case {ONE_KEY}, got team "
            "and Team\n"
            f"tags must have keys that differ by more than case {ONE_KEY}, got team "
            "and TEAM",
        ),
        (
            {"name": "x"},
            f"tags must spell Name as this library does {ONE_KEY}, got name",
        ),
        (
            {"Name": "x", "NAME": "y"},
            f"tags must spell Name as this library does {ONE_KEY}, got NAME",
        ),
    ],
)
def test_h087_keys_that_iam_takes_for_one_are_refused(tags, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_tags(tags, {"Name": ""})


def test_a_key_is_compared_with_what_the_library_writes_alone():
    check_tags({"name": "x"})
    check_tags({"Name": "x", "names": "y"}, {"Name": ""})


def test_h087_a_group_cannot_spell_the_name_of_its_nodes_another_way():
    message = f"tags must spell Name as this library does {ONE_KEY}, got name"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        group(tags={"name": "x"})


@pytest.mark.parametrize("value", [True, 1, 1.5, None])
def test_h011_a_tag_that_is_no_text_is_refused_by_its_key(value):
    kind = type(value).__name__
    message = f"tags[on] must be text, got {value!r} ({kind}): put it in quotes"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        check_tags({"on": value})


def test_h087_the_total_counts_what_the_library_adds():
    own = {f"own-{n}": "" for n in range(20)}
    tags = {f"mine-{n}": "" for n in range(TAG_LIMIT - 20)}
    check_tags(tags, own)
    check_tags({**tags, "own-1": "mine"}, own)
    message = (
        "tags must be at most 50 with the 20 that the library adds, "
        "got 52: more, and-more"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        check_tags({**tags, "more": "", "and-more": ""}, own)


def test_h087_labels_and_taints_of_a_job_group_count_as_tags():
    """Seven tags are always there: the label, the taint and so on."""
    tags = {f"t{n:02}": "" for n in range(33)}
    labels = {f"l{n}": "" for n in range(10)}
    group(tags=tags, labels=labels)
    message = "tags must be at most 50 with the 18 that the library adds, got 51: t32"

    with pytest.raises(ValueError, match=f"^{message}$"):
        group(tags=tags, labels={**labels, "one-more": ""})


def test_h087_too_many_labels_alone_are_named():
    message = (
        "tags must be at most 50 with the 51 that the library adds, "
        f"got 51: {TEMPLATE}/resources/ephemeral-storage"
    )

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        group(labels={f"l{n}": "" for n in range(44)})


@pytest.mark.parametrize("field", ["labels", "taints"])
def test_h087_a_key_that_becomes_a_tag_must_fit_into_one(field):
    fits, long = f"{'d' * 80}/x", f"{'d' * 81}/x"
    values = {
        "labels": lambda key: {key: "x"},
        "taints": lambda key: (Taint(key=key),),
    }[field]
    group(**{field: values(fits)})
    message = (
        f"{field} of a job group must have keys of at most 82 characters "
        f"(they become tags), got {long}"
    )

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        group(**{field: values(long)})


def test_h048_the_tags_use_the_one_name_of_label_and_taint():
    tags = autoscaler_tags("prod", group())

    assert tags[f"{TEMPLATE}/label/{GROUP_LABEL}"] == "job"
    assert tags[f"{TEMPLATE}/taint/{GROUP_LABEL}"] == "job:NoSchedule"
