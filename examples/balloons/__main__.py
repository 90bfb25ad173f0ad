"""Room for a burst in office hours, on nodes that others make."""

import pulumi
import pulumi_kubernetes as kubernetes

from components import (
    Balloon,
    BalloonArgs,
    ClusterFacts,
    JobGroup,
    Karpenter,
    PodBalloon,
    Schedule,
)

shop = kubernetes.Provider("shop", context="shop")
cluster = ClusterFacts(
    name="shop",
    endpoint="https://0123456789abcdef.gr7.eu-west-1.eks.amazonaws.com",
    certificate_authority="ZXhhbXBsZQ==",
    service_cidr="172.20.0.0/16",
    security_group_id="sg-0123456789abcdef0",
    vpc_id="vpc-0123456789abcdef0",
    subnet_ids=["subnet-0a", "subnet-0b"],
    version="1.36",
    provider=shop,
)
group = JobGroup(name="job", architecture="amd64", instance_types=("m7i.4xlarge",))
hours = Schedule(timezone="Asia/Seoul", days=("mon-fri",), start="08:30", end="18:00")
held = PodBalloon(group="job", replicas=3, cpu="500m", memory="750Mi", schedule=hours)
here = pulumi.ResourceOptions(provider=shop)
space = kubernetes.core.v1.Namespace("room", metadata={"name": "room"}, opts=here)
args = BalloonArgs(
    cluster=cluster,
    balloon=held,
    group=group,
    scaler=Karpenter(install=False),
    namespace="room",
)
Balloon("shop-job", args, pulumi.ResourceOptions(depends_on=[space]))
