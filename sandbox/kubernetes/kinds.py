"""
Facts about kinds: their tokens, their scope, and the fields that cannot change.

Two different things happen to a field that cannot change. The provider replaces the
object for the fields in its own table; for the others it sends an update, and the API
server refuses it.
"""

from dataclasses import dataclass
from typing import Any

from sandbox.errors import RefusedError

__all__ = ["RELEASE", "Kind", "immutable_fields", "of_token", "replaced_fields"]

RELEASE = "kubernetes:helm.sh/v3:Release"

_BUILT_IN = (
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
)

# Every kind of these groups belongs to the whole cluster.
_CLUSTER_GROUPS = (
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "node.k8s.io",
    "storagemigration.k8s.io",
)

_CLUSTER_KINDS = {
    "": "Namespace Node PersistentVolume ComponentStatus",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "networking.k8s.io": "IngressClass IPAddress ServiceCIDR",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass DeviceTaintRule ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": (
        "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass"
    ),
}

_VOLUME_SOURCES = (
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "csi",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "glusterfs",
    "hostPath",
    "iscsi",
    "local",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
)

# What the provider replaces an object for, besides its name and namespace.
# A pod: the provider lists nearly every field of the spec; here it is the spec.
_REPLACED = {
    ("", "PersistentVolume"): tuple(f"spec.{source}" for source in _VOLUME_SOURCES),
    ("", "PersistentVolumeClaim"): (
        "spec.accessModes",
        "spec.selector",
        "spec.storageClassName",
        "spec.volumeName",
    ),
    ("", "Pod"): ("spec",),
    ("", "ResourceQuota"): ("spec.scopes",),
    ("", "Secret"): ("type",),
    ("", "Service"): ("spec.clusterIP",),
    ("apps", "DaemonSet"): ("spec.selector",),
    ("apps", "Deployment"): ("spec.selector",),
    ("apps", "StatefulSet"): (
        "spec.podManagementPolicy",
        "spec.revisionHistoryLimit",
        "spec.selector",
        "spec.serviceName",
        "spec.volumeClaimTemplates",
    ),
    ("batch", "Job"): (
        "spec.completions",
        "spec.parallelism",
        "spec.selector",
        "spec.template",
    ),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): ("roleRef",),
    ("rbac.authorization.k8s.io", "RoleBinding"): ("roleRef",),
    ("storage.k8s.io", "StorageClass"): ("parameters", "provisioner"),
}

_DATA = {
    ("", "ConfigMap"): ("binaryData", "data"),
    ("", "Secret"): ("data", "stringData"),
}

# What the API server refuses to update, with the value that an absent field has.
_IMMUTABLE: dict[tuple[str, str], dict[str, Any]] = {
    ("", "ConfigMap"): {},
    ("", "Secret"): {},
    ("apiextensions.k8s.io", "CustomResourceDefinition"): {
        "spec.group": None,
        "spec.names.kind": None,
        "spec.names.plural": None,
        "spec.scope": None,
    },
    ("apps", "ReplicaSet"): {"spec.selector": None},
    ("networking.k8s.io", "IngressClass"): {"spec.controller": None},
    ("node.k8s.io", "RuntimeClass"): {"handler": None},
    ("resource.k8s.io", "ResourceClaim"): {"spec": None},
    ("resource.k8s.io", "ResourceClaimTemplate"): {"spec": None},
    ("scheduling.k8s.io", "PriorityClass"): {
        "preemptionPolicy": "PreemptLowerPriority",
        "value": 0,
    },
    ("storage.k8s.io", "StorageClass"): {
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate",
    },
    ("storage.k8s.io", "VolumeAttributesClass"): {
        "driverName": None,
        "parameters": None,
    },
}

_NOT_IMITATED = ("helm", "kustomize", "yaml")


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """
    One kind of object in one version of its API group.

    Args:
        group: API group, empty for the core group.
        version: Version of the group.
        name: The kind, such as ``Deployment``.
    """

    group: str
    version: str
    name: str

    @property
    def api_version(self) -> str:
        """Group and version as a manifest says them."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def built_in(self) -> bool:
        """Whether the API server itself serves the group."""
        return self.group in _BUILT_IN

    @property
    def namespaced(self) -> bool | None:
        """Whether objects live in a namespace; None where only a CRD could tell."""
        if not self.built_in:
            return None
        if self.group in _CLUSTER_GROUPS:
            return False
        return self.name not in _CLUSTER_KINDS.get(self.group, "").split()


def of_token(token: str) -> Kind:
    """
    Return the kind of a resource type such as ``kubernetes:apps/v1:Deployment``.

    Raises:
        RefusedError: The type is a chart, a folder or a YAML file and no single object.
    """
    _, api_version, name = token.split(":", 2)
    first = api_version.split("/")[0]
    if first in _NOT_IMITATED or first.startswith("helm.sh"):
        raise RefusedError(
            f"the sandbox does not imitate {token}, only single objects and {RELEASE}"
        )
    group, _, version = api_version.rpartition("/")
    return Kind(group="" if group == "core" else group, version=version, name=name)


def replaced_fields(
    kind: Kind, manifest: dict[str, Any], *, mutable_data: bool
) -> tuple[str, ...]:
    """
    Return the paths whose change makes the provider replace the object.

    Args:
        kind: Kind of the object.
        manifest: The new object; an ``immutable`` one is replaced for its data.
        mutable_data: Whether the provider may update the data of this kind in place
            (`enableConfigMapMutable`, `enableSecretMutable`).

    Sources:
        ``forceNew`` of pulumi-kubernetes, provider/pkg/provider/diff.go.
    """
    key = (kind.group, kind.name)
    fields = ("metadata.name", "metadata.namespace", *_REPLACED.get(key, ()))
    if key in _DATA and (not mutable_data or manifest.get("immutable") is True):
        fields = (*fields, *_DATA[key])
    return fields


def immutable_fields(kind: Kind, manifest: dict[str, Any]) -> dict[str, Any]:
    """
    Return the paths that the API server lets nobody update, with their defaults.

    *manifest* is the object as it is now: the data of an ``immutable`` one, and the
    mark itself, are fixed.

    Sources:
        Validation of updates in kubernetes/pkg/apis; pulumi-kubernetes issues 1738
        and 1830 for kinds that the provider does not replace.
    """
    key = (kind.group, kind.name)
    fields = dict(_IMMUTABLE.get(key, {}))
    if key in _DATA and manifest.get("immutable") is True:
        fields["immutable"] = None
        fields.update(dict.fromkeys(_DATA[key]))
    return fields
