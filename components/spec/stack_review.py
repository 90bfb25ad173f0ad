"""Everything worth knowing about a whole stack, part by part."""

from collections.abc import Container, Iterator, Sequence
from typing import Literal, Protocol

from .balloon.balloon_review import balloon_notices
from .balloon.keda import Keda
from .balloon.settings import AnyBalloon
from .cluster import ClusterSettings
from .group_review import Notice
from .groups import JobGroup, ServerGroup
from .instance_types import InstanceTypes
from .monitoring.plan import watched_stack
from .monitoring.review import monitoring_notices
from .monitoring.settings import Monitoring
from .network import ExistingNetwork, NewNetwork
from .policy.plan import policy_notices
from .policy.settings import JobPolicySettings
from .review import review
from .scaler.autoscaler_groups import zone_keys
from .scaler.plan import scaler_notices, scalers_of
from .scaler.settings import Scaler
from .vpc_cni import VpcCniTuning

__all__ = ["Part", "stack_notices"]

Part = Literal["policy", "monitoring"]


class _Stack(Protocol):
    """The parts of a stack, by the keys of a stack file."""

    @property
    def network(self) -> NewNetwork | ExistingNetwork: ...
    @property
    def cluster(self) -> ClusterSettings: ...
    @property
    def servers(self) -> Sequence[ServerGroup]: ...
    @property
    def jobs(self) -> Sequence[JobGroup]: ...
    @property
    def scaler(self) -> Scaler: ...
    @property
    def retiring_scaler(self) -> Scaler | None: ...
    @property
    def vpc_cni(self) -> VpcCniTuning: ...
    @property
    def policy(self) -> JobPolicySettings | None: ...
    @property
    def balloons(self) -> Sequence[AnyBalloon]: ...
    @property
    def keda(self) -> Keda: ...
    @property
    def monitoring(self) -> Monitoring | None: ...


def stack_notices(
    stack: _Stack, instance_types: InstanceTypes, *, told: Container[Part] = ()
) -> Iterator[Notice]:
    """
    Yield what is accepted and still worth knowing. Equal stacks give equal notices.

    Args:
        stack: The stack.
        instance_types: Facts about the types of its groups.
        told: Parts that a component of their own speaks for.
    """
    yield from review(
        servers=stack.servers,
        jobs=stack.jobs,
        instance_types=instance_types,
        network=stack.network,
        cluster=stack.cluster,
        vpc_cni=stack.vpc_cni,
        scaler=stack.scaler.kind,
        host_network=stack.policy is not None and stack.policy.host_network,
    )
    yield from scaler_notices(
        stack.scaler,
        stack.retiring_scaler,
        servers=stack.servers,
        jobs=stack.jobs,
        cluster_version=stack.cluster.version,
        policy=stack.policy,
        ami_release=stack.cluster.ami_release,
    )
    if "policy" not in told:
        yield from policy_notices(stack.policy, stack.cluster.version, stack.jobs)
    yield from balloon_notices(
        stack.balloons,
        jobs=stack.jobs,
        scaler=stack.scaler,
        cluster_version=stack.cluster.version,
        instance_types=instance_types,
        policy=stack.policy,
        keda=stack.keda,
        zones=len(zone_keys(stack.network)),
    )
    if "monitoring" not in told:
        watched = watched_stack(
            stack.cluster.name or "",
            jobs=stack.jobs,
            scalers=scalers_of(stack.scaler, stack.retiring_scaler),
            policy=stack.policy,
            balloons=stack.balloons,
        )
        yield from monitoring_notices(stack.monitoring, watched)
