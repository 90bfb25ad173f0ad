"""What happens to a job pod when it is created, on any cluster."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from ._charts import chart_release
from ._children import after, children_of
from ._notices import announce
from ._objects import custom_resource
from .cluster_facts import ClusterFacts
from .spec.groups import JobGroup, ServerGroup
from .spec.policy.definition import POLICY_NAME
from .spec.policy.engine import Engine
from .spec.policy.manifests import policy_manifests
from .spec.policy.plan import (
    KyvernoRelease,
    check_policy,
    engine_of,
    kyverno_release,
    policy_notices,
)
from .spec.policy.protection import ScalerFacts
from .spec.policy.settings import JobPolicySettings
from .spec.problems import refuse, refused
from .spec.scheduler import SchedulerScoring

__all__ = ["JobPolicy", "JobPolicyArgs"]

# The API server loads new policies once a second (kubernetes, apiserver,
# policy_source.go); Kyverno writes its webhook within a few, a guess.
_SETTLE_SECONDS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class JobPolicyArgs:
    """
    Arguments of `JobPolicy`.

    Args:
        cluster: The cluster; its `provider` is needed.
        settings: What makes a pod a job, and what happens to it.
        scalers: What adds and removes nodes, as far as it is known; each must
            honour the protection.
        servers: Server groups of the cluster. Kyverno is installed on one.
        jobs: Job groups of the cluster, for warnings about their size.
        scheduler: Scoring of the cluster's scheduler; packing by the scheduler
            needs one. None is that of EKS.

    Raises:
        ValueError: The cluster has no provider, does not run the engine or does not
            pack, a scaler ignores the protection, or no group may hold Kyverno. All
            problems are named, one a line.
    """

    cluster: ClusterFacts
    settings: JobPolicySettings = JobPolicySettings()
    scalers: tuple[ScalerFacts, ...] = ()
    servers: tuple[ServerGroup, ...] = ()
    jobs: tuple[JobGroup, ...] = ()
    scheduler: SchedulerScoring | None = None

    def __post_init__(self) -> None:
        problems = []
        if self.cluster.provider is None:
            problems.append(
                "cluster.provider must be given, policies are Kubernetes objects"
            )
        problems += refused("", self._check)
        problems += refused("settings.kyverno.", self.kyverno_release)
        refuse(problems)

    def kyverno_release(self) -> KyvernoRelease | None:
        """Return the release of Kyverno, None when none is installed here."""
        return kyverno_release(
            self.settings, self.cluster.version, self.servers, self.jobs
        )

    def _check(self) -> None:
        check_policy(
            self.settings,
            cluster_version=self.cluster.version,
            scheduler=self.scheduler,
            scalers=self.scalers,
        )


class JobPolicy(pulumi.ComponentResource):
    """
    Label, affinity and protection for every job pod that is created from now on.

    It refuses no pod, and changes none that exists. A quota on affinity across
    namespaces (scope `CrossNamespacePodAffinity`) may refuse a pod for its term: see
    `unpacked_namespaces` and `affinity_scope`. Policy objects are called `eks-jobs`
    in the cluster, so a cluster takes one of these components.

    Children: the policies of one engine, called `-native`, `-kyverno` or
    `-kyverno-legacy` (each with its binding, where the engine has bindings; one
    more, `-host-network`, for the host network), and the release of Kyverno
    (`-kyverno`), when it is installed here. Another engine has other names: its
    policies exist, and have had time to be loaded, before those of the former go.
    Policies go before Kyverno does.

    Kyverno needs nodes: name them in `depends_on`.

    Args:
        name: Name of the component; its children add to it.
        args: See `JobPolicyArgs`.
        opts: Options for the component; children inherit the parent.

    Attributes:
        engine: What runs the policy.
        policies: Resources of the policies, for what should wait for them.
    """

    engine: Engine
    policies: tuple[pulumi.Resource, ...]

    def __init__(
        self,
        name: str,
        args: JobPolicyArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:JobPolicy", name, None, opts)
        self.engine = engine_of(args.settings, args.cluster.version)
        announce(self, policy_notices(args.settings, args.cluster.version, args.jobs))
        child = children_of(self, opts, args.cluster.ready).merge(
            pulumi.ResourceOptions(
                provider=args.cluster.provider, deleted_with=args.cluster.deleted_with
            )
        )

        release = args.kyverno_release()
        installed = (
            []
            if release is None
            else [chart_release(f"{name}-kyverno", release, child)]
        )
        manifests = policy_manifests(args.settings, self.engine)
        self.policies = _policies(
            f"{name}-{self.engine}", manifests, after(child, installed)
        )
        self.register_outputs(
            {
                "engine": self.engine,
                "label": {args.settings.label.key: args.settings.label.value},
            }
        )


def _policies(
    name: str, manifests: Sequence[Mapping[str, Any]], opts: pulumi.ResourceOptions
) -> tuple[pulumi.Resource, ...]:
    """Create the objects in their order; a binding waits for its policy."""
    made: dict[str, list[pulumi.Resource]] = {}
    hook = pulumi.ResourceHook(f"{name}-settled", _settle)
    for manifest in manifests:
        called = manifest["metadata"]["name"]
        before = made.setdefault(called, [])
        # A native policy does nothing until it is bound.
        works = manifest["kind"] != "MutatingAdmissionPolicy"
        hooks = pulumi.ResourceHookBinding(after_create=[hook]) if works else None
        own = pulumi.ResourceOptions(depends_on=list(before), hooks=hooks)
        resource = _object(
            f"{name}{called.removeprefix(POLICY_NAME)}", manifest, opts.merge(own)
        )
        before.append(resource)
    return tuple(resource for listed in made.values() for resource in listed)


def _object(
    name: str, manifest: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> pulumi.Resource:
    v1 = kubernetes.admissionregistration.v1
    metadata, spec = manifest["metadata"], manifest["spec"]
    if manifest["kind"] == "MutatingAdmissionPolicy":
        return v1.MutatingAdmissionPolicy(name, metadata=metadata, spec=spec, opts=opts)
    if manifest["kind"] == "MutatingAdmissionPolicyBinding":
        return v1.MutatingAdmissionPolicyBinding(
            name, metadata=metadata, spec=spec, opts=opts
        )
    return custom_resource(name, manifest, opts)


async def _settle(_created: pulumi.ResourceHookArgs) -> None:
    """
    Wait until a new policy works, before the engine goes on.

    A policy works a moment after it is stored. Without the wait a switch of engine
    would delete the old policy within that moment, and jobs that start then would
    be neither packed nor protected.
    """
    await asyncio.sleep(_SETTLE_SECONDS)
