"""What nodes and add-ons must know about the cluster they join."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from .spec.kubernetes_versions import version_problems
from .spec.names import check_cluster_name
from .spec.node_config import NodeCluster
from .spec.problems import refuse, refused

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
        subnet_ids: Private subnets for nodes, one per zone in use. A plain list, of
            ids that may be Outputs: how many there are decides about resources.
        version: Kubernetes version, `1.36`, as plain text. Nodes get the images of
            this version.
        provider: How to talk to the API server; needed only for Kubernetes objects.
        ready: Resources that must exist before anything joins the cluster, and stay
            until all of it has left.
        deleted_with: The resource of the cluster, if this program owns it. Its
            Kubernetes objects are then not deleted one by one.

    Raises:
        ValueError: The name cannot be one, EKS has no such version, no subnet is
            given, or one of the three is an Output. All problems are named, one a
            line.
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
        refuse(self._problems())

    def node_cluster(self) -> pulumi.Output[NodeCluster]:
        """Return what user data says about the cluster, once it is known."""
        return pulumi.Output.all(
            endpoint=self.endpoint,
            certificate_authority=self.certificate_authority,
            service_cidr=self.service_cidr,
        ).apply(lambda known: NodeCluster(name=self.name, **known))

    def _problems(self) -> Iterator[str]:
        if isinstance(self.name, str):
            yield from refused("", check_cluster_name, self.name)
        else:
            yield _no_text("name", self.name)
        if not isinstance(self.subnet_ids, list | tuple):
            yield (
                "subnet_ids must be a list of ids, each of which may be an Output, "
                f"got {_described(self.subnet_ids)}"
            )
        elif not self.subnet_ids:
            yield "subnet_ids must name at least one subnet"
        if isinstance(self.version, pulumi.Output):
            yield _no_text("version", self.version)
        else:
            yield from version_problems(self.version)


def _no_text(field: str, value: Any) -> str:
    return (
        f"{field} must be plain text, as the configuration of the stack has it, "
        f"got {_described(value)}"
    )


def _described(value: Any) -> str:
    """Write a value into an error; the text of an Output is a page of advice."""
    return "an Output" if isinstance(value, pulumi.Output) else repr(value)
