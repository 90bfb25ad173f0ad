"""What EC2 says about instance types: processors, addresses, EBS figures."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from .architecture import (
    Architecture,
    architecture_of,
    is_instance_type_name,
)
from .problems import refuse

__all__ = ["InstanceType", "InstanceTypes"]

_TABLE = Path(__file__).with_name("instance_types.csv")
_PREFIX = 16

# Families before Nitro, but for their `.metal` sizes.
_XEN = re.compile(
    r"c[134]|cc2|cr1|d2|f1|g2|g3s?|h1|hs1|i[23]|m[1-4]|p[23]|r[34]|t[12]|x1e?"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class InstanceType:
    """
    Facts about one EC2 instance type.

    Args:
        name: Name, ``m7i.4xlarge``.
        architecture: amd64 or arm64.
        vcpus: Default vCPUs, 1 or more.
        memory_mib: Memory in MiB, 1 or more.
        network_interfaces: Interfaces of the default network card, 1 or more.
        ipv4_addresses_per_interface: IPv4 addresses of one interface, 1 or more.
        ebs_baseline_mb_per_s: EBS throughput that the type sustains, in MB/s
            (decimal: 800 MiB/s is 839 MB/s).
        ebs_maximum_mb_per_s: EBS throughput in a burst, in MB/s.
        ebs_baseline_iops: EBS operations per second that the type sustains.
        ebs_maximum_iops: EBS operations per second in a burst.

    Raises:
        ValueError: A name without the form of EC2, a number below 1, a maximum
            below its baseline, or an architecture that the name contradicts.

    Sources:
        EC2 API, DescribeInstanceTypes.
    """

    name: str
    architecture: Architecture
    vcpus: int
    memory_mib: int
    network_interfaces: int
    ipv4_addresses_per_interface: int
    ebs_baseline_mb_per_s: float
    ebs_maximum_mb_per_s: float
    ebs_baseline_iops: int
    ebs_maximum_iops: int

    def __post_init__(self) -> None:
        problems = [*_name_problems(self), *_number_problems(self)]
        refuse(problems)

    @property
    def eni_pods(self) -> int:
        """
        Pods that can have an address of their own without prefix delegation.

        Sources:
            nodeadm, internal/kubelet (default network card only).
        """
        return self.network_interfaces * (self.ipv4_addresses_per_interface - 1) + 2

    @property
    def prefix_pods(self) -> int:
        """
        Pods that can have an address with prefix delegation.

        Only Nitro has it: elsewhere the VPC CNI goes back to single addresses.

        Sources:
            amazon-vpc-cni-k8s, pkg/ipamd, isConfigValid. Families: EC2 user guide,
            instances built on the AWS Nitro System; a test compares them with every
            type that EC2 describes.
        """
        family, _, size = self.name.partition(".")
        if _XEN.fullmatch(family) and not size.startswith("metal"):
            return self.eni_pods
        return (self.eni_pods - 2) * _PREFIX + 2


def _name_problems(one: InstanceType) -> list[str]:
    if not is_instance_type_name(one.name):
        return [f"name must look like m7i.4xlarge, got name={one.name}"]
    if one.architecture not in ("amd64", "arm64"):
        return [
            f"architecture must be amd64 or arm64, got architecture={one.architecture}"
        ]
    told = architecture_of(one.name)
    if told not in (None, one.architecture):
        return [
            f"architecture of {one.name} must be {told}, "
            f"got architecture={one.architecture}"
        ]
    return []


def _number_problems(one: InstanceType) -> list[str]:
    numbers = [field.name for field in fields(one)][2:]
    problems = [
        f"{name} must be at least 1, got {name}={getattr(one, name)}"
        for name in numbers
        if getattr(one, name) < 1
    ]
    for unit in ("mb_per_s", "iops"):
        low, high = f"ebs_baseline_{unit}", f"ebs_maximum_{unit}"
        if getattr(one, low) > getattr(one, high):
            problems.append(
                f"{low} must be at most {high}, "
                f"got {low}={getattr(one, low)}, {high}={getattr(one, high)}"
            )
    return problems


class InstanceTypes:
    """
    Known instance types, by name.

    The bundled table is `instance_types.csv`, written by
    ``scripts/refresh_instance_types.py``. Types newer than the table are unknown,
    which is a warning and no error; `including` makes them known.
    """

    __slots__ = ("_types",)

    def __init__(self, types: Mapping[str, InstanceType]) -> None:
        self._types = dict(types)

    @classmethod
    def bundled(cls) -> "InstanceTypes":
        """Return the table of the library, read once."""
        return _bundled()

    def including(self, overrides: Iterable[InstanceType]) -> "InstanceTypes":
        """Return a table in which *overrides* are added, or win by name."""
        return InstanceTypes({**self._types, **{one.name: one for one in overrides}})

    def find(self, name: str) -> InstanceType | None:
        """Return the facts of a type, or None when the table lacks it."""
        return self._types.get(name)

    def __iter__(self) -> Iterator[InstanceType]:
        return iter(self._types.values())

    def __len__(self) -> int:
        return len(self._types)


@cache
def _bundled() -> InstanceTypes:
    with _TABLE.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return InstanceTypes({row["name"]: _parse(row) for row in rows})


def _parse(row: Mapping[str, str]) -> InstanceType:
    return InstanceType(
        name=row["name"],
        architecture="arm64" if row["architecture"] == "arm64" else "amd64",
        vcpus=int(row["vcpus"]),
        memory_mib=int(row["memory_mib"]),
        network_interfaces=int(row["network_interfaces"]),
        ipv4_addresses_per_interface=int(row["ipv4_addresses_per_interface"]),
        ebs_baseline_mb_per_s=float(row["ebs_baseline_mb_per_s"]),
        ebs_maximum_mb_per_s=float(row["ebs_maximum_mb_per_s"]),
        ebs_baseline_iops=int(row["ebs_baseline_iops"]),
        ebs_maximum_iops=int(row["ebs_maximum_iops"]),
    )
