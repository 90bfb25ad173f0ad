"""What keeps a running job from being ended: by a scaler, or with its new node."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from types import MappingProxyType
from typing import Literal

from ..labels import text_problem
from ..problems import refuse

__all__ = [
    "DEFAULT_PROTECTION",
    "DO_NOT_DISRUPT",
    "REGISTRATION",
    "SAFE_TO_EVICT",
    "ScalerFacts",
    "check_scalers",
    "protection_problems",
]

DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt"
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"

DEFAULT_PROTECTION: Mapping[str, str] = MappingProxyType(
    {DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"}
)
"""
Both keys: neither scaler reads the other's, and a migration needs both.

Sources:
    karpenter#703. Cluster Autoscaler FAQ.
"""

REGISTRATION: Mapping[str, str] = MappingProxyType(
    {
        "key": "karpenter.sh/unregistered",
        "operator": "Exists",
        "effect": "NoExecute",
    }
)
"""
The toleration of the taint that new nodes of Karpenter and EKS Auto Mode carry.

Kubernetes deletes a pod that it gave to such a node when it hears of the pod before
it hears that the taint is gone. With the toleration it has no reason to.

Sources:
    kubernetes#139992, open. The taint: Karpenter 1.0, migration from v1beta1.
"""

ScalerKind = Literal["karpenter", "cluster-autoscaler", "auto-mode"]

_READS = {
    "karpenter": DO_NOT_DISRUPT,
    "auto-mode": DO_NOT_DISRUPT,
    "cluster-autoscaler": SAFE_TO_EVICT,
}
_NAMES = {
    "karpenter": "Karpenter",
    "auto-mode": "EKS Auto Mode",
    "cluster-autoscaler": "Cluster Autoscaler",
}
# Keys that people copy from old recipes, and what reads them today: nothing.
_DEAD = {"karpenter.sh/do-not-evict": DO_NOT_DISRUPT}
_DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?[hms])+")
_DURATION_PART = re.compile(r"([0-9.]+)([hms])")
_NANOSECONDS = {"h": 3_600 * 10**9, "m": 60 * 10**9, "s": 10**9}
# Go keeps a duration as a signed number of 64 bits; Karpenter takes a value that
# does not fit for none.
_LONGEST = Decimal(2**63 - 1)
_ON_COMPLETION = "on-completion"
_VERSION = re.compile(r"v?\d+\.\d+(?:[.-].*)?")
_DURATION_SINCE = (1, 12)
_ON_COMPLETION_SINCE = (1, 36)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScalerFacts:
    """
    What adds and removes nodes of this cluster.

    Args:
        kind: karpenter, cluster-autoscaler or auto-mode.
        version: Version of the controller as `1.15.1`; None when it is not known.
            EKS Auto Mode does not tell its version.

    Raises:
        ValueError: The version cannot be compared.
    """

    kind: ScalerKind
    version: str | None = None

    def __post_init__(self) -> None:
        if self.version is not None and not _VERSION.fullmatch(self.version):
            raise ValueError(
                "version must be one such as 1.15.1, or left out when it is not "
                f"known, got version={self.version!r}"
            )


def protection_problems(field: str, protection: Mapping[str, str]) -> Iterator[str]:
    """List keys that no scaler reads and values that a scaler would ignore."""
    if not protection:
        yield f"{field} must hold one of {', '.join(DEFAULT_PROTECTION)}, got none"
    for key, value in protection.items():
        named = f"{field}[{key}]"
        if key in _DEAD:
            yield (
                f"{field} must leave out {key}, which Karpenter ignores since its "
                f"version 1: write {_DEAD[key]}"
            )
        elif key not in DEFAULT_PROTECTION:
            yield f"{field} must be of {', '.join(DEFAULT_PROTECTION)}, got {key!r}"
        elif not isinstance(value, str):
            yield from text_problem(named, value)
        elif key == DO_NOT_DISRUPT and value != "true" and not _is_duration(value):
            yield (
                f'{named} must be "true" or a duration above zero of hours, minutes '
                f'and seconds such as "4h30m", got {value!r}'
            )
        elif key == DO_NOT_DISRUPT and _nanoseconds(value) > _LONGEST:
            yield (
                f"{named} must be at most 2562047h, or Karpenter ignores it: write "
                f'"true" for a protection without an end, got {value!r}'
            )
        elif key == SAFE_TO_EVICT and value not in ("false", _ON_COMPLETION):
            yield f'{named} must be "false" or "{_ON_COMPLETION}", got {value!r}'


def check_scalers(
    field: str, protection: Mapping[str, str], scalers: Iterable[ScalerFacts]
) -> None:
    """
    Refuse a protection that one of the cluster's scalers does not honour.

    A value that only newer versions know needs such a version; one that is not
    known is taken for an old one.

    Raises:
        ValueError: A scaler's key is missing, or its version ignores the value.

    Sources:
        Durations: karpenter#2874, Karpenter 1.12. on-completion: Cluster
        Autoscaler 1.36, simulator/drainability/rules.
    """
    present = list(scalers)
    refuse(
        [
            *_missing(field, protection, present),
            *_too_old(
                f"{field}[{DO_NOT_DISRUPT}]",
                protection.get(DO_NOT_DISRUPT, "true"),
                "true",
                _DURATION_SINCE,
                [one for one in present if one.kind != "cluster-autoscaler"]
                or [ScalerFacts(kind="karpenter")],
            ),
            *_too_old(
                f"{field}[{SAFE_TO_EVICT}]",
                protection.get(SAFE_TO_EVICT, "false"),
                "false",
                _ON_COMPLETION_SINCE,
                [one for one in present if one.kind == "cluster-autoscaler"]
                or [ScalerFacts(kind="cluster-autoscaler")],
            ),
        ]
    )


def _missing(
    field: str, protection: Mapping[str, str], scalers: Iterable[ScalerFacts]
) -> Iterator[str]:
    for scaler in scalers:
        key = _READS[scaler.kind]
        if key not in protection:
            yield (
                f"{field} must hold {key}, the one that {_NAMES[scaler.kind]} reads, "
                f"got {', '.join(protection)}"
            )


def _too_old(
    field: str,
    value: str,
    always: str,
    since: tuple[int, int],
    scalers: Iterable[ScalerFacts],
) -> Iterator[str]:
    if value == always:
        return
    for scaler in scalers:
        if scaler.kind == "auto-mode":
            yield (
                f'{field} must be "{always}" with {_NAMES[scaler.kind]}, which does '
                f"not tell whether it knows {value!r}"
            )
        elif scaler.version is None or _minor(scaler.version) < since:
            yield (
                f'{field} must be "{always}" with {_NAMES[scaler.kind]} before '
                f"{since[0]}.{since[1]}, which would ignore {value!r}, "
                f"got version {scaler.version or 'unknown'}"
            )


def _minor(version: str) -> tuple[int, int]:
    major, minor = re.findall(r"\d+", version)[:2]
    return int(major), int(minor)


def _is_duration(value: str) -> bool:
    return _DURATION.fullmatch(value) is not None and _nanoseconds(value) > 0


def _nanoseconds(value: str) -> Decimal:
    """Return how long a duration is; Go drops parts of a nanosecond."""
    parts = [
        (Decimal(number) * _NANOSECONDS[unit]).to_integral_value(ROUND_FLOOR)
        for number, unit in _DURATION_PART.findall(value)
    ]
    return sum(parts, Decimal(0))
