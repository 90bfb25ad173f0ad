"""The storage class that pods get when they ask for none."""

from typing import Any

__all__ = ["storage_class"]


_DRIVER, _AUTO_MODE = "ebs.csi.aws.com", "ebs.csi.eks.amazonaws.com"


def storage_class(*, auto_mode: bool = False) -> dict[str, Any]:
    """
    Return the default class: encrypted gp3, in the zone of the pod that waits.

    Args:
        auto_mode: Whether volumes are made by EKS Auto Mode, for its nodes alone.

    Every default is written out, or the API server fills it in and the next preview
    shows a change that nobody made.

    Shape:
        A `StorageClass` of Kubernetes.

    Sources:
        EKS user guide, Auto Mode, storage class.
    """
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {
            "name": "gp3",
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
        },
        "provisioner": _AUTO_MODE if auto_mode else _DRIVER,
        "parameters": {
            "type": "gp3",
            "encrypted": "true",
            "csi.storage.k8s.io/fstype": "ext4",
        },
        "volumeBindingMode": "WaitForFirstConsumer",
        "reclaimPolicy": "Delete",
        "allowVolumeExpansion": True,
    }
