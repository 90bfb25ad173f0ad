"""Not proved: that Karpenter accepts a pool; `tests/cluster` asks its CRDs."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.groups import Size, Taint
from components.spec.scaler.lifetime import Lifetime
from components.spec.scaler.node_pool import (
    AUTO_NODE_CLASS,
    EC2_NODE_CLASS,
    label_problems,
    node_pool,
)
from components.spec.scaler.pool import PoolRules
from tests.spec.scaler.builders import TYPES, job

LIFE = Lifetime(expire_after="336h", termination_grace_period="6h30m")
QUALIFIED = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\/))?"
    r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$"
)
LABEL = r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"


def template(group, rules=None):
    pool = node_pool(group, rules or PoolRules(), LIFE, EC2_NODE_CLASS, TYPES)
    return pool["spec"]["template"]


@pytest.mark.parametrize(
    ("architecture", "types"),
    [
        ("amd64", ["m7i.4xlarge", "m6i.4xlarge"]),
        ("arm64", ["m7g.4xlarge", "m8g.4xlarge"]),
    ],
)
def test_h044_h088_a_pool_has_one_architecture_and_runs_linux(architecture, types):
    requirements = template(job(architecture=architecture))["spec"]["requirements"]

    assert requirements == [
        {"key": "kubernetes.io/arch", "operator": "In", "values": [architecture]},
        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
        {
            "key": "karpenter.sh/capacity-type",
            "operator": "In",
            "values": ["on-demand"],
        },
        {
            "key": "node.kubernetes.io/instance-type",
            "operator": "In",
            "values": types,
        },
    ]


def test_h048_label_and_taint_are_those_of_every_other_scaler():
    made = template(job(labels={"team": "data"}))

    assert {"eks-jobs/group": "job", "team": "data"} == made["metadata"]["labels"]
    assert [{"key": "eks-jobs/group", "value": "job", "effect": "NoSchedule"}] == made[
        "spec"
    ]["taints"]


def test_h100_a_taint_of_the_start_holds_no_node_back():
    starting = Taint(key="node.cilium.io/agent-not-ready", value="true", startup=True)
    made = template(job(taints=(starting, Taint(key="gpu"))))["spec"]

    assert [
        {"key": "eks-jobs/group", "value": "job", "effect": "NoSchedule"},
        {"key": "gpu", "effect": "NoSchedule"},
    ] == made["taints"]
    assert [
        {
            "key": "node.cilium.io/agent-not-ready",
            "value": "true",
            "effect": "NoSchedule",
        }
    ] == made["startupTaints"]


def test_a_pool_without_taints_of_the_start_has_no_such_key():
    assert "startupTaints" not in template(job(taints=(Taint(key="gpu"),)))["spec"]


def test_a_taint_without_a_value_has_no_value_key():
    taints = template(job(taints=(Taint(key="gpu"),)))["spec"]["taints"]

    assert {"key": "gpu", "effect": "NoSchedule"} == taints[1]


def test_the_class_is_the_one_of_the_scaler():
    pool = node_pool(job(), PoolRules(), LIFE, AUTO_NODE_CLASS, TYPES)

    assert {"group": "eks.amazonaws.com", "kind": "NodeClass", "name": "job"} == pool[
        "spec"
    ]["template"]["spec"]["nodeClassRef"]


def test_a_drain_without_an_end_has_no_key():
    life = Lifetime(expire_after="336h", termination_grace_period=None)
    pool = node_pool(job(), PoolRules(), life, EC2_NODE_CLASS, TYPES)

    assert "terminationGracePeriod" not in pool["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    ("types", "limits"),
    [
        (("m7i.4xlarge",), {"nodes": "50", "cpu": "800"}),
        (("m7i.xlarge", "m7i.4xlarge"), {"nodes": "50", "cpu": "800"}),
        (("m7i.4xlarge", "m99i.4xlarge"), {"nodes": "50"}),
    ],
)
def test_a_pool_never_has_more_nodes_than_its_group(types, limits):
    group = job(instance_types=types, size=Size(max=50))
    pool = node_pool(group, PoolRules(), LIFE, EC2_NODE_CLASS, TYPES)

    assert limits == pool["spec"]["limits"]


def test_a_weight_is_written_only_when_given():
    pools = [
        node_pool(job(), PoolRules(weight=weight), LIFE, EC2_NODE_CLASS, TYPES)
        for weight in (None, 7)
    ]

    assert [None, 7] == [pool["spec"].get("weight") for pool in pools]


@pytest.mark.parametrize(
    ("key", "domain"),
    [
        ("sub.karpenter.sh/group", "karpenter.sh"),
        ("mykarpenter.sh/group", "karpenter.sh"),
        ("karpenter.sh", "karpenter.sh"),
        ("x.karpenter.k8s.aws/group", "karpenter.k8s.aws"),
    ],
)
def test_h043_refuses_labels_that_belong_to_karpenter(key, domain):
    assert [
        f"labels must leave out {key}: domains that end with {domain} belong to "
        "Karpenter"
    ] == label_problems(job(labels={key: "job"}))


def test_other_labels_pass():
    assert [] == label_problems(job(labels={"karpenter": "yes", "a.sh/karpenter": ""}))


WORD = st.from_regex(r"\A[A-Za-z0-9]([A-Za-z0-9._-]{0,20}[A-Za-z0-9])?\Z")
DOMAIN = st.sampled_from(["", "example.com/", "a.b-c.io/"])


@given(
    st.dictionaries(
        st.tuples(DOMAIN, WORD).map("".join), st.just("") | WORD, max_size=5
    ),
    st.lists(
        st.builds(
            Taint,
            key=st.tuples(DOMAIN, WORD).map("".join),
            value=st.just("") | WORD,
            effect=st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"]),
        ),
        max_size=3,
        unique_by=lambda taint: taint.key,
    ),
)
def test_labels_and_taints_of_any_group_fit_the_patterns_of_the_crd(labels, taints):
    made = template(job(labels=labels, taints=tuple(taints)))

    assert all(re.match(LABEL, value) for value in made["metadata"]["labels"].values())
    for taint in made["spec"]["taints"]:
        assert re.match(QUALIFIED, taint["key"])
        assert re.match(QUALIFIED, taint.get("value", "left-out"))


def test_a_retiring_pool_gets_no_node_and_changes_nothing_else():
    pools = [
        node_pool(job(), PoolRules(), LIFE, EC2_NODE_CLASS, TYPES, retiring=retiring)
        for retiring in (False, True)
    ]
    limits = [pool["spec"].pop("limits") for pool in pools]

    assert {"nodes": "0", "cpu": "0"} == limits[1]
    assert pools[0] == pools[1]
