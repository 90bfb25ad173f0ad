"""The EKS cluster itself."""

from typing import Any

import pulumi

from sandbox.eks.parts import ServiceRole
from sandbox.eks.resources import Inputs, Made, given, merged_tags
from sandbox.eks.security_groups import SecurityGroups

__all__ = ["auto_mode", "control_plane", "encryption", "subnets"]

_OUTPUTS = (
    "arn",
    "certificateAuthority",
    "endpoint",
    "identities",
    "name",
    "upgradePolicy",
    "version",
    "vpcConfig",
)


def control_plane(
    name: str,
    inputs: Inputs,
    role: ServiceRole,
    groups: SecurityGroups | None,
    opts: pulumi.ResourceOptions,
) -> Made:
    """Make the cluster, after its role can do its work."""
    own = pulumi.ResourceOptions(
        depends_on=[role.role, *role.attachments],
        # Both matter when a cluster is made, and never again.
        ignore_changes=[
            "accessConfig.bootstrapClusterCreatorAdminPermissions",
            "bootstrapSelfManagedAddons",
        ],
    )
    self_managed = inputs.get("bootstrapSelfManagedAddons")
    if auto_mode(inputs):
        self_managed = False
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
            "encryptionConfig": encryption(inputs),
            **_switches(inputs),
            "upgradePolicy": inputs.get("upgradePolicy"),
            "vpcConfig": _network(inputs, groups),
            "tags": merged_tags(
                {"Name": f"{name}-eksCluster"},
                inputs.get("clusterTags"),
                inputs.get("tags"),
            ),
        },
        opts.merge(own),
        outputs=_OUTPUTS,
    )


def auto_mode(inputs: Inputs) -> bool:
    """Tell whether EKS Auto Mode is on."""
    return bool((inputs.get("autoMode") or {}).get("enabled"))


def _switches(inputs: Inputs) -> dict[str, Any]:
    """Return the parts that Auto Mode is in; all are known, or none of them is."""
    network = _service_network(inputs)
    if not auto_mode(inputs):
        return {"kubernetesNetworkConfig": network}
    pools = {"nodePools": ["general-purpose", "system"]}
    compute = inputs["autoMode"].get("computeConfig")
    both = pulumi.Output.all(network, compute)
    return {
        "computeConfig": both.apply(
            lambda known: {"enabled": True, **pools, **given(known[1] or {})}
        ),
        "kubernetesNetworkConfig": both.apply(
            lambda known: {
                "ipFamily": "ipv4",
                **(known[0] or {}),
                "elasticLoadBalancing": {"enabled": True},
            }
        ),
        "storageConfig": both.apply(lambda _: {"blockStorage": {"enabled": True}}),
    }


def encryption(inputs: Inputs) -> dict[str, Any] | None:
    """Return the encryption of Secrets, None without a key."""
    key = inputs.get("encryptionConfigKeyArn")
    if key is None:
        return None
    return {"provider": {"keyArn": key}, "resources": ["secrets"]}


def _service_network(inputs: Inputs) -> dict[str, Any] | None:
    cidr = inputs.get("kubernetesServiceIpAddressRange")
    if cidr is None and inputs.get("ipFamily") is None:
        return None
    return given({"serviceIpv4Cidr": cidr, "ipFamily": "ipv4"})


def _network(inputs: Inputs, groups: SecurityGroups | None) -> dict[str, Any]:
    return given(
        {
            "securityGroupIds": None if groups is None else [groups.cluster.id],
            "subnetIds": subnets(inputs),
            "endpointPrivateAccess": inputs.get("endpointPrivateAccess"),
            "endpointPublicAccess": inputs.get("endpointPublicAccess"),
            "publicAccessCidrs": inputs.get("publicAccessCidrs"),
        }
    )


def subnets(inputs: Inputs) -> Any:
    """Return the subnets of the control plane, public ones first."""
    if inputs.get("subnetIds") is not None:
        return inputs["subnetIds"]
    both = (inputs.get("publicSubnetIds"), inputs.get("privateSubnetIds"))
    return pulumi.Output.all(*both).apply(
        lambda known: [subnet for each in known for subnet in each or ()]
    )
