"""What the command line of the lab takes."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.faults import FAULTS
from lab.pace import SPEED
from lab.scenario import DEFAULT_SCENARIOS, NAMES

__all__ = ["Report", "Run", "is_table", "parse"]

_JOBS = 2_000
_HOURS = 1.0
_SEED = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """
    A run of the lab.

    Args:
        stack: Whose job groups, scaler and policy.
        trace: File of jobs to replay, YAML or CSV; None is the built-in load.
        prices: File of prices, None for none.
        scenarios: Names with commas; empty for none, with *nodes* alone.
        faults: Names with commas.
        speed: How much faster than real.
        hours: Length of the load.
        jobs: How many jobs the built-in load has.
        seed: Of the built-in load.
        balloons: `stack` for those of the stack file, where it has some; `burst` for
            as many as the largest burst of the load has need of.
        nodes: Nodes of the measurement of the scheduler, None for no measurement.
        pods: Pods of it.
        out: Folder of the report.
        words: The command line, for the report.
    """

    stack: str
    trace: Path | None
    prices: Path | None
    scenarios: str
    faults: str
    speed: float
    hours: float
    jobs: int
    seed: int
    balloons: str
    nodes: int | None
    pods: int | None
    out: Path
    words: str


def is_table(trace: Path) -> bool:
    """Tell whether a file of jobs is a CSV, which says itself when each begins."""
    return trace.suffix == ".csv"


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """
    A report of a run that was.

    Args:
        records: Folder of the run.
        docs: File that gets it as Markdown, with pictures in a folder of its name;
            None for the HTML again.
    """

    records: Path
    docs: Path | None


def parse(arguments: Sequence[str]) -> Run | Report:
    """
    Read a command line; `run` may be left out.

    Raises:
        SystemExit: It is wrong (status 2), or asks for help.
    """
    given = list(arguments)
    if not given or given[0].startswith("-"):
        wants_help = given[:1] in (["-h"], ["--help"])
        given = given if wants_help else ["run", *given]
    parser = _parser()
    found = parser.parse_args(given)
    if found.command == "report":
        if found.docs is not None and found.docs.suffix != ".md":
            parser.error(f"--docs must be a file that ends with .md, got {found.docs}")
        return Report(records=found.records, docs=found.docs)
    if (found.nodes is None) != (found.pods is None):
        parser.error("--nodes and --pods must be given together")
    idle = list(_idle(found))
    if idle:
        parser.error(f"{', '.join(idle)} must be left out: {found.trace} says it all")
    scenarios = found.scenarios
    if scenarios is None:
        scenarios = DEFAULT_SCENARIOS if found.nodes is None else ""
    return Run(
        stack=found.stack,
        trace=found.trace,
        prices=found.prices,
        scenarios=scenarios,
        faults=found.faults,
        speed=found.speed,
        hours=_HOURS if found.hours is None else found.hours,
        jobs=_JOBS if found.jobs is None else found.jobs,
        seed=_SEED if found.seed is None else found.seed,
        balloons=found.balloons,
        nodes=found.nodes,
        pods=found.pods,
        out=found.out,
        words=shlex.join(["python", "-m", "lab", *given]),
    )


def _idle(found: argparse.Namespace) -> Iterator[str]:
    """Name the options of a load that a file of jobs leaves no say."""
    if found.trace is None:
        return
    for name in ("hours", "jobs", "seed"):
        windowed = name == "hours" and not is_table(found.trace)
        if getattr(found, name) is not None and not windowed:
            yield f"--{name}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lab",
        description="Replay a load of jobs on a real scheduler and a real Karpenter.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    # In full, because `make lab` has a variable for each.
    run = commands.add_parser(
        "run", help="replay a load, and write a report", allow_abbrev=False
    )
    run.add_argument("--stack", default="prod", help="stack file whose groups to use")
    run.add_argument(
        "--trace", type=Path, help="jobs to replay: YAML of kubectl, or CSV"
    )
    run.add_argument("--prices", type=Path, help="USD an hour by instance type")
    run.add_argument(
        "--scenarios",
        help=f"any of {', '.join(NAMES)}; or all; default {DEFAULT_SCENARIOS}",
    )
    run.add_argument(
        "--faults", default="", help=f"any of {', '.join(FAULTS)}; default none"
    )
    run.add_argument(
        "--speed", type=float, default=SPEED, help=f"default {SPEED:g}: 20 s are 1 s"
    )
    run.add_argument(
        "--hours",
        type=float,
        help=f"length of the load, default {_HOURS:g}; not of a CSV",
    )
    run.add_argument("--jobs", type=int, help=f"of the built-in load, default {_JOBS}")
    run.add_argument("--seed", type=int, help=f"of the built-in load, default {_SEED}")
    run.add_argument(
        "--balloons",
        choices=("stack", "burst"),
        default="stack",
        help="those of the stack file, or enough for the largest burst",
    )
    run.add_argument(
        "--nodes", type=int, help="measure the scheduler on so many nodes instead"
    )
    run.add_argument("--pods", type=int, help="with so many pods")
    run.add_argument("--out", type=Path, default=Path("build/lab"), help="for reports")
    report = commands.add_parser("report", help="write the report of a run again")
    report.add_argument(
        "--from", dest="records", type=Path, default=Path("build/lab"), metavar="FOLDER"
    )
    report.add_argument(
        "--docs",
        type=Path,
        metavar="FILE",
        help="write it as Markdown, here, with pictures in a folder of its name",
    )
    return parser
