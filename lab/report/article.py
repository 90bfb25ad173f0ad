"""The figures that were published of this way to run jobs, and ours beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.figures import Figures
from lab.node_life import average

__all__ = ["PUBLISHED", "WHY", "Published", "Row", "ours"]

_GROUPS = ("job", "job-arm")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """
    The figures of an article, or of a scenario in its terms.

    Args:
        name: Of which.
        job: Average number of nodes of the group `job`, None without one.
        job_arm: The same of `job-arm`.
        nodes: The same of all groups.
        pending_max: Longest wait of a workflow pod, seconds.
        pending_mean: Average wait, seconds.
    """

    name: str
    job: float | None
    job_arm: float | None
    nodes: float
    pending_max: float | None
    pending_mean: float | None


Published = tuple[Row, Row]

PUBLISHED: Published = (
    Row(
        name="article, before",
        job=5.0,
        job_arm=2.0,
        nodes=7.0,
        pending_max=14.0,
        pending_mean=1.54,
    ),
    Row(
        name="article, after",
        job=4.198,
        job_arm=4.18,
        nodes=8.378,
        pending_max=10.0,
        pending_mean=0.78,
    ),
)
"""
Before: groups of a fixed size, pods spread. After: autoscaled, packed, protected.

Sources: the article, "Results"; the sum of both groups is ours.
"""

WHY = (
    (
        "The load",
        "the article names neither period nor number, size or length of its jobs, and "
        "says that the load grew between its two measurements. Ours has the same shape "
        "in every scenario, so that a difference belongs to the scenario.",
    ),
    (
        "The start",
        "the article comes from groups of a fixed size, which make nobody wait for a "
        "node. Every scenario here is autoscaled: a wave waits for new nodes. That is "
        "why our waits are longer, and why balloons matter.",
    ),
    (
        "The average wait",
        "fell by 49 % in the article, where nodes of `job-arm` doubled. It is probably "
        "an average over all pods of a dashboard, since the longest wait is below the "
        "average image pull of 29.76 s. Ours is per pod, and without pulls.",
    ),
    (
        "The nodes",
        "both groups together rose from 7 to 8.378 in the article, by 19.7 %: it shows "
        "that nodes follow the load, not that they get fewer. Our load is not theirs, "
        "so that only changes can be compared, not counts.",
    ),
    (
        "Image pulls and running times",
        "are not compared: simulated nodes pull nothing, and how long a job runs is an "
        "input here.",
    ),
)
"""Why our figures are not those of the article: what about, and the reason."""


def ours(figures: Sequence[Figures]) -> tuple[Row, ...]:
    """Return each scenario in the terms of the article."""
    return tuple(_row(each) for each in figures)


def _row(figures: Figures) -> Row:
    means = {
        group: average(steps, 0.0, figures.seconds)
        for group, steps in figures.nodes.items()
    }
    workflows = figures.waits_by_owner.get("Workflow")
    return Row(
        name=figures.scenario,
        job=means.get(_GROUPS[0]),
        job_arm=means.get(_GROUPS[1]),
        nodes=sum(means.values()),
        pending_max=None if workflows is None else workflows.percentile(100),
        pending_mean=figures.waits.mean,
    )
