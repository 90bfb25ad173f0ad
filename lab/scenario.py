"""The ways of running jobs that are compared with each other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from components.spec.cluster import ClusterSettings
from components.spec.policy.packing import PACKS_BY_SCHEDULER, Packing
from components.spec.policy.plan import with_scoring
from components.spec.policy.protection import DO_NOT_DISRUPT
from components.spec.policy.settings import JobLabel, JobPolicySettings
from components.spec.problems import refuse
from components.spec.scaler.karpenter import PreferencePolicy
from components.spec.scaler.pool import Budget, PoolRules
from components.spec.scheduler import SchedulerScoring
from lab.faults import Fault
from lab.model import WITH_BALLOONS
from lab.pace import Pace
from lab.stack import Stack

__all__ = ["DEFAULT_SCENARIOS", "NAMES", "Scenario", "scenarios", "scheduler_config"]

_ALL = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """
    One way of running jobs.

    Args:
        name: Its name.
        text: What it is, a sentence for the report.
        policy: What happens to job pods, None for nothing.
        scoring: Scoring of the scheduler, None for its default.
        preference_policy: What Karpenter makes of preferred affinity.
        rules: Rules of all pools, None for those of the stack file.
        balloons: Whether capacity waits for bursts.
        faults: What goes wrong besides what was asked for.
    """

    name: str
    text: str
    policy: JobPolicySettings | None
    scoring: SchedulerScoring | None = None
    preference_policy: PreferencePolicy
    rules: PoolRules | None = None
    balloons: bool = False
    faults: tuple[Fault, ...] = ()

    @property
    def protects(self) -> bool:
        """Whether job pods are kept from being ended by the scaler."""
        return self.policy is not None


# What a NodePool of Karpenter has when its author writes nothing. Sources: CRD of
# NodePool, Karpenter 1.15.
_KARPENTERS_OWN = PoolRules(
    consolidation_policy="WhenEmptyOrUnderutilized",
    consolidate_after="0s",
    budgets=(Budget(nodes="10%"),),
    expire_after="720h",
)

_TEXTS: Mapping[str, str] = {
    "default": "no job policy, the scheduler's own scoring, nothing is protected",
    "none": "jobs are protected, and not packed",
    "published": (
        "the recipe as it was published: affinity within each namespace alone, which "
        "Karpenter takes for required; its faults at admission are left out"
    ),
    "affinity": "the policy packs",
    "scheduler": "the scheduler packs: MostAllocated",
    "both": "policy and scheduler pack",
    "unprotected": (
        "no job policy, nodes are consolidated by Karpenter's own rules, drift and "
        "expire: how many jobs that ends"
    ),
}
_PACKINGS: tuple[Packing, ...] = ("none", "affinity", "scheduler", "both")

NAMES = (
    *_TEXTS,
    *(f"{name}{WITH_BALLOONS}" for name in _TEXTS if name != "unprotected"),
)
"""Every scenario there is."""

DEFAULT_SCENARIOS = (
    "default,none,published,affinity,scheduler,both,both+balloons,unprotected"
)
"""What is compared when nothing is said; all others show by `all`."""


def scenarios(names: str, stack: Stack) -> tuple[Scenario, ...]:
    """
    Return the scenarios of a list such as `default,affinity+balloons`.

    Args:
        names: Names with commas between them, in the order of the report; `all`.
        stack: Whose policy and scaler are used.

    Raises:
        ValueError: A name is not known or occurs twice, or there is none.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if wanted == [_ALL]:
        wanted = list(NAMES)
    refuse(_name_problems(wanted))
    return tuple(_scenario(name, stack) for name in wanted)


def scheduler_config(
    scoring: SchedulerScoring | None, pace: Pace = Pace(speed=1)
) -> dict[str, Any]:
    """
    Return what a scheduler with this scoring is configured with.

    Args:
        scoring: The scoring, None for the default.
        pace: Makes the longest wait of a pod that found no node shorter.

    Shape:
        A part of a KubeSchedulerConfiguration: the profile that all pods have.
    """
    profile: dict[str, Any] = {"schedulerName": "default-scheduler"}
    if scoring is not None:
        fit = scoring.kube_scheduler_config()["nodeResourcesFit"]
        profile["pluginConfig"] = [{"name": "NodeResourcesFit", "args": fit}]
    return {"podMaxBackoffSeconds": pace.backoff_seconds, "profiles": [profile]}


def _name_problems(wanted: list[str]) -> Iterator[str]:
    if not wanted:
        yield f"SCENARIOS must name one at least, of {', '.join(NAMES)}"
    for name in dict.fromkeys(wanted):
        if name not in NAMES:
            yield f"SCENARIOS must be of {', '.join(NAMES)} or {_ALL}, got {name}"
        if wanted.count(name) > 1:
            times = wanted.count(name)
            yield f"SCENARIOS must name each once, got {name} {times} times"


def _scenario(name: str, stack: Stack) -> Scenario:
    plain = name.removesuffix(WITH_BALLOONS)
    if plain != name:
        one = _scenario(plain, stack)
        text = f"{one.text}; balloons hold capacity"
        return replace(one, name=name, text=text, balloons=True)
    if plain in _PACKINGS:
        policy = packed(stack.policy, plain)
        return Scenario(
            name=name,
            text=_TEXTS[name],
            policy=policy,
            scoring=_scoring(stack, policy),
            preference_policy=stack.karpenter.preference_policy,
        )
    if plain == "published":
        return Scenario(
            name=name,
            text=_TEXTS[name],
            policy=_PUBLISHED,
            preference_policy="Respect",
        )
    unprotected = plain == "unprotected"
    return Scenario(
        name=name,
        text=_TEXTS[name],
        policy=None,
        preference_policy="Respect",
        rules=_KARPENTERS_OWN if unprotected else None,
        faults=("drift", "expiry") if unprotected else (),
    )


# Label, owners and annotation of the recipe. Sources: facts of the article; the
# policy engine's refusal of other pods is not imitated.
_PUBLISHED = JobPolicySettings(
    matchers=("batch-jobs", "argo-workflows"),
    label=JobLabel(key="group", value="job"),
    packing="affinity",
    affinity_scope="own-namespace",
    protection={DO_NOT_DISRUPT: "true"},
)


def packed(policy: JobPolicySettings, packing: Packing) -> JobPolicySettings:
    """Return the policy with another packing; what that makes idle is left out."""
    if packing in ("none", "scheduler"):
        plain = JobPolicySettings()
        return replace(
            policy,
            packing=packing,
            weight=plain.weight,
            unpacked_namespaces=plain.unpacked_namespaces,
            affinity_scope=plain.affinity_scope,
        )
    return replace(policy, packing=packing)


def _scoring(stack: Stack, policy: JobPolicySettings) -> SchedulerScoring | None:
    if policy.packing not in PACKS_BY_SCHEDULER:
        return None
    cluster = ClusterSettings(version="1.36", scheduler=stack.scoring)
    return with_scoring(cluster, policy).scheduler
