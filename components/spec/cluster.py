"""The control plane of a cluster, and what EKS would refuse about it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Any, Literal, get_args

from .kubernetes_versions import (
    KUBERNETES_VERSIONS,
    VersionSupport,
    version_problems,
)
from .names import check_cluster_name
from .network import (
    ExistingNetwork,
    NewNetwork,
    cidr_problem,
    private_blocks,
)
from .problems import choices, duplicates, known, refuse, refused
from .scheduler import ResourceWeight, SchedulerScoring

__all__ = [
    "ADDONS",
    "KUBERNETES_VERSIONS",
    "ClusterSettings",
    "LogType",
    "ResourceWeight",
    "SchedulerScoring",
    "Support",
    "VersionSupport",
    "validate_addresses",
]

LogType = Literal["api", "audit", "authenticator", "controllerManager", "scheduler"]

Support = Literal["STANDARD", "EXTENDED"]

ADDONS = (
    "vpc-cni",
    "coredns",
    "kube-proxy",
    "eks-pod-identity-agent",
    "aws-ebs-csi-driver",
)
"""The EKS add-ons that every cluster of ours has."""

_RELEASE = re.compile(r"v20\d{6}")
_ADDON_VERSION = re.compile(r"v\d+\.\d+\.\d+-eksbuild\.\d+")
_PRINCIPAL = re.compile(r"arn:[a-z][a-z-]*:iam::\d{12}:(role|user)/[\w+=,.@/-]+")
_SERVICE_RANGES = tuple(
    IPv4Network(text) for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
)
_MOST_CIDRS = 40
_MOST_TERMINATED_PODS = 12_500
# What CloudWatch Logs takes. Source: CloudWatch Logs API, PutRetentionPolicy.
_RETENTION_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731) + (
    1096,
    1827,
    2192,
    2557,
    2922,
    3288,
    3653,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterSettings:
    """
    The control plane, its add-ons and who may use it.

    The API server always answers its nodes and their pods, inside the VPC.

    Args:
        version: Minor version of Kubernetes as text, `"1.36"`; without the quotes
            YAML reads 1.30 as 1.3. Versions newer than the table are taken, with
            a warning.
        name: Name of the cluster, 1 to 100 letters, digits, `-` and `_`. None
            is the name of the component; the ready program then puts project and
            stack here.
        public_access_cidrs: IPv4 blocks that may also reach the API server over
            the internet, at most 40. None: the public endpoint is off.
        private_access_cidrs: IPv4 blocks that may reach the API server by its
            private address, at most 40: runners and hosts of the VPC, a VPN, a
            peered network. Without them only nodes and their pods do.
        admins: ARNs of the IAM roles and users that get cluster-admin; a program
            may give Outputs, which EKS checks. Not the principal that creates the
            cluster: it has its entry, and EKS refuses a second one. An Output is
            named by its place in the list: add others behind it, take none away
            before it, and do not write a text for it later, or EKS refuses the new
            entry because the old one is still there (409).
        log_types: Control plane logs that go to CloudWatch, which has its price. An
            empty list deletes the log group, with the audit logs kept so far.
        log_retention_days: Days until these logs are deleted, one of the numbers
            that CloudWatch offers.
        support: What EKS does when standard support of *version* ends: upgrade
            the cluster by itself (`STANDARD`) or charge extra (`EXTENDED`).
        deletion_protection: Refuse to delete the cluster until this is off again.
        service_cidr: Range of Services, /12 to /24, apart from the VPC. EKS
            cannot change it later.
        scheduler: Scoring for the whole cluster; None leaves it to EKS. Taken away
            later it undoes nothing: write `{strategy: LeastAllocated}`.
        terminated_pod_gc_threshold: Finished pods kept before the oldest are
            removed, 1 to 12,500; None leaves it to EKS. Taken away later it undoes
            nothing: write `12500`.
        addons: Versions of add-ons to pin, by name; EKS's default for *version*
            otherwise.
        ami_release: Release of the AL2023 node images of job groups, such as
            `v20260714`. None needs an image of its own in every job group, or an
            alias of Karpenter, beside which it is left out; the ready program puts
            its pin here.

    Raises:
        ValueError: EKS would refuse it, with a line for each reason.

    Sources:
        api, audit and authenticator logs: who did what and who was let in, a
        guess at what is read. 90 days: a quarter to look back, a guess. STANDARD:
        no surprise on the bill, the brief of the project. 172.20.0.0/16: what EKS
        itself takes beside a VPC in 10.0.0.0/8. Ranges: EKS API, CreateCluster;
        12,500: pulumi-aws 7.51 (the API's own model says 1,000,000). 40 blocks: EKS
        user guide, service quotas; the private ones are rules of a security group,
        which has 60 by default. Rules for the private address: EKS user guide,
        cluster API server endpoint.
    """

    version: str
    name: str | None = None
    public_access_cidrs: tuple[str, ...] = ()
    private_access_cidrs: tuple[str, ...] = ()
    admins: tuple[str, ...] = ()
    log_types: tuple[LogType, ...] = ("api", "audit", "authenticator")
    log_retention_days: int = 90
    support: Support = "STANDARD"
    deletion_protection: bool = False
    service_cidr: str = "172.20.0.0/16"
    scheduler: SchedulerScoring | None = None
    terminated_pod_gc_threshold: int | None = None
    addons: Mapping[str, str] = field(default_factory=dict)
    ami_release: str | None = None

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def version_support(self) -> VersionSupport | None:
        """How EKS supports this version, None for one newer than the table."""
        return KUBERNETES_VERSIONS.get(self.version)

    def kube_scheduler_config(self) -> dict[str, Any] | None:
        """Return the `kubeSchedulerConfig` of an `aws.eks.Cluster`, wire names."""
        if self.scheduler is None:
            return None
        return self.scheduler.kube_scheduler_config()

    def kube_controller_manager_config(self) -> dict[str, Any] | None:
        """Return its `kubeControllerManagerConfig`, wire names."""
        if self.terminated_pod_gc_threshold is None:
            return None
        return {
            "podGcControllerConfig": {
                "terminatedPodGcThreshold": self.terminated_pod_gc_threshold
            }
        }

    def _problems(self) -> Iterator[str]:
        yield from version_problems(self.version)
        if self.name is not None:
            yield from refused("", check_cluster_name, self.name)
        yield from self._access_problems()
        yield from choices("log_types", self.log_types, get_args(LogType))
        if self.log_retention_days not in _RETENTION_DAYS:
            days = ", ".join(map(str, _RETENTION_DAYS))
            yield (
                f"log_retention_days must be one of {days}, "
                f"got log_retention_days={self.log_retention_days}"
            )
        if self.support not in get_args(Support):
            yield f"support must be STANDARD or EXTENDED, got support={self.support!r}"
        yield from _service_problems(self.service_cidr)
        threshold = self.terminated_pod_gc_threshold
        if threshold is not None and not 1 <= threshold <= _MOST_TERMINATED_PODS:
            yield (
                f"terminated_pod_gc_threshold must be 1 to {_MOST_TERMINATED_PODS}, "
                f"got terminated_pod_gc_threshold={threshold}"
            )
        yield from self._pin_problems()

    def _access_problems(self) -> Iterator[str]:
        for name in ("public_access_cidrs", "private_access_cidrs"):
            blocks = getattr(self, name)
            if len(blocks) > _MOST_CIDRS:
                yield f"{name} must be at most {_MOST_CIDRS}, got {len(blocks)}"
            yield from duplicates(name, blocks)
            for text in blocks:
                problem = cidr_problem(name, text)
                if problem:
                    yield problem
        yield from duplicates("admins", known(self.admins))
        for arn in known(self.admins):
            if not _PRINCIPAL.fullmatch(arn):
                yield (
                    "admins must be ARNs of IAM roles or users "
                    f"(arn:<partition>:iam::<account>:role/<name>), got {arn!r}"
                )

    def _pin_problems(self) -> Iterator[str]:
        yield from choices("addons", self.addons, ADDONS)
        for name, version in self.addons.items():
            if not _is_text(_ADDON_VERSION, version):
                yield (
                    f"addons.{name} must be a version such as v1.20.4-eksbuild.1, "
                    f"got {version!r}"
                )
        release = self.ami_release
        if release is not None and not _is_text(_RELEASE, release):
            yield (
                "ami_release must be a release such as v20260714, "
                f"got ami_release={release!r}"
            )


def validate_addresses(
    cluster: ClusterSettings, network: NewNetwork | ExistingNetwork
) -> None:
    """
    Refuse a range of Services that overlaps the VPC.

    Of an existing network only the subnets whose blocks are given are compared.

    Raises:
        ValueError: EKS would refuse the range, or its Services hide nodes.
    """
    services = IPv4Network(cluster.service_cidr)
    blocks = (
        (IPv4Network(network.cidr),)
        if isinstance(network, NewNetwork)
        else private_blocks(network)
    )
    refuse(
        f"service_cidr must not overlap the network, got {cluster.service_cidr!r} "
        f"and {str(block)!r}"
        for block in blocks
        if block.overlaps(services)
    )


def _service_problems(cidr: str) -> Iterator[str]:
    problem = cidr_problem("service_cidr", cidr)
    if problem:
        yield problem
        return
    block = IPv4Network(cidr)
    if not 12 <= block.prefixlen <= 24:
        yield f"service_cidr must be /12 to /24, got {cidr!r}"
    if not any(block.subnet_of(allowed) for allowed in _SERVICE_RANGES):
        ranges = ", ".join(str(allowed) for allowed in _SERVICE_RANGES)
        yield f"service_cidr must lie in {ranges}, got {cidr!r}"


def _is_text(pattern: re.Pattern[str], value: str) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None
