"""What only several keys of a stack file together can show."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from typing import Any

from components.spec.balloon.plan import validate_balloons
from components.spec.cluster import validate_addresses
from components.spec.groups import JobGroup, ServerGroup, validate_groups
from components.spec.instance_types import InstanceTypes
from components.spec.monitoring.plan import validate_monitoring
from components.spec.network import ExistingNetwork
from components.spec.node_config import check_group
from components.spec.policy.plan import kyverno_release, validate_policy
from components.spec.scaler.autoscaler_groups import zone_keys
from components.spec.scaler.plan import (
    auto_mode_alone,
    check_scalers_fit,
    scaler_facts,
)
from components.spec.tags import check_tags, tag_problems
from infra import reader

__all__ = ["REGION", "cross_problems", "namespace_problems", "region_problems"]

REGION = "aws:region"

# The name of the project that stack files are copied from.
_ORIGIN = "eks-jobs"

# Above this likeness a namespace is a slip: eks_jobs, eks-job, and no eks-job-costs.
_NEAR = 0.8

# Namespaces of others, whatever the project is called.
_OTHERS = ("aws", "aws-native", "awsx", "eks", "kubernetes", "pulumi")

_SCALERS = ("scaler", "retiring_scaler")
_NEEDED = (
    *_SCALERS,
    "servers",
    "jobs",
    "cluster",
    "network",
    "vpc_cni",
    "tags",
    "instance_types",
)

_REGION_NAME = re.compile(r"[a-z]+(-[a-z]+)+-\d+")
_EXPECTED = f"{REGION}: expected a region such as ap-northeast-2"


def region_problems(region: Any) -> list[str]:
    """List what is wrong with the region that a stack file names."""
    if region is None:
        return [f"{REGION}: missing key, expected a region such as ap-northeast-2"]
    if not isinstance(region, str) or not _REGION_NAME.fullmatch(region):
        return [f"{_EXPECTED}, got {region!r}"]
    return []


def namespace_problems(keys: Iterable[str], project: str) -> list[str]:
    """
    List keys that are meant for this program, and that Pulumi gives to nobody.

    Others pass: they are those of providers, or of other programs.

    Args:
        keys: Keys of a stack file with their namespaces.
        project: Name of the project.
    """
    own = [name.lower() for name in (project, _ORIGIN)]
    found = []
    for key in sorted(keys):
        space, _, name = key.partition(":")
        if space == project or space in _OTHERS:
            continue
        if get_close_matches(space.lower(), own, n=1, cutoff=_NEAR):
            found.append(
                f"{key}: unknown namespace {space}, expected {name} or {project}:{name}"
            )
    return found


def cross_problems(found: Mapping[str, Any], region: Any) -> list[str]:
    """
    List where keys contradict each other, as far as they could be read.

    Args:
        found: Fields of `Settings`; those that could not be read are missing.
        region: What the file says about `aws:region`.
    """
    lines = [
        line
        for keys, path, check in _checks(found)
        if keys <= found.keys()
        for line in reader.problems(path, check)
    ]
    # Two checks may meet the same fault.
    return [*dict.fromkeys(lines), *_zone_problems(found.get("network"), region)]


def _checks(
    found: Mapping[str, Any],
) -> Iterator[tuple[set[str], str, Callable[[], Any]]]:
    """Yield the keys that a check needs, the path of its problems, and the check."""
    yield (
        {"servers", "jobs", *_SCALERS},
        "servers, jobs",
        lambda: validate_groups(
            found["servers"],
            found["jobs"],
            servers_needed=not auto_mode_alone(*_scalers(found), found["servers"]),
        ),
    )
    yield (
        {"cluster", "network"},
        "cluster",
        lambda: validate_addresses(found["cluster"], found["network"]),
    )
    if found.get("policy") is not None:
        yield from _policy_checks(found)
    yield {"tags"}, "tags", lambda: check_tags(found["tags"], {"Name": ""})
    types = InstanceTypes.bundled().including(found.get("instance_types", ()))
    for path, group in _groups(found):
        yield {"instance_types"}, path, partial(check_group, group, types)
    yield set(_NEEDED), "", partial(_check_scalers, found, types)
    yield (
        {*_NEEDED, "policy", "balloons", "keda"},
        "",
        partial(_check_balloons, found, types),
    )
    yield (
        {"monitoring", "jobs", *_SCALERS},
        "",
        lambda: validate_monitoring(
            found["monitoring"],
            found["jobs"],
            [one for one in _scalers(found) if one is not None],
        ),
    )


def _policy_checks(
    found: Mapping[str, Any],
) -> Iterator[tuple[set[str], str, Callable[[], Any]]]:
    policy = found["policy"]
    yield (
        {"cluster", *_SCALERS},
        "policy",
        lambda: validate_policy(
            policy,
            found["cluster"],
            scaler_facts(*_scalers(found), found["cluster"].version),
        ),
    )
    yield (
        {"cluster", "servers", "jobs"},
        "policy.kyverno",
        lambda: kyverno_release(
            policy, found["cluster"].version, found["servers"], found["jobs"]
        ),
    )


def _scalers(found: Mapping[str, Any]) -> tuple[Any, Any]:
    return found["scaler"], found["retiring_scaler"]


def _check_scalers(found: Mapping[str, Any], types: InstanceTypes) -> None:
    """Leave tags out that are wrong by themselves: that is said once, not by group."""
    tags, zones = found["tags"], zone_keys(found["network"])
    check_scalers_fit(
        *_scalers(found),
        servers=found["servers"],
        jobs=found["jobs"],
        cluster=found["cluster"],
        zones=len(zones),
        vpc_cni=found["vpc_cni"],
        tags={} if tag_problems(tags, ("Name",)) else tags,
        instance_types=types,
    )


def _check_balloons(found: Mapping[str, Any], types: InstanceTypes) -> None:
    scaler, retiring = _scalers(found)
    validate_balloons(
        found["balloons"],
        jobs=found["jobs"],
        servers=found["servers"],
        scaler=scaler,
        retiring=retiring,
        cluster_version=found["cluster"].version,
        instance_types=types,
        policy=found["policy"],
        keda=found["keda"],
        zones=len(zone_keys(found["network"])),
    )


def _groups(
    found: Mapping[str, Any],
) -> Iterator[tuple[str, JobGroup | ServerGroup]]:
    for key in ("servers", "jobs"):
        for place, group in enumerate(found.get(key, ())):
            yield f"{key}[{place}]", group


def _zone_problems(network: Any, region: Any) -> list[str]:
    if network is None or isinstance(network, ExistingNetwork):
        return []
    zones = network.zones if isinstance(network.zones, tuple) else ()
    alien = [zone for zone in zones if zone[:-1] != region]
    if not alien or region_problems(region):
        return []
    return [
        f"network.zones: expected zones of {REGION} {region}, got {', '.join(alien)}"
    ]
