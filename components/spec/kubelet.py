"""Kubelet limits of nodes that are packed full of jobs."""

import re
from dataclasses import dataclass

from .kubelet_values import seconds
from .problems import refuse

__all__ = ["KubeletTuning", "kube_reserved", "reserved_memory_mib"]

_MEMORY_BASE_MIB = 255
_MEMORY_PER_POD_MIB = 11
_MOST_PODS = 250
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:h|m|s|ms))+")
_LEAST_TIMEOUT_SECONDS = 60


def kube_reserved(*, vcpus: int, pods: int) -> dict[str, str]:
    """
    Compute what a node keeps back for the kubelet and the container runtime.

    nodeadm has the same formula, but counts the pods that the network interfaces
    of the type could carry, not `maxPods`: a type for 234 pods that runs 60
    reserves 2829Mi where 915Mi would do. So the map is written out.

    Args:
        vcpus: vCPUs of the node, 1 or more.
        pods: Pods of the node, 1 or more.

    Shape:
        ``kubeReserved`` of KubeletConfiguration, always with all three keys.

    Sources:
        amazon-eks-ami, nodeadm internal/kubelet/config.go: 255 MiB and 11 MiB for
        each pod; 6 % of the first core, 1 % of the second, 0.5 % of the third and
        fourth, 0.25 % of the rest, in whole millicores; 1 GiB of disk.
    """
    first, second = 60, 10 * (vcpus >= 2)
    next_two, rest = 5 * min(max(vcpus - 2, 0), 2), 5 * max(vcpus - 4, 0) // 2
    return {
        "cpu": f"{first + second + next_two + rest}m",
        "memory": f"{reserved_memory_mib(pods)}Mi",
        "ephemeral-storage": "1Gi",
    }


def reserved_memory_mib(pods: int) -> int:
    """Compute the memory part of `kube_reserved`, in MiB."""
    return _MEMORY_BASE_MIB + _MEMORY_PER_POD_MIB * pods


@dataclass(frozen=True, kw_only=True, slots=True)
class KubeletTuning:
    """
    Limits that keep a packed node alive while all its pods start at once.

    Args:
        max_pods: Pods per node, 1 to 250.
        registry_pull_qps: Image pulls per second, 0 or more, 0 for no limit;
            kubelet's own default of 5 fails the rest with "pull QPS exceeded".
        registry_burst: Pulls that may start together. None means *max_pods*, or
            *registry_pull_qps* when that is more; kubelet's own default is 10.
        max_parallel_image_pulls: Pulls that run side by side, 1 or more; None
            leaves them unlimited. The cap to choose instead of a faster disk.
        runtime_request_timeout: How long the kubelet waits for the container
            runtime, in Go's spelling (``15m``), 1m or more. Its own default of 2m
            gives up on a container while the disk is still busy with it.

    Raises:
        ValueError: A limit is out of range. All such limits are named at once.

    Sources:
        60 pods, 40 and 60 pulls: the brief of the project; a burst starts every pod
        of a full node. 250 pods: EKS user guide, choosing an instance type. 15m:
        what Bottlerocket ships. Kubelet's own defaults: KubeletConfiguration
        v1beta1.
    """

    max_pods: int = 60
    registry_pull_qps: int = 40
    registry_burst: int | None = None
    max_parallel_image_pulls: int | None = None
    runtime_request_timeout: str = "15m"

    def __post_init__(self) -> None:
        problems = [*_limit_problems(self), *_timeout_problems(self)]
        refuse(problems)

    @property
    def burst(self) -> int:
        """Pulls that may start together."""
        if self.registry_burst is not None:
            return self.registry_burst
        return max(self.max_pods, self.registry_pull_qps)

    @property
    def max_pods_expression(self) -> str:
        """
        The expression from which nodeadm computes what it reserves.

        ``maxPods`` alone does not lower the reservation. Clamped, because with
        prefix delegation nodeadm would reserve for the raw number of addresses.

        Sources:
            amazon-eks-ami, nodeadm nodeconfig_types.go (doc comment of
            MaxPodsExpression) and issue 2580. Needs AMI v20251007 or later.
        """
        return f"max_pods < {self.max_pods} ? max_pods : {self.max_pods}"

    def config(self, vcpus: int | None) -> dict[str, object]:
        """
        Return the part of a KubeletConfiguration that this value decides.

        Args:
            vcpus: vCPUs of the node. None, when they are not known, leaves
                ``kubeReserved`` out; `max_pods_expression` then belongs beside it.
        """
        return self.pod_limits(vcpus) | self.pull_limits()

    def pod_limits(self, vcpus: int | None) -> dict[str, object]:
        """Return the part of `config` that says how many pods, and what they leave."""
        limits: dict[str, object] = {"maxPods": self.max_pods}
        if vcpus is not None:
            limits["kubeReserved"] = kube_reserved(vcpus=vcpus, pods=self.max_pods)
        return limits

    def pull_limits(self) -> dict[str, object]:
        """Return the part of `config` that is about images and the runtime."""
        limits: dict[str, object] = {"registryPullQPS": self.registry_pull_qps}
        if self.registry_pull_qps > 0:
            limits["registryBurst"] = self.burst
        if self.max_parallel_image_pulls is not None:
            limits["serializeImagePulls"] = False
            limits["maxParallelImagePulls"] = self.max_parallel_image_pulls
        return limits | {"runtimeRequestTimeout": self.runtime_request_timeout}


def _limit_problems(tuning: KubeletTuning) -> list[str]:
    problems = []
    if not 1 <= tuning.max_pods <= _MOST_PODS:
        problems.append(
            f"max_pods must be 1 to {_MOST_PODS}, got max_pods={tuning.max_pods}"
        )
    if tuning.registry_pull_qps < 0:
        problems.append(
            f"registry_pull_qps must be 0 (no limit) or more, "
            f"got registry_pull_qps={tuning.registry_pull_qps}"
        )
    problems += _burst_problems(tuning)
    pulls = tuning.max_parallel_image_pulls
    if pulls is not None and pulls < 1:
        problems.append(
            f"max_parallel_image_pulls must be at least 1, "
            f"got max_parallel_image_pulls={pulls}"
        )
    return problems


def _burst_problems(tuning: KubeletTuning) -> list[str]:
    burst = tuning.registry_burst
    if burst is not None and burst < 1:
        return [f"registry_burst must be at least 1, got registry_burst={burst}"]
    if burst is not None and tuning.registry_pull_qps == 0:
        return [
            f"registry_burst must be left out with registry_pull_qps=0, which is no "
            f"limit, got registry_burst={burst}"
        ]
    return []


def _timeout_problems(tuning: KubeletTuning) -> list[str]:
    """List what is no duration, or too short for any node to become ready."""
    text = tuning.runtime_request_timeout
    length = seconds(text) if _DURATION.fullmatch(text) else None
    if length is not None and length >= _LEAST_TIMEOUT_SECONDS:
        return []
    return [
        f"runtime_request_timeout must be a duration such as 15m or 90s, 1m or more, "
        f"got runtime_request_timeout={text}"
    ]
