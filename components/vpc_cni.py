"""The VPC CNI: how nodes keep addresses ready for the pods of a burst."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from ._addons import addon
from ._children import children_of
from .cluster_facts import ClusterFacts
from .spec.tags import check_tags
from .spec.vpc_cni import VpcCniTuning, WarmPrefixes

__all__ = ["VpcCni", "VpcCniArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class VpcCniArgs:
    """
    Arguments of `VpcCni`.

    Args:
        cluster: The cluster.
        tuning: How addresses are kept ready, on every node of the cluster.
        version: Version of the add-on, `v1.20.4-eksbuild.1`. None is the default of
            EKS for the cluster's version.
        tags: Tags of the add-on.

    Raises:
        ValueError: AWS would refuse the tags.
    """

    cluster: ClusterFacts
    tuning: VpcCniTuning = WarmPrefixes()
    version: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_tags(self.tags)


class VpcCni(pulumi.ComponentResource):
    """
    The VPC CNI add-on, with one writer of its settings.

    Nodes should wait for it: a node that starts earlier keeps the old settings
    until its DaemonSet pod is replaced.

    Children: one EKS add-on, called *name*.

    Args:
        name: Name of the component and of its child.
        args: See `VpcCniArgs`.
        opts: Options for the component; children inherit provider and parent.

    Attributes:
        addon: The add-on.
    """

    addon: aws.eks.Addon

    def __init__(
        self,
        name: str,
        args: VpcCniArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:VpcCni", name, None, opts)

        self.addon = addon(
            name,
            args.cluster,
            "vpc-cni",
            args.version,
            args.tags,
            children_of(self, opts, args.cluster.ready),
            configuration_values=args.tuning.configuration_values(),
        )
        self.register_outputs({"version": self.addon.addon_version})
