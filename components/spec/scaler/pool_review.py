"""What the rules of a pool can cost a job."""

from collections.abc import Iterator

from ..group_review import Notice
from .duration import NEVER, seconds, spelled
from .lifetime import MARGIN_SECONDS
from .pool import PoolRules

__all__ = ["review_rules"]

_QUICK = 300
_SHORT_LIFE = 3_600


def review_rules(
    path: str, rules: PoolRules, longest_job: str | None
) -> Iterator[Notice]:
    """
    Name what is accepted and can end or hold up jobs.

    Args:
        path: Place of the rules, `scaler.pools[job]`.
        rules: The rules.
        longest_job: How long a job may run, None when it is not known.
    """
    if rules.consolidation_policy != "WhenEmpty":
        yield Notice(
            path=f"{path}.consolidation_policy",
            text=f"{rules.consolidation_policy} moves running jobs to save nodes: only "
            "their annotation keeps them",
        )
    if rules.consolidate_after == NEVER:
        yield Notice(
            path=f"{path}.consolidate_after",
            text="Never: empty nodes stay, and are paid for, until they expire",
        )
    elif seconds(rules.consolidate_after) < _QUICK:
        yield Notice(
            path=f"{path}.consolidate_after",
            text=f"{rules.consolidate_after} is below 5m: a job that is on its way to "
            "an empty node may be ended seconds after it came",
        )
    if "spot" in rules.capacity_types:
        yield Notice(
            path=f"{path}.capacity_types",
            text="spot: AWS takes nodes back with two minutes' notice, and no "
            "annotation keeps a job; an account that never had one needs the role of "
            "spot first: aws iam create-service-linked-role --aws-service-name "
            "spot.amazonaws.com",
        )
    yield from _life(path, rules, longest_job)


def _life(path: str, rules: PoolRules, longest_job: str | None) -> Iterator[Notice]:
    age, grace = rules.expire_after, rules.termination_grace_period
    if age is not None and age != NEVER:
        if longest_job is not None and seconds(age) < seconds(longest_job):
            yield Notice(
                path=f"{path}.expire_after",
                text=f"{age} is below longest_job {longest_job}: nodes stop taking "
                "pods while their first job still runs, and stand half empty",
            )
        elif seconds(age) < _SHORT_LIFE:
            yield Notice(
                path=f"{path}.expire_after",
                text=f"{age} is below 1h: nodes go almost as soon as they came",
            )
    if grace is not None and longest_job is None:
        yield Notice(
            path=f"{path}.termination_grace_period",
            text=f"drift and expiry end jobs that run longer than {grace}: give the "
            "group its longest_job to have that checked",
        )
    if grace is not None and longest_job is not None:
        yield from _margin(f"{path}.termination_grace_period", grace, longest_job)


def _margin(path: str, grace: str, longest_job: str) -> Iterator[Notice]:
    room = seconds(grace) - seconds(longest_job)
    if 0 <= room < MARGIN_SECONDS:
        ours = spelled(seconds(longest_job) + MARGIN_SECONDS)
        yield Notice(
            path=path,
            text=f"{grace} is less than {spelled(MARGIN_SECONDS)} above longest_job "
            f"{longest_job}: pods are ended their own grace period earlier, and one "
            f"that just came still pulls its image; left out it is {ours}",
        )
