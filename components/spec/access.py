"""Who may do what: the policies of AWS that roles and people get."""

__all__ = [
    "ADMIN_POLICY",
    "EBS_DRIVER_ACCOUNT",
    "EBS_DRIVER_NAMESPACE",
    "EBS_DRIVER_POLICIES",
    "NODE_POLICIES",
]

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonEKS_CNI_Policy",
)
"""
What a node may do: join, pull images, and give addresses to its pods.

Sources: EKS user guide, node IAM role.
"""

EBS_DRIVER_POLICIES = ("service-role/AmazonEBSCSIDriverPolicy",)
"""
What the EBS driver may do: make volumes and attach them.

Sources: EKS user guide, Amazon EBS CSI driver.
"""

EBS_DRIVER_ACCOUNT = "ebs-csi-controller-sa"
"""Service account of the EBS driver."""

EBS_DRIVER_NAMESPACE = "kube-system"
"""Where EKS installs the EBS driver."""

ADMIN_POLICY = "cluster-access-policy/AmazonEKSClusterAdminPolicy"
"""
What an administrator may do in the cluster: everything.

Sources: EKS user guide, access policy permissions.
"""
