"""Three job groups on one cluster: short jobs, long ones, and heavy ones."""

from dataclasses import replace

import pulumi

import components as jobs

AMD64 = "amd64"
SMALL, LARGE = ("m7i.2xlarge", "m6i.2xlarge"), ("r7i.8xlarge", "r6i.8xlarge")
SHORT = jobs.JobGroup(
    name="short",
    architecture=AMD64,
    instance_types=("m7i.4xlarge", "m6i.4xlarge"),
    size=jobs.Size(max=40),
    longest_job="30m",
)
LONG = replace(SHORT, name="long", instance_types=SMALL, longest_job="24h")
HEAVY = replace(
    SHORT,
    name="heavy",
    instance_types=LARGE,
    longest_job="8h",
    kubelet=jobs.KubeletTuning(max_pods=20, registry_pull_qps=10),
    volume=jobs.Gp3Volume(size_gib=500, iops=12_000, throughput_mib=1_000),
)
SERVER = jobs.ServerGroup(name="server", architecture=AMD64, instance_types=SMALL)

platform = jobs.JobPlatform(
    "batch",
    jobs.JobPlatformArgs(
        network=jobs.NewNetwork(zones=2),
        cluster=jobs.ClusterSettings(version="1.36", ami_release="v20260714"),
        servers=(SERVER,),
        jobs=(SHORT, LONG, HEAVY),
        scaler=jobs.Karpenter(pools={"short": jobs.PoolRules(consolidate_after="5m")}),
    ),
)
pulumi.export("group_names", platform.group_names)
