"""What a platform refuses, and what it says, before its first resource."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from . import _scalers
from .cluster_facts import ClusterFacts
from .server_nodes import ServerNodesArgs
from .spec.balloon.plan import validate_balloons
from .spec.cluster import validate_addresses
from .spec.group_review import Notice
from .spec.groups import ServerGroup, validate_groups
from .spec.monitoring.plan import validate_monitoring
from .spec.policy.plan import kyverno_release, validate_policy
from .spec.problems import refused
from .spec.scaler.autoscaler_groups import zone_keys
from .spec.scaler.plan import check_scalers_fit, scaler_facts
from .spec.stack_review import Part, stack_notices

if TYPE_CHECKING:
    from .job_platform import JobPlatformArgs

__all__ = ["platform_notices", "platform_problems", "server_args"]


def platform_notices(args: "JobPlatformArgs") -> Iterator[Notice]:
    """Yield what is worth knowing, but for the parts that have components."""
    told: list[Part] = []
    if args.policy is not None:
        told.append("policy")
    if args.monitoring is not None and args.monitoring.enabled:
        told.append("monitoring")
    return stack_notices(args, args.instance_types, told=told)


def server_args(
    cluster: ClusterFacts, args: "JobPlatformArgs", group: ServerGroup
) -> ServerNodesArgs:
    """Return the arguments of one group of servers."""
    return ServerNodesArgs(
        cluster=cluster,
        group=group,
        instance_types=args.instance_types,
        tags=args.tags,
    )


def platform_problems(args: "JobPlatformArgs") -> Iterator[str]:
    """Build the arguments of all nodes with a stand-in, before any resource exists."""
    stand_in = ClusterFacts(
        name=args.cluster.name or "c" * 100,
        endpoint="",
        certificate_authority="",
        service_cidr="",
        security_group_id="",
        vpc_id="",
        subnet_ids=[""],
        version=args.cluster.version,
    )
    yield from refused(
        "",
        lambda: validate_groups(
            args.servers, args.jobs, servers_needed=not args.only_auto_mode
        ),
    )
    yield from refused("", validate_addresses, args.cluster, args.network)
    for place, group in enumerate(args.servers):
        yield from refused(f"servers[{place}]: ", server_args, stand_in, args, group)
    zones = zone_keys(args.network)
    stand_in = replace(stand_in, subnet_ids=[""] * len(zones))
    for scaler in args.scalers:
        yield from _scalers.group_problems(scaler, args, stand_in)
    yield from refused(
        "",
        lambda: check_scalers_fit(
            args.scaler,
            args.retiring_scaler,
            servers=args.servers,
            jobs=args.jobs,
            cluster=args.cluster,
            zones=len(zones),
            vpc_cni=args.vpc_cni,
            tags=args.tags,
            instance_types=args.instance_types,
        ),
    )
    yield from _policy_problems(args)
    yield from refused(
        "",
        lambda: validate_balloons(
            args.balloons,
            jobs=args.jobs,
            servers=args.servers,
            scaler=args.scaler,
            retiring=args.retiring_scaler,
            cluster_version=args.cluster.version,
            instance_types=args.instance_types,
            policy=args.policy,
            keda=args.keda,
            zones=len(zones),
        ),
    )
    yield from refused(
        "", validate_monitoring, args.monitoring, args.jobs, args.scalers
    )


def _policy_problems(args: "JobPlatformArgs") -> Iterator[str]:
    if args.policy is None:
        return
    facts = scaler_facts(args.scaler, args.retiring_scaler, args.cluster.version)
    yield from refused("policy: ", validate_policy, args.policy, args.cluster, facts)
    yield from refused(
        "policy.kyverno: ",
        kyverno_release,
        args.policy,
        args.cluster.version,
        args.servers,
        args.jobs,
    )
