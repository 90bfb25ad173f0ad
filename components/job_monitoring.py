"""Rules, scrapes and dashboards for the jobs of any cluster."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from ._children import after, children_of
from ._notices import announce
from ._objects import custom_resource
from .cluster_facts import ClusterFacts
from .spec.balloon.settings import AnyBalloon
from .spec.groups import JobGroup
from .spec.monitoring.plan import (
    monitoring_manifests,
    validate_monitoring,
    watched_stack,
)
from .spec.monitoring.review import monitoring_notices
from .spec.monitoring.settings import Monitoring
from .spec.monitoring.watched import Watched
from .spec.policy.settings import JobPolicySettings
from .spec.problems import refuse, refused
from .spec.scaler.settings import Scaler

__all__ = ["JobMonitoring", "JobMonitoringArgs"]

_PREFIX = "eks-jobs"


@dataclass(frozen=True, kw_only=True, slots=True)
class JobMonitoringArgs:
    """
    Arguments of `JobMonitoring`.

    Args:
        cluster: The cluster; its `provider` is needed.
        jobs: Its job groups, by whose label nodes are told.
        settings: What is created, and from when on alerts fire.
        scalers: What adds and removes nodes, as far as it is known; without one, what
            scalers tell is not watched.
        policy: What happens to job pods; None tells jobs by what the default policy
            would match.
        balloons: Capacity that waits, which is counted apart from jobs.

    Raises:
        ValueError: The cluster has no provider, or nothing would be watched or
            created. All problems are named, one a line.
    """

    cluster: ClusterFacts
    jobs: tuple[JobGroup, ...]
    settings: Monitoring = Monitoring()
    scalers: tuple[Scaler, ...] = ()
    policy: JobPolicySettings | None = None
    balloons: tuple[AnyBalloon, ...] = ()

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        if self.cluster.provider is None:
            yield "cluster.provider must be given, rules are Kubernetes objects"
        if not self.settings.enabled:
            yield "settings.enabled must be true, this component is what it turns on"
        yield from refused(
            "", validate_monitoring, self.settings, self.jobs, self.scalers
        )


class JobMonitoring(pulumi.ComponentResource):
    """
    Rules, scrapes and dashboards for clusters with the Prometheus operator.

    Prometheus, its operator and Grafana are not installed here. Objects are called
    `eks-jobs` and after what they watch, so a cluster takes one of these components.

    Children, each after the one before: the PrometheusRule, called *name*; a monitor
    for each exporter (`-karpenter`, `-cluster-autoscaler`, `-vpc-cni`, `-scheduler`)
    with ClusterRole and ClusterRoleBinding for the scheduler (`-scheduler-metrics`);
    a ConfigMap for each dashboard (`-platform`, `-before-after`).

    What they need is for `depends_on`: the namespace, and the release that brings the
    definitions of the operator. Where those are missing the API server refuses the
    first object, and the others are not tried.

    Args:
        name: Name of the component; its children add to it.
        args: See `JobMonitoringArgs`.
        opts: Options for the component; children inherit the parent.

    Attributes:
        objects: The children, for what should wait for them.
    """

    objects: tuple[pulumi.Resource, ...]

    def __init__(
        self,
        name: str,
        args: JobMonitoringArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:JobMonitoring", name, None, opts)
        watched = _watched(args)
        announce(self, monitoring_notices(args.settings, watched))
        child = pulumi.ResourceOptions(
            provider=args.cluster.provider, deleted_with=args.cluster.deleted_with
        )
        first = children_of(self, opts, args.cluster.ready).merge(child)
        others = children_of(self, None).merge(child)

        manifests = monitoring_manifests(args.settings, watched)
        self.objects = _objects(name, manifests, first, others)
        self.register_outputs({"namespace": args.settings.namespace})


def _watched(args: JobMonitoringArgs) -> Watched:
    return watched_stack(
        args.cluster.name,
        jobs=args.jobs,
        scalers=args.scalers,
        policy=args.policy,
        balloons=args.balloons,
    )


def _objects(
    name: str,
    manifests: Sequence[Mapping[str, Any]],
    first: pulumi.ResourceOptions,
    others: pulumi.ResourceOptions,
) -> tuple[pulumi.Resource, ...]:
    """
    Create the objects in their order: one error is enough without the operator.

    What the first waits for is a whole platform: the state would hold the list of it
    once more for each of the others.
    """
    made: list[pulumi.Resource] = []
    for manifest in manifests:
        role = manifest["metadata"]["name"].removeprefix(_PREFIX)
        opts = after(others, made[-1:]) if made else first
        made.append(_object(f"{name}{role}", manifest, opts))
    return tuple(made)


def _object(
    name: str, manifest: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> pulumi.Resource:
    metadata = manifest["metadata"]
    if manifest["kind"] == "ConfigMap":
        return kubernetes.core.v1.ConfigMap(
            name, metadata=metadata, data=manifest["data"], opts=opts
        )
    if manifest["kind"] == "ClusterRole":
        return kubernetes.rbac.v1.ClusterRole(
            name, metadata=metadata, rules=manifest["rules"], opts=opts
        )
    if manifest["kind"] == "ClusterRoleBinding":
        return kubernetes.rbac.v1.ClusterRoleBinding(
            name,
            metadata=metadata,
            role_ref=manifest["roleRef"],
            subjects=manifest["subjects"],
            opts=opts,
        )
    return custom_resource(name, manifest, opts)
