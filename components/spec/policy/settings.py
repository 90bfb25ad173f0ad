"""What a team says about its jobs: the job policy, whatever engine runs it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..labels import GROUP_LABEL, label_problems
from ..problems import refuse
from .checks import (
    SYSTEM_NAMESPACES,
    choice_problem,
    idle_problems,
    namespace_problems,
)
from .engine import EngineChoice
from .kyverno_settings import KyvernoSettings
from .matchers import Matcher, matcher_problems
from .packing import PACKS_BY_AFFINITY, Packing, affinity_term
from .protection import (
    DEFAULT_PROTECTION,
    DO_NOT_DISRUPT,
    REGISTRATION,
    protection_problems,
)

__all__ = [
    "AffinityScope",
    "JobLabel",
    "JobPolicySettings",
]

AffinityScope = Literal["all-namespaces", "own-namespace"]

# Domains of labels that Kubernetes, EKS or a scaler gives a meaning of its own.
_TAKEN_DOMAINS = ("kubernetes.io", "k8s.io", "amazonaws.com", "k8s.aws", "karpenter.sh")
# Labels without a domain that controllers select their pods by.
_TAKEN_KEYS = (
    "controller-revision-hash",
    "controller-uid",
    "job-name",
    "pod-template-generation",
    "pod-template-hash",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class JobLabel:
    """
    The label that the policy gives to job pods.

    It has nothing to do with the label of nodes, `eks-jobs/group`.

    Args:
        key: Key. `group` is what the recipe used that this library grew from.
        value: Value, not empty.

    Raises:
        ValueError: Kubernetes would refuse the label, or it means something to
            others.

    Sources:
        eks-jobs/workload: a key with our own domain collides with nobody's.
    """

    key: str = "eks-jobs/workload"
    value: str = "job"

    def __post_init__(self) -> None:
        refuse(label_problems("label", {self.key: self.value}) or self._problems())

    def _problems(self) -> Iterator[str]:
        domain = self.key.partition("/")[0] if "/" in self.key else ""
        if self.value == "":
            yield "value must not be empty"
        if self.key in _TAKEN_KEYS or any(
            domain == taken or domain.endswith(f".{taken}") for taken in _TAKEN_DOMAINS
        ):
            yield (
                "key must be one that no controller reads, such as "
                f"example.com/workload, got key={self.key!r}"
            )
        if self.key == GROUP_LABEL:
            yield f"key must not be the node label {GROUP_LABEL}"


@dataclass(frozen=True, kw_only=True, slots=True)
class JobPolicySettings:
    """
    What happens to a job pod when it is created.

    It gets a label, an affinity to other job pods, the annotations that keep a
    scaler from ending it and a toleration that keeps Kubernetes from doing so. What
    the pod brings itself stays: a value of the label (then without the affinity,
    which belongs to the label), annotations, every term of its affinity, every
    toleration. Nothing happens to pods that exist already, to pods of servers and
    DaemonSets, and to mirror pods.

    Args:
        matchers: What makes a pod a job, any of them: names of presets, owners,
            labels.
        exclude_namespaces: Namespaces whose pods are left alone, added to those of
            the system and of the engine.
        label: The label.
        packing: `affinity` by the policy, `scheduler` by the scoring of the whole
            cluster, `both`, or `none`.
        weight: Weight of the affinity term, 1 to 100. Alone it changes nothing:
            the scheduler scales it away. It counts against other preferred terms
            of the same pod.
        unpacked_namespaces: Namespaces whose job pods are protected and labelled,
            but neither seek other jobs nor draw them.
        affinity_scope: Whether jobs of all namespaces are packed together, or
            each namespace by itself.
        protection: Annotations by key; each scaler reads its own. With the one of
            Karpenter comes the toleration of nodes that are not registered yet.
        strict: Overwrite a protection annotation that the pod brings.
        host_network: Let job pods use the network of the node. Such pods reach the
            node's role; pods that declare ports, name a sysctl of the network, run
            on Windows, in a user namespace or in a namespace that enforces a Pod
            Security level stay on the pod network.
        engine: What runs the policy; `auto` follows the version of the cluster.
        kyverno: The engine of older clusters.

    Raises:
        ValueError: A pod would be refused or a job would not be protected because
            of a value, or a value would do nothing. All problems are named.

    Sources:
        Five producers, weight 100 and packing by affinity: the brief of the
        project. All namespaces: with ten namespaces and terms of one namespace
        nothing is packed, a model of kube-scheduler's scores. Both annotations:
        `DEFAULT_PROTECTION`. The toleration: `REGISTRATION`.
    """

    matchers: tuple[Matcher, ...] = (
        "batch-jobs",
        "argo-workflows",
        "airflow",
        "dagster",
        "github-runners",
    )
    exclude_namespaces: tuple[str, ...] = ()
    label: JobLabel = JobLabel()
    packing: Packing = "affinity"
    weight: int = 100
    unpacked_namespaces: tuple[str, ...] = ()
    affinity_scope: AffinityScope = "all-namespaces"
    protection: Mapping[str, str] = field(
        default_factory=lambda: dict(DEFAULT_PROTECTION)
    )
    strict: bool = False
    host_network: bool = False
    engine: EngineChoice = "auto"
    kyverno: KyvernoSettings = KyvernoSettings()

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def left_out(self) -> tuple[str, ...]:
        """Namespaces that the policy leaves alone, each once, the system's first."""
        return tuple(
            dict.fromkeys(
                (*SYSTEM_NAMESPACES, self.kyverno.namespace, *self.exclude_namespaces)
            )
        )

    @property
    def affinity(self) -> dict[str, Any] | None:
        """The preferred pod affinity term of job pods, None without affinity."""
        if self.packing not in PACKS_BY_AFFINITY:
            return None
        return {
            "weight": self.weight,
            "podAffinityTerm": affinity_term(
                self.label.key,
                self.label.value,
                all_namespaces=self.affinity_scope == "all-namespaces",
                unpacked=self.unpacked_namespaces,
            ),
        }

    @property
    def toleration(self) -> dict[str, str] | None:
        """The toleration of job pods, None where nodes have no such taint."""
        return dict(REGISTRATION) if DO_NOT_DISRUPT in self.protection else None

    def _problems(self) -> Iterator[str]:
        yield from matcher_problems("matchers", self.matchers)
        yield from namespace_problems("exclude_namespaces", self.exclude_namespaces)
        yield from self._packing_problems()
        yield from protection_problems("protection", self.protection)
        yield from choice_problem("engine", self.engine, EngineChoice)

    def _packing_problems(self) -> Iterator[str]:
        yield from choice_problem("packing", self.packing, Packing)
        if not 1 <= self.weight <= 100:
            yield f"weight must be 1 to 100, got weight={self.weight}"
        yield from namespace_problems("unpacked_namespaces", self.unpacked_namespaces)
        for name in self.unpacked_namespaces:
            if name in self.left_out:
                yield (
                    f"unpacked_namespaces must leave out {name}, which the policy "
                    "leaves alone anyway"
                )
        yield from choice_problem("affinity_scope", self.affinity_scope, AffinityScope)
        if self.packing in ("scheduler", "none"):
            yield from idle_problems(
                self,
                ("weight", "unpacked_namespaces", "affinity_scope"),
                "packing affinity or both",
            )
