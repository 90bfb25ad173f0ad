"""The versions of Kubernetes that EKS offers, and until when."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

__all__ = ["KUBERNETES_VERSIONS", "VersionSupport", "version_problems"]


@dataclass(frozen=True, kw_only=True, slots=True)
class VersionSupport:
    """
    How long EKS supports a version of Kubernetes.

    Args:
        standard_until: Last day of standard support, as 2027-08-02.
        extended_until: Last day of extended support, which costs extra per hour.
        now: Where the version stood when this table was last brought up to date.
    """

    standard_until: str
    extended_until: str
    now: Literal["standard", "extended", "ended"]


KUBERNETES_VERSIONS: Mapping[str, VersionSupport] = MappingProxyType(
    {
        version: VersionSupport(
            standard_until=standard_until, extended_until=extended_until, now=now
        )
        for version, standard_until, extended_until, now in (
            ("1.30", "2025-07-23", "2026-07-23", "ended"),
            ("1.31", "2025-11-26", "2026-11-26", "ended"),
            ("1.32", "2026-03-23", "2027-03-23", "extended"),
            ("1.33", "2026-07-29", "2027-07-29", "extended"),
            ("1.34", "2026-12-02", "2027-12-02", "standard"),
            ("1.35", "2027-03-27", "2028-03-27", "standard"),
            ("1.36", "2027-08-02", "2028-08-02", "standard"),
        )
    }
)
"""
What is known of EKS, oldest first.

As of November 2026; 14 months of standard and 12 of extended support. Sources:
EKS user guide, Kubernetes versions; endoflife.date.
"""

_VERSION = re.compile(r"1\.([1-9]\d)")


def version_problems(version: str) -> Iterator[str]:
    """Say why EKS would refuse a version; one newer than the table passes."""
    if not isinstance(version, str):
        yield (
            'version must be text in quotes such as "1.36", '
            f"got version={version}: YAML reads it as a number"
        )
        return
    matched = _VERSION.fullmatch(version)
    if not matched:
        yield (
            'version must be text in quotes such as "1.36", '
            f"got version={version!r} (YAML reads an unquoted 1.30 as 1.3)"
        )
        return
    offered = [
        known
        for known, support in KUBERNETES_VERSIONS.items()
        if support.now != "ended"
    ]
    if int(matched[1]) < int(offered[0].removeprefix("1.")):
        yield (
            f"version must be {offered[0]} or newer, EKS no longer offers older "
            f"ones, got version={version!r}"
        )
