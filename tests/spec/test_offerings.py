"""Types that EC2 does not offer where a group wants them."""

import pytest

from components.spec.groups import JobGroup, ServerGroup
from components.spec.offerings import (
    offering_notices,
    offering_problems,
    wanted_types,
)
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter, ServerPool

A, B, C = ZONES = ("eu-west-1a", "eu-west-1b", "eu-west-1c")
EVERYWHERE = {name: set(ZONES) for name in ("m7i.large", "m6i.large", "m5.large")}
NOWHERE = {name: set() for name in ("m7j.large", "m7x.large", "m6x.large")}
CHOOSING = [Karpenter(), AutoMode()]


def job(*types, name="job"):
    return JobGroup(name=name, architecture="amd64", instance_types=types)


def server(*types):
    return ServerGroup(name="server", architecture="amd64", instance_types=types)


def found(find, *jobs, servers=(), scaler=None, zones=ZONES, **offered) -> list[str]:
    """Answer like EC2; where m7i.large is offered is given as `m7i={...}`."""
    answer = EVERYWHERE | NOWHERE
    answer |= {f"{name}.large": set(at) for name, at in offered.items()}
    wanted = wanted_types(servers, jobs, scaler or ClusterAutoscaler())
    return [str(one) for one in find(wanted, answer, zones)]


def problems(*jobs, **settings) -> list[str]:
    return found(offering_problems, *jobs, **settings)


def notices(*jobs, **settings) -> list[str]:
    return found(offering_notices, *jobs, **settings)


def test_h047_types_that_every_zone_offers_say_nothing():
    groups = job("m7i.large", "m6i.large")

    assert [] == problems(groups) + notices(groups)


@pytest.mark.parametrize("scaler", [ClusterAutoscaler(), *CHOOSING])
def test_h047_types_that_no_zone_offers_are_refused(scaler):
    """A slip of the pen is one of them, and EKS says it after a quarter of an hour."""
    expected = "expected types that `aws ec2 describe-instance-type-offerings` lists"

    assert [
        f"servers[0].instance_types: no zone of this region offers m7j.large, "
        f"{expected}",
        f"jobs[1].instance_types: no zone of this region offers m7x.large, m6x.large, "
        f"{expected}",
    ] == problems(
        job("m7i.large"),
        job("m7x.large", "m6i.large", "m6x.large", name="heavy"),
        servers=(server("m7j.large"),),
        scaler=scaler,
    )


def test_h047_a_zone_that_offers_none_of_a_group_is_refused():
    """An Auto Scaling group would try that zone for ever."""
    line = (
        "jobs[0].instance_types: eu-west-1c offers none of m7i.large, m6i.large, so no "
        "node can start there: add a type that it offers, or leave the zone out of the "
        "network"
    )

    assert [line] == problems(job("m7i.large", "m6i.large"), m7i={A, B}, m6i={A})


@pytest.mark.parametrize("scaler", CHOOSING)
def test_h047_a_scaler_that_chooses_zones_does_without_one(scaler):
    one = job("m7i.large")

    assert [] == problems(one, scaler=scaler, m7i={A, B})
    assert [
        "jobs[0].instance_types: eu-west-1c offers none of m7i.large: pods with a "
        "volume of that zone find no node"
    ] == notices(one, scaler=scaler, m7i={A, B})


@pytest.mark.parametrize("scaler", CHOOSING)
def test_h047_servers_are_node_groups_with_every_scaler(scaler):
    (line,) = problems(servers=(server("m7i.large"),), scaler=scaler, m7i={A, B})

    assert line.startswith("servers[0].instance_types: eu-west-1c offers none")


def test_h047_pools_for_servers_are_of_karpenter_too():
    pool = ServerPool(name="more", architecture="amd64", instance_types=("m7x.large",))
    scaler = Karpenter(server_pools=(pool,))
    path = "scaler.server_pools[0].instance_types"
    (refused,) = problems(scaler=scaler)
    (told,) = notices(scaler=scaler, m7x={A, B})

    assert refused.startswith(f"{path}: no zone of this region offers m7x.large, ")
    assert told.startswith(f"{path}: {C} offers none of m7x.large: ")
    assert [] == problems(scaler=scaler, m7x={A, B})


def test_h047_a_type_that_some_zones_lack_warns_and_names_both():
    two = job("m7i.large", "m6i.large")

    assert [] == problems(two, m6i={B})
    assert [
        "jobs[0].instance_types: m6i.large is not offered in eu-west-1a, eu-west-1c: "
        "nodes there are of the other types"
    ] == notices(two, m6i={B})


def test_zones_that_are_not_known_are_not_judged():
    two = job("m7i.large", "m6i.large")

    assert [] == problems(two, zones=(), m6i={B}) + notices(two, zones=(), m6i={B})
