"""Not proved: that the API server takes the labels; its rules are repeated here."""

import re

import pytest

from components.spec.labels import (
    GROUP_LABEL,
    Taint,
    eks_limit_problems,
    label_problems,
    node_label_problems,
    node_taint_problems,
)

NAME_RULE = (
    "must be 1 to 63 letters, digits, '-', '_' or '.', "
    "with a letter or digit at both ends"
)
VALUE_RULE = f"must be empty or {NAME_RULE.removeprefix('must be ')}"


@pytest.mark.parametrize(
    "labels",
    [
        {},
        {"team": "data"},
        {"a" * 63: "b" * 63},
        {"example.com/team": ""},
        {f"{'a' * 63}.{'b' * 63}.example.com/x": "A.b_c-1"},
        {f"{'d' * 251}.d/x": "y"},
        {"node.kubernetes.io/purpose": "jobs"},
        {"x.kubelet.kubernetes.io/purpose": "jobs"},
        {"topology.ebs.csi.aws.com/zone": "a"},
        {"mykubernetes.io/x": "y"},
    ],
)
def test_accepts_labels_that_a_node_can_carry(labels):
    assert node_label_problems(labels) == []


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ({"": "x"}, f"key of labels[] {NAME_RULE}, got ''"),
        ({"a" * 64: "x"}, f"key of labels[{'a' * 64}] {NAME_RULE}, got '{'a' * 64}'"),
        ({"-a": "x"}, f"key of labels[-a] {NAME_RULE}, got '-a'"),
        ({"a b": "x"}, f"key of labels[a b] {NAME_RULE}, got 'a b'"),
        ({"x/": "x"}, f"key of labels[x/] {NAME_RULE}, got 'x/'"),
        (
            {"Example.com/x": "y"},
            "key of labels[Example.com/x] must have a DNS domain before the slash, "
            "got Example.com/x",
        ),
        (
            {"/x": "y"},
            "key of labels[/x] must have a DNS domain before the slash, got /x",
        ),
        ({"a": "b" * 64}, f"labels[a] {VALUE_RULE}, got '{'b' * 64}'"),
        ({"a": "b,c"}, f"labels[a] {VALUE_RULE}, got 'b,c'"),
        ({"a": "x\n"}, f"labels[a] {VALUE_RULE}, got 'x\\n'"),
        (
            {GROUP_LABEL: "job"},
            "labels must leave out eks-jobs/group, which is set by this library",
        ),
        (
            {"karpenter.sh/nodepool": "x"},
            "labels must leave out karpenter.sh/nodepool, which is set by Karpenter",
        ),
        (
            {"eks.amazonaws.com/nodegroup": "x"},
            "labels must leave out eks.amazonaws.com/nodegroup, which is set by EKS",
        ),
        (
            {"kubernetes.io/arch": "arm64"},
            "labels must leave out kubernetes.io/arch, which is set from architecture",
        ),
        (
            {"node-restriction.kubernetes.io/x": "y"},
            "labels must leave out node-restriction.kubernetes.io/x: of the labels of "
            "Kubernetes a node may set only those of kubelet.kubernetes.io and "
            "node.kubernetes.io",
        ),
        (
            {"node-role.kubernetes.io/job": ""},
            "labels must leave out node-role.kubernetes.io/job: of the labels of "
            "Kubernetes a node may set only those of kubelet.kubernetes.io and "
            "node.kubernetes.io",
        ),
        (
            {"k8s.io/x": "y"},
            "labels must leave out k8s.io/x: of the labels of Kubernetes a node may "
            "set only those of kubelet.kubernetes.io and node.kubernetes.io",
        ),
    ],
)
def test_rejects_labels_with_which_a_node_would_not_join(labels, problem):
    assert [problem] == node_label_problems(labels)


def test_h088_a_windows_label_is_refused_as_linux_only():
    assert node_label_problems({"kubernetes.io/os": "windows"}) == [
        "labels must leave out kubernetes.io/os, which is linux on every node "
        "(Linux only)"
    ]


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        (
            {"spot": True},
            "labels[spot] must be text, got True (bool): put it in quotes",
        ),
        ({"v": 1.1}, "labels[v] must be text, got 1.1 (float): put it in quotes"),
        ({"n": 0}, "labels[n] must be text, got 0 (int): put it in quotes"),
        ({"x": None}, "labels[x] must be text, got None (NoneType): put it in quotes"),
        ({1: "a"}, "key of labels[1] must be text, got 1 (int): put it in quotes"),
    ],
)
def test_h011_what_yaml_did_not_read_as_text_is_refused_by_its_key(labels, problem):
    assert [problem] == node_label_problems(labels)


def test_the_field_is_named_as_the_caller_calls_it():
    assert label_problems("jobs", {"a": 1}) == [
        "jobs[a] must be text, got 1 (int): put it in quotes"
    ]


@pytest.mark.parametrize(
    ("effect", "eks"),
    [
        ("NoSchedule", "NO_SCHEDULE"),
        ("PreferNoSchedule", "PREFER_NO_SCHEDULE"),
        ("NoExecute", "NO_EXECUTE"),
    ],
)
def test_h050_one_effect_has_three_spellings(effect, eks):
    taint = Taint(key="dedicated", value="job", effect=effect)

    assert (eks, f"job:{effect}", f"dedicated=job:{effect}") == (
        taint.eks_effect,
        taint.autoscaler_value,
        taint.kubernetes,
    )


def test_h050_a_taint_without_a_value_keeps_its_effect_in_a_tag():
    assert Taint(key="dedicated").autoscaler_value == ":NoSchedule"


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"key": "a", "effect": "NO_SCHEDULE"},
            "effect must be one of NoSchedule, PreferNoSchedule, NoExecute, "
            "got effect=NO_SCHEDULE (EKS spells NoSchedule so; write NoSchedule)",
        ),
        (
            {"key": "a", "effect": "noschedule"},
            "effect must be one of NoSchedule, PreferNoSchedule, NoExecute, "
            "got effect=noschedule",
        ),
        (
            {"key": "a", "effect": ""},
            "effect must be one of NoSchedule, PreferNoSchedule, NoExecute, "
            "got effect=",
        ),
        ({"key": ""}, f"key {NAME_RULE}, got ''"),
        ({"key": "a", "value": "b c"}, f"value {VALUE_RULE}, got 'b c'"),
        (
            {"key": "a", "value": True},
            "value must be text, got True (bool): put it in quotes",
        ),
    ],
)
def test_h050_rejects_taints_that_would_be_ignored(kwargs, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Taint(**kwargs)


@pytest.mark.parametrize(
    ("taints", "problems"),
    [
        ((Taint(key="a"), Taint(key="a", effect="NoExecute")), []),
        ((Taint(key="node.cilium.io/agent-not-ready", effect="NoExecute"),), []),
        (
            (Taint(key="a", value="1"), Taint(key="a", value="2")),
            [
                "taints must have one value for each key and effect, "
                "got a:NoSchedule 2 times"
            ],
        ),
        (
            (Taint(key=GROUP_LABEL, value="other"),),
            ["taints must leave out eks-jobs/group, which is set by this library"],
        ),
        (
            (Taint(key="karpenter.sh/unregistered"),),
            [
                "taints must leave out karpenter.sh/unregistered, "
                "which is set by Karpenter"
            ],
        ),
        (
            (Taint(key="node.kubernetes.io/not-ready"),),
            [
                "taints must leave out node.kubernetes.io/not-ready, which is set by "
                "Kubernetes while something is wrong with a node"
            ],
        ),
    ],
)
def test_taints_of_others_are_left_to_them(taints, problems):
    assert problems == node_taint_problems(taints)


def test_a_managed_group_takes_less_than_kubernetes():
    key = f"{'d' * 59}.com/x"
    labels, taints = {key[1:]: "x", key: "", "a": ""}, (Taint(key=key), Taint(key="a"))
    longest = "characters, got"

    assert eks_limit_problems({key[2:]: "x"}, (Taint(key=key[2:]),)) == []
    assert eks_limit_problems(labels, taints) == [
        f"labels of a server group must have keys of at most 63 {longest} {key[1:]}",
        f"labels of a server group must have keys of at most 63 {longest} {key}",
        f"taints of a server group must have keys of at most 63 {longest} {key}",
        f"labels[{key}] of a server group must not be empty",
        "labels[a] of a server group must not be empty",
    ]
