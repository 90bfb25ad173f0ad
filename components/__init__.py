"""Components for EKS clusters that run jobs next to servers."""

from components.cluster import Cluster, ClusterArgs
from components.cluster_facts import ClusterFacts
from components.job_nodes import JobNodes, JobNodesArgs
from components.job_platform import JobPlatform, JobPlatformArgs
from components.network import Network, NetworkArgs
from components.server_nodes import ServerNodes, ServerNodesArgs
from components.spec.cluster import ClusterSettings, ResourceWeight, SchedulerScoring
from components.spec.groups import (
    GROUP_LABEL,
    JobGroup,
    ServerGroup,
    Size,
    Taint,
    UserDataPart,
)
from components.spec.instance_types import InstanceType, InstanceTypes
from components.spec.kubelet import KubeletTuning
from components.spec.network import ExistingNetwork, NewNetwork
from components.spec.volume import Gp3Limits, Gp3Volume
from components.spec.vpc_cni import (
    VpcCniTuning,
    WarmAddresses,
    WarmInterfaces,
    WarmPrefixes,
)
from components.storage import Storage, StorageArgs
from components.suspended_processes import SuspendedProcesses, SuspendedProcessesArgs
from components.vpc_cni import VpcCni, VpcCniArgs

__all__ = [
    "GROUP_LABEL",
    "Cluster",
    "ClusterArgs",
    "ClusterFacts",
    "ClusterSettings",
    "ExistingNetwork",
    "Gp3Limits",
    "Gp3Volume",
    "InstanceType",
    "InstanceTypes",
    "JobGroup",
    "JobNodes",
    "JobNodesArgs",
    "JobPlatform",
    "JobPlatformArgs",
    "KubeletTuning",
    "Network",
    "NetworkArgs",
    "NewNetwork",
    "ResourceWeight",
    "SchedulerScoring",
    "ServerGroup",
    "ServerNodes",
    "ServerNodesArgs",
    "Size",
    "Storage",
    "StorageArgs",
    "SuspendedProcesses",
    "SuspendedProcessesArgs",
    "Taint",
    "UserDataPart",
    "VpcCni",
    "VpcCniArgs",
    "VpcCniTuning",
    "WarmAddresses",
    "WarmInterfaces",
    "WarmPrefixes",
]
