"""The job policy alone, for a cluster and nodes that exist."""

import pulumi
import pulumi_kubernetes as kubernetes

from components import (
    ClusterFacts,
    JobPolicy,
    JobPolicyArgs,
    JobPolicySettings,
    Owner,
    OwnerMatcher,
    ScalerFacts,
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
training = Owner(kind="TFJob", api_group="kubeflow.org")
settings = JobPolicySettings(
    matchers=("batch-jobs", "airflow", OwnerMatcher(owner=training)),
)
policy = JobPolicy(
    "shop-jobs",
    JobPolicyArgs(
        cluster=cluster,
        settings=settings,
        scalers=(ScalerFacts(kind="karpenter", version="1.15.1"),),
    ),
)
pulumi.export("engine", policy.engine)
