"""Every pin of the program, one a line with its source. Nothing is resolved later."""

__all__ = ["AMI_RELEASE", "KUBERNETES_VERSION"]

# EKS user guide, Kubernetes versions: the newest on EKS, standard until 2027-08-02.
KUBERNETES_VERSION = "1.36"

# amazon-eks-ami, CHANGELOG.md: AL2023, containerd 2.2.4, Kubernetes 1.30 to 1.36.
AMI_RELEASE = "v20260714"
