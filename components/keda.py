"""KEDA: what follows the schedules of balloons."""

from collections.abc import Iterator
from dataclasses import dataclass

import pulumi

from ._charts import chart_release
from ._children import children_of
from .cluster_facts import ClusterFacts
from .spec.balloon.keda import Keda, keda_chart
from .spec.groups import ServerGroup
from .spec.problems import refuse

__all__ = ["KedaController", "KedaControllerArgs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class KedaControllerArgs:
    """
    Arguments of `KedaController`.

    Args:
        cluster: The cluster; its `provider` is needed.
        keda: Version, namespace and requests.
        servers: Server groups; KEDA runs on those without taints.

    Raises:
        ValueError: *keda* installs nothing, or the cluster has no provider. All
            problems are named, one a line.
    """

    cluster: ClusterFacts
    keda: Keda = Keda()
    servers: tuple[ServerGroup, ...] = ()

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        if self.cluster.provider is None:
            yield "cluster.provider must be given, the controller runs in the cluster"
        if not self.keda.install:
            yield "keda.install must be true, this component is the installation"


class KedaController(pulumi.ComponentResource):
    """
    KEDA with its definitions, on nodes of servers.

    A cluster takes one: there is one server of external metrics. It asks for no
    permission at AWS, since a schedule is a clock. Balloons with a schedule wait for
    it, and so go before it: their finalizers would stay otherwise.

    Child: the release, called *name*.

    The controller needs nodes: name them, and the DNS of the cluster, in
    `depends_on`.

    Args:
        name: Name of the component and of its child.
        args: See `KedaControllerArgs`.
        opts: Options for the component; children inherit the parent.
    """

    def __init__(
        self,
        name: str,
        args: KedaControllerArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:KedaController", name, None, opts)
        child = children_of(self, opts, args.cluster.ready).merge(
            pulumi.ResourceOptions(
                provider=args.cluster.provider, deleted_with=args.cluster.deleted_with
            )
        )

        chart_release(name, keda_chart(args.keda, args.servers), child)
        self.register_outputs({"version": args.keda.version})
