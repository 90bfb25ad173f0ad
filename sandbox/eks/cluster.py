"""`eks:index:Cluster`, made of the same children as the provider makes it of."""

from collections.abc import Mapping
from typing import Any

import pulumi

from sandbox.eks.arguments import check
from sandbox.eks.control_plane import auto_mode, control_plane
from sandbox.eks.kubeconfig import compact_json, kubeconfig
from sandbox.eks.outputs import core, outputs
from sandbox.eks.parts import ServiceRole, VpcCniAddon, access_entries, addon
from sandbox.eks.resources import Inputs, KubernetesProvider, Made
from sandbox.eks.security_groups import SecurityGroups

__all__ = ["TOKEN", "Cluster"]

TOKEN = "eks:index:Cluster"

_AUTO_MODE_POLICIES = (
    "AmazonEKSComputePolicy",
    "AmazonEKSBlockStoragePolicy",
    "AmazonEKSLoadBalancingPolicy",
    "AmazonEKSNetworkingPolicy",
)


class Cluster(pulumi.ComponentResource):
    """
    A control plane without nodes.

    Children, in the provider's own names: the role (`-eksRole`), the cluster
    (`-eksCluster`), a Kubernetes provider (`-eks-k8s`); unless the arguments leave them
    out, two security groups with their rules, the add-ons kube-proxy and vpc-cni; with
    the arguments for them, coredns, access entries and their policies.

    Args:
        name: Name of the component.
        inputs: Arguments, in camelCase.
        opts: Options of the component.

    Raises:
        ValueError: See `arguments.check`.

    Attributes:
        outputs: What the component returns to the program, in camelCase.
    """

    outputs: Mapping[str, Any]

    def __init__(
        self, name: str, inputs: Inputs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        check(inputs)
        super().__init__(TOKEN, name, None, opts)
        child = pulumi.ResourceOptions(parent=self)

        role = _service_role(name, inputs, child)
        groups = _security_groups(name, inputs, child)
        cluster = control_plane(name, inputs, role, groups, child)
        if groups is not None:
            groups.add_nodes(cluster.output("name"))
        provider = _kubernetes_provider(name, inputs, cluster, child)
        cni = _addons(name, inputs, cluster, child)

        known = core(inputs, cluster, role, provider, groups, cni)
        self.outputs = outputs(inputs, cluster, groups, known)
        self.register_outputs(dict(self.outputs))


def _service_role(
    name: str, inputs: Inputs, opts: pulumi.ResourceOptions
) -> ServiceRole:
    return ServiceRole(
        f"{name}-eksRole",
        service="eks.amazonaws.com",
        description="Allows EKS to manage clusters on your behalf.",
        policies=(
            "AmazonEKSClusterPolicy",
            *(_AUTO_MODE_POLICIES if auto_mode(inputs) else ()),
        ),
        tags=inputs.get("tags"),
        opts=opts,
    )


def _security_groups(
    name: str, inputs: Inputs, opts: pulumi.ResourceOptions
) -> SecurityGroups | None:
    skipped = inputs.get("skipDefaultSecurityGroups")
    if auto_mode(inputs) if skipped is None else skipped:
        return None
    return SecurityGroups(name, inputs, opts)


def _kubernetes_provider(
    name: str, inputs: Inputs, cluster: Made, opts: pulumi.ResourceOptions
) -> KubernetesProvider:
    mutable = inputs.get("enableConfigMapMutable")
    return KubernetesProvider(
        f"{name}-eks-k8s",
        {
            "kubeconfig": compact_json(kubeconfig(inputs, cluster, with_profile=True)),
            "enableConfigMapMutable": None
            if mutable is None
            else compact_json(mutable),
        },
        opts,
    )


def _addons(
    name: str, inputs: Inputs, cluster: Made, opts: pulumi.ResourceOptions
) -> VpcCniAddon | None:
    tags = inputs.get("tags")
    proxy = inputs.get("kubeProxyAddonOptions") or {}
    wanted = proxy.get("enabled")
    if not auto_mode(inputs) if wanted is None else wanted:
        addon(f"{name}-kube-proxy", "kube-proxy", cluster, proxy, tags, opts)
    waiting = opts.merge(pulumi.ResourceOptions(depends_on=[cluster]))
    entries = access_entries(name, cluster, inputs.get("accessEntries") or {}, waiting)
    cni = None
    default = inputs.get("useDefaultVpcCni")
    if not (auto_mode(inputs) if default is None else default):
        after = opts.merge(pulumi.ResourceOptions(depends_on=entries))
        cni = VpcCniAddon(f"{name}-vpc-cni", cluster, tags, after)
    # Without nodes of its own the provider makes coredns only when it is asked for.
    dns = inputs.get("corednsAddonOptions") or {}
    if dns.get("enabled") is True or dns.get("configurationValues"):
        addon(f"{name}-coredns", "coredns", cluster, dns, tags, opts)
    return cni
