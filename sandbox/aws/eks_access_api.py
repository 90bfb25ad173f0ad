"""EKS add-ons, access entries and pod identity: kept in the journal alone."""

import re
import secrets
from typing import Any

import yaml

from sandbox.aws import addons
from sandbox.aws.eks_api import EksApi, Record, invalid, now
from sandbox.aws.errors import aws_error

ENTRY_TYPES = (
    "EC2",
    "EC2_LINUX",
    "EC2_WINDOWS",
    "FARGATE_LINUX",
    "HYBRID_LINUX",
    "HYPERPOD_LINUX",
    "STANDARD",
)
"""Source: EKS API, CreateAccessEntry, type."""

_RESERVED_GROUPS = ("system:", "eks:", "aws:", "amazon:", "iam:")
_POLICIES = (
    "AmazonEKSAdminPolicy",
    "AmazonEKSAdminViewPolicy",
    "AmazonEKSAutoNodePolicy",
    "AmazonEKSBlockStorageClusterPolicy",
    "AmazonEKSBlockStoragePolicy",
    "AmazonEKSClusterAdminPolicy",
    "AmazonEKSComputeClusterPolicy",
    "AmazonEKSComputePolicy",
    "AmazonEKSEditPolicy",
    "AmazonEKSHybridPolicy",
    "AmazonEKSLoadBalancingClusterPolicy",
    "AmazonEKSLoadBalancingPolicy",
    "AmazonEKSNetworkingClusterPolicy",
    "AmazonEKSNetworkingPolicy",
    "AmazonEKSViewPolicy",
)
"""Source: EKS user guide, review access policy permissions."""


def find(api: EksApi, kind: str, path: tuple[str, ...], operation: str) -> Record:
    """
    Return a record.

    Raises:
        ClientError: ResourceNotFoundException.
    """
    record = api.journal.get(api.key(kind, *path))
    if record is None:
        raise aws_error(
            "ResourceNotFoundException",
            f"No {kind} found for {', '.join(path)}",
            operation,
        )
    return record


def put_tags(
    api: EksApi, kind: str, path: tuple[str, ...], tags: dict[str, str], gone: list[str]
) -> None:
    """Change the tags of a record."""
    record = find(api, kind, path, "TagResource")
    kept = {key: value for key, value in record["tags"].items() if key not in gone}
    api.journal.put(api.key(kind, *path), record | {"tags": kept | tags})


def remove(api: EksApi, kind: str, path: tuple[str, ...], operation: str) -> None:
    """Remove a record."""
    find(api, kind, path, operation)
    api.journal.remove(api.key(kind, *path))


def create_addon(api: EksApi, request: Record) -> None:
    """Install an add-on."""
    operation = "CreateAddon"
    api.check(operation, request)
    cluster = api.cluster(request["clusterName"], operation)
    name = request["addonName"]
    default = addons.version(name, cluster["version"])
    if default is None:
        raise invalid(f"Addon {name} specified is not supported", operation)
    _check_addon(api, request, operation)
    token = secrets.token_hex(16)
    record = {
        "addonVersion": default,
        "addonArn": api.cloud.arn("eks", f"addon/{cluster['name']}/{name}/{token}"),
        "createdAt": now(),
        "modifiedAt": now(),
        "status": "ACTIVE",
        "tags": {},
        **request,
    }
    key = api.key("addon", cluster["name"], name)
    api.add(key, record, operation, "Addon already exists.")


def update_addon(api: EksApi, request: Record) -> None:
    """Change version or settings of an add-on."""
    operation = "UpdateAddon"
    api.check(operation, request)
    path = (request["clusterName"], request["addonName"])
    record = find(api, "addon", path, operation)
    _check_addon(api, request, operation)
    record |= request | {"modifiedAt": now()}
    api.journal.put(api.key("addon", *path), record)


def _check_addon(api: EksApi, request: Record, operation: str) -> None:
    version = request.get("addonVersion")
    if version and not addons.is_version(version):
        raise invalid(
            f"Addon version {version} is not supported, expected a version such as "
            "v1.2.3-eksbuild.1",
            operation,
        )
    _check_configuration(request.get("configurationValues"), operation)
    if "serviceAccountRoleArn" in request:
        arn = request["serviceAccountRoleArn"]
        api.require_role(arn, "", operation)
    for association in request.get("podIdentityAssociations", []):
        api.require_role(association["roleArn"], "pods.eks.amazonaws.com", operation)


def _check_configuration(text: str | None, operation: str) -> None:
    if not text:
        return
    try:
        value: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise invalid(
            f"ConfigurationValue is not in a supported format: {error}", (operation)
        ) from None
    if not isinstance(value, dict):
        raise invalid("ConfigurationValue must be an object", operation)


def create_entry(api: EksApi, request: Record) -> None:
    """Let a principal in."""
    operation = "CreateAccessEntry"
    api.check(operation, request)
    cluster = api.cluster(request["clusterName"], operation)
    _require_entries(cluster, operation)
    kind, arn = request.get("type", "STANDARD"), request["principalArn"]
    if kind not in ENTRY_TYPES:
        raise invalid(
            f"type must be one of {', '.join(ENTRY_TYPES)}, got {kind}", (operation)
        )
    # People and their roles stand outside of the stack, and so of the sandbox.
    if kind.startswith("EC2"):
        api.require_role(arn, "ec2.amazonaws.com", operation)
    elif not re.fullmatch(r"arn:[a-z-]+:iam::\d{12}:(role|user)/.+", arn):
        raise invalid(f"The specified principalArn is invalid: {arn}", operation)
    _check_names(request, kind, operation)
    record = {
        "kubernetesGroups": [] if kind == "STANDARD" else ["system:nodes"],
        "type": kind,
        "username": _username(arn, kind),
        "tags": {},
        "accessEntryArn": api.cloud.arn(
            "eks", f"access-entry/{cluster['name']}/{secrets.token_hex(16)}"
        ),
        "createdAt": now(),
        "modifiedAt": now(),
        **request,
    }
    api.add(
        api.key("access-entry", cluster["name"], arn),
        record,
        operation,
        "The specified access entry resource is already in use on this cluster.",
    )


def _require_entries(cluster: Record, operation: str) -> None:
    if cluster["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        raise aws_error(
            "InvalidRequestException",
            "The cluster's authentication mode must be set to one of [API, "
            "API_AND_CONFIG_MAP] to perform this operation.",
            operation,
        )


def _check_names(request: Record, kind: str, operation: str) -> None:
    groups = request.get("kubernetesGroups", [])
    if kind != "STANDARD" and (groups or "username" in request):
        raise invalid(
            f"kubernetesGroups and username cannot be set for type {kind}", operation
        )
    for group in groups:
        if group.startswith(_RESERVED_GROUPS):
            raise invalid(
                f"The kubernetes group name {group} is invalid, it cannot start with "
                f"{', '.join(_RESERVED_GROUPS)}",
                operation,
            )


def _username(arn: str, kind: str) -> str:
    if kind.startswith("EC2"):
        return "system:node:{{EC2PrivateDNSName}}"
    if ":role/" in arn:
        account, role = arn.split(":")[4], arn.rpartition("/")[2]
        return f"arn:aws:sts::{account}:assumed-role/{role}/{{{{SessionName}}}}"
    return arn


def update_entry(api: EksApi, request: Record) -> None:
    """Change groups or the user name of an entry."""
    operation = "UpdateAccessEntry"
    api.check(operation, request)
    path = (request["clusterName"], request["principalArn"])
    record = find(api, "access-entry", path, operation)
    _check_names(request, record["type"], operation)
    api.journal.put(
        api.key("access-entry", *path), record | request | {"modifiedAt": now()}
    )


def associate_policy(api: EksApi, request: Record) -> None:
    """Give a principal that has an entry the rights of a policy."""
    operation = "AssociateAccessPolicy"
    api.check(operation, request)
    cluster, principal = request["clusterName"], request["principalArn"]
    _require_entries(api.cluster(cluster, operation), operation)
    entry = find(api, "access-entry", (cluster, principal), operation)
    arn, scope = request["policyArn"], request["accessScope"]
    known = f"arn:{api.cloud.partition}:eks::aws:cluster-access-policy/"
    name = arn.removeprefix(known)
    if name not in _POLICIES:
        raise invalid(f"The policyArn parameter format is not valid: {arn}", operation)
    wanted = "EC2" if name == "AmazonEKSAutoNodePolicy" else "STANDARD"
    if entry["type"] != wanted:
        raise invalid(f"{name} cannot be associated to type {entry['type']}", operation)
    if (scope["type"] == "namespace") != bool(scope.get("namespaces")):
        raise invalid(
            "namespaces must be given for scope namespace and no other", operation
        )
    record = request | {"associatedAt": now(), "modifiedAt": now()}
    api.journal.put(api.key("access-policy", cluster, principal, arn), record)


def create_association(api: EksApi, request: Record) -> str:
    """Give the pods of a service account a role; returns the id."""
    operation = "CreatePodIdentityAssociation"
    api.check(operation, request)
    cluster = api.cluster(request["clusterName"], operation)["name"]
    api.require_role(request["roleArn"], "pods.eks.amazonaws.com", operation)
    account = (request["namespace"], request["serviceAccount"])
    for _, other in api.journal.below(api.key("pod-identity", cluster) + "/"):
        if (other["namespace"], other["serviceAccount"]) == account:
            raise aws_error(
                "ResourceInUseException",
                f"Association already exists: {other['associationId']}",
                operation,
            )
    id_ = f"a-{secrets.token_hex(9)[:17]}"
    record = {
        "associationId": id_,
        "associationArn": api.cloud.arn(
            "eks", f"podidentityassociation/{cluster}/{id_}"
        ),
        "tags": {},
        **request,
    }
    api.journal.put(api.key("pod-identity", cluster, id_), record)
    return id_


def update_association(api: EksApi, request: Record) -> None:
    """Change the role of an association."""
    operation = "UpdatePodIdentityAssociation"
    api.check(operation, request)
    path = (request["clusterName"], request["associationId"])
    record = find(api, "pod-identity", path, operation)
    if "roleArn" in request:
        api.require_role(request["roleArn"], "pods.eks.amazonaws.com", operation)
    api.journal.put(api.key("pod-identity", *path), record | request)
