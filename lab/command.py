"""The commands of the lab: a run, and a report of a run."""

import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

import pulumi

from lab import report
from lab.balloons import balloons_of
from lab.cluster import PROGRAMS, Tools, running
from lab.faults import chosen_faults, expiry
from lab.figures import figures
from lab.load import article_load
from lab.model import Load, NodeShape, ScenarioRun
from lab.options import Report, Run, is_table, parse
from lab.pace import Pace
from lab.prices import load_prices
from lab.replay import replay
from lab.report import Study, Throughput, records
from lab.scale import Scale, measure
from lab.scenario import Scenario, scenarios
from lab.shapes import fitting, node_shapes
from lab.stack import Stack, read_stack
from lab.table import load_table
from lab.trace import Window, load_trace
from lab.watching import WatchError
from sandbox.builder import BuildError
from sandbox.cluster_api import RefusedError
from sandbox.control_plane import ControlPlaneError
from sandbox.control_plane_tools import versions
from sandbox.environment import ROOT, Layout
from sandbox.turn import TurnError, take

__all__ = ["main"]

_FAILURES = (
    BuildError,
    ControlPlaneError,
    RefusedError,
    TimeoutError,
    TurnError,
    ValueError,
    WatchError,
    pulumi.RunError,
)
_INTERRUPTED = 130
# What a scenario takes besides the load: starts, the last jobs, idle nodes.
_BESIDES_SECONDS = 60.0

Show = Callable[[str, int, int, str], None]


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """Everything that is decided before the first process starts."""

    options: Run
    stack: Stack
    shapes: tuple[NodeShape, ...]
    load: Load
    scenarios: tuple[Scenario, ...]
    pace: Pace
    scale: Scale | None


def main(arguments: Sequence[str], environ: Mapping[str, str] = os.environ) -> int:
    """
    Run a command, and return its exit status.

    Whatever was started is stopped, also after Ctrl-C; what was seen until then is
    in the report.
    """
    options = parse(arguments)
    try:
        if isinstance(options, Report):
            _report(options)
            return 0
        plan = _plan(options)
        # Beside that of the sandbox, which can be up meanwhile.
        layout = Layout(state=Layout.of(environ).state / "lab")
        with _interruptible(), take(layout, "a run of the lab"):
            return _run(plan)
    except _FAILURES as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted: everything is stopped.", file=sys.stderr)
        return _INTERRUPTED


def _report(options: Report) -> None:
    if options.docs is not None:
        report.to_markdown(options.records, options.docs)
        return
    study = records.read(options.records)
    _again(study, options.records)
    print(report.table(study.runs, study.load, study.shapes))


def _again(study: Study, out: Path) -> None:
    report.write(
        study.runs,
        study.load,
        study.shapes,
        out,
        scenarios=study.scenarios,
        throughput=study.throughput,
        notes=study.notes,
        command=study.command,
        versions=study.versions,
    )


def _plan(options: Run) -> _Plan:
    stack = read_stack(ROOT, options.stack)
    prices = None if options.prices is None else load_prices(options.prices)
    shapes = node_shapes(stack.jobs, stack.instance_types, prices)
    scale = None
    if options.nodes is not None and options.pods is not None:
        scale = Scale(nodes=options.nodes, pods=options.pods)
    chosen_faults(options.faults)
    return _Plan(
        options=options,
        stack=stack,
        shapes=shapes,
        load=fitting(_load(options, stack, shapes), shapes),
        scenarios=scenarios(options.scenarios, stack) if options.scenarios else (),
        pace=Pace(speed=options.speed),
        scale=scale,
    )


def _load(options: Run, stack: Stack, shapes: Sequence[NodeShape]) -> Load:
    trace = options.trace
    if trace is None:
        return article_load(
            seed=options.seed,
            hours=options.hours,
            jobs=options.jobs,
            groups=stack.jobs,
        )
    if is_table(trace):
        return load_table(trace, shapes)
    return load_trace(trace, shapes, Window(hours=options.hours))


def _run(plan: _Plan) -> int:
    tools = Tools.obtain()
    with report.Bars() as bars:
        throughput = _throughput(plan, tools, bars.show)
        runs: list[ScenarioRun] = []
        _announce(plan)
        for scenario in plan.scenarios:
            began = time.monotonic()
            run = _scenario(plan, tools, scenario, bars.show)
            runs.append(run)
            # Each at once: an interrupted run leaves a report of what it did.
            _write(plan, runs, throughput)
            _say(run, plan.load, time.monotonic() - began)
    if not runs:
        _add(plan, throughput)
    else:
        print(report.table(runs, plan.load, plan.shapes))
        print(f"Report: {plan.options.out / 'report.html'}")
    return 0


def _throughput(plan: _Plan, tools: Tools, show: Show) -> list[Throughput]:
    if plan.scale is None:
        return []
    print(
        f"{plan.scale.pods} pods on {plan.scale.nodes} nodes: each of three packings "
        f"within {plan.scale.seconds / 60:.0f} min.",
        flush=True,
    )
    found = measure(
        tools,
        plan.scale,
        group=plan.stack.jobs[0],
        shape=plan.shapes[0],
        policy=plan.stack.policy,
        logs=plan.options.out / "logs",
        progress=show,
    )
    for one in found:
        print(
            f"{one.packing}: {one.pods} pods on {one.nodes} nodes in "
            f"{one.seconds:.1f} s, {one.pods_per_second:.0f} a second",
            flush=True,
        )
    return found


def _add(plan: _Plan, throughput: Sequence[Throughput]) -> None:
    """Add measurements to the report that stands there, if there is one."""
    out = plan.options.out
    if (out / records.FILE).exists():
        _again(replace(records.read(out), throughput=tuple(throughput)), out)
        print(f"Added to {out / 'report.html'}")


def _announce(plan: _Plan) -> None:
    if not plan.scenarios:
        return
    starts = max((job.start for job in plan.load.jobs), default=0.0)
    each = plan.pace.shorter(starts) + _BESIDES_SECONDS
    minutes = len(plan.scenarios) * each / 60
    print(
        f"{len(plan.load.jobs)} jobs ({plan.load.name}), {len(plan.scenarios)} "
        f"scenarios, about {minutes:.0f} min.",
        flush=True,
    )
    for left in plan.load.left_out:
        print(f"left out: {left.what}: {left.reason}", flush=True)


def _scenario(plan: _Plan, tools: Tools, scenario: Scenario, show: Show) -> ScenarioRun:
    wanted = chosen_faults(plan.options.faults)
    faults = tuple(dict.fromkeys((*wanted, *scenario.faults)))
    common: dict[str, Any] = {
        "scenario": scenario,
        "shapes": plan.shapes,
        "pace": plan.pace,
    }
    own = plan.stack.balloons if plan.options.balloons == "stack" else ()
    held = own or balloons_of(plan.load, plan.stack.jobs)
    total = len(plan.load.jobs)
    show(scenario.name, 0, total, "the cluster starts")
    with running(
        tools,
        stack=plan.stack,
        expires=expiry(plan.load) if "expiry" in faults else None,
        balloons=held if scenario.balloons else (),
        logs=plan.options.out / "logs" / scenario.name,
        **common,
    ) as cluster:
        run = replay(
            cluster,
            load=plan.load,
            groups=plan.stack.jobs,
            faults=faults,
            progress=lambda done, of, doing: show(scenario.name, done, of, doing),
            **common,
        )
    show(scenario.name, total, total, "done")
    return replace(run, facts={**run.facts, **_held_facts(scenario, held)})


def _held_facts(scenario: Scenario, held: Sequence[Any]) -> dict[str, str]:
    if not scenario.balloons:
        return {}
    texts = [f"{one.group}: {one.replicas} of {one.cpu}, {one.memory}" for one in held]
    return {"balloons": "; ".join(texts)}


def _write(
    plan: _Plan, runs: Sequence[ScenarioRun], throughput: Sequence[Throughput]
) -> None:
    known = versions()
    report.write(
        runs,
        plan.load,
        plan.shapes,
        plan.options.out,
        scenarios={one.name: one.text for one in plan.scenarios},
        throughput=throughput,
        notes=plan.stack.notes,
        command=plan.options.words,
        versions={name: known[name] for name in PROGRAMS},
    )


def _say(run: ScenarioRun, load: Load, seconds: float) -> None:
    ends = figures(run, load).ends
    print(
        f"{run.scenario}: {ends.jobs} jobs, {ends.interrupted} interrupted, "
        f"{len(run.nodes)} nodes, {seconds:.0f} s",
        flush=True,
    )


@contextmanager
def _interruptible() -> Generator[None]:
    """
    Let SIGINT, SIGTERM and SIGHUP end the run, once.

    A second one would end the stopping of what runs.
    """
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (by signal)
        for one in signals:
            signal.signal(one, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = [signal.signal(one, stop) for one in signals]
    try:
        yield
    finally:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)
