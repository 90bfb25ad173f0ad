"""`eks:index:Cluster`, made of the same children as the provider makes it of."""

import json
from collections.abc import Mapping
from typing import Any

import pulumi

from sandbox.eks import arguments
from sandbox.eks.parts import (
    Inputs,
    SecurityGroups,
    ServiceRole,
    VpcCniAddon,
    access_entries,
    addon,
    merged_tags,
)
from sandbox.eks.resources import KubernetesProvider, Made

__all__ = ["TOKEN", "Cluster"]

TOKEN = "eks:index:Cluster"

_CLUSTER_OUTPUTS = (
    "arn",
    "certificateAuthority",
    "endpoint",
    "identities",
    "name",
    "upgradePolicy",
    "version",
    "vpcConfig",
)
_EXEC_INFO = '{"apiVersion": "client.authentication.k8s.io/v1beta1"}'


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
        arguments.check(inputs)
        super().__init__(TOKEN, name, None, opts)
        child = pulumi.ResourceOptions(parent=self)

        role = _service_role(name, inputs, child)
        groups = _security_groups(name, inputs, child)
        cluster = _control_plane(name, inputs, role, groups, child)
        if groups is not None:
            groups.add_nodes(cluster.output("name"))
        provider = _kubernetes_provider(name, inputs, cluster, child)
        cni = _addons(name, inputs, cluster, child)

        core = _core(inputs, cluster, role, provider, groups, cni)
        self.outputs = _outputs(inputs, cluster, groups, core)
        self.register_outputs(dict(self.outputs))


def _service_role(
    name: str, inputs: Inputs, opts: pulumi.ResourceOptions
) -> ServiceRole:
    return ServiceRole(
        f"{name}-eksRole",
        service="eks.amazonaws.com",
        description="Allows EKS to manage clusters on your behalf.",
        policies=("AmazonEKSClusterPolicy",),
        tags=inputs.get("tags"),
        opts=opts,
    )


def _security_groups(
    name: str, inputs: Inputs, opts: pulumi.ResourceOptions
) -> SecurityGroups | None:
    if inputs.get("skipDefaultSecurityGroups"):
        return None
    return SecurityGroups(name, inputs, opts)


def _control_plane(
    name: str,
    inputs: Inputs,
    role: ServiceRole,
    groups: SecurityGroups | None,
    opts: pulumi.ResourceOptions,
) -> Made:
    own = pulumi.ResourceOptions(
        depends_on=[role.role, *role.attachments],
        # Both matter when a cluster is made, and never again.
        ignore_changes=[
            "accessConfig.bootstrapClusterCreatorAdminPermissions",
            "bootstrapSelfManagedAddons",
        ],
    )
    self_managed = inputs.get("bootstrapSelfManagedAddons")
    return Made(
        "aws:eks/cluster:Cluster",
        f"{name}-eksCluster",
        {
            "name": inputs.get("name"),
            "roleArn": role.role.output("arn"),
            "version": inputs.get("version"),
            "accessConfig": {
                "authenticationMode": inputs["authenticationMode"],
                "bootstrapClusterCreatorAdminPermissions": True,
            },
            "bootstrapSelfManagedAddons": True
            if self_managed is None
            else self_managed,
            "deletionProtection": inputs.get("deletionProtection"),
            "enabledClusterLogTypes": inputs.get("enabledClusterLogTypes"),
            "encryptionConfig": _encryption(inputs),
            "kubernetesNetworkConfig": _service_network(inputs),
            "upgradePolicy": inputs.get("upgradePolicy"),
            "vpcConfig": _network(inputs, groups),
            "tags": merged_tags(
                {"Name": f"{name}-eksCluster"},
                inputs.get("clusterTags"),
                inputs.get("tags"),
            ),
        },
        opts.merge(own),
        outputs=_CLUSTER_OUTPUTS,
    )


def _encryption(inputs: Inputs) -> dict[str, Any] | None:
    key = inputs.get("encryptionConfigKeyArn")
    if key is None:
        return None
    return {"provider": {"keyArn": key}, "resources": ["secrets"]}


def _service_network(inputs: Inputs) -> dict[str, Any] | None:
    cidr = inputs.get("kubernetesServiceIpAddressRange")
    if cidr is None and inputs.get("ipFamily") is None:
        return None
    return _given({"serviceIpv4Cidr": cidr, "ipFamily": "ipv4"})


def _network(inputs: Inputs, groups: SecurityGroups | None) -> dict[str, Any]:
    return _given(
        {
            "securityGroupIds": None if groups is None else [groups.cluster.id],
            "subnetIds": _subnets(inputs),
            "endpointPrivateAccess": inputs.get("endpointPrivateAccess"),
            "endpointPublicAccess": inputs.get("endpointPublicAccess"),
            "publicAccessCidrs": _public_cidrs(inputs),
        }
    )


def _subnets(inputs: Inputs) -> Any:
    if inputs.get("subnetIds") is not None:
        return inputs["subnetIds"]
    both = (inputs.get("publicSubnetIds"), inputs.get("privateSubnetIds"))
    return pulumi.Output.all(*both).apply(
        lambda known: [subnet for each in known for subnet in each or ()]
    )


def _public_cidrs(inputs: Inputs) -> pulumi.Output[list[str]] | None:
    cidrs = inputs.get("publicAccessCidrs")
    if cidrs is None:
        return None

    def checked(known: list[Any]) -> list[str]:
        if known[1] is False:
            raise pulumi.RunError(
                "public_access_cidrs can only be set when endpoint_public_access is "
                "true"
            )
        return known[0]

    return pulumi.Output.all(cidrs, inputs.get("endpointPublicAccess")).apply(checked)


def _kubernetes_provider(
    name: str, inputs: Inputs, cluster: Made, opts: pulumi.ResourceOptions
) -> KubernetesProvider:
    mutable = inputs.get("enableConfigMapMutable")
    return KubernetesProvider(
        f"{name}-eks-k8s",
        {
            "kubeconfig": _json(_kubeconfig(inputs, cluster, with_profile=True)),
            "enableConfigMapMutable": None if mutable is None else _json(mutable),
        },
        opts,
    )


def _kubeconfig(
    inputs: Inputs, cluster: Made, *, with_profile: bool
) -> pulumi.Output[dict[str, Any]]:
    """
    **Shape**: `Config` that asks the AWS CLI for a token.

    The profile is for the provider alone: users have their own.
    """
    credentials = inputs.get("providerCredentialOpts")
    profile = pulumi.Config("aws").get("profile")
    if credentials is None and profile is not None:
        credentials = {"profileName": profile}
    names = ("arn", "certificateAuthority", "endpoint", "name")
    known = pulumi.Output.all(credentials, *(cluster.output(each) for each in names))
    return known.apply(lambda values: _render(*values, with_profile=with_profile))


def _render(
    credentials: Mapping[str, Any] | None,
    arn: str,
    authority: Mapping[str, Any],
    endpoint: str,
    name: str,
    *,
    with_profile: bool,
) -> dict[str, Any]:
    words = ["--region", arn.split(":")[3], "eks", "get-token", "--cluster-name", name]
    words += ["--output", "json"]
    given = credentials or {}
    if given.get("roleArn"):
        words += ["--role", given["roleArn"]]
    if with_profile and given.get("profileName"):
        words += ["--profile", given["profileName"]]
    login = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": words,
        "env": [{"name": "KUBERNETES_EXEC_INFO", "value": _EXEC_INFO}],
    }
    server = {
        "server": endpoint,
        "certificate-authority-data": authority["data"],
    }
    return {
        "apiVersion": "v1",
        "clusters": [{"cluster": server, "name": "kubernetes"}],
        "contexts": [
            {"context": {"cluster": "kubernetes", "user": "aws"}, "name": "aws"}
        ],
        "current-context": "aws",
        "kind": "Config",
        "users": [{"name": "aws", "user": {"exec": login}}],
    }


def _addons(
    name: str, inputs: Inputs, cluster: Made, opts: pulumi.ResourceOptions
) -> VpcCniAddon | None:
    tags = inputs.get("tags")
    proxy = inputs.get("kubeProxyAddonOptions") or {}
    if proxy.get("enabled") is not False:
        addon(f"{name}-kube-proxy", "kube-proxy", cluster, proxy, tags, opts)
    waiting = opts.merge(pulumi.ResourceOptions(depends_on=[cluster]))
    entries = access_entries(name, cluster, inputs.get("accessEntries") or {}, waiting)
    cni = None
    if not inputs.get("useDefaultVpcCni"):
        after = opts.merge(pulumi.ResourceOptions(depends_on=entries))
        cni = VpcCniAddon(f"{name}-vpc-cni", cluster, tags, after)
    # Without nodes of its own the provider makes coredns only when it is asked for.
    dns = inputs.get("corednsAddonOptions") or {}
    if dns.get("enabled") is True or dns.get("configurationValues"):
        addon(f"{name}-coredns", "coredns", cluster, dns, tags, opts)
    return cni


def _core(
    inputs: Inputs,
    cluster: Made,
    role: ServiceRole,
    provider: KubernetesProvider,
    groups: SecurityGroups | None,
    cni: VpcCniAddon | None,
) -> dict[str, Any]:
    entries = inputs.get("accessEntries") or {}
    return _given(
        {
            "accessEntries": list(entries.values()),
            "autoModeNodeRoleName": "",
            "cluster": cluster,
            "clusterIamRole": role.role,
            "clusterSecurityGroup": None if groups is None else groups.cluster,
            "encryptionConfig": _encryption(inputs),
            "endpoint": cluster.output("endpoint"),
            "instanceRoles": [],
            "kubeconfig": _kubeconfig(inputs, cluster, with_profile=False),
            "nodeGroupOptions": _given({"version": inputs.get("version")}),
            "nodeSecurityGroupTags": inputs.get("nodeSecurityGroupTags"),
            "privateSubnetIds": inputs.get("privateSubnetIds"),
            "provider": provider,
            "publicSubnetIds": inputs.get("publicSubnetIds"),
            "storageClasses": {},
            "subnetIds": _subnets(inputs),
            "tags": inputs.get("tags"),
            "vpcCni": cni,
            "vpcId": inputs["vpcId"],
        }
    )


def _outputs(
    inputs: Inputs,
    cluster: Made,
    groups: SecurityGroups | None,
    core: Mapping[str, Any],
) -> dict[str, Any]:
    kubeconfig = _kubeconfig(inputs, cluster, with_profile=False)
    issuer = cluster.output("identities").apply(_issuer)
    made_by_eks = cluster.output("vpcConfig").apply(
        lambda known: known.get("clusterSecurityGroupId")
    )
    return _given(
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
            "kubeconfig": kubeconfig,
            "kubeconfigJson": _json(kubeconfig),
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


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _json(value: Any) -> pulumi.Output[str]:
    return pulumi.Output.from_input(value).apply(
        lambda known: json.dumps(known, separators=(",", ":"))
    )
