"""
Networks that a stack file takes for granted: others made them, so they just exist.

`lend` runs in the process of the local AWS, because no request of EC2 can choose an
id. Address ranges are made up; zones are taken in turn.
"""

import ipaddress
from collections.abc import Sequence
from itertools import cycle
from typing import Any
from unittest import mock

__all__ = ["lend"]

_RANGE = "10.0.0.0/16"
_SUBNET_BITS = 20


def lend(region: str, vpc_id: str, subnet_ids: Sequence[str]) -> None:
    """Let a VPC and its subnets exist; what exists already stays as it is."""
    from moto.core import DEFAULT_ACCOUNT_ID
    from moto.ec2.models import ec2_backends

    backend = ec2_backends[DEFAULT_ACCOUNT_ID][region]
    if vpc_id not in backend.vpcs:
        with mock.patch("moto.ec2.models.vpcs.random_vpc_id", return_value=vpc_id):
            backend.create_vpc(_RANGE)
    known = {subnet.id for subnet in backend.describe_subnets()}
    free = _free_ranges(backend, vpc_id)
    zones = cycle(zone.name for zone in backend.describe_availability_zones())
    for subnet_id, zone in zip(subnet_ids, zones, strict=False):
        if subnet_id not in known:
            name = "moto.ec2.models.subnets.random_subnet_id"
            with mock.patch(name, return_value=subnet_id):
                backend.create_subnet(vpc_id, next(free), availability_zone=zone)


def _free_ranges(backend: Any, vpc_id: str) -> Any:
    taken = [s.cidr for s in backend.describe_subnets(filters={"vpc-id": vpc_id})]
    for block in ipaddress.IPv4Network(_RANGE).subnets(new_prefix=_SUBNET_BITS):
        if not any(block.overlaps(other) for other in taken):
            yield str(block)
