"""What a replay shows otherwise than a cluster would."""

from collections.abc import Sequence

from lab.model import ScenarioRun
from lab.pace import Pace

__all__ = ["compressed", "simulated"]

_SIMULATED = (
    (
        "No image is pulled",
        "a container starts as soon as its pod is bound and its node is ready, so that "
        "a real job waits longer by the pull, and most on nodes that are new.",
    ),
    (
        "No kubelet, disk or network works",
        "what many starts on one node do to them is not felt; the most starts per "
        "node and minute say how much there would be to feel.",
    ),
    (
        "A job runs as long as the load says",
        "a full node makes it no slower, and a request that is too low does no harm.",
    ),
    (
        "Machines are always to be had",
        "no instance type is out of stock, no Spot node is taken back, and the "
        "autoscaler never waits for a quota.",
    ),
    (
        "Only jobs and balloons run",
        "other pods of the cluster neither take room on the nodes of jobs nor keep "
        "the scheduler busy.",
    ),
)


def compressed(runs: Sequence[ScenarioRun]) -> tuple[str, ...]:
    """Say what the speed of the runs distorts, each thing once."""
    speeds = dict.fromkeys(run.speed for run in runs)
    notes = (note for speed in speeds for note in Pace(speed=speed).notes())
    return tuple(dict.fromkeys(notes))


def simulated() -> tuple[tuple[str, str], ...]:
    """Say what simulated nodes leave out: in a few words, and what follows of it."""
    return _SIMULATED
