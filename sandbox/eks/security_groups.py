"""The security groups that the provider makes unless it is told not to."""

from typing import Any

import pulumi

from sandbox.eks.resources import Inputs, Made, merged_tags

__all__ = ["SecurityGroups"]

_ALL = {"fromPort": 0, "toPort": 0, "protocol": "-1"}
_HTTPS = {"fromPort": 443, "toPort": 443, "protocol": "tcp"}
_INTERNET = {"type": "egress", "cidrBlocks": ["0.0.0.0/0"], **_ALL}


class SecurityGroups:
    """
    The group of the control plane, the group of nodes, and the rules between them.

    The group of nodes carries a tag with the name of the cluster, so it comes after
    the cluster: `add_nodes` makes it.

    Args:
        name: Name of the component.
        arguments: Arguments of the component.
        opts: Options of the groups and rules.
    """

    cluster: Made
    nodes: Made
    cluster_ingress: Made

    def __init__(
        self, name: str, arguments: Inputs, opts: pulumi.ResourceOptions
    ) -> None:
        self._name, self._arguments, self._opts = name, arguments, opts
        tags = merged_tags(
            {"Name": f"{name}-eksClusterSecurityGroup"},
            arguments.get("clusterSecurityGroupTags"),
            arguments.get("tags"),
        )
        self.cluster = self._group("eksClusterSecurityGroup", tags)
        self._rule(
            "eksClusterInternetEgressRule",
            "Allow internet access.",
            {**_INTERNET, "securityGroupId": self.cluster.id},
        )

    def add_nodes(self, cluster_name: pulumi.Output[str]) -> None:
        """Make the group of nodes and the rules that name both groups."""
        owned = cluster_name.apply(lambda known: {_owned(known): "owned"})
        tags = merged_tags(
            {"Name": f"{self._name}-nodeSecurityGroup"},
            owned,
            self._arguments.get("nodeSecurityGroupTags"),
            self._arguments.get("tags"),
        )
        self.nodes = self._group("nodeSecurityGroup", tags)
        to_nodes = {"type": "ingress", "securityGroupId": self.nodes.id}
        from_cluster = {**to_nodes, "sourceSecurityGroupId": self.cluster.id}
        self._rule(
            "eksNodeIngressRule",
            "Allow nodes to communicate with each other",
            {**to_nodes, "self": True, **_ALL},
        )
        self._rule(
            "eksNodeClusterIngressRule",
            "Allow worker Kubelets and pods to receive communication from the cluster "
            "control plane",
            {**from_cluster, "fromPort": 1025, "toPort": 65535, "protocol": "tcp"},
        )
        self._rule(
            "eksExtApiServerClusterIngressRule",
            "Allow pods running extension API servers on port 443 to receive "
            "communication from cluster control plane",
            {**from_cluster, **_HTTPS},
        )
        self._rule(
            "eksNodeInternetEgressRule",
            "Allow internet access.",
            {**_INTERNET, "securityGroupId": self.nodes.id},
        )
        self.cluster_ingress = self._rule(
            "eksClusterIngressRule",
            "Allow pods to communicate with the cluster API Server",
            {
                "type": "ingress",
                "securityGroupId": self.cluster.id,
                "sourceSecurityGroupId": self.nodes.id,
                **_HTTPS,
            },
        )

    def _group(self, role: str, tags: Any) -> Made:
        return Made(
            "aws:ec2/securityGroup:SecurityGroup",
            f"{self._name}-{role}",
            {
                "vpcId": self._arguments.get("vpcId"),
                "description": "Managed by Pulumi",
                "revokeRulesOnDelete": True,
                "tags": tags,
            },
            self._opts,
        )

    def _rule(self, role: str, description: str, inputs: Inputs) -> Made:
        return Made(
            "aws:ec2/securityGroupRule:SecurityGroupRule",
            f"{self._name}-{role}",
            {"description": description, **inputs},
            self._opts,
            outputs=("securityGroupRuleId",),
        )


def _owned(cluster_name: str) -> str:
    return f"kubernetes.io/cluster/{cluster_name}"
