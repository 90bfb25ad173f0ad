"""Values that tests of components begin with: a cluster and its groups."""

from dataclasses import replace
from typing import Any

from components import ClusterFacts, JobGroup, ServerGroup

SERVER = ServerGroup(
    name="server", architecture="amd64", instance_types=("m7i.xlarge", "m6i.xlarge")
)
JOB = JobGroup(
    name="job", architecture="amd64", instance_types=("m7i.4xlarge", "m6i.4xlarge")
)
JOB_ARM = JobGroup(
    name="job-arm", architecture="arm64", instance_types=("m7g.4xlarge", "m8g.4xlarge")
)


def facts(**overrides) -> ClusterFacts:
    """Return a cluster that others made; some of it may be said otherwise."""
    defaults: dict[str, Any] = {
        "name": "alpha",
        "endpoint": "https://alpha.example.com",
        "certificate_authority": "Y2E=",
        "service_cidr": "172.20.0.0/16",
        "security_group_id": "sg-1",
        "vpc_id": "vpc-1",
        "subnet_ids": ["subnet-1", "subnet-2"],
        "version": "1.36",
    }
    return ClusterFacts(**defaults | overrides)


def group(**overrides) -> JobGroup:
    """Return a job group; some of it may be said otherwise."""
    return replace(JOB, **overrides)
