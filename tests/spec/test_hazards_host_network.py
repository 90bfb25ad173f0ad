"""Pods on the network of the node take no addresses, so none can be missing."""

import pytest

from components.spec.group_review import group_addresses
from components.spec.groups import JobGroup, ServerGroup, Size
from components.spec.instance_types import InstanceTypes
from components.spec.kubelet import KubeletTuning
from components.spec.network import NewNetwork
from components.spec.review import review
from components.spec.vpc_cni import WarmAddresses, WarmPrefixes

TYPES = InstanceTypes.bundled()
SMALL = JobGroup(
    name="job",
    architecture="arm64",
    instance_types=("t4g.small",),
    size=Size(min=0, max=900),
)
SERVER = ServerGroup(
    name="server",
    architecture="amd64",
    instance_types=("m7i.large",),
    kubelet=KubeletTuning(max_pods=60),
)


def short(host_network, **groups):
    """Return the notices about addresses."""
    found = review(
        **groups,
        instance_types=TYPES,
        network=NewNetwork(zones=2),
        host_network=host_network,
    )
    return [one.path for one in found if "address" in one.text]


def test_h037_h082_job_pods_on_the_host_network_are_short_of_no_address():
    assert ["network", "jobs[0].kubelet.max_pods"] == short(False, jobs=[SMALL])
    assert [] == short(True, jobs=[SMALL])


def test_h037_servers_never_leave_the_pod_network():
    assert ["servers[0].kubelet.max_pods"] == short(True, servers=[SERVER])


@pytest.mark.parametrize("vpc_cni", [None, WarmPrefixes(), WarmAddresses()])
def test_h082_a_node_of_such_jobs_takes_its_own_address_and_the_warm_ones(vpc_cni):
    warm = 0 if vpc_cni is None else vpc_cni.addresses(0)

    assert 1 + warm == group_addresses(SMALL, TYPES, vpc_cni, host_network=True)
    assert 1 + warm < group_addresses(SMALL, TYPES, vpc_cni)
