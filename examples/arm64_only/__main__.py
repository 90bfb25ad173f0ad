"""A cluster of arm64 nodes alone: servers, jobs, and the controllers between them."""

import pulumi

from components import (
    ClusterSettings,
    JobGroup,
    JobPlatform,
    JobPlatformArgs,
    Karpenter,
    NewNetwork,
    ServerGroup,
    Size,
)

platform = JobPlatform(
    "arm",
    JobPlatformArgs(
        network=NewNetwork(zones=("eu-west-1a", "eu-west-1b")),
        cluster=ClusterSettings(version="1.36", ami_release="v20260714"),
        servers=(
            ServerGroup(
                name="server",
                architecture="arm64",
                instance_types=("m7g.large", "m8g.large"),
            ),
        ),
        jobs=(
            JobGroup(
                name="job-arm",
                architecture="arm64",
                instance_types=("m7g.4xlarge", "m8g.4xlarge"),
                size=Size(max=20),
                longest_job="6h",
            ),
        ),
        scaler=Karpenter(),
    ),
)
pulumi.export("group_names", platform.group_names)
