"""What a node leaves for pods; that a real node agrees is not proven here."""

import pytest

from components.spec.capacity import NodeCapacity, disk_speed, megabytes, node_capacity
from components.spec.groups import JobGroup, ServerGroup
from components.spec.instance_types import InstanceType, InstanceTypes
from components.spec.kubelet import KubeletTuning
from components.spec.volume import Gp3Volume


def found(name: str) -> InstanceType:
    one = InstanceTypes.bundled().find(name)
    assert one is not None
    return one


TYPE = found("c6i.4xlarge")


def job(**kubelet) -> JobGroup:
    return JobGroup(
        name="job",
        architecture="amd64",
        instance_types=("c6i.4xlarge",),
        kubelet=KubeletTuning(**kubelet),
    )


def server(kubelet: KubeletTuning | None) -> ServerGroup:
    return ServerGroup(
        name="server",
        architecture="amd64",
        instance_types=("c6i.4xlarge",),
        kubelet=kubelet,
    )


@pytest.mark.parametrize(
    ("group", "pods", "reserved"),
    [
        (job(), 60, 915),
        (job(max_pods=110), 110, 1465),
        (server(KubeletTuning(max_pods=29)), 29, 574),
        (server(None), None, 2829),
    ],
)
def test_h036_memory_is_reserved_for_the_pods_that_may_run(group, pods, reserved):
    assert NodeCapacity(
        pods=pods,
        reserved_cpu_m=110,
        reserved_memory_mib=reserved,
        allocatable_cpu_m=15_890,
        allocatable_memory_mib=32_768 - reserved - 100,
    ) == node_capacity(group, TYPE, 16)


def test_every_type_of_a_group_reserves_like_the_largest():
    actual = node_capacity(job(), TYPE, 32)

    assert (150, 15_850) == (actual.reserved_cpu_m, actual.allocatable_cpu_m)


@pytest.mark.parametrize(("mib", "mb"), [(125, 131), (596, 625), (800, 839)])
def test_volumes_and_instances_are_compared_in_one_unit(mib, mb):
    assert mb == megabytes(mib)


@pytest.mark.parametrize(
    ("name", "volume", "expected"),
    [
        ("c6i.4xlarge", {"throughput_mib": 596}, "sustained"),
        ("c6i.4xlarge", {"throughput_mib": 597}, "burst"),
        ("c6i.4xlarge", {"iops": 20_000, "throughput_mib": 125}, "sustained"),
        ("c6i.4xlarge", {"iops": 20_001, "throughput_mib": 125}, "burst"),
        ("c6i.4xlarge", {"throughput_mib": 1_192}, "burst"),
        ("c6i.4xlarge", {"throughput_mib": 1_193}, "never"),
        ("c6i.4xlarge", {"iops": 40_001, "throughput_mib": 125}, "never"),
        ("m5.4xlarge", {}, "never"),
    ],
)
def test_a_disk_is_as_fast_as_its_node_lets_it(name, volume, expected):
    disk = Gp3Volume(**({"size_gib": 200} | volume))

    assert expected == disk_speed(found(name), disk)
