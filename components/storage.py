"""Volumes for pods: the EBS driver and the default storage class."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as kubernetes

from . import _iam, _nodes
from ._addons import addon
from ._children import after, children_of
from .cluster_facts import ClusterFacts
from .spec.access import EBS_DRIVER_ACCOUNT, EBS_DRIVER_NAMESPACE, EBS_DRIVER_POLICIES
from .spec.storage_class import storage_class
from .spec.tags import check_tags

__all__ = ["Storage", "StorageArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class StorageArgs:
    """
    Arguments of `Storage`.

    Args:
        cluster: The cluster; its `provider` is needed.
        version: Version of the add-on, `v1.50.0-eksbuild.1`. None is the default of
            EKS for the cluster's version.
        auto_mode: Whether all nodes are of EKS Auto Mode, which brings a driver.
        tags: Tags of the add-on and of its role.

    Raises:
        ValueError: AWS would refuse the tags, the cluster has no provider, or a
            version is given for a driver that is not installed.
    """

    cluster: ClusterFacts
    version: str | None = None
    auto_mode: bool = False
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_tags(self.tags)
        if self.auto_mode and self.version is not None:
            raise ValueError(
                f"version must be left out with auto_mode, got version={self.version}"
            )
        if self.cluster.provider is None:
            raise ValueError(
                "cluster.provider must be given, the storage class is a Kubernetes "
                "object"
            )


class Storage(pulumi.ComponentResource):
    """
    Encrypted gp3 volumes for every pod that asks for none in particular.

    The driver's pods need a node without taints, so this waits for such nodes (name
    them in `depends_on`), or the add-on stays degraded until EKS gives up.

    Children: the add-on and the storage class, both called *name*; a role for the
    driver, *name*, and its policy. With the driver of EKS Auto Mode there is the
    class alone. It is called `gp3` in the cluster.

    Args:
        name: Name of the component and of its children; at most 56 characters, where
            there is a role.
        args: See `StorageArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        storage_class: Name of the storage class in the cluster.

    Raises:
        ValueError: The name is too long.
    """

    storage_class: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        args: StorageArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        if not args.auto_mode:
            _nodes.check_name(name, "iam_role")
        super().__init__("eks-jobs:index:Storage", name, None, opts)
        child = children_of(self, opts, args.cluster.ready)

        if not args.auto_mode:
            _driver(name, args, child)
        self.storage_class = _storage_class(name, args, child).metadata.name
        self.register_outputs({"storage_class": self.storage_class})


def _driver(name: str, args: StorageArgs, opts: pulumi.ResourceOptions) -> None:
    pods = _iam.Pods(
        cluster=args.cluster.name,
        namespace=EBS_DRIVER_NAMESPACE,
        service_account=EBS_DRIVER_ACCOUNT,
    )
    role, attached = _iam.role(name, pods, EBS_DRIVER_POLICIES, args.tags, opts)
    identity = {"role_arn": role.arn, "service_account": EBS_DRIVER_ACCOUNT}
    addon(
        name,
        args.cluster,
        "aws-ebs-csi-driver",
        args.version,
        args.tags,
        after(opts, attached),
        pod_identity_associations=[identity],
    )


def _storage_class(
    name: str, args: StorageArgs, opts: pulumi.ResourceOptions
) -> kubernetes.storage.v1.StorageClass:
    cluster, manifest = args.cluster, storage_class(auto_mode=args.auto_mode)
    return kubernetes.storage.v1.StorageClass(
        name,
        metadata=manifest["metadata"],
        provisioner=manifest["provisioner"],
        parameters=manifest["parameters"],
        volume_binding_mode=manifest["volumeBindingMode"],
        reclaim_policy=manifest["reclaimPolicy"],
        allow_volume_expansion=manifest["allowVolumeExpansion"],
        opts=opts.merge(
            pulumi.ResourceOptions(
                provider=cluster.provider, deleted_with=cluster.deleted_with
            )
        ),
    )
