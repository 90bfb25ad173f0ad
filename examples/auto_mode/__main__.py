"""A new cluster whose nodes are run by EKS Auto Mode, servers and jobs alike."""

import pulumi

from components import (
    AutoMode,
    ClusterSettings,
    JobGroup,
    JobPlatform,
    JobPlatformArgs,
    NewNetwork,
    Size,
)

platform = JobPlatform(
    "auto",
    JobPlatformArgs(
        network=NewNetwork(zones=("eu-west-1a", "eu-west-1b")),
        cluster=ClusterSettings(version="1.36"),
        servers=(),
        jobs=(
            JobGroup(
                name="job",
                architecture="amd64",
                instance_types=("m7i.4xlarge", "m6i.4xlarge"),
                size=Size(min=0, max=20),
                longest_job="6h",
            ),
        ),
        scaler=AutoMode(),
    ),
)
pulumi.export("group_names", platform.group_names)
