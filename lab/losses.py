"""What costs the rest: a load by one reference after the other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from components.spec.scaler.duration import seconds
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.pool import PoolRules
from lab.bounds import Bound, best_fit, floor, ideal
from lab.model import Load, NodeShape
from lab.online import Choice
from lab.pace import NODE_START
from lab.shapes import fits

__all__ = ["APART", "BATCH", "BOOT", "IDLE", "Loss", "losses"]

IDLE = float(seconds(PoolRules().consolidate_after))
"""Seconds for which an empty node of a job group stays, by our defaults."""

BATCH = float(seconds(Karpenter().batch_max_duration))
"""Seconds for which Karpenter collects the pods of a burst at most."""

BOOT = NODE_START
"""Seconds from the request for a node to its first job, as in a replay."""

APART = 600.0
"""Seconds from which on a job is called long: a guess, the time between two waves."""

_WAYS: dict[str, Choice] = {
    "LeastAllocated": "emptiest",
    "affinity": "most-pods",
    "MostAllocated": "fullest",
}
_OURS = "affinity"
_SOONER = 10
_SIZES = {"half": 0.5, "twice": 2.0}


@dataclass(frozen=True, kw_only=True, slots=True)
class Loss:
    """
    A row of the table.

    Args:
        text: What is different from the best fit.
        bound: What the load costs so.
        against_ideal: How many times the ideal that is; 1.0 without any jobs.
        against_best_fit: How many times the best fit.
    """

    text: str
    bound: Bound
    against_ideal: float
    against_best_fit: float


def losses(
    load: Load,
    shapes: Sequence[NodeShape],
    *,
    idle: float = IDLE,
    boot: float = BOOT,
    batch: float = BATCH,
    apart: float = APART,
) -> tuple[Loss, ...]:
    """
    Say what each delay and each rule costs, alone and together.

    The references come first, then the best fit with one thing changed, then what
    the three ways of packing make of all delays together, with long jobs among the
    others and apart, then our default with what else could be set.

    Args:
        load: What runs.
        shapes: Where it runs.
        idle: Seconds for which an empty node stays.
        boot: Seconds until a node takes jobs.
        batch: Seconds for which jobs are collected before nodes are made for them.
        apart: Seconds from which on a job is long.

    Raises:
        ValueError: See `best_fit`.
    """
    fit = partial(best_fit, load, shapes)
    late = partial(fit, idle, boot, batch=batch)
    rows = {
        "all nodes full, jobs wait": floor(load, shapes),
        "pods move (ideal)": ideal(load, shapes),
        "pods stay (best fit)": fit(),
        "by pod count": fit(choice="most-pods"),
        "by the emptiest node": fit(choice="emptiest"),
        f"empty nodes stay {idle:g} s": fit(idle=idle),
        f"nodes take {boot:g} s": fit(boot=boot),
        f"nodes take {boot:g} s, for a wave at once": fit(boot=boot, batch=batch),
        f"jobs above {apart:g} s apart": fit(apart=apart),
    }
    for way, choice in _WAYS.items():
        rows[f"{way}, all delays"] = late(choice=choice)
        rows[f"{way}, all delays, long jobs apart"] = late(choice=choice, apart=apart)
    ours, soon = f"{_OURS}, all delays", idle / _SOONER
    rows[f"{ours}, empty nodes stay {soon:g} s"] = fit(
        soon, boot, batch=batch, choice=_WAYS[_OURS]
    )
    for text, factor in _SIZES.items():
        other = [_sized(shape, factor) for shape in shapes]
        if all(fits(job, other) for job in load.jobs):
            rows[f"{ours}, nodes of {text} the size"] = best_fit(
                load, other, idle, boot, batch=batch, choice=_WAYS[_OURS]
            )
    least, best = rows["pods move (ideal)"].paid, rows["pods stay (best fit)"].paid
    return tuple(
        Loss(
            text=text,
            bound=bound,
            against_ideal=_ratio(bound.paid, least),
            against_best_fit=_ratio(bound.paid, best),
        )
        for text, bound in rows.items()
    )


def _sized(shape: NodeShape, factor: float) -> NodeShape:
    """Return the same machine in another size; maxPods stays, as by our default."""
    return replace(
        shape,
        cpu=round(shape.cpu * factor),
        memory=round(shape.memory * factor),
        vcpus=round(shape.vcpus * factor),
        price=None if shape.price is None else shape.price * factor,
    )


def _ratio(paid: float, reference: float) -> float:
    return paid / reference if reference else 1.0
