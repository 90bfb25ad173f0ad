"""
Components for EKS clusters that run jobs next to servers.

The names below are looked up when they are first used: who imports
`components.spec` alone, as the tools that render do, loads no SDK.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .auto_mode import AutoModeNodes, AutoModeNodesArgs
    from .balloon import Balloon, BalloonArgs
    from .cluster import Cluster, ClusterArgs
    from .cluster_autoscaler import (
        AutoscalerController,
        AutoscalerControllerArgs,
    )
    from .cluster_facts import ClusterFacts
    from .job_monitoring import JobMonitoring, JobMonitoringArgs
    from .job_nodes import JobNodes, JobNodesArgs
    from .job_platform import JobPlatform, JobPlatformArgs
    from .job_policy import JobPolicy, JobPolicyArgs
    from .karpenter import KarpenterNodes, KarpenterNodesArgs
    from .keda import KedaController, KedaControllerArgs
    from .managed_job_nodes import ManagedJobNodes, ManagedJobNodesArgs
    from .network import Network, NetworkArgs
    from .server_nodes import ServerNodes, ServerNodesArgs
    from .spec.balloon.keda import Keda
    from .spec.balloon.schedule import Schedule, Window
    from .spec.balloon.settings import (
        AnyBalloon,
        BufferBalloon,
        PodBalloon,
        StaticBalloon,
        WarmPoolBalloon,
    )
    from .spec.cluster import (
        ClusterSettings,
        ResourceWeight,
        SchedulerScoring,
    )
    from .spec.groups import (
        GROUP_LABEL,
        JobGroup,
        ServerGroup,
        Size,
        Taint,
        UserDataPart,
    )
    from .spec.instance_types import InstanceType, InstanceTypes
    from .spec.kubeconfig import TokenSource
    from .spec.kubelet import KubeletTuning
    from .spec.monitoring.settings import (
        Monitoring,
        PrometheusAccount,
        Scrapes,
    )
    from .spec.monitoring.thresholds import Thresholds
    from .spec.network import ExistingNetwork, NewNetwork
    from .spec.policy.fragment import pod_fragment, pod_templates
    from .spec.policy.kyverno_settings import KyvernoSettings
    from .spec.policy.matchers import Label, LabelMatcher, Owner, OwnerMatcher
    from .spec.policy.protection import ScalerFacts
    from .spec.policy.settings import JobLabel, JobPolicySettings
    from .spec.scaler.auto_mode import AutoMode
    from .spec.scaler.checks import Resources
    from .spec.scaler.cluster_autoscaler import (
        ClusterAutoscaler,
        ScaleDown,
        WarmPool,
    )
    from .spec.scaler.karpenter import Karpenter, ServerPool
    from .spec.scaler.pool import Budget, PoolRules
    from .spec.scaler.settings import Scaler
    from .spec.volume import Gp3Limits, Gp3Volume
    from .spec.vpc_cni import (
        VpcCniTuning,
        WarmAddresses,
        WarmInterfaces,
        WarmPrefixes,
    )
    from .storage import Storage, StorageArgs
    from .suspended_processes import (
        SuspendedProcesses,
        SuspendedProcessesArgs,
    )
    from .vpc_cni import VpcCni, VpcCniArgs

__all__ = [
    "GROUP_LABEL",
    "AnyBalloon",
    "AutoMode",
    "AutoModeNodes",
    "AutoModeNodesArgs",
    "AutoscalerController",
    "AutoscalerControllerArgs",
    "Balloon",
    "BalloonArgs",
    "Budget",
    "BufferBalloon",
    "Cluster",
    "ClusterArgs",
    "ClusterAutoscaler",
    "ClusterFacts",
    "ClusterSettings",
    "ExistingNetwork",
    "Gp3Limits",
    "Gp3Volume",
    "InstanceType",
    "InstanceTypes",
    "JobGroup",
    "JobLabel",
    "JobMonitoring",
    "JobMonitoringArgs",
    "JobNodes",
    "JobNodesArgs",
    "JobPlatform",
    "JobPlatformArgs",
    "JobPolicy",
    "JobPolicyArgs",
    "JobPolicySettings",
    "Karpenter",
    "KarpenterNodes",
    "KarpenterNodesArgs",
    "Keda",
    "KedaController",
    "KedaControllerArgs",
    "KubeletTuning",
    "KyvernoSettings",
    "Label",
    "LabelMatcher",
    "ManagedJobNodes",
    "ManagedJobNodesArgs",
    "Monitoring",
    "Network",
    "NetworkArgs",
    "NewNetwork",
    "Owner",
    "OwnerMatcher",
    "PodBalloon",
    "PoolRules",
    "PrometheusAccount",
    "ResourceWeight",
    "Resources",
    "ScaleDown",
    "Scaler",
    "ScalerFacts",
    "Schedule",
    "SchedulerScoring",
    "Scrapes",
    "ServerGroup",
    "ServerNodes",
    "ServerNodesArgs",
    "ServerPool",
    "Size",
    "StaticBalloon",
    "Storage",
    "StorageArgs",
    "SuspendedProcesses",
    "SuspendedProcessesArgs",
    "Taint",
    "Thresholds",
    "TokenSource",
    "UserDataPart",
    "VpcCni",
    "VpcCniArgs",
    "VpcCniTuning",
    "WarmAddresses",
    "WarmInterfaces",
    "WarmPool",
    "WarmPoolBalloon",
    "WarmPrefixes",
    "Window",
    "pod_fragment",
    "pod_templates",
]

# The module below this package that defines each name.
_MODULES = {
    "GROUP_LABEL": "spec.groups",
    "AnyBalloon": "spec.balloon.settings",
    "AutoMode": "spec.scaler.auto_mode",
    "AutoModeNodes": "auto_mode",
    "AutoModeNodesArgs": "auto_mode",
    "AutoscalerController": "cluster_autoscaler",
    "AutoscalerControllerArgs": "cluster_autoscaler",
    "Balloon": "balloon",
    "BalloonArgs": "balloon",
    "Budget": "spec.scaler.pool",
    "BufferBalloon": "spec.balloon.settings",
    "Cluster": "cluster",
    "ClusterArgs": "cluster",
    "ClusterAutoscaler": "spec.scaler.cluster_autoscaler",
    "ClusterFacts": "cluster_facts",
    "ClusterSettings": "spec.cluster",
    "ExistingNetwork": "spec.network",
    "Gp3Limits": "spec.volume",
    "Gp3Volume": "spec.volume",
    "InstanceType": "spec.instance_types",
    "InstanceTypes": "spec.instance_types",
    "JobGroup": "spec.groups",
    "JobLabel": "spec.policy.settings",
    "JobMonitoring": "job_monitoring",
    "JobMonitoringArgs": "job_monitoring",
    "JobNodes": "job_nodes",
    "JobNodesArgs": "job_nodes",
    "JobPlatform": "job_platform",
    "JobPlatformArgs": "job_platform",
    "JobPolicy": "job_policy",
    "JobPolicyArgs": "job_policy",
    "JobPolicySettings": "spec.policy.settings",
    "Karpenter": "spec.scaler.karpenter",
    "KarpenterNodes": "karpenter",
    "KarpenterNodesArgs": "karpenter",
    "Keda": "spec.balloon.keda",
    "KedaController": "keda",
    "KedaControllerArgs": "keda",
    "KubeletTuning": "spec.kubelet",
    "KyvernoSettings": "spec.policy.kyverno_settings",
    "Label": "spec.policy.matchers",
    "LabelMatcher": "spec.policy.matchers",
    "ManagedJobNodes": "managed_job_nodes",
    "ManagedJobNodesArgs": "managed_job_nodes",
    "Monitoring": "spec.monitoring.settings",
    "Network": "network",
    "NetworkArgs": "network",
    "NewNetwork": "spec.network",
    "Owner": "spec.policy.matchers",
    "OwnerMatcher": "spec.policy.matchers",
    "PodBalloon": "spec.balloon.settings",
    "PoolRules": "spec.scaler.pool",
    "PrometheusAccount": "spec.monitoring.settings",
    "ResourceWeight": "spec.cluster",
    "Resources": "spec.scaler.checks",
    "ScaleDown": "spec.scaler.cluster_autoscaler",
    "Scaler": "spec.scaler.settings",
    "ScalerFacts": "spec.policy.protection",
    "Schedule": "spec.balloon.schedule",
    "SchedulerScoring": "spec.cluster",
    "Scrapes": "spec.monitoring.settings",
    "ServerGroup": "spec.groups",
    "ServerNodes": "server_nodes",
    "ServerNodesArgs": "server_nodes",
    "ServerPool": "spec.scaler.karpenter",
    "Size": "spec.groups",
    "StaticBalloon": "spec.balloon.settings",
    "Storage": "storage",
    "StorageArgs": "storage",
    "SuspendedProcesses": "suspended_processes",
    "SuspendedProcessesArgs": "suspended_processes",
    "Taint": "spec.groups",
    "Thresholds": "spec.monitoring.thresholds",
    "TokenSource": "spec.kubeconfig",
    "UserDataPart": "spec.groups",
    "VpcCni": "vpc_cni",
    "VpcCniArgs": "vpc_cni",
    "VpcCniTuning": "spec.vpc_cni",
    "WarmAddresses": "spec.vpc_cni",
    "WarmInterfaces": "spec.vpc_cni",
    "WarmPool": "spec.scaler.cluster_autoscaler",
    "WarmPoolBalloon": "spec.balloon.settings",
    "WarmPrefixes": "spec.vpc_cni",
    "Window": "spec.balloon.schedule",
    "pod_fragment": "spec.policy.fragment",
    "pod_templates": "spec.policy.fragment",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
