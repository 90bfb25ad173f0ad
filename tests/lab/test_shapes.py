"""What nodes offer to jobs; that a real node agrees is not proven here."""

import pytest

from components.spec.groups import JobGroup
from components.spec.instance_types import InstanceTypes
from components.spec.kubelet import KubeletTuning
from lab.model import Job, LeftOut, Load, NodeShape
from lab.shapes import fits, fitting, node_shapes

TYPES = InstanceTypes.bundled()


def group(**changes):
    return JobGroup(
        **{
            "name": "job",
            "architecture": "amd64",
            "instance_types": ("c6i.4xlarge",),
        }
        | changes
    )


def shape(**changes):
    return NodeShape(
        **{
            "group": "job",
            "instance_type": "c6i.4xlarge",
            "architecture": "amd64",
            "cpu": 15_890,
            "memory": 31_753,
            "pods": 60,
            "vcpus": 16,
        }
        | changes
    )


def job(**changes):
    return Job(
        **{
            "name": "one",
            "namespace": "data",
            "start": 0,
            "duration": 60,
            "cpu": 500,
            "memory": 512,
            "architecture": "amd64",
            "group": "job",
        }
        | changes
    )


def test_a_node_offers_what_the_kubelet_of_its_group_leaves():
    assert (shape(),) == node_shapes([group()], TYPES)


def test_every_type_of_every_group_is_a_shape_in_the_order_of_the_stack_file():
    groups = [
        group(instance_types=("m7i.4xlarge", "m6i.4xlarge")),
        group(name="arm", architecture="arm64", instance_types=("m7g.4xlarge",)),
    ]

    assert [
        ("job", "m7i.4xlarge", "amd64", 16),
        ("job", "m6i.4xlarge", "amd64", 16),
        ("arm", "m7g.4xlarge", "arm64", 16),
    ] == [
        (one.group, one.instance_type, one.architecture, one.vcpus)
        for one in node_shapes(groups, TYPES)
    ]


def test_all_types_of_a_group_reserve_as_the_largest():
    one, other = node_shapes(
        [group(instance_types=("c6i.4xlarge", "c6i.8xlarge"))], TYPES
    )

    assert (16_000 - one.cpu) == (32_000 - other.cpu)


def test_the_limit_of_the_group_is_the_pods_of_the_shape():
    (one,) = node_shapes([group(kubelet=KubeletTuning(max_pods=110))], TYPES)

    assert 110 == one.pods


def test_a_type_without_a_price_has_none():
    groups = [group(instance_types=("c6i.4xlarge", "c6a.4xlarge"))]

    assert [0.68, None] == [
        one.price for one in node_shapes(groups, TYPES, {"c6i.4xlarge": 0.68})
    ]


def test_unknown_types_are_named_all_at_once():
    groups = [group(), group(name="new", instance_types=("m99i.large", "m98i.large"))]

    with pytest.raises(ValueError, match="m99i") as caught:
        node_shapes(groups, TYPES)

    assert [
        "jobs[1].instance_types must be in the table of instance types, got "
        f"{name}: describe it under the key instance_types of the stack file"
        for name in ("m99i.large", "m98i.large")
    ] == str(caught.value).splitlines()


def test_a_type_that_leaves_nothing_is_refused():
    """Reserved for 60 pods is more than the memory of the smallest."""
    with pytest.raises(ValueError, match="nano") as caught:
        node_shapes([group(instance_types=("t3.nano",))], TYPES)

    assert (
        "jobs[0].instance_types: t3.nano must leave something for jobs, got "
        "cpu=1930m, memory=-503Mi"
    ) == str(caught.value)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"cpu": 15_890, "memory": 31_753}, True),
        ({"cpu": 15_891}, False),
        ({"memory": 31_754}, False),
        ({"group": "other"}, False),
        ({"architecture": "arm64"}, False),
    ],
)
def test_a_job_fits_a_node_that_is_empty(changes, expected):
    assert expected is fits(job(**changes), (shape(),))


def test_a_job_that_no_node_can_run_is_listed_and_not_replayed():
    small = job()
    load = Load(
        name="a",
        jobs=(
            small,
            job(name="two", cpu=16_000),
            job(name="three", group="gone"),
            job(name="four", architecture="arm64"),
        ),
        left_out=(LeftOut(what="CronJob a/b", reason="suspended"),),
    )

    found = fitting(load, (shape(),))

    assert (small,) == found.jobs
    assert (
        LeftOut(what="CronJob a/b", reason="suspended"),
        LeftOut(
            what="job data/two",
            reason="its request of 16000m and 512Mi is more than an empty node of the "
            "group job offers: c6i.4xlarge (15890m, 31753Mi)",
        ),
        LeftOut(what="job data/three", reason="there is no job group gone among job"),
        LeftOut(what="job data/four", reason="the group job has no arm64 nodes"),
    ) == found.left_out


def test_a_load_that_fits_stays_the_same():
    load = Load(name="a", jobs=(job(),))

    assert load is fitting(load, (shape(),))
