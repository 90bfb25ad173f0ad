"""Rules, scrapes and dashboards for jobs, on a cluster with the Prometheus operator."""

import pulumi
import pulumi_kubernetes as kubernetes

from components import (
    ClusterFacts,
    JobGroup,
    JobMonitoring,
    JobMonitoringArgs,
    JobPolicySettings,
    Karpenter,
    Monitoring,
    Thresholds,
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
    provider=kubernetes.Provider("shop", context="shop"),
)
group = JobGroup(name="job", architecture="amd64", instance_types=("m7i.4xlarge",))
args = JobMonitoringArgs(
    cluster=cluster,
    jobs=(group,),
    settings=Monitoring(thresholds=Thresholds(unschedulable="10m")),
    scalers=(Karpenter(install=False),),
    policy=JobPolicySettings(),
)
monitoring = JobMonitoring("shop-jobs", args)
pulumi.export("objects", len(monitoring.objects))
