"""EKS: add-ons, access entries, access policies and pod identity associations."""

from collections.abc import Callable
from typing import Any

from sandbox.aws import eks_access_api as access
from sandbox.aws import translate
from sandbox.aws.eks import api
from sandbox.aws.resource import Call, Resource, Tagging, Values, given


def _tagging(kind: str, path: Callable[[Call], tuple[str, ...]]) -> Tagging:
    return Tagging(
        write=lambda call, tags: access.put_tags(api(call), kind, path(call), tags, []),
        remove=lambda call, keys: access.put_tags(
            api(call), kind, path(call), {}, keys
        ),
    )


def _request(call: Call, operation: str, names: dict[str, str]) -> dict[str, Any]:
    client = call.client("eks")
    shape = client.meta.service_model.operation_model(operation).input_shape
    inputs = {
        key: value
        for key, value in call.inputs.items()
        if names.get(key, key) in shape.members and key != "tags"
    }
    return translate.request(shape, inputs, names)


def _tags(call: Call) -> dict[str, Any]:
    return given(tags=call.tags or None)


_ADDON_NAMES = {"resolveConflictsOnCreate": "resolveConflicts"}


def _addon_path(call: Call) -> tuple[str, str]:
    cluster, _, name = call.id.partition(":")
    return cluster, name


def _create_addon(call: Call) -> str:
    request = _request(call, "CreateAddon", _ADDON_NAMES)
    access.create_addon(api(call), request | _tags(call))
    return f"{request['clusterName']}:{request['addonName']}"


def _read_addon(call: Call) -> Values | None:
    record = access.find(api(call), "addon", _addon_path(call), "DescribeAddon")
    return {
        "addonVersion": record["addonVersion"],
        "arn": record["addonArn"],
        "configurationValues": record.get("configurationValues", ""),
        "createdAt": record["createdAt"],
        "modifiedAt": record["modifiedAt"],
        "serviceAccountRoleArn": record.get("serviceAccountRoleArn", ""),
        "tagsAll": record["tags"],
    }


def _update_addon(call: Call) -> None:
    names = {"resolveConflictsOnUpdate": "resolveConflicts"}
    access.update_addon(api(call), _request(call, "UpdateAddon", names))


ADDON = Resource(
    token="aws:eks/addon:Addon",
    create=_create_addon,
    read=_read_addon,
    update=_update_addon,
    delete=lambda call: access.remove(
        api(call), "addon", _addon_path(call), "DeleteAddon"
    ),
    inputs=frozenset(
        {
            "addonName",
            "addonVersion",
            "clusterName",
            "configurationValues",
            "namespaceConfig",
            "podIdentityAssociations",
            "preserve",
            "region",
            "resolveConflictsOnCreate",
            "resolveConflictsOnUpdate",
            "serviceAccountRoleArn",
            "tags",
        }
    ),
    replace=frozenset({"addonName", "clusterName", "namespaceConfig"}),
    computed=frozenset({"addonVersion", "configurationValues", "namespaceConfig"}),
    sets=frozenset({"podIdentityAssociations"}),
    tagging=_tagging("addon", _addon_path),
    moves=lambda changed: frozenset({"modifiedAt"} if changed else ()),
)

_ENTRY_NAMES = {"userName": "username"}


def _entry_path(call: Call) -> tuple[str, str]:
    return call.inputs["clusterName"], call.inputs["principalArn"]


def _create_entry(call: Call) -> str:
    request = _request(call, "CreateAccessEntry", _ENTRY_NAMES)
    access.create_entry(api(call), request | _tags(call))
    return ":".join(_entry_path(call))


def _read_entry(call: Call) -> Values | None:
    path = _entry_path(call)
    record = access.find(api(call), "access-entry", path, "DescribeAccessEntry")
    return {
        "accessEntryArn": record["accessEntryArn"],
        "createdAt": record["createdAt"],
        "kubernetesGroups": record["kubernetesGroups"],
        "modifiedAt": record["modifiedAt"],
        "type": record["type"],
        "userName": record["username"],
        "tagsAll": record["tags"],
    }


def _update_entry(call: Call) -> None:
    access.update_entry(api(call), _request(call, "UpdateAccessEntry", _ENTRY_NAMES))


ACCESS_ENTRY = Resource(
    token="aws:eks/accessEntry:AccessEntry",
    create=_create_entry,
    read=_read_entry,
    update=_update_entry,
    delete=lambda call: access.remove(
        api(call), "access-entry", _entry_path(call), "DeleteAccessEntry"
    ),
    inputs=frozenset(
        {
            "clusterName",
            "kubernetesGroups",
            "principalArn",
            "region",
            "tags",
            "type",
            "userName",
        }
    ),
    replace=frozenset({"clusterName", "principalArn", "type"}),
    computed=frozenset({"kubernetesGroups", "userName"}),
    defaults={"type": "STANDARD"},
    sets=frozenset({"kubernetesGroups"}),
    tagging=_tagging("access-entry", _entry_path),
    moves=lambda changed: frozenset({"modifiedAt"} if changed else ()),
)


def _policy_path(call: Call) -> tuple[str, str, str]:
    return *_entry_path(call), call.inputs["policyArn"]


def _associate(call: Call) -> str:
    request = _request(call, "AssociateAccessPolicy", {})
    access.associate_policy(api(call), request)
    return "#".join(_policy_path(call))


def _read_policy(call: Call) -> Values | None:
    path = _policy_path(call)
    record = access.find(
        api(call), "access-policy", path, "ListAssociatedAccessPolicies"
    )
    return {"associatedAt": record["associatedAt"], "modifiedAt": record["modifiedAt"]}


ACCESS_POLICY_ASSOCIATION = Resource(
    token="aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    create=_associate,
    read=_read_policy,
    delete=lambda call: access.remove(
        api(call), "access-policy", _policy_path(call), "DisassociateAccessPolicy"
    ),
    inputs=frozenset(
        {"accessScope", "clusterName", "policyArn", "principalArn", "region"}
    ),
    replace=frozenset({"accessScope", "clusterName", "policyArn", "principalArn"}),
    sets=frozenset({"accessScope.namespaces"}),
)


def _identity_path(call: Call) -> tuple[str, str]:
    return call.inputs["clusterName"], call.id


def _create_identity(call: Call) -> str:
    request = _request(call, "CreatePodIdentityAssociation", {})
    return access.create_association(api(call), request | _tags(call))


def _read_identity(call: Call) -> Values | None:
    path = _identity_path(call)
    record = access.find(
        api(call), "pod-identity", path, "DescribePodIdentityAssociation"
    )
    return {
        "associationArn": record["associationArn"],
        "associationId": record["associationId"],
        "roleArn": record["roleArn"],
        "tagsAll": record["tags"],
    }


def _update_identity(call: Call) -> None:
    request = _request(call, "UpdatePodIdentityAssociation", {})
    access.update_association(api(call), request | {"associationId": call.id})


POD_IDENTITY_ASSOCIATION = Resource(
    token="aws:eks/podIdentityAssociation:PodIdentityAssociation",
    create=_create_identity,
    read=_read_identity,
    update=_update_identity,
    delete=lambda call: access.remove(
        api(call), "pod-identity", _identity_path(call), "DeletePodIdentityAssociation"
    ),
    inputs=frozenset(
        {
            "clusterName",
            "disableSessionTags",
            "namespace",
            "policy",
            "region",
            "roleArn",
            "serviceAccount",
            "tags",
            "targetRoleArn",
        }
    ),
    replace=frozenset({"clusterName", "namespace", "serviceAccount"}),
    computed=frozenset({"disableSessionTags"}),
    tagging=_tagging("pod-identity", _identity_path),
)

RESOURCES = (ADDON, ACCESS_ENTRY, ACCESS_POLICY_ASSOCIATION, POD_IDENTITY_ASSOCIATION)
