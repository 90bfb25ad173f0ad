"""gp3 root volumes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields

from .problems import refuse

__all__ = ["Gp3Limits", "Gp3Volume"]

_KEY_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32}"
_ALIAS = r"alias/[\w/-]{1,250}"
_ARN = r"arn:[a-z-]+:kms:[a-z0-9-]+:\d{12}:"
_KEY = re.compile(rf"{_KEY_ID}|{_ALIAS}|{_ARN}(?:key/(?:{_KEY_ID})|{_ALIAS})")


@dataclass(frozen=True, kw_only=True, slots=True)
class Gp3Limits:
    """
    What EBS allows for gp3. AWS raises such limits, so they are data.

    Args:
        min_size_gib: Smallest size in GiB: that of the image. An image of your own
            may have another.
        max_size_gib: Largest size in GiB.
        min_iops: Operations per second that every volume has.
        max_iops: Most operations per second.
        min_throughput_mib: Throughput in MiB/s that every volume has.
        max_throughput_mib: Most throughput in MiB/s.
        iops_per_gib: Most operations per second for each GiB, above *min_iops*.
        iops_per_mib: Operations per second needed for each MiB/s of throughput.

    Raises:
        ValueError: A limit is below 1, or a largest value below the smallest.

    Sources:
        Ranges: EC2 API, CreateVolume, as raised in September 2025. Ratios: EBS user
        guide, gp3 volumes. 20 GiB: amazon-eks-ami,
        templates/al2023/variables-default.json; EC2 launches no instance whose root
        volume is smaller than the snapshot of its image.
    """

    min_size_gib: int = 20
    max_size_gib: int = 65_536
    min_iops: int = 3_000
    max_iops: int = 80_000
    min_throughput_mib: int = 125
    max_throughput_mib: int = 2_000
    iops_per_gib: int = 500
    iops_per_mib: int = 4

    def __post_init__(self) -> None:
        refuse([*self._small_problems(), *self._order_problems()])

    def _small_problems(self) -> Iterator[str]:
        for one in fields(self):
            value = getattr(self, one.name)
            if value < 1:
                yield f"{one.name} must be at least 1, got {one.name}={value}"

    def _order_problems(self) -> Iterator[str]:
        for name in ("size_gib", "iops", "throughput_mib"):
            least, most = getattr(self, f"min_{name}"), getattr(self, f"max_{name}")
            if most < least:
                yield (
                    f"max_{name} must be at least min_{name}={least}, "
                    f"got max_{name}={most}"
                )


@dataclass(frozen=True, kw_only=True, slots=True)
class Gp3Volume:
    """
    A gp3 root volume, always encrypted.

    The defaults let sixty pods of one node pull their images in the same second.
    EBS refuses a wrong pair only when an instance is launched, and then nodes
    simply never come; so the pair is checked here.

    Args:
        size_gib: Size in GiB, 20 to 65,536. At most 500 IOPS for each GiB above the
            3,000 that every volume has.
        iops: Provisioned IOPS, 3,000 to 80,000.
        throughput_mib: Throughput in MiB/s, 125 to 2,000 and at most a quarter
            of *iops*.
        kms_key_id: Key for the encryption: an id, `alias/<name>`, or the ARN of
            either. None is the key that
            the account uses for EBS. The policy of a key of your own must let those
            use it who launch nodes: AWSServiceRoleForAutoScaling for groups of
            servers and those of Cluster Autoscaler, else the role of Karpenter's
            controller or, with EKS Auto Mode, of the cluster.
        limits: What EBS allows today.

    Raises:
        ValueError: EBS would refuse this combination. All rules that are broken are
            named at once.

    Sources:
        8,000 IOPS and 800 MiB/s: the brief of the project. Limits: `Gp3Limits`.
        AWSServiceRoleForAutoScaling: EC2 Auto Scaling user guide, required key
        policy for encrypted volumes. Forms of a key: KMS developer guide, key
        identifiers; EC2 itself checks none of them before a launch.
    """

    size_gib: int = 100
    iops: int = 8_000
    throughput_mib: int = 800
    kms_key_id: str | None = None
    limits: Gp3Limits = Gp3Limits()

    def __post_init__(self) -> None:
        problems = _range_problems(self) or _ratio_problems(self)
        if self.kms_key_id is not None and not _KEY.fullmatch(self.kms_key_id):
            problems.append(
                "kms_key_id must be the id of a key, alias/<name>, or the ARN of "
                f"either (or be left out), got kms_key_id={self.kms_key_id}"
            )
        refuse(problems)

    def block_device(self) -> dict[str, object]:
        """
        Return the root device for a launch template.

        Shape:
            An item of ``block_device_mappings`` of ``aws.ec2.LaunchTemplate``; the
            provider wants the two booleans as strings.
        """
        ebs: dict[str, object] = {
            "volume_type": "gp3",
            "volume_size": self.size_gib,
            "iops": self.iops,
            "throughput": self.throughput_mib,
            "encrypted": "true",
            "delete_on_termination": "true",
        }
        if self.kms_key_id is not None:
            ebs["kms_key_id"] = self.kms_key_id
        return {"device_name": "/dev/xvda", "ebs": ebs}


def _range_problems(volume: Gp3Volume) -> list[str]:
    limits = volume.limits
    ranges = {
        "size_gib": (limits.min_size_gib, volume.size_gib, limits.max_size_gib),
        "iops": (limits.min_iops, volume.iops, limits.max_iops),
        "throughput_mib": (
            limits.min_throughput_mib,
            volume.throughput_mib,
            limits.max_throughput_mib,
        ),
    }
    return [
        f"{name} must be {low} to {high}, got {name}={value}"
        for name, (low, value, high) in ranges.items()
        if not low <= value <= high
    ]


def _ratio_problems(volume: Gp3Volume) -> list[str]:
    problems = []
    size = -(-volume.iops // volume.limits.iops_per_gib)
    if volume.iops > volume.limits.min_iops and volume.size_gib < size:
        problems.append(
            f"iops={volume.iops} needs size_gib of at least {size}, "
            f"got size_gib={volume.size_gib}"
        )
    iops = volume.throughput_mib * volume.limits.iops_per_mib
    if volume.iops < iops:
        problems.append(
            f"throughput_mib={volume.throughput_mib} needs iops of at least {iops}, "
            f"got iops={volume.iops}"
        )
    return problems
