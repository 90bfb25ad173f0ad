"""What nodes and add-ons must know about the cluster they join."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from .spec.names import is_cluster_name
from .spec.node_config import NodeCluster

__all__ = ["ClusterFacts"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterFacts:
    """
    A cluster, whoever made it: `Cluster.facts`, or written down for one that exists.

    Args:
        name: Name of the cluster. Plain, because tags and texts are made from it.
        endpoint: URL of the API server.
        certificate_authority: CA certificate, base64.
        service_cidr: IPv4 range of the cluster's Services.
        security_group_id: The security group that EKS made for the cluster. Nodes
            get this one alone: two groups with the cluster's tag on one node stop
            load balancers.
        vpc_id: VPC of the cluster.
        subnet_ids: Private subnets for nodes, one per zone in use.
        version: Kubernetes version, `1.36`. Nodes get the images of this version.
        provider: How to talk to the API server; needed only for Kubernetes objects.
        ready: Resources that must exist before anything joins the cluster, and stay
            until all of it has left.
        deleted_with: The resource of the cluster, if this program owns it. Its
            Kubernetes objects are then not deleted one by one.

    Raises:
        ValueError: The name cannot be one, or no subnet is given.
    """

    name: str
    endpoint: pulumi.Input[str]
    certificate_authority: pulumi.Input[str]
    service_cidr: pulumi.Input[str]
    security_group_id: pulumi.Input[str]
    vpc_id: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    version: str
    provider: kubernetes.Provider | None = None
    ready: tuple[pulumi.Resource, ...] = ()
    deleted_with: pulumi.Resource | None = None

    def __post_init__(self) -> None:
        problems = []
        if not is_cluster_name(self.name):
            problems.append(
                "name must be 1 to 100 letters, digits, - and _, and begin with a "
                f"letter or digit, got name={self.name!r}"
            )
        if not self.subnet_ids:
            problems.append("subnet_ids must name at least one subnet")
        if problems:
            raise ValueError("\n".join(problems))

    def node_cluster(self) -> pulumi.Output[NodeCluster]:
        """Return what user data says about the cluster, once it is known."""
        return pulumi.Output.all(
            endpoint=self.endpoint,
            certificate_authority=self.certificate_authority,
            service_cidr=self.service_cidr,
        ).apply(lambda known: NodeCluster(name=self.name, **known))
