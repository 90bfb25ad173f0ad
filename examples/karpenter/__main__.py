"""A new cluster whose job nodes come from Karpenter."""

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
    "data",
    JobPlatformArgs(
        network=NewNetwork(zones=2),
        cluster=ClusterSettings(version="1.36", ami_release="v20260714"),
        servers=(
            ServerGroup(
                name="server",
                architecture="amd64",
                instance_types=("m7i.large", "m6i.large"),
            ),
        ),
        jobs=(
            JobGroup(
                name="job",
                architecture="amd64",
                instance_types=("m7i.4xlarge", "m6i.4xlarge"),
                size=Size(max=20),
                longest_job="6h",
            ),
        ),
        scaler=Karpenter(batch_max_duration="20s"),
    ),
)
pulumi.export("group_names", platform.group_names)
