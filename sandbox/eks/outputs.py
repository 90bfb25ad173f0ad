"""What the component returns to the program."""

from collections.abc import Mapping
from typing import Any

from sandbox.eks.control_plane import encryption, subnets
from sandbox.eks.kubeconfig import compact_json, kubeconfig
from sandbox.eks.parts import ServiceRole, VpcCniAddon
from sandbox.eks.resources import Inputs, KubernetesProvider, Made, given
from sandbox.eks.security_groups import SecurityGroups

__all__ = ["core", "outputs"]


def core(
    inputs: Inputs,
    cluster: Made,
    role: ServiceRole,
    provider: KubernetesProvider,
    groups: SecurityGroups | None,
    cni: VpcCniAddon | None,
) -> dict[str, Any]:
    """**Shape**: `CoreData` of the SDK, without what only node groups have."""
    entries = inputs.get("accessEntries") or {}
    return given(
        {
            "accessEntries": list(entries.values()),
            "autoModeNodeRoleName": "",
            "cluster": cluster,
            "clusterIamRole": role.role,
            "clusterSecurityGroup": None if groups is None else groups.cluster,
            "encryptionConfig": encryption(inputs),
            "endpoint": cluster.output("endpoint"),
            "instanceRoles": [],
            "kubeconfig": kubeconfig(inputs, cluster, with_profile=False),
            "nodeGroupOptions": given({"version": inputs.get("version")}),
            "nodeSecurityGroupTags": inputs.get("nodeSecurityGroupTags"),
            "privateSubnetIds": inputs.get("privateSubnetIds"),
            "provider": provider,
            "publicSubnetIds": inputs.get("publicSubnetIds"),
            "storageClasses": {},
            "subnetIds": subnets(inputs),
            "tags": inputs.get("tags"),
            "vpcCni": cni,
            "vpcId": inputs["vpcId"],
        }
    )


def outputs(
    inputs: Inputs,
    cluster: Made,
    groups: SecurityGroups | None,
    core: Mapping[str, Any],
) -> dict[str, Any]:
    """**Shape**: the outputs of `eks:index:Cluster`; absent resources are left out."""
    login = kubeconfig(inputs, cluster, with_profile=False)
    issuer = cluster.output("identities").apply(_issuer)
    made_by_eks = cluster.output("vpcConfig").apply(
        lambda known: known.get("clusterSecurityGroupId")
    )
    return given(
        {
            "autoModeNodeRoleName": "",
            "clusterIngressRuleId": ""
            if groups is None
            else groups.cluster_ingress.output("securityGroupRuleId"),
            "clusterSecurityGroup": None if groups is None else groups.cluster,
            "clusterSecurityGroupId": made_by_eks
            if groups is None
            else groups.cluster.id,
            "core": core,
            "defaultNodeGroupAsgName": "",
            "eksCluster": cluster,
            "eksClusterIngressRule": None if groups is None else groups.cluster_ingress,
            "fargateProfileId": "",
            "fargateProfileStatus": "",
            "instanceRoles": [],
            "kubeconfig": login,
            "kubeconfigJson": compact_json(login),
            "nodeSecurityGroup": None if groups is None else groups.nodes,
            "nodeSecurityGroupId": made_by_eks if groups is None else groups.nodes.id,
            "oidcIssuer": issuer.apply(lambda url: url.removeprefix("https://")),
            "oidcProviderArn": "",
            "oidcProviderUrl": issuer,
        }
    )


def _issuer(identities: Any) -> str:
    for identity in identities or ():
        for provider in identity.get("oidcs") or ():
            return provider["issuer"]
    return ""
