"""
A load from a cluster: what `kubectl get cronjobs,jobs -A -o yaml` prints.

CronJobs run on their schedule, for as long as their finished Jobs ran. Other Jobs run
when they ran. What cannot be replayed, or not in full, is listed with the reason.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil
from pathlib import Path

from components.spec.problems import refuse
from lab.documents import Map, yaml_documents
from lab.model import LeftOut, Load, NodeShape
from lab.trace_jobs import JobMaker, Window
from lab.trace_objects import CronJob, FinishedJob, Problem, read_cron_job, read_job

__all__ = ["Window", "load_trace", "read_trace"]

_HOUR, _MINUTE = 3_600, 60

# Of a trace that names no time: a Monday, 00:00 UTC.
_SOME_MONDAY = 1_767_571_200


@dataclass(slots=True)
class _Trace:
    """What a file holds."""

    cron_jobs: list[CronJob] = field(default_factory=list)
    jobs: list[FinishedJob] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def load_trace(
    path: Path, shapes: Sequence[NodeShape], window: Window = Window()
) -> Load:
    """
    Read a trace from a file.

    Raises:
        ValueError: See `read_trace`; or the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: must be a trace, got: {error}") from error
    return read_trace(text, path.name, shapes, window)


def read_trace(
    text: str, name: str, shapes: Sequence[NodeShape], window: Window = Window()
) -> Load:
    """
    Make a load of a trace.

    A CronJob takes the durations of its finished Jobs by turns; those Jobs are not
    replayed besides. A Job of several pods becomes as many jobs, `parallelism` at a
    time. With `Forbid` a run waits for the one before, and only the last of several
    that are late takes place; with `Replace` a run ends where the next one begins.

    A Job tells when it began and when it was complete, so a duration has in it how
    long the pods waited for a node and for their images.

    Args:
        text: YAML or JSON: lists, objects, or several documents of them.
        name: Of the file, for errors.
        shapes: Nodes of the job groups. A pod that names a group or an architecture
            gets it, any other the first group that can run it.
        window: Which time is replayed.

    Raises:
        ValueError: The file is no YAML, or a field cannot be read: each with its
            line. Or nothing of it can be replayed.
    """
    trace = _read(text, name)
    begin, end = _bounds(trace, window)
    maker = JobMaker(shapes, window, begin)
    left_out = [*trace.left_out, *_replay(trace, maker, begin, end)]
    if not maker.jobs:
        reasons = "".join(f"\n{one.what}: {one.reason}" for one in left_out)
        raise ValueError(f"{name}: must have something to replay, got nothing{reasons}")
    since = datetime.fromtimestamp(begin, UTC).strftime("%Y-%m-%d %H:%M UTC")
    count, hours = len(maker.jobs), window.hours
    return Load(
        name=f"trace {name}: {count} jobs, {hours:g} hours from {since}",
        jobs=tuple(sorted(maker.jobs, key=lambda job: (job.start, job.name))),
        left_out=tuple(left_out),
    )


def _read(text: str, name: str) -> _Trace:
    trace, problems = _Trace(), []
    for item in _items(yaml_documents(text, name), 1, problems):
        kind = item.get("kind")
        if kind == "CronJob":
            trace.cron_jobs.append(read_cron_job(item, problems))
        elif kind == "Job":
            trace.jobs.append(read_job(item, problems))
        elif isinstance(kind, str):
            reason = "only CronJobs and Jobs are replayed"
            trace.left_out.append(LeftOut(what=_what(item, kind), reason=reason))
        else:
            text = f"kind: must be a kind such as Job, got {kind!r}"
            problems.append((item.line_of("kind"), text))
    refuse(f"{name}:{line}: {text}" for line, text in sorted(problems))
    refuse(_repeated(trace, name))
    return trace


def _items(
    documents: list[object], line: int, problems: list[Problem]
) -> Iterator[Map]:
    for one in documents:
        if not isinstance(one, Map):
            text = f"must be an object or a list of them, got {str(one)[:40]!r}"
            problems.append((line, text))
        elif not str(one.get("kind")).endswith("List"):
            yield one
        elif not isinstance(one.get("items"), list):
            text = f"items: must be a list, got {one.get('items')!r}"
            problems.append((one.line_of("items"), text))
        else:
            yield from _items(one["items"], one.line_of("items"), problems)


def _repeated(trace: _Trace, name: str) -> Iterator[str]:
    names = Counter(one.what for one in (*trace.cron_jobs, *trace.jobs))
    for what, times in names.items():
        if times > 1:
            yield f"{name}: {what}: must be there once, got it {times} times"


def _what(item: Map, kind: str) -> str:
    metadata = item.get("metadata")
    found = metadata if isinstance(metadata, Map) else {}
    names = [found.get("namespace"), found.get("name")]
    return f"{kind} {'/'.join(str(one) for one in names if one)}".strip()


def _bounds(trace: _Trace, window: Window) -> tuple[float, float]:
    length = window.hours * _HOUR
    if window.begin is not None:
        begin = window.begin
        begin = begin if begin.tzinfo else begin.replace(tzinfo=UTC)
        return begin.timestamp(), begin.timestamp() + length
    times = [
        *(one.last for one in trace.cron_jobs),
        *(one.start for one in trace.jobs),
        *(one.end for one in trace.jobs),
    ]
    known = [time for time in times if time is not None]
    if not known:
        return _SOME_MONDAY, _SOME_MONDAY + length
    end = ceil((max(known) + 1) / _MINUTE) * _MINUTE
    return end - length, end


def _replay(
    trace: _Trace, maker: JobMaker, begin: float, end: float
) -> Iterator[LeftOut]:
    """Make jobs of all that can be replayed, and list the rest in the order of it."""
    children, used = _children(trace), set()
    for one in trace.cron_jobs:
        reason = "it is suspended" if one.suspended else maker.obstacle(one.work)
        if reason:
            yield LeftOut(what=one.what, reason=reason)
        else:
            used.update(job.what for job in children[one.what])
            yield from maker.add_cron_job(one, children[one.what], end)
    if used:
        yield LeftOut(
            what=f"{len(used)} Jobs of CronJobs",
            reason="their CronJobs are replayed on schedule, as long as these ran",
        )
    latest = max((one.end or one.start or 0.0 for one in trace.jobs), default=0.0)
    outside = 0
    for job in trace.jobs:
        if job.what in used:
            continue
        if job.start is not None and not begin <= job.start < end:
            outside += 1
        else:
            yield from maker.add_job(job, latest)
    if outside:
        yield LeftOut(
            what=f"{outside} Jobs",
            reason="they started outside of the time that is replayed",
        )


def _children(trace: _Trace) -> dict[str, list[FinishedJob]]:
    """Find the Jobs of each CronJob: by their owner, or by the name it gives them."""
    known = {(one.namespace, one.name): one.what for one in trace.cron_jobs}
    found: dict[str, list[FinishedJob]] = defaultdict(list)
    for job in trace.jobs:
        owner = job.cron_job or re.sub(r"-\d{8,10}$", "", job.name)
        if owner != job.name and (job.namespace, owner) in known:
            found[known[job.namespace, owner]].append(job)
    return found
