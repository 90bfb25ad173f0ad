"""The question to EC2 whether it offers what groups of nodes ask for."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

from ._notices import announce
from .network import zone_names
from .spec.network import ExistingNetwork, NewNetwork
from .spec.offerings import (
    Offerings,
    offering_notices,
    offering_problems,
    wanted_types,
)
from .spec.problems import known, refuse

if TYPE_CHECKING:
    from .job_platform import JobPlatformArgs

__all__ = ["check_offerings"]

# Of one filter, by the EC2 user guide, "Filter resources"; more is refused.
_FILTER_VALUES = 200


def check_offerings(platform: pulumi.Resource, args: "JobPlatformArgs") -> None:
    """
    Refuse types that are not to be had, and warn of zones that lack some of them.

    Asks with the provider of *platform*. Says nothing where the provider has no
    answer, as the mocks of a unit test, and asks nothing where there are no groups.

    Raises:
        ValueError: No zone offers a type, or a zone offers none of a group; EC2 did
            not answer, or knows no such subnet.
    """
    wanted = wanted_types(args.servers, args.jobs, args.scaler)
    names = sorted({name for one in wanted for name in one.types})
    offered = _offerings(names, platform) if names else None
    if offered is None:
        return
    zones = _zones(args.network, platform)
    refuse(offering_problems(wanted, offered, zones))
    announce(platform, offering_notices(wanted, offered, zones))


def _offerings(names: Sequence[str], parent: pulumi.Resource) -> Offerings | None:
    found: dict[str, set[str]] = {name: set() for name in names}
    for start in range(0, len(names), _FILTER_VALUES):
        asked = names[start : start + _FILTER_VALUES]
        with _said_plainly("check_offerings"):
            answer = aws.ec2.get_instance_type_offerings(
                location_type="availability-zone",
                filters=[{"name": "instance-type", "values": asked}],
                opts=pulumi.InvokeOptions(parent=parent),
            )
        if answer.instance_types is None:
            return None
        for name, zone in zip(answer.instance_types, answer.locations, strict=True):
            found[name].add(zone)
    return found


def _zones(
    network: NewNetwork | ExistingNetwork, parent: pulumi.Resource
) -> tuple[str, ...]:
    """Name the zones of a network; subnets that do not exist yet have none."""
    if isinstance(network, NewNetwork):
        return zone_names(network.zones, parent)
    found = []
    for subnet in known(network.subnet_ids):
        with _said_plainly(f"network.subnet_ids: {subnet}"):
            answer = aws.ec2.get_subnet(
                id=subnet, opts=pulumi.InvokeOptions(parent=parent)
            )
        found.append(answer.availability_zone)
    return tuple(dict.fromkeys(zone for zone in found if zone is not None))


@contextmanager
def _said_plainly(path: str) -> Generator[None]:
    """Name the key that a call is about, and the way out; Pulumi raises anything."""
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"{path}: EC2 was asked about it and refused: {error}; to leave it unasked "
            "set check_offerings: false"
        ) from error
