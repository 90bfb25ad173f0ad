"""The control plane, and the add-ons that nodes need from their first moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as kubernetes

from ._addons import addon
from ._children import after, children_of, invoke_with
from ._cluster_auto_mode import auto_mode_options, tagging_rights
from .cluster_facts import ClusterFacts
from .spec.access import ADMIN_POLICY
from .spec.cluster import ClusterSettings
from .spec.kubeconfig import TokenSource, render_kubeconfig
from .spec.names import CLUSTER_ROLE, check_cluster_name, check_role_name
from .spec.scaler.auto_mode import AutoMode, cluster_config
from .spec.tags import check_tags

__all__ = ["Cluster", "ClusterArgs", "control_plane_transform"]

_CONTROL_PLANE = "aws:eks/cluster:Cluster"
_BEFORE_NODES = ("kube-proxy", "eks-pod-identity-agent")


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterArgs:
    """
    Arguments of `Cluster`.

    Args:
        settings: Version, access, logs, scheduler and pinned add-ons. Without a
            name in them the cluster is called as the component.
        vpc_id: VPC of the cluster.
        subnet_ids: Private subnets in at least two zones, for the control plane and
            for nodes.
        auto_mode: EKS Auto Mode, None to have it off. Turning it off on a cluster
            that has it ends all of its nodes.
        only_auto_mode: Whether nodes of Auto Mode are the only ones. The add-ons
            that other nodes need are left out then.
        token: Whose credentials make objects in the cluster; those of an explicit
            AWS provider are not known here.
        tags: Tags of the cluster and of what is made for it.

    Raises:
        ValueError: Fewer than two subnets, AWS would refuse the tags, or Auto Mode
            is off and alone.
    """

    settings: ClusterSettings
    vpc_id: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    auto_mode: AutoMode | None = None
    only_auto_mode: bool = False
    token: TokenSource = TokenSource()
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems = []
        if len(self.subnet_ids) < 2:
            problems.append(
                "subnet_ids must name at least 2 subnets in different zones, "
                f"got {len(self.subnet_ids)}"
            )
        if self.only_auto_mode and self.auto_mode is None:
            problems.append("only_auto_mode needs auto_mode, got auto_mode=None")
        try:
            check_tags(self.tags, {"Name": ""})
        except ValueError as error:
            problems.append(str(error))
        if problems:
            raise ValueError("\n".join(problems))


class Cluster(pulumi.ComponentResource):
    """
    An EKS control plane, with access by access entries alone.

    The API server answers nodes and pods always, and others only from the addresses
    given, by its public or its private address. Whoever creates the cluster is its
    administrator by EKS's own entry: leave that principal out of `admins`, EKS
    refuses a second entry.

    Children: `pulumi_eks.Cluster` and a Kubernetes provider, called *name*; a key
    for secrets (*name*) and, with logs switched on, their log group (*name*); the
    add-ons kube-proxy and eks-pod-identity-agent (`-kube-proxy`,
    `-eks-pod-identity-agent`); an access entry and its policy for each
    administrator (`-admin-` and the end of the ARN, for an Output its place in the
    list); a rule of the cluster's security
    group for each private block (`-access-` and a hash of it). The add-ons that need
    a node come later: `VpcCni`, `Storage` and, in `JobPlatform`, coredns. With Auto
    Mode also a role for the nodes of built-in pools with its policies and a policy of
    the role of the cluster (both `-auto-mode`).

    Args:
        name: Name of the component and of its children, and of the cluster unless
            the settings name it; at most 43 characters.
        args: See `ClusterArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        facts: What nodes and other components need; they wait for all of this.

    Raises:
        ValueError: The name is too long, or cannot be that of the cluster, which
            the settings do not name.
    """

    facts: ClusterFacts

    def __init__(
        self,
        name: str,
        args: ClusterArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        check_role_name(name, CLUSTER_ROLE)
        called = name if args.settings.name is None else args.settings.name
        check_cluster_name(called)
        super().__init__("eks-jobs:index:Cluster", name, None, opts)
        child = children_of(self, opts)

        control_plane = _control_plane(name, called, args, child)
        joined = after(child, [control_plane])
        admins = _admins(name, called, args, joined)
        admitted = _private_access(name, args, control_plane, joined)
        # Who destroys may need both: objects go while the access is there.
        facts = _facts(
            name, called, args, control_plane, after(child, [*admins, *admitted])
        )
        tagging = tagging_rights(name, args.auto_mode, control_plane, joined)
        addons = [
            addon(
                f"{name}-{addon_name}",
                facts,
                addon_name,
                args.settings.addons.get(addon_name),
                args.tags,
                joined,
            )
            for addon_name in (() if args.only_auto_mode else _BEFORE_NODES)
        ]

        self.facts = replace(facts, ready=(control_plane, *tagging, *addons))
        self.register_outputs({"name": called, "endpoint": facts.endpoint})


def control_plane_transform(
    settings: ClusterSettings, *, auto_mode: bool = False
) -> pulumi.ResourceTransform:
    """
    Add to the control plane what `pulumi_eks.Cluster` has no input for.

    Auto Mode that is off is said, all switches at once: EKS keeps what a cluster
    has when nothing is said. The subnets of the control plane stay those that it was
    made in: EKS refuses others in another set of zones, and nodes may be in any
    subnet of the VPC.

    Args:
        settings: Settings of the cluster.
        auto_mode: Whether Auto Mode is on; its switches come from an input then.

    Returns:
        A transform for the options of `pulumi_eks.Cluster`.
    """
    wanted: dict[str, Any] = {
        "kubeSchedulerConfig": settings.kube_scheduler_config(),
        "kubeControllerManagerConfig": settings.kube_controller_manager_config(),
    }
    added = {key: value for key, value in wanted.items() if value is not None}
    switches = {} if auto_mode else cluster_config(None, None)

    def transform(
        resource: pulumi.ResourceTransformArgs,
    ) -> pulumi.ResourceTransformResult | None:
        if resource.type_ != _CONTROL_PLANE:
            return None
        both = {
            key: _joined(resource.props.get(key), value)
            for key, value in switches.items()
        }
        first = pulumi.ResourceOptions(ignore_changes=["vpcConfig.subnetIds"])
        return pulumi.ResourceTransformResult(
            props={**resource.props, **added, **both}, opts=resource.opts.merge(first)
        )

    return transform


def _joined(there: Any, added: Mapping[str, Any]) -> Any:
    """Add to what the component says itself about the same part."""
    if there is None:
        return added
    return pulumi.Output.from_input(there).apply(lambda known: {**known, **added})


def _control_plane(
    name: str, called: str, args: ClusterArgs, opts: pulumi.ResourceOptions
) -> eks.Cluster:
    settings = args.settings
    auto_mode, before = auto_mode_options(name, args.auto_mode, args.tags, opts)
    key = aws.kms.Key(
        name,
        description=f"Secrets of the EKS cluster {called}",
        enable_key_rotation=True,
        tags={"Name": called, **args.tags},
        opts=opts,
    )
    return eks.Cluster(
        name,
        name=called,
        version=settings.version,
        vpc_id=args.vpc_id,
        private_subnet_ids=args.subnet_ids,
        authentication_mode=eks.AuthenticationMode.API,
        endpoint_private_access=True,
        endpoint_public_access=bool(settings.public_access_cidrs),
        public_access_cidrs=list(settings.public_access_cidrs) or None,
        kubernetes_service_ip_address_range=settings.service_cidr,
        encryption_config_key_arn=key.arn,
        enabled_cluster_log_types=list(settings.log_types) or None,
        upgrade_policy={"support_type": settings.support},
        deletion_protection=settings.deletion_protection,
        # Nodes and add-ons are ours, all of them; so is the access of nodes.
        skip_default_node_group=True,
        skip_default_security_groups=True,
        bootstrap_self_managed_addons=False,
        use_default_vpc_cni=True,
        coredns_addon_options={"enabled": False},
        kube_proxy_addon_options={"enabled": False},
        create_oidc_provider=False,
        auto_mode=auto_mode,
        tags=args.tags,
        opts=opts.merge(
            pulumi.ResourceOptions(
                depends_on=[*_log_group(name, called, args, opts), *before],
                transforms=[
                    control_plane_transform(settings, auto_mode=auto_mode is not None)
                ],
            )
        ),
    )


def _log_group(
    name: str, called: str, args: ClusterArgs, opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Make the log group first: EKS makes its own otherwise, kept for ever."""
    if not args.settings.log_types:
        return []
    return [
        aws.cloudwatch.LogGroup(
            name,
            name=f"/aws/eks/{called}/cluster",
            retention_in_days=args.settings.log_retention_days,
            tags=args.tags,
            opts=opts,
        )
    ]


def _facts(
    name: str,
    called: str,
    args: ClusterArgs,
    control_plane: eks.Cluster,
    opts: pulumi.ResourceOptions,
) -> ClusterFacts:
    made = control_plane.eks_cluster
    endpoint = made.endpoint
    authority = made.certificate_authority.data
    return ClusterFacts(
        name=called,
        endpoint=endpoint,
        certificate_authority=authority,
        service_cidr=args.settings.service_cidr,
        security_group_id=made.vpc_config.cluster_security_group_id,
        vpc_id=args.vpc_id,
        subnet_ids=args.subnet_ids,
        version=args.settings.version,
        provider=_provider(name, called, endpoint, authority, args.token, opts),
        deleted_with=control_plane,
    )


def _provider(
    name: str,
    called: str,
    endpoint: pulumi.Output[str],
    authority: pulumi.Output[str],
    token: TokenSource,
    opts: pulumi.ResourceOptions,
) -> kubernetes.Provider:
    region = aws.get_region_output(opts=invoke_with(opts)).region
    return kubernetes.Provider(
        name,
        kubeconfig=pulumi.Output.all(endpoint, authority, region).apply(
            lambda known: render_kubeconfig(called, *known, token)
        ),
        # Only another cluster replaces the provider, never another kubeconfig.
        cluster_identifier=endpoint,
        enable_server_side_apply=True,
        opts=opts,
    )


def _admins(
    name: str, called: str, args: ClusterArgs, opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Let administrators in; return what gives them their rights."""
    made: list[pulumi.Resource] = []
    partition = aws.get_partition_output(opts=invoke_with(opts)).partition
    for place, arn in enumerate(args.settings.admins):
        label = f"{name}-admin-{_principal(arn, place)}"
        entry = aws.eks.AccessEntry(
            label,
            cluster_name=called,
            principal_arn=arn,
            type="STANDARD",
            tags=args.tags,
            opts=opts,
        )
        rights = aws.eks.AccessPolicyAssociation(
            label,
            cluster_name=called,
            principal_arn=entry.principal_arn,
            policy_arn=partition.apply(
                lambda part: f"arn:{part}:eks::aws:{ADMIN_POLICY}"
            ),
            access_scope={"type": "cluster"},
            opts=opts,
        )
        made.append(rights)
    return made


def _private_access(
    name: str,
    args: ClusterArgs,
    control_plane: eks.Cluster,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Let others than nodes reach the private address of the API server."""
    group = control_plane.eks_cluster.vpc_config.cluster_security_group_id
    return [
        aws.vpc.SecurityGroupIngressRule(
            # A block may be a secret, and names never are.
            f"{name}-access-{sha256(cidr.encode()).hexdigest()[:8]}",
            security_group_id=group,
            cidr_ipv4=cidr,
            ip_protocol="tcp",
            from_port=443,
            to_port=443,
            description="API server",
            tags=args.tags,
            opts=opts,
        )
        for cidr in args.settings.private_access_cidrs
    ]


def _principal(arn: pulumi.Input[str], place: int) -> str:
    """
    Name a principal by account, kind and name; two partitions never mix.

    An ARN that is still an Output has no text yet, and is named by its place.
    """
    return arn.split(":", 4)[4] if isinstance(arn, str) else str(place)
