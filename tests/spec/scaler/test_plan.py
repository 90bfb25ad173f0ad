"""Two scalers at once: what holds for both, and whose line is whose."""

from dataclasses import replace
from typing import Any

import pytest

from components.spec.cluster import ClusterSettings
from components.spec.groups import UserDataPart
from components.spec.kubelet import KubeletTuning
from components.spec.network import ExistingNetwork, NewNetwork
from components.spec.policy.protection import ScalerFacts
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.autoscaler_groups import zone_keys, zone_numbers
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter, ServerPool
from components.spec.scaler.lifetime import Lifetime, drain_limit
from components.spec.scaler.plan import (
    auto_mode_alone,
    auto_mode_of,
    check_scalers_fit,
    scaler_facts,
    scaler_notices,
    uses_ami_release,
)
from components.spec.scaler.pool import PoolRules
from components.spec.vpc_cni import WarmPrefixes
from tests.spec.scaler.builders import TYPES, job, server

KARPENTER, AUTOSCALER, AUTO = Karpenter(), ClusterAutoscaler(), AutoMode()
MANAGED = ClusterAutoscaler(groups="managed")
ALIASED = Karpenter(ami_alias="al2023@v20260101")
OWN_IMAGE = job(ami_id="ami-0123456789abcdef0")
POOL = ServerPool(name="more", architecture="amd64", instance_types=("m7i.large",))


def check(scaler, retiring=None, **overrides):
    defaults: dict[str, Any] = {
        "servers": (server(),),
        "jobs": (job(),),
        "cluster": ClusterSettings(version="1.36", ami_release="v20260714"),
        "zones": 3,
        "vpc_cni": WarmPrefixes(),
        "tags": {},
        "instance_types": TYPES,
    }
    check_scalers_fit(scaler, retiring, **defaults | overrides)


def refusal(*args, **overrides) -> list[str]:
    with pytest.raises(ValueError, match=".") as caught:
        check(*args, **overrides)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("scaler", "retiring"),
    [
        (KARPENTER, None),
        (AUTOSCALER, None),
        (KARPENTER, AUTOSCALER),
        (AUTOSCALER, KARPENTER),
        (AUTO, AUTOSCALER),
        (AUTOSCALER, AUTO),
    ],
)
def test_what_fits_passes(scaler, retiring):
    check(scaler, retiring)


def test_h033_what_eks_adds_to_managed_groups_of_jobs_counts_too():
    part = UserDataPart(kind="shell", content="#!/bin/bash\n#" + "x" * 14_500)
    own_image = job(user_data=(part,), ami_id="ami-0123456789abcdef0")
    check(AUTOSCALER, jobs=(job(user_data=(part,)),))
    cluster = ClusterSettings(version="1.36")
    check(MANAGED, jobs=(own_image,), cluster=cluster)

    (line,) = refusal(MANAGED, jobs=(job(user_data=(part,)),), cluster=cluster)
    assert line.startswith("jobs[0]: user_data must be at most 16384 bytes with")


def test_lines_of_the_scaler_that_retires_name_its_key():
    retiring = Karpenter(pools={"jobs": PoolRules()})

    assert ["retiring_scaler: pools must name job groups (job), got jobs"] == refusal(
        AUTOSCALER, retiring
    )


def test_what_both_scalers_refuse_is_said_once():
    jobs = (job(tags={f"t{number}": "" for number in range(35)}),)

    lines = refusal(AUTOSCALER, MANAGED, jobs=jobs)

    assert 1 == len([line for line in lines if line.startswith("jobs[0]: tags")])


def test_h087_options_count_as_tags():
    jobs = (job(tags={f"t{number}": "" for number in range(35)}),)

    assert [
        "jobs[0]: tags must be at most 50 with the 16 that the library adds, got 51: "
        "t34"
    ] == refusal(AUTOSCALER, jobs=jobs)


def test_a_pool_for_servers_must_fit_its_types():
    pool = ServerPool(
        name="more",
        architecture="amd64",
        instance_types=("m7i.large",),
        kubelet=KubeletTuning(max_pods=250),
    )
    few = replace(TYPES.find("m7i.large"), memory_mib=4_096)

    check(Karpenter(server_pools=(pool,)))
    assert [
        "scaler.server_pools[0]: kubelet.max_pods must reserve less than half of the "
        "memory, got max_pods=250: 3005 of 4096 MiB on m7i.large"
    ] == refusal(Karpenter(server_pools=(pool,)), instance_types=TYPES.including([few]))


@pytest.mark.parametrize(
    ("scaler", "retiring", "expected"),
    [
        (KARPENTER, None, [("karpenter", "1.15.1")]),
        (AUTO, AUTOSCALER, [("auto-mode", None), ("cluster-autoscaler", "1.36.1")]),
        (ClusterAutoscaler(version="1.35.2"), None, [("cluster-autoscaler", "1.35.2")]),
    ],
)
def test_h018_protection_is_for_both_scalers(scaler, retiring, expected):
    facts = [ScalerFacts(kind=kind, version=version) for kind, version in expected]
    version = "1.35" if "1.35.2" in str(expected) else "1.36"

    assert facts == [*scaler_facts(scaler, retiring, version)]


def test_a_version_that_does_not_fit_counts_as_not_known():
    (facts,) = scaler_facts(ClusterAutoscaler(version="1.35.2"), None, "1.36")

    assert facts.version is None


@pytest.mark.parametrize(
    ("scaler", "retiring", "servers", "expected"),
    [
        (AUTO, None, (), True),
        (AUTO, None, (server(),), False),
        (AUTO, AUTOSCALER, (), False),
        (AUTOSCALER, AUTO, (), False),
        (KARPENTER, None, (), False),
    ],
)
def test_nodes_of_others_need_addons(scaler, retiring, servers, expected):
    assert expected == auto_mode_alone(scaler, retiring, servers)


@pytest.mark.parametrize(
    ("scaler", "retiring", "expected"),
    [(AUTO, None, AUTO), (AUTOSCALER, AUTO, AUTO), (KARPENTER, AUTOSCALER, None)],
)
def test_auto_mode_is_on_as_long_as_one_scaler_is_it(scaler, retiring, expected):
    assert expected is auto_mode_of(scaler, retiring)


@pytest.mark.parametrize(
    ("scaler", "retiring", "expected"),
    [
        (AUTO, None, False),
        (MANAGED, None, False),
        (MANAGED, KARPENTER, True),
        (MANAGED, ALIASED, False),
        (ALIASED, None, False),
        (ALIASED, MANAGED, False),
        (ALIASED, AUTOSCALER, True),
        (AUTOSCALER, None, True),
    ],
)
def test_only_some_nodes_boot_the_release(scaler, retiring, expected):
    assert expected == uses_ami_release(scaler, retiring)


@pytest.mark.parametrize(
    ("scaler", "reason"),
    [
        (AUTO, "EKS Auto Mode, where EKS chooses the image"),
        (MANAGED, "groups: managed, where EKS chooses the image"),
        (ALIASED, "scaler.ami_alias=al2023@v20260101, which names the image"),
    ],
)
def test_a_release_that_no_node_boots_is_refused(scaler, reason):
    assert [
        f"cluster: ami_release must be left out with {reason}, got "
        "ami_release=v20260714"
    ] == refusal(scaler)
    check(scaler, cluster=ClusterSettings(version="1.36"))


def test_an_alias_that_no_node_boots_is_refused():
    unpinned = ClusterSettings(version="1.36")

    assert [
        "scaler: ami_alias must be left out when every job group has its own ami_id "
        "and there are no server_pools, got ami_alias=al2023@v20260101"
    ] == refusal(ALIASED, jobs=(OWN_IMAGE,), cluster=unpinned)
    check(ALIASED, jobs=(OWN_IMAGE, job(name="b")), cluster=unpinned)
    check(ALIASED, jobs=(), cluster=unpinned)
    check(replace(ALIASED, server_pools=(POOL,)), jobs=(OWN_IMAGE,), cluster=unpinned)


@pytest.mark.parametrize("scaler", [KARPENTER, AUTOSCALER])
def test_a_release_beside_images_of_ones_own_is_told(scaler):
    """The program pins one by itself, so it is no mistake."""
    text = "cluster.ami_release: v1 boots no node: every job group has its own ami_id"

    assert text in notices(scaler, jobs=(OWN_IMAGE,), ami_release="v1")
    assert text not in notices(scaler, jobs=(OWN_IMAGE, job()), ami_release="v1")
    assert text not in notices(scaler, ami_release="v1")
    assert text not in notices(scaler, jobs=(OWN_IMAGE,))


def test_a_release_that_boots_nodes_of_servers_is_no_waste():
    scaler = Karpenter(server_pools=(POOL,))

    assert not any(
        "boots no node" in n
        for n in notices(scaler, jobs=(OWN_IMAGE,), ami_release="v1")
    )


def notices(scaler, retiring=None, **overrides) -> list[str]:
    defaults: dict[str, Any] = {
        "servers": (),
        "jobs": (),
        "cluster_version": "1.36",
        "policy": JobPolicySettings(),
    }
    return [str(n) for n in scaler_notices(scaler, retiring, **defaults | overrides)]


def test_h023_packing_by_affinity_does_not_go_with_respect():
    respect = Karpenter(preference_policy="Respect")
    text = (
        "scaler.preference_policy: Respect with packing affinity: Karpenter plans the "
        "preference for the nodes of other jobs as if it were a must, and keeps nodes "
        "that could go"
    )

    assert [text] == notices(respect)
    assert [] == notices(respect, policy=JobPolicySettings(packing="none"))
    assert [] == notices(respect, policy=None)
    assert text not in notices(KARPENTER)


def test_a_migration_says_when_it_ends():
    assert (
        "retiring_scaler: karpenter adds no nodes; remove the key when its nodes are "
        "gone, and not before: their jobs would end"
    ) in notices(AUTOSCALER, KARPENTER)


def test_an_autoscaler_of_ones_own_is_not_said_to_add_no_nodes():
    """What stops ours is a flag of our chart, which theirs does not have."""
    retiring = ClusterAutoscaler(install=False)

    assert (
        "retiring_scaler: cluster-autoscaler with install: false goes on adding nodes "
        "until your own controller has --max-nodes-total=1: set that first; remove the "
        "key when its nodes are gone, and not before: their jobs would end"
    ) in notices(KARPENTER, retiring)
    assert any(
        "cluster-autoscaler adds no" in n for n in notices(KARPENTER, AUTOSCALER)
    )


def test_the_limits_of_pools_stop_a_karpenter_of_ones_own():
    retiring = Karpenter(install=False)

    assert any("karpenter adds no nodes;" in n for n in notices(AUTOSCALER, retiring))


def test_the_end_of_auto_mode_says_what_goes_before_it():
    assert (
        "retiring_scaler: auto-mode adds no nodes; remove the key when its nodes are "
        "gone, and not before: their jobs would end; delete its pools and classes by "
        "kubectl first, since EKS Auto Mode goes off before Pulumi deletes them"
    ) in notices(AUTOSCALER, AUTO)


def test_servers_beside_auto_mode_have_volumes_of_their_own():
    (text,) = notices(AUTO, servers=(server(),))

    assert text.startswith("servers: the add-ons and the class of volumes are for")


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        (NewNetwork(zones=3), ("1", "2", "3")),
        (
            NewNetwork(zones=("eu-west-1a", "eu-west-1c")),
            ("eu-west-1a", "eu-west-1c"),
        ),
        (
            ExistingNetwork(vpc_id="vpc-1", subnet_ids=("subnet-1", "subnet-9")),
            ("subnet-1", "subnet-9"),
        ),
    ],
)
def test_one_zone_that_goes_renames_no_other(network, expected):
    assert expected == zone_keys(network)


@pytest.mark.parametrize(
    ("network", "expected"),
    [
        (NewNetwork(zones=3), ("1", "2", "3")),
        (NewNetwork(zones=("eu-west-1c", "eu-west-1a")), ("2", "1")),
        (
            ExistingNetwork(vpc_id="vpc-1", subnet_ids=("subnet-9", "subnet-1")),
            ("1", "2"),
        ),
    ],
)
def test_zones_that_get_names_know_their_numbers(network, expected):
    assert expected == zone_numbers(network)


@pytest.mark.parametrize(
    ("grace", "expected"), [("6h", "6h30m"), ("24h", "24h30m"), (None, "1h")]
)
def test_h071_a_deletion_has_an_end(grace, expected):
    life = Lifetime(expire_after="336h", termination_grace_period=grace)

    assert expected == drain_limit(life)
