"""A new cluster whose job groups are found and scaled by Cluster Autoscaler."""

import pulumi

from components import (
    ClusterAutoscaler,
    ClusterSettings,
    JobGroup,
    JobPlatform,
    JobPlatformArgs,
    NewNetwork,
    ServerGroup,
    Size,
)

platform = JobPlatform(
    "nightly",
    JobPlatformArgs(
        network=NewNetwork(zones=("eu-west-1a", "eu-west-1b")),
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
                size=Size(min=0, max=20),
            ),
        ),
        scaler=ClusterAutoscaler(),
    ),
)
pulumi.export("cluster_name", platform.facts.name)
pulumi.export("group_names", platform.group_names)
