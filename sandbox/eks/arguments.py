"""Which arguments of `eks:index:Cluster` are imitated, and what they may be."""

from collections.abc import Iterator, Mapping
from typing import Any

import pulumi

__all__ = ["check"]

_KNOWN = frozenset(
    {
        "accessEntries",
        "authenticationMode",
        "autoMode",
        "bootstrapSelfManagedAddons",
        "clusterSecurityGroupTags",
        "clusterTags",
        "corednsAddonOptions",
        "createInstanceRole",
        "createOidcProvider",
        "deletionProtection",
        "enableConfigMapMutable",
        "enabledClusterLogTypes",
        "encryptionConfigKeyArn",
        "endpointPrivateAccess",
        "endpointPublicAccess",
        "ipFamily",
        "kubeProxyAddonOptions",
        "kubernetesServiceIpAddressRange",
        "name",
        "nodeSecurityGroupTags",
        "privateSubnetIds",
        "providerCredentialOpts",
        "publicAccessCidrs",
        "publicSubnetIds",
        "skipDefaultNodeGroup",
        "skipDefaultSecurityGroups",
        "subnetIds",
        "tags",
        "upgradePolicy",
        "useDefaultVpcCni",
        "version",
        "vpcId",
    }
)

# Where one value is imitated and no other: what an absent argument means, the value,
# and why not the others.
_ONLY = {
    "authenticationMode": ("CONFIG_MAP", "API", "it makes no aws-auth ConfigMap"),
    "createInstanceRole": (False, False, "it makes no role for nodes"),
    "createOidcProvider": (False, False, "it knows no fingerprint of the issuer"),
    "ipFamily": ("ipv4", "ipv4", "it knows no IPv6"),
    "skipDefaultNodeGroup": (False, True, "it makes no default node group"),
}
_SUBNETS = ("privateSubnetIds", "publicSubnetIds", "subnetIds")
_PUBLIC = "endpointPublicAccess"

_NESTED = {
    "autoMode": frozenset({"computeConfig", "createNodeRole", "enabled"}),
    "corednsAddonOptions": frozenset(
        {
            "configurationValues",
            "enabled",
            "resolveConflictsOnCreate",
            "resolveConflictsOnUpdate",
            "version",
        }
    ),
    "providerCredentialOpts": frozenset({"profileName", "roleArn"}),
    "upgradePolicy": frozenset({"supportType"}),
}
_NESTED["kubeProxyAddonOptions"] = _NESTED["corednsAddonOptions"]
_ENTRY = frozenset(
    {
        "accessPolicies",
        "kubernetesGroups",
        "principalArn",
        "tags",
        "type",
        "username",
    }
)


def check(arguments: Mapping[str, Any]) -> None:
    """
    Refuse what the stand-in would have to ignore.

    Args:
        arguments: Names in camelCase. Outputs are let through: what shapes the graph
            is never one.

    Raises:
        ValueError: All problems, one a line, by the names that the SDK of Python uses.
    """
    found = [*_problems(arguments)]
    if found:
        raise ValueError("\n".join(found))


def _problems(arguments: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(arguments.keys() - _KNOWN):
        yield f"{_python(name)} is not imitated by the sandbox"
    if arguments.get("vpcId") is None:
        yield "vpc_id must be given, the sandbox has no default VPC"
    for name, (default, wanted, reason) in _ONLY.items():
        given = arguments.get(name)
        value = default if given is None else given
        if value != wanted and not isinstance(value, pulumi.Output):
            yield (
                f"{_python(name)} must be {wanted} in the sandbox, {reason}, "
                f"got {value}"
            )
    subnets = {name for name in _SUBNETS if arguments.get(name) is not None}
    if "subnetIds" in subnets and len(subnets) > 1:
        yield "subnet_ids excludes public_subnet_ids and private_subnet_ids"
    cidrs, public = arguments.get("publicAccessCidrs"), arguments.get(_PUBLIC)
    if cidrs is not None and public is False:
        yield "public_access_cidrs can only be set when endpoint_public_access is true"
    yield from _auto_mode(arguments.get("autoMode"))
    for name, known in _NESTED.items():
        yield from _unknown(_python(name), arguments.get(name), known)
    entries = arguments.get("accessEntries")
    for key, entry in (entries if isinstance(entries, Mapping) else {}).items():
        yield from _unknown(f"access_entries.{key}", entry, _ENTRY)


def _auto_mode(value: Any) -> Iterator[str]:
    if not isinstance(value, Mapping):
        return
    if value.get("enabled") and value.get("createNodeRole") is not False:
        yield (
            "auto_mode.create_node_role must be False in the sandbox, it makes no "
            f"role for nodes, got {value.get('createNodeRole')}"
        )
    compute = frozenset({"nodePools", "nodeRoleArn"})
    yield from _unknown("auto_mode.compute_config", value.get("computeConfig"), compute)


def _unknown(place: str, value: Any, known: frozenset[str]) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name in sorted(value.keys() - known):
            yield f"{place}.{_python(name)} is not imitated by the sandbox"


def _python(name: str) -> str:
    """Return the name as the SDK of Python spells it."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
