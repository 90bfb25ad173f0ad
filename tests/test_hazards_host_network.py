"""What the policy says about the host network reaches the review of addresses."""

import pytest

from infra import program, settings
from infra.summary import summary

SMALL = {
    "network": {"zones": 2},
    "cluster": {"version": "1.36"},
    "vpc_cni": {"kind": "interfaces"},
    "servers": [
        {
            "name": "server",
            "architecture": "amd64",
            "instance_types": ["m7i.large", "m6i.large"],
        }
    ],
    "jobs": [
        {
            "name": "job",
            "architecture": "amd64",
            "instance_types": ["m7i.large", "m6i.large"],
        }
    ],
}


@pytest.mark.parametrize(("host_network", "count"), [(False, 1), (True, 0)])
def test_h037_job_pods_on_the_host_network_are_short_of_no_address(
    deploy, host_network, count
):
    values = SMALL | {"policy": {"host_network": host_network}}
    selected = settings.read(values, region="ap-northeast-2", cluster_name="prod")
    text = "more pods than can have an address"

    deployment = deploy(lambda: program.deploy(selected))

    assert count == sum(text in warning for _, warning in deployment.warnings)
    assert count == summary("prod", selected).count(text)
