"""
How the VPC CNI keeps addresses ready for the pods of a burst.

The VPC CNI is one DaemonSet: whatever is chosen here holds for *every* node of
the cluster, servers included. The three ways exclude each other, because the
plugin ignores the setting of one when that of another is present.

A cluster that leaves `WarmAddresses` for another way may keep the old targets on
its DaemonSet, where they still win: EKS does not take back WARM_IP_TARGET,
MINIMUM_IP_TARGET and WARM_ENI_TARGET (EKS best practices, VPC CNI). Remove them
once by hand: `kubectl set env daemonset aws-node -n kube-system WARM_IP_TARGET-
MINIMUM_IP_TARGET-`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from .problems import refuse

__all__ = ["VpcCniTuning", "WarmAddresses", "WarmInterfaces", "WarmPrefixes"]

_PREFIX = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class WarmPrefixes:
    """
    Prefix mode: a node takes blocks of 16 addresses (/28), some ahead of need.

    Four calls to EC2 serve sixty pods, and a small instance type carries more
    pods than it has addresses. EC2 must find whole free /28 blocks, so subnets
    should be large and hold little else. Needs Nitro instances.

    Args:
        warm_prefix_target: Unused blocks that each node keeps, 1 to 16.

    Raises:
        ValueError: The plugin does not support this target.

    Sources:
        1: the default of the VPC CNI. No support for 0, and 16 addresses a
        block: amazon-vpc-cni-k8s, docs/prefix-and-ip-target.md. At most 16: 256
        idle addresses, more than a node may have pods.
    """

    kind: ClassVar[Literal["prefixes"]] = "prefixes"

    warm_prefix_target: int = 1

    def __post_init__(self) -> None:
        refuse(
            _out_of_range(
                {"warm_prefix_target": self.warm_prefix_target},
                most=16,
                why="prefix mode does not work with a target of zero",
            )
        )

    def addresses(self, pods: int) -> int:
        """Addresses of the subnet that a node with *pods* pods holds, at most."""
        return (-(-pods // _PREFIX) + self.warm_prefix_target) * _PREFIX

    def configuration_values(self) -> str:
        """Render the configuration values of the EKS add-on `vpc-cni`: JSON text."""
        return _configuration(
            ENABLE_PREFIX_DELEGATION="true",
            WARM_PREFIX_TARGET=str(self.warm_prefix_target),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class WarmAddresses:
    """
    Single addresses, a floor from the start and a few ahead of need.

    Both numbers are needed: a floor without a warm target stops the plugin from
    taking more. The price is a call to EC2 for almost every pod that starts or
    ends, which EC2 throttles on clusters with much churn; `review` says so.

    Args:
        minimum_ip_target: Addresses that each node holds from the start, 1 to 250.
        warm_ip_target: Unused addresses that each node keeps on top, 1 to 250.

    Raises:
        ValueError: A target is out of range.

    Sources:
        60: the pods of one job node (`KubeletTuning`). 5: a guess. The rule that
        both are set, and the throttling: amazon-vpc-cni-k8s,
        docs/eni-and-ip-target.md. 250: pods per node, EKS user guide.
    """

    kind: ClassVar[Literal["addresses"]] = "addresses"

    minimum_ip_target: int = 60
    warm_ip_target: int = 5

    def __post_init__(self) -> None:
        refuse(
            _out_of_range(
                {
                    "minimum_ip_target": self.minimum_ip_target,
                    "warm_ip_target": self.warm_ip_target,
                },
                most=250,
                why="with zero the node takes no address beyond the other target",
            )
        )

    def addresses(self, pods: int) -> int:
        """Addresses of the subnet that a node with *pods* pods holds, at most."""
        return max(self.minimum_ip_target, pods + self.warm_ip_target)

    def configuration_values(self) -> str:
        """Render the configuration values of the EKS add-on `vpc-cni`: JSON text."""
        return _configuration(
            ENABLE_PREFIX_DELEGATION="false",
            MINIMUM_IP_TARGET=str(self.minimum_ip_target),
            WARM_IP_TARGET=str(self.warm_ip_target),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class WarmInterfaces:
    """
    Whole network interfaces ahead of need, as the plugin does by itself.

    Attaching one takes up to ten seconds, and its addresses lie idle until then:
    the choice for clusters whose pods start one by one.

    Args:
        warm_eni_target: Unused interfaces that each node keeps, 0 to 15. With 0
            the next one is attached when a pod already waits for it.

    Raises:
        ValueError: The target is out of range.

    Sources:
        1: the default of the VPC CNI; ten seconds: amazon-vpc-cni-k8s,
        docs/eni-and-ip-target.md. 15: the most interfaces of an instance type's
        default network card.
    """

    kind: ClassVar[Literal["interfaces"]] = "interfaces"

    warm_eni_target: int = 1

    def __post_init__(self) -> None:
        refuse(
            _out_of_range({"warm_eni_target": self.warm_eni_target}, least=0, most=15)
        )

    def addresses(self, pods: int) -> int:
        """
        Addresses that *pods* pods use.

        A node holds more, up to all addresses of its interfaces and of the warm
        ones; how many depends on the instance type.
        """
        return pods

    def configuration_values(self) -> str:
        """Render the configuration values of the EKS add-on `vpc-cni`: JSON text."""
        return _configuration(
            ENABLE_PREFIX_DELEGATION="false",
            WARM_ENI_TARGET=str(self.warm_eni_target),
        )


VpcCniTuning = WarmPrefixes | WarmAddresses | WarmInterfaces


def _out_of_range(
    targets: Mapping[str, int], *, most: int, least: int = 1, why: str = ""
) -> list[str]:
    return [
        f"{name} must be {least} to {most}, got {name}={value}"
        + (f": {why}" if why and value == 0 else "")
        for name, value in targets.items()
        if not least <= value <= most
    ]


def _configuration(**env: str) -> str:
    """Strings only, keys sorted: the schema refuses numbers, previews compare text."""
    return json.dumps({"env": env}, sort_keys=True, separators=(",", ":"))
