"""How Kyverno is installed on clusters that need it."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..problems import refuse
from .checks import (
    SYSTEM_NAMESPACES,
    idle_problems,
    namespace_problems,
)
from .engine import chart_problems

__all__ = ["KyvernoSettings"]


@dataclass(frozen=True, kw_only=True, slots=True)
class KyvernoSettings:
    """
    The policy engine of clusters without admission policies of their own.

    Args:
        install: Install it; false when the cluster has it already. The fields
            below from *replicas* on are for an installation of ours.
        namespace: Where it runs; the policy leaves this namespace alone.
        chart_version: Version of its chart, as `3.9.1`. None: the pinned one when
            it is installed here, unknown otherwise.
        replicas: Pods that answer the API server, 2 to 15.
        memory_mib: Memory limit of each in MiB, 128 to 8,192.
        group: Server group that they run on; None is the first without taints.
        fail_open: Every policy of this Kyverno fails open, those of others too:
            no pod waits for an engine that is down. Set it to false when you rely
            on Kyverno to refuse something, and name the engine too: `auto` removes
            Kyverno on Kubernetes 1.36.

    Raises:
        ValueError: The engine would be no safer than what it protects, or a field
            would do nothing.

    Sources:
        3 replicas: Kyverno docs, high availability. 384 MiB: chart 3.9, default.
    """

    install: bool = True
    namespace: str = "kyverno"
    chart_version: str | None = None
    replicas: int = 3
    memory_mib: int = 384
    group: str | None = None
    fail_open: bool = True

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        yield from namespace_problems("namespace", (self.namespace,))
        if self.namespace in SYSTEM_NAMESPACES:
            yield (
                "namespace must be one of its own, "
                f"got namespace={self.namespace!r}: the chart refuses kube-system"
            )
        yield from chart_problems(self.chart_version)
        if not 2 <= self.replicas <= 15:
            yield (
                "replicas must be 2 to 15, or one lost node stops the policy, "
                f"got replicas={self.replicas}"
            )
        if not 128 <= self.memory_mib <= 8_192:
            yield f"memory_mib must be 128 to 8192, got memory_mib={self.memory_mib}"
        if not self.install:
            yield from idle_problems(
                self, ("replicas", "memory_mib", "group", "fail_open"), "install=true"
            )
