"""A whole cluster for servers and jobs: network, control plane, nodes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pulumi

from components import _nodes
from components._addons import addon
from components._children import children_of
from components._notices import announce
from components.cluster import Cluster, ClusterArgs
from components.cluster_facts import ClusterFacts
from components.job_nodes import JobNodes, JobNodesArgs
from components.job_policy import JobPolicy, JobPolicyArgs
from components.network import Network, NetworkArgs
from components.server_nodes import ServerNodes, ServerNodesArgs
from components.spec.cluster import ClusterSettings, validate_addresses
from components.spec.groups import JobGroup, ServerGroup, validate_groups
from components.spec.instance_types import InstanceTypes
from components.spec.network import ExistingNetwork, NewNetwork
from components.spec.policy.plan import (
    engine_of,
    kyverno_release,
    policy_notices,
    validate_policy,
    with_scoring,
)
from components.spec.policy.settings import JobPolicySettings
from components.spec.problems import refuse, refused
from components.spec.review import review
from components.spec.vpc_cni import VpcCniTuning, WarmPrefixes
from components.storage import Storage, StorageArgs
from components.vpc_cni import VpcCni, VpcCniArgs

__all__ = ["JobPlatform", "JobPlatformArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobPlatformArgs:
    """
    Arguments of `JobPlatform`.

    Args:
        network: A VPC to make, or the one to use.
        cluster: The control plane. Without a name in it the cluster is called as
            the component.
        servers: Node groups for servers; one of them has no taints.
        jobs: Node groups for jobs.
        vpc_cni: How addresses are kept ready, on every node.
        policy: What happens to job pods when they are created; None: nothing.
        tags: Tags of everything, under those of each group.
        instance_types: Facts about instance types.

    Raises:
        ValueError: Something in here, or the parts taken together, would be refused
            by AWS or Kubernetes. All problems are named, one a line.
    """

    network: NewNetwork | ExistingNetwork
    cluster: ClusterSettings
    servers: tuple[ServerGroup, ...]
    jobs: tuple[JobGroup, ...] = ()
    vpc_cni: VpcCniTuning = WarmPrefixes()
    policy: JobPolicySettings | None = JobPolicySettings()
    tags: Mapping[str, str] = field(default_factory=dict)
    instance_types: InstanceTypes = field(default_factory=InstanceTypes.bundled)

    def __post_init__(self) -> None:
        refuse(_problems(self))


class JobPlatform(pulumi.ComponentResource):
    """
    An EKS cluster on which jobs run packed, and servers run apart from them.

    Children: `Network` (`-network`, unless one exists), `Cluster` (`-cluster`),
    `VpcCni` (`-vpc-cni`), one `ServerNodes` or `JobNodes` for each group (`-` and the
    group's name), the add-on coredns (`-coredns`), `Storage` (`-storage`) and
    `JobPolicy` (`-policy`).

    Nodes wait for the settings of the VPC CNI, and what runs on nodes waits for
    servers without taints; a destroy goes the other way round. A policy that the API
    server runs itself waits for no node. A packing by the scheduler sets the scoring
    of the cluster, unless its settings have one. What AWS takes but will not honour
    is a warning of this component.

    Args:
        name: Name of the component; with a group's name added, at most 55
            characters.
        args: See `JobPlatformArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        facts: The cluster, for components that are added to it. They wait for its
            network, its control plane and its VPC CNI.
        group_names: Names at AWS of the node groups and Auto Scaling groups, by the
            names of the groups.

    Raises:
        ValueError: The name is too long for a group.
    """

    facts: ClusterFacts
    group_names: Mapping[str, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        args: JobPlatformArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        for group in (*args.servers, *args.jobs):
            _nodes.check_name(f"{name}-{group.name}", "node_group", "iam_role")
        super().__init__("eks-jobs:index:JobPlatform", name, None, opts)
        child = children_of(self, opts)
        _announce(self, args)

        control_plane = _cluster(name, args, child)
        cni = _vpc_cni(name, args, control_plane, child)
        ready = (*control_plane.ready, cni)
        self.facts = replace(control_plane, ready=ready)
        servers = {
            group.name: ServerNodes(
                f"{name}-{group.name}", _server_args(self.facts, args, group), child
            )
            for group in args.servers
        }
        jobs = {
            group.name: JobNodes(
                f"{name}-{group.name}", _job_args(self.facts, args, group), child
            )
            for group in args.jobs
        }
        open_to_all = [servers[g.name] for g in args.servers if not g.all_taints]
        _on_nodes(name, args, self.facts, _after(child, open_to_all))
        _policy(name, args, self.facts, list(servers.values()), child)

        self.group_names = {
            group: made.group_name for group, made in {**servers, **jobs}.items()
        }
        self.register_outputs(
            {
                "cluster_name": self.facts.name,
                "endpoint": self.facts.endpoint,
                "group_names": self.group_names,
            }
        )


def _announce(platform: pulumi.Resource, args: JobPlatformArgs) -> None:
    notices = review(
        servers=args.servers,
        jobs=args.jobs,
        instance_types=args.instance_types,
        network=args.network,
        cluster=args.cluster,
        vpc_cni=args.vpc_cni,
    )
    announce(platform, notices)
    if args.policy is None:
        announce(platform, policy_notices(None, args.cluster.version, args.jobs))


def _cluster(
    name: str, args: JobPlatformArgs, opts: pulumi.ResourceOptions
) -> ClusterFacts:
    settings = with_scoring(args.cluster, args.policy)
    if settings.name is None:
        settings = replace(settings, name=name)
    network, made = args.network, []
    if isinstance(network, NewNetwork):
        network = Network(
            f"{name}-network", NetworkArgs(network=network, tags=args.tags), opts
        )
        made = [network]
    return Cluster(
        f"{name}-cluster",
        ClusterArgs(
            settings=settings,
            vpc_id=network.vpc_id,
            subnet_ids=network.subnet_ids,
            tags=args.tags,
        ),
        _after(opts, made),
    ).facts


def _vpc_cni(
    name: str,
    args: JobPlatformArgs,
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
) -> VpcCni:
    return VpcCni(
        f"{name}-vpc-cni",
        VpcCniArgs(
            cluster=cluster,
            tuning=args.vpc_cni,
            version=args.cluster.addons.get("vpc-cni"),
            tags=args.tags,
        ),
        opts,
    )


def _on_nodes(
    name: str,
    args: JobPlatformArgs,
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
) -> None:
    """Add what degrades for twenty minutes unless a node without taints is there."""
    versions = args.cluster.addons
    label = f"{name}-coredns"
    addon(label, cluster, "coredns", versions.get("coredns"), args.tags, opts)
    Storage(
        f"{name}-storage",
        StorageArgs(
            cluster=cluster,
            version=versions.get("aws-ebs-csi-driver"),
            tags=args.tags,
        ),
        opts,
    )


def _policy(
    name: str,
    args: JobPlatformArgs,
    cluster: ClusterFacts,
    servers: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> None:
    """Wait for nodes only where the engine runs on them: jobs may come any time."""
    if args.policy is None:
        return
    native = engine_of(args.policy, cluster.version) == "native"
    JobPolicy(
        f"{name}-policy",
        JobPolicyArgs(
            cluster=cluster,
            settings=args.policy,
            servers=args.servers,
            jobs=args.jobs,
            scheduler=with_scoring(args.cluster, args.policy).scheduler,
        ),
        opts if native else _after(opts, servers),
    )


def _after(
    opts: pulumi.ResourceOptions, resources: Sequence[pulumi.Resource]
) -> pulumi.ResourceOptions:
    return opts.merge(pulumi.ResourceOptions(depends_on=list(resources)))


def _server_args(
    cluster: ClusterFacts, args: JobPlatformArgs, group: ServerGroup
) -> ServerNodesArgs:
    return ServerNodesArgs(
        cluster=cluster,
        group=group,
        instance_types=args.instance_types,
        tags=args.tags,
    )


def _job_args(
    cluster: ClusterFacts, args: JobPlatformArgs, group: JobGroup
) -> JobNodesArgs:
    return JobNodesArgs(
        cluster=cluster,
        group=group,
        ami_release=args.cluster.ami_release,
        instance_types=args.instance_types,
        tags=args.tags,
    )


def _problems(args: JobPlatformArgs) -> Iterator[str]:
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
    yield from refused("", validate_groups, args.servers, args.jobs)
    yield from refused("", validate_addresses, args.cluster, args.network)
    for place, group in enumerate(args.servers):
        yield from refused(f"servers[{place}]: ", _server_args, stand_in, args, group)
    for place, group in enumerate(args.jobs):
        yield from refused(f"jobs[{place}]: ", _job_args, stand_in, args, group)
    if args.policy is not None:
        yield from refused("policy: ", validate_policy, args.policy, args.cluster)
        yield from refused(
            "policy.kyverno: ",
            kyverno_release,
            args.policy,
            args.cluster.version,
            args.servers,
            args.jobs,
        )
