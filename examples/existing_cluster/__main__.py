"""Job nodes for a cluster that exists, next to the managed groups it has."""

import pulumi

from components import (
    ClusterFacts,
    JobGroup,
    JobNodes,
    JobNodesArgs,
    Size,
    SuspendedProcesses,
    SuspendedProcessesArgs,
)

cluster = ClusterFacts(
    name="shop",
    endpoint="https://0123456789abcdef.gr7.eu-west-1.eks.amazonaws.com",
    certificate_authority="ZXhhbXBsZQ==",
    service_cidr="172.20.0.0/16",
    security_group_id="sg-0123456789abcdef0",
    vpc_id="vpc-0123456789abcdef0",
    subnet_ids=["subnet-0a", "subnet-0b"],
    version="1.36",
)
jobs = JobGroup(
    name="job",
    architecture="amd64",
    instance_types=("m7i.4xlarge", "m6i.4xlarge"),
    size=Size(min=0, max=20),
)
nodes = JobNodes(
    "shop-job", JobNodesArgs(cluster=cluster, group=jobs, ami_release="v20260714")
)

# Jobs that still run on a managed group are not safe from rebalancing there.
SuspendedProcesses(
    "shop-batch",
    SuspendedProcessesArgs(group_name="eks-batch-c2c1", region="eu-west-1"),
)
pulumi.export("group_name", nodes.group_name)
