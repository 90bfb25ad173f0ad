"""A cluster that answers inside its VPC only, and calls AWS without leaving it."""

import pulumi

from components import (
    ClusterSettings,
    JobGroup,
    JobPlatform,
    JobPlatformArgs,
    NewNetwork,
    ServerGroup,
    Size,
)

IMAGES, NODES = ("ecr.api", "ecr.dkr"), ("ec2", "sts", "eks", "eks-auth", "autoscaling")
CALLERS = ("10.40.0.0/16", "10.8.0.0/24")
args = JobPlatformArgs(
    network=NewNetwork(zones=3, nat="per-zone", endpoints=(*IMAGES, *NODES)),
    cluster=ClusterSettings(
        version="1.36", ami_release="v20260714", private_access_cidrs=CALLERS
    ),
    servers=(
        ServerGroup(
            name="server",
            architecture="amd64",
            instance_types=("m7i.large", "m6i.large"),
            size=Size(min=3, max=6),
        ),
    ),
    jobs=(
        JobGroup(
            name="job",
            architecture="amd64",
            instance_types=("m7i.4xlarge", "m6i.4xlarge"),
            size=Size(max=20),
        ),
    ),
)
platform = JobPlatform("inside", args)
pulumi.export("endpoint", platform.facts.endpoint)
