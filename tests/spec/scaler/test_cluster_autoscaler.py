"""Not proved: that Cluster Autoscaler reads the tags; there is no module to run."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.balloon.settings import WarmPoolBalloon
from components.spec.groups import Size, Taint
from components.spec.scaler.autoscaler_groups import (
    capacity_tags,
    check_group_tags,
    managed_group_tags,
    managed_problems,
    option_tags,
    self_managed_group_tags,
    zone_sizes,
)
from components.spec.scaler.cluster_autoscaler import (
    ClusterAutoscaler,
    ScaleDown,
    WarmPool,
)
from components.spec.tags import scaling_group_tags
from tests.spec.scaler.builders import TYPES, job

TEMPLATE = "k8s.io/cluster-autoscaler/node-template"
OPTIONS = f"{TEMPLATE}/autoscaling-options"


def test_only_empty_nodes_go():
    assert option_tags(ScaleDown()) == {
        f"{OPTIONS}/ignoredaemonsetsutilization": "true",
        f"{OPTIONS}/scaledowngpuutilizationthreshold": "0.01",
        f"{OPTIONS}/scaledownunneededtime": "10m",
        f"{OPTIONS}/scaledownunreadytime": "20m",
        f"{OPTIONS}/scaledownutilizationthreshold": "0.01",
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"utilization_threshold": 0.0},
            "utilization_threshold must be above 0 and at most 1 (nodes strictly below "
            "it go, so 0 keeps even empty ones), got utilization_threshold=0",
        ),
        (
            {"utilization_threshold": 1.01},
            "utilization_threshold must be above 0 and at most 1 (nodes strictly below "
            "it go, so 0 keeps even empty ones), got utilization_threshold=1.01",
        ),
        (
            {"unneeded_time": "1d"},
            "unneeded_time must be hours, minutes and seconds such as 6h or 1h30m, got "
            "unneeded_time=1d: there are no days, write 24h",
        ),
        (
            {"unready_time": ""},
            "unready_time must be hours, minutes and seconds such as 6h or 1h30m, got "
            "unready_time=",
        ),
    ],
)
def test_options_that_would_keep_empty_nodes_are_refused(options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ScaleDown(**options)


def test_h049_a_self_managed_group_carries_every_tag():
    tags = self_managed_group_tags("prod", job(), ScaleDown(), TYPES)

    assert tags == {
        **scaling_group_tags("prod", job()),
        **capacity_tags(job(), TYPES),
        **option_tags(ScaleDown()),
    }
    assert "owned" == tags["k8s.io/cluster-autoscaler/prod"]


def test_h049_a_managed_group_gets_what_eks_does_not_hand_down():
    tags = managed_group_tags(
        "prod", job(taints=(Taint(key="gpu", effect="NoExecute"),)), ScaleDown(), TYPES
    )

    assert tags == {
        f"{TEMPLATE}/label/eks-jobs/group": "job",
        f"{TEMPLATE}/label/kubernetes.io/arch": "amd64",
        f"{TEMPLATE}/taint/eks-jobs/group": "job:NoSchedule",
        f"{TEMPLATE}/taint/gpu": ":NoExecute",
        f"{TEMPLATE}/resources/pods": "60",
        f"{TEMPLATE}/resources/ephemeral-storage": "90214Mi",
        f"{TEMPLATE}/resources/cpu": "15890m",
        f"{TEMPLATE}/resources/memory": "64521Mi",
        **option_tags(ScaleDown()),
    }


def test_h087_options_count_towards_the_limit_of_tags():
    # 11 tags of the library and 5 options leave 34.
    labels = {f"label-{number:02}": "x" for number in range(20)}
    fits = {f"tag-{number:02}": "x" for number in range(14)}
    message = "tags must be at most 50 with the 36 that the library adds, got 51: more"
    named = ("prod", job(labels=labels), ScaleDown(), TYPES)

    check_group_tags(*named, fits)
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_group_tags(*named, {**fits, "more": "x"})


def test_h093_an_empty_group_is_planned_with_what_the_kubelet_leaves():
    tags = capacity_tags(job(instance_types=("m7i.4xlarge", "m7i.8xlarge")), TYPES)

    # As on the largest type: 110m and 915 MiB are kept, and 100 MiB for evictions.
    assert tags == {
        f"{TEMPLATE}/resources/cpu": "15850m",
        f"{TEMPLATE}/resources/memory": "64521Mi",
    }


def test_h093_a_type_that_is_not_known_is_planned_by_the_autoscaler_alone():
    assert {} == capacity_tags(job(instance_types=("m99i.large", "m7i.large")), TYPES)


def test_h093_a_type_with_less_memory_than_is_kept_offers_none():
    tags = capacity_tags(job(instance_types=("t3.nano",)), TYPES)

    assert "0Mi" == tags[f"{TEMPLATE}/resources/memory"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"version": "v1.36.1"},
            "version must be three numbers such as 1.15.1, without a v, "
            "got version=v1.36.1",
        ),
        (
            {"groups": "eks"},
            "groups must be self-managed or managed, got groups=eks",
        ),
        (
            {"priorities": ("job", "job")},
            "priorities must not repeat, got 'job' 2 times",
        ),
        (
            {"warm_pool": WarmPool(min_size=1)},
            "warm_pool needs groups: managed, got groups=self-managed",
        ),
        (
            {"max_node_provision_time": "0m"},
            "max_node_provision_time must be longer than nothing, "
            "got max_node_provision_time=0m",
        ),
        (
            {"max_node_provision_time": "1m59s"},
            "max_node_provision_time must be 2m or longer, or instances are ended "
            "before they can join, for ever, got max_node_provision_time=1m59s",
        ),
        ({"replicas": 0}, "replicas must be 1 to 5, got replicas=0"),
        (
            {"install": False, "priorities": ("job",)},
            "priorities needs install: true, got priorities=('job',)",
        ),
    ],
)
def test_refuses_what_would_do_nothing(settings, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ClusterAutoscaler(**settings)


def test_an_installed_one_keeps_its_version_and_the_groups_their_options():
    quick = ScaleDown(unneeded_time="5m")
    scaler = ClusterAutoscaler(install=False, version="1.36.1", options={"job": quick})

    assert quick == scaler.scale_down("job")
    assert ScaleDown() == scaler.scale_down("job-arm")


@given(st.integers(0, 100), st.integers(1, 400), st.integers(min_value=1, max_value=6))
def test_h016_zones_share_the_bounds_of_a_group(low, high, zones):
    size = Size(min=min(low, high), max=max(high, zones))
    sizes = zone_sizes(size, zones)

    assert (zones, size.min, size.max) == (
        len(sizes),
        sum(one.min for one in sizes),
        sum(one.max for one in sizes),
    )
    assert max(one.max for one in sizes) - min(one.max for one in sizes) <= 1


def test_more_zones_than_nodes_are_refused():
    message = (
        "size.max must be at least 3, one node for each zone of a managed group, "
        "got size.max=2"
    )

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        zone_sizes(Size(max=2), 3)


@pytest.mark.parametrize(
    ("group", "warm", "zones", "message"),
    [
        (
            {"labels": {"team": ""}},
            None,
            None,
            "labels[team] of a managed group must not be empty",
        ),
        (
            {"taints": (Taint(key=f"{'d' * 60}.example.com/gpu"),)},
            None,
            None,
            "taints of a managed group must have keys of at most 63 characters, got "
            f"{'d' * 60}.example.com/gpu",
        ),
        (
            {"ami_id": "ami-0123456789abcdef0"},
            WarmPool(min_size=1),
            None,
            "ami_id must be left out with scaler.warm_pool, EKS has no warm pools for "
            "images of your own, got ami_id=ami-0123456789abcdef0",
        ),
        (
            {"size": Size(max=2)},
            None,
            3,
            "size.max must be at least 3, one node for each zone of a managed group, "
            "got size.max=2",
        ),
    ],
)
def test_h016_names_what_a_managed_group_does_not_take(group, warm, zones, message):
    scaler = ClusterAutoscaler(groups="managed", warm_pool=warm)

    assert [message] == list(managed_problems(scaler, job(**group), zones))


def test_a_warm_pool_waits_stopped():
    assert WarmPool(min_size=1, max_prepared=5).config() == {
        "min_size": 1,
        "max_group_prepared_capacity": 5,
        "pool_state": "STOPPED",
        "reuse_on_scale_in": False,
    }


def test_a_warm_pool_holds_no_more_than_was_asked_for():
    config = WarmPool(min_size=2).config()

    assert 2 == config["max_group_prepared_capacity"]
    assert config == WarmPoolBalloon(group="job", min_size=2).warm_pool.config()


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        ({"min_size": -1}, "min_size must be 0 or more, got min_size=-1"),
        (
            {"min_size": 0},
            "min_size must be 1 or more without max_prepared, or nothing waits, got "
            "min_size=0",
        ),
        (
            {"min_size": 5, "max_prepared": 4},
            "max_prepared must be at least 1 and min_size, got max_prepared=4, "
            "min_size=5",
        ),
        (
            {"max_prepared": 0},
            "max_prepared must be at least 1 and min_size, got max_prepared=0, "
            "min_size=0",
        ),
        (
            {"min_size": 1, "state": "HIBERNATED"},
            "state must be STOPPED or RUNNING (the launch templates of the library do "
            "not turn hibernation on), got state=HIBERNATED",
        ),
    ],
)
def test_refuses_a_warm_pool_that_could_not_be(pool, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        WarmPool(**pool)
