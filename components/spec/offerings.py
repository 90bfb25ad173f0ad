"""Which instance types EC2 offers where, against what groups of nodes ask for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from .group_review import Notice
from .groups import JobGroup, ServerGroup
from .scaler.karpenter import Karpenter
from .scaler.settings import Scaler

__all__ = [
    "Offerings",
    "WantedTypes",
    "offering_notices",
    "offering_problems",
    "wanted_types",
]

Offerings: TypeAlias = Mapping[str, Set[str]]
"""Names of the zones that offer a type, by the name of the type."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WantedTypes:
    """
    What one group of nodes asks for.

    Args:
        path: Where its types stand in the stack file, `jobs[0].instance_types`.
        types: Names of EC2 types.
        every_zone: Whether its nodes are started in each zone of the network, as by
            an Auto Scaling group. Karpenter and EKS Auto Mode choose among the zones
            that can.
    """

    path: str
    types: tuple[str, ...]
    every_zone: bool

    def missing(self, offered: Offerings, zones: Sequence[str]) -> list[str]:
        """Return the zones that offer none of the types."""
        return [
            zone
            for zone in zones
            if not any(zone in offered[name] for name in self.types)
        ]


def wanted_types(
    servers: Sequence[ServerGroup], jobs: Sequence[JobGroup], scaler: Scaler
) -> tuple[WantedTypes, ...]:
    """List what the groups of a stack ask for, in the order of its file."""
    grouped = scaler.kind == "cluster-autoscaler"
    pools = scaler.server_pools if isinstance(scaler, Karpenter) else ()
    return tuple(
        WantedTypes(
            path=f"{key}[{place}].instance_types",
            types=group.instance_types,
            every_zone=every_zone,
        )
        for key, groups, every_zone in (
            ("servers", servers, True),
            ("jobs", jobs, grouped),
            ("scaler.server_pools", pools, False),
        )
        for place, group in enumerate(groups)
    )


def offering_problems(
    wanted: Iterable[WantedTypes], offered: Offerings, zones: Sequence[str]
) -> Iterator[str]:
    """
    List types that no zone of the region has, and zones in which a group has none.

    Args:
        wanted: What the groups ask for.
        offered: What EC2 answered for all these types.
        zones: Zones of the network, as far as they are known.
    """
    for one in wanted:
        unknown = [name for name in one.types if not offered[name]]
        if unknown:
            yield (
                f"{one.path}: no zone of this region offers {', '.join(unknown)}, "
                "expected types that `aws ec2 describe-instance-type-offerings` lists"
            )
        elif one.every_zone:
            for zone in one.missing(offered, zones):
                yield (
                    f"{one.path}: {zone} offers none of {', '.join(one.types)}, so no "
                    "node can start there: add a type that it offers, or leave the "
                    "zone out of the network"
                )


def offering_notices(
    wanted: Iterable[WantedTypes], offered: Offerings, zones: Sequence[str]
) -> Iterator[Notice]:
    """
    Name zones in which a group has fewer types than it asks for.

    Args:
        wanted: What the groups ask for, none of it with a problem.
        offered: What EC2 answered for all these types.
        zones: Zones of the network, as far as they are known.
    """
    for one in wanted:
        empty = one.missing(offered, zones)
        for zone in empty:
            yield Notice(
                path=one.path,
                text=f"{zone} offers none of {', '.join(one.types)}: pods with a "
                "volume of that zone find no node",
            )
        for name in one.types:
            lacking = [z for z in zones if z not in empty and z not in offered[name]]
            if lacking:
                yield Notice(
                    path=one.path,
                    text=f"{name} is not offered in {', '.join(lacking)}: nodes there "
                    "are of the other types",
                )
