"""
What fits on a node.

The figures are those of `kubelet` and of the table of instance types; what a real node
has is a little less, see the margin of 7.5 %.
"""

import pytest

from components.spec.balloon.capacity import (
    Room,
    fit_problems,
    nodes_needed,
    rooms,
    tight_types,
)
from components.spec.groups import Size
from components.spec.kubelet import KubeletTuning
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from tests.spec.balloon.builders import buffer, pods
from tests.spec.scaler.builders import TYPES, job

SMALL = job(instance_types=("m7i.4xlarge", "m7i.large"))


def problems(group=SMALL, scaler=Karpenter(), make=pods, **overrides):
    return list(fit_problems(make(**overrides), group, scaler, TYPES))


def test_karpenter_plans_with_less_memory_than_ec2_names():
    # 16 cores less 110m for the kubelet; 64 GiB less 7.5 %, 915 MiB and 100 MiB.
    assert (
        Room(name="m7i.4xlarge", cpu_m=15_640, memory_mib=59_305, pods=54),
        Room(name="m6i.4xlarge", cpu_m=15_640, memory_mib=59_305, pods=54),
    ) == rooms(job(), Karpenter(), TYPES)


def test_cluster_autoscaler_plans_with_all_of_it():
    assert (64_221, 64_221) == tuple(
        one.memory_mib for one in rooms(job(), ClusterAutoscaler(), TYPES)
    )


def test_auto_mode_has_its_own_number_of_pods():
    group = job(instance_types=("m7i.4xlarge",))

    assert (Room(name="m7i.4xlarge", cpu_m=15_640, memory_mib=58_755, pods=104),) == (
        rooms(group, AutoMode(), TYPES)
    )


def test_types_that_are_not_known_are_left_out():
    group = job(instance_types=("m99x.large", "m7i.large"))

    assert ["m7i.large"] == [one.name for one in rooms(group, Karpenter(), TYPES)]


@pytest.mark.parametrize("make", [pods, buffer])
def test_a_balloon_must_fit_on_the_smallest_type(make):
    assert [
        "cpu and memory must fit on a node of every type of job: m7i.large leaves "
        "1640m, 6262Mi and 54 pods, when the kubelet, DaemonSets (250m, 300Mi, 6 pods) "
        "and the system have theirs, got cpu=2, memory=1Gi"
    ] == problems(make=make, cpu="2", memory="1Gi")


@pytest.mark.parametrize(
    ("cpu", "memory", "fits"),
    [
        ("1640m", "6262Mi", True),
        ("1641m", "6262Mi", False),
        ("1640m", "6263Mi", False),
    ],
)
def test_the_last_millicore_and_mebibyte_count(cpu, memory, fits):
    assert fits is not bool(problems(cpu=cpu, memory=memory))


def test_daemonsets_leave_no_slot_for_a_balloon_on_a_node_of_few_pods():
    tuned = job(kubelet=KubeletTuning(max_pods=6))

    (line,) = problems(group=tuned)
    assert "leaves 15640m, 59899Mi and 0 pods" in line


@pytest.mark.parametrize(
    ("replicas", "needed"), [(1, 1), (31, 1), (32, 2), (62, 2), (63, 3)]
)
def test_nodes_are_counted_by_what_one_holds(replicas, needed):
    known = rooms(job(), Karpenter(), TYPES)

    assert needed == nodes_needed(pods(replicas=replicas), known)


def test_pod_slots_count_too():
    known = rooms(job(), Karpenter(), TYPES)
    tiny = pods(replicas=55, cpu="10m", memory="10Mi")

    assert 2 == nodes_needed(tiny, known)


def test_nothing_is_counted_when_no_type_is_known():
    assert nodes_needed(pods(), ()) is None


def test_more_balloons_than_the_group_can_hold_are_refused():
    group = job(size=Size(max=2))

    assert [
        "replicas must fit on the 2 nodes that job may have, got 63 pods, which need 3"
    ] == problems(group=group, replicas=63)
    assert [] == problems(group=group, replicas=62)


def test_what_firmware_and_kernel_may_take_is_known_for_cluster_autoscaler():
    """It starts nodes by the figures of EC2, and the pod may never fit on them."""
    scaler = ClusterAutoscaler()
    tight = pods(cpu="1", memory="6500Mi")

    assert [] == list(fit_problems(tight, SMALL, scaler, TYPES))
    assert ["m7i.large"] == [
        one.name for one in tight_types(tight, SMALL, scaler, TYPES)
    ]
    assert () == tight_types(pods(), SMALL, scaler, TYPES)
