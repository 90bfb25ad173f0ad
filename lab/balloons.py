"""Balloons of a run: those of the stack file, or as many as the load has need of."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from components.spec.balloon.manifests import balloon_manifests
from components.spec.balloon.pods import balloon_namespace
from components.spec.balloon.scaler_settings import with_balloons
from components.spec.balloon.settings import AnyBalloon, PodBalloon
from components.spec.groups import JobGroup
from components.spec.instance_types import InstanceTypes
from components.spec.scaler.karpenter import Karpenter
from lab.model import Job, Load

__all__ = ["balloons_of", "manifests", "replayable", "with_held"]

Manifest = dict[str, Any]

_BURST_SECONDS = 10.0
_LEAST_CPU, _LEAST_MEMORY = 100, 128


def replayable(
    balloons: Sequence[AnyBalloon],
) -> tuple[tuple[PodBalloon, ...], tuple[str, ...]]:
    """Return the balloons that can be held here, and a note for each other."""
    kept: list[PodBalloon] = []
    notes: list[str] = []
    for balloon in balloons:
        if isinstance(balloon, PodBalloon):
            kept.append(replace(balloon, schedule=None))
        else:
            notes.append(
                f"The {balloon.kind} balloon of {balloon.group} is left out: the "
                "simulated cloud has none."
            )
    return tuple(kept), tuple(notes)


def balloons_of(load: Load, groups: Sequence[JobGroup]) -> tuple[PodBalloon, ...]:
    """
    Return balloons that take the largest burst of a load whole.

    As many as the burst has jobs, each of the size of the mean job in it: a job that
    is larger pushes out several.

    Args:
        load: What comes.
        groups: Job groups; one without jobs gets no balloon.
    """
    return tuple(
        PodBalloon(
            group=group.name,
            replicas=len(burst),
            cpu=f"{_mean([job.cpu for job in burst], _LEAST_CPU)}m",
            memory=f"{_mean([job.memory for job in burst], _LEAST_MEMORY)}Mi",
        )
        for group in groups
        for burst in [_largest([job for job in load.jobs if job.group == group.name])]
        if burst
    )


def with_held(
    karpenter: Karpenter, balloons: Sequence[AnyBalloon], *, protects: bool
) -> Karpenter:
    """Return Karpenter as production sets it up for these balloons."""
    found = with_balloons(karpenter, balloons, protected=protects)
    return found if isinstance(found, Karpenter) else karpenter


def manifests(
    balloons: Sequence[PodBalloon],
    groups: Sequence[JobGroup],
    karpenter: Karpenter,
    instance_types: InstanceTypes,
) -> Iterator[Manifest]:
    """Return the objects of balloons and their namespace, in order of creation."""
    named = {group.name: group for group in groups}
    if balloons:
        yield balloon_namespace()
    for balloon in balloons:
        yield from balloon_manifests(
            balloon,
            named[balloon.group],
            scaler=karpenter,
            instance_types=instance_types,
            cluster_version="1.36",
        )


def _largest(jobs: Sequence[Job]) -> Sequence[Job]:
    """Return the most jobs that begin within a moment; they are in order of start."""
    best: Sequence[Job] = ()
    first = 0
    for place, job in enumerate(jobs):
        while job.start - jobs[first].start >= _BURST_SECONDS:
            first += 1
        if place + 1 - first > len(best):
            best = jobs[first : place + 1]
    return best


def _mean(numbers: Sequence[int], least: int) -> int:
    return max(least, -(-sum(numbers) // len(numbers)))
