"""A whole cluster for servers and jobs: network, control plane, nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pulumi

from . import _nodes, _scalers
from ._addons import addon
from ._balloons import add_balloons
from ._children import after, children_of
from ._notices import announce
from ._offerings import check_offerings
from ._platform_review import (
    platform_notices,
    platform_problems,
    server_args,
)
from .cluster import Cluster, ClusterArgs
from .cluster_facts import ClusterFacts
from .job_monitoring import JobMonitoring, JobMonitoringArgs
from .job_policy import JobPolicy, JobPolicyArgs
from .network import Network, NetworkArgs
from .server_nodes import ServerNodes
from .spec.balloon.keda import Keda
from .spec.balloon.settings import AnyBalloon
from .spec.cluster import ClusterSettings
from .spec.groups import JobGroup, ServerGroup
from .spec.instance_types import InstanceTypes
from .spec.kubeconfig import TokenSource
from .spec.monitoring.settings import Monitoring
from .spec.names import CLUSTER_ROLE, check_role_name
from .spec.network import ExistingNetwork, NewNetwork
from .spec.policy.plan import engine_of, with_scoring
from .spec.policy.settings import JobPolicySettings
from .spec.problems import refuse
from .spec.scaler.cluster_autoscaler import ClusterAutoscaler
from .spec.scaler.plan import (
    auto_mode_alone,
    auto_mode_of,
    scaler_facts,
    scalers_of,
)
from .spec.scaler.settings import Scaler
from .spec.vpc_cni import VpcCniTuning, WarmPrefixes
from .storage import Storage, StorageArgs
from .vpc_cni import VpcCni, VpcCniArgs

__all__ = ["JobPlatform", "JobPlatformArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class JobPlatformArgs:
    """
    Arguments of `JobPlatform`.

    Args:
        network: A VPC to make, or the one to use.
        cluster: The control plane. Without a name in it the cluster is called as
            the component.
        servers: Node groups for servers; one of them has no taints. EKS Auto Mode
            can do without any.
        jobs: Node groups for jobs.
        scaler: What adds and removes nodes of jobs.
        retiring_scaler: Another one that makes no new nodes, and lets the jobs on
            those it has come to their end; see docs/migration.md.
        vpc_cni: How addresses are kept ready, on every node.
        policy: What happens to job pods when they are created; None: nothing.
        balloons: Capacity of job groups that waits for a burst.
        keda: How KEDA gets into the cluster, for balloons with a schedule.
        monitoring: Rules, scrapes and dashboards; None: nothing. The Prometheus
            operator must be there, and is not installed here.
        tags: Tags of everything, under those of each group.
        instance_types: Facts about instance types.
        token: Whose credentials make objects in the cluster, by the AWS CLI.
        check_offerings: Whether to ask EC2, before the first resource, if the region
            and its zones offer the types of all groups. The call needs
            `ec2:DescribeInstanceTypeOfferings`, and `ec2:DescribeSubnets` for subnets
            that exist; those that the same program makes are not looked up.

    Raises:
        ValueError: Something in here, or the parts taken together, would be refused
            by AWS or Kubernetes. All problems are named, one a line.

    Sources:
        Cluster Autoscaler: it ends no node for its age or its image, and scales the
        groups of servers too.
    """

    network: NewNetwork | ExistingNetwork
    cluster: ClusterSettings
    servers: tuple[ServerGroup, ...]
    jobs: tuple[JobGroup, ...] = ()
    scaler: Scaler = ClusterAutoscaler()
    retiring_scaler: Scaler | None = None
    vpc_cni: VpcCniTuning = WarmPrefixes()
    policy: JobPolicySettings | None = JobPolicySettings()
    balloons: tuple[AnyBalloon, ...] = ()
    keda: Keda = Keda()
    monitoring: Monitoring | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    instance_types: InstanceTypes = field(default_factory=InstanceTypes.bundled)
    token: TokenSource = TokenSource()
    check_offerings: bool = True

    def __post_init__(self) -> None:
        refuse(dict.fromkeys(platform_problems(self)))

    @property
    def only_auto_mode(self) -> bool:
        """Whether every node is one of EKS Auto Mode."""
        return auto_mode_alone(self.scaler, self.retiring_scaler, self.servers)

    @property
    def scalers(self) -> tuple[Scaler, ...]:
        """The scaler in use, then the one on its way out."""
        return scalers_of(self.scaler, self.retiring_scaler)


class JobPlatform(pulumi.ComponentResource):
    """
    An EKS cluster on which jobs run packed, and servers run apart from them.

    Children: `Network` (`-network`, unless one exists), `Cluster` (`-cluster`),
    `VpcCni` (`-vpc-cni`), `ServerNodes` for each group of servers (`-` and the
    group's name), the add-on coredns (`-coredns`), `Storage` (`-storage`),
    `JobPolicy` (`-policy`), and what the scaler makes of job groups:
    `KarpenterNodes` (`-karpenter`), `AutoModeNodes` (`-auto-mode`), or
    `AutoscalerController` (`-cluster-autoscaler`) with `JobNodes` or
    `ManagedJobNodes` for each group (`-` and the group's name). With balloons a
    namespace (`-balloons`), `KedaController` (`-keda`) for schedules, and `Balloon`
    for each but warm pools (`-` and the name of its objects). `JobMonitoring`
    (`-monitoring`), when it is asked for.

    Nodes wait for the settings of the VPC CNI, and what runs on nodes waits for
    servers without taints, controllers of scalers and KEDA for DNS as well; balloons
    wait for what reads them; a destroy goes the other way round. Monitoring waits for
    all of it, since a cluster without the operator refuses it. A policy that the API
    server runs itself waits for no node. A packing by the scheduler sets the scoring
    of the cluster, unless its settings have one. What AWS takes but will not honour
    is a warning of this component.

    Args:
        name: Name of the component, at most 35 characters; with a group's name
            added, at most 55.
        args: See `JobPlatformArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        facts: The cluster, for components that are added to it. They wait for its
            network, its control plane and its VPC CNI.
        group_names: Names at AWS of the node groups and Auto Scaling groups, or of
            the node pools, by the names of the groups.

    Raises:
        ValueError: The name is too long, alone or for a group; the region has too few
            zones; a type is offered nowhere, or a zone offers none of a group.
    """

    facts: ClusterFacts
    group_names: Mapping[str, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        args: JobPlatformArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        check_role_name(name, f"-cluster{CLUSTER_ROLE}")
        for group in (*args.servers, *args.jobs):
            _nodes.check_name(f"{name}-{group.name}", "node_group", "iam_role")
        super().__init__("eks-jobs:index:JobPlatform", name, None, opts)
        child = children_of(self, opts)
        announce(self, platform_notices(args))
        if args.check_offerings:
            check_offerings(self, args)

        control_plane = _cluster(name, args, child)
        cni = _vpc_cni(name, args, control_plane, child)
        self.facts = replace(control_plane, ready=(*control_plane.ready, *cni))
        servers = {
            group.name: ServerNodes(
                f"{name}-{group.name}", server_args(self.facts, args, group), child
            )
            for group in args.servers
        }
        open_to_all = [servers[g.name] for g in args.servers if not g.all_taints]
        dns = _dns(name, args, self.facts, after(child, open_to_all))
        storage = _storage(name, args, self.facts, after(child, open_to_all))
        policy = _policy(name, args, self.facts, list(servers.values()), child)
        running = after(child, [*open_to_all, *dns])
        active, *retiring = (
            _scalers.scaled_nodes(name, scaler, args, self.facts, child, running)
            for scaler in args.scalers
        )
        waiting = add_balloons(name, args, self.facts, active.objects, child, running)
        scaled = [
            made for one in (active, *retiring) for made in (*one.objects, *one.groups)
        ]
        everything = [*servers.values(), *dns, storage, *policy, *scaled, *waiting]
        _monitoring(name, args, self.facts, after(child, everything))

        groups = {group: made.group_name for group, made in servers.items()}
        self.group_names = {**groups, **active.group_names}
        self.register_outputs(
            {
                "cluster_name": self.facts.name,
                "endpoint": self.facts.endpoint,
                "group_names": self.group_names,
            }
        )


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
            auto_mode=auto_mode_of(args.scaler, args.retiring_scaler),
            only_auto_mode=args.only_auto_mode,
            token=args.token,
            tags=args.tags,
        ),
        after(opts, made),
    ).facts


def _vpc_cni(
    name: str,
    args: JobPlatformArgs,
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
) -> list[VpcCni]:
    if args.only_auto_mode:
        return []
    tuned = VpcCniArgs(
        cluster=cluster,
        tuning=args.vpc_cni,
        version=args.cluster.addons.get("vpc-cni"),
        tags=args.tags,
    )
    return [VpcCni(f"{name}-vpc-cni", tuned, opts)]


def _dns(
    name: str,
    args: JobPlatformArgs,
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Add what degrades for twenty minutes unless a node without taints is there."""
    if args.only_auto_mode:
        return []
    version = args.cluster.addons.get("coredns")
    label = f"{name}-coredns"
    return [addon(label, cluster, "coredns", version, args.tags, opts)]


def _storage(
    name: str,
    args: JobPlatformArgs,
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
) -> Storage:
    """Add volumes; the driver too degrades for twenty minutes without a node."""
    return Storage(
        f"{name}-storage",
        StorageArgs(
            cluster=cluster,
            version=args.cluster.addons.get("aws-ebs-csi-driver"),
            auto_mode=args.only_auto_mode,
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
) -> list[JobPolicy]:
    """Wait for nodes only where the engine runs on them: jobs may come any time."""
    if args.policy is None:
        return []
    native = engine_of(args.policy, cluster.version) == "native"
    policy = JobPolicyArgs(
        cluster=cluster,
        settings=args.policy,
        scalers=scaler_facts(args.scaler, args.retiring_scaler, cluster.version),
        servers=args.servers,
        jobs=args.jobs,
        scheduler=with_scoring(args.cluster, args.policy).scheduler,
    )
    return [
        JobPolicy(f"{name}-policy", policy, opts if native else after(opts, servers))
    ]


def _monitoring(
    name: str,
    args: JobPlatformArgs,
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
) -> None:
    if args.monitoring is None or not args.monitoring.enabled:
        return
    JobMonitoring(
        f"{name}-monitoring",
        JobMonitoringArgs(
            cluster=cluster,
            jobs=args.jobs,
            settings=args.monitoring,
            scalers=args.scalers,
            policy=args.policy,
            balloons=args.balloons,
        ),
        opts,
    )
