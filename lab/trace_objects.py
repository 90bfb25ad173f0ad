"""CronJobs and Jobs of a trace, with the lines on which something is wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal

from components.spec.cron import Cron, cron_problems, parse
from components.spec.time_zones import clock
from lab.documents import Map
from lab.quantities import duration_seconds
from lab.templates import Needs, needs

__all__ = [
    "CronJob",
    "FinishedJob",
    "Problem",
    "Schedule",
    "Work",
    "read_cron_job",
    "read_job",
]

Problem = tuple[int, str]
"""A line, counted from 1, and what is wrong on it, beginning with the field."""

_CONTROLLER = "kubernetes.io/job-controller"
_POLICIES = ("Allow", "Forbid", "Replace")
_ZONES = ("CRON_TZ=", "TZ=")
_MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_EVERY = "@every "


@dataclass(frozen=True, kw_only=True, slots=True)
class Schedule:
    """
    When a CronJob runs.

    Args:
        cron: Its fields; None for one that runs `every` so many seconds.
        zone: Time zone; UTC where none is named, as on EKS.
        every: Seconds from one run to the next.
        anchor: Unix seconds of a run to count them from, None: from any.
    """

    cron: Cron | None = None
    zone: str = "UTC"
    every: int = 0
    anchor: float | None = None

    def times(self, begin: float, end: float) -> Iterator[float]:
        """Yield the runs from *begin* on and before *end*, Unix seconds."""
        if self.cron is None:
            first = begin if self.anchor is None else self.anchor
            time = first + -((first - begin) // self.every) * self.every
            while time < end:
                yield time
                time += self.every
            return
        year = datetime.fromtimestamp(begin, UTC).year
        zone = clock(self.zone, year - 1, year + 6)
        moment = self.cron.next(zone, -int(-begin // 1) - 1)
        while moment is not None and moment < end:
            yield float(moment)
            moment = self.cron.next(zone, moment)


@dataclass(frozen=True, kw_only=True, slots=True)
class Work:
    """
    What one Job does.

    Args:
        needs: What each of its pods asks for.
        pods: How many run in all.
        parallel: How many of them run at once.
        most_seconds: How long the whole may take, None: no limit.
        obstacle: Why it cannot be replayed, empty: it can.
    """

    needs: Needs
    pods: int
    parallel: int
    most_seconds: float | None
    obstacle: str

    @property
    def rounds(self) -> int:
        """How often `parallel` pods follow each other."""
        return -(-self.pods // self.parallel) if self.parallel else 0


@dataclass(frozen=True, kw_only=True, slots=True)
class CronJob:
    """A CronJob; `deadline` is in seconds, None: a run may be late by any time."""

    namespace: str
    name: str
    schedule: Schedule
    policy: Literal["Allow", "Forbid", "Replace"]
    deadline: float | None
    suspended: bool
    last: float | None
    work: Work

    @property
    def what(self) -> str:
        """Its name in the report."""
        return f"CronJob {self.namespace}/{self.name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class FinishedJob:
    """A Job, as it was seen; times are Unix seconds, None: not yet."""

    namespace: str
    name: str
    cron_job: str | None
    start: float | None
    end: float | None
    failed: bool
    work: Work

    @property
    def what(self) -> str:
        """Its name in the report."""
        return f"Job {self.namespace}/{self.name}"


class _Missing(Map):
    """Stands for a map that was named as missing: what it lacks is no news."""


class _Reader:
    """Reads fields of one object, and keeps what is wrong with them."""

    def __init__(self, item: Map, problems: list[Problem]) -> None:
        self.item, self._problems = item, problems

    def problem(self, text: str, owner: Map, key: str) -> None:
        if not isinstance(owner, _Missing):
            self._problems.append((owner.line_of(key), text))

    def map(self, owner: Map, key: str, path: str, *, needed: bool = False) -> Map:
        value = owner.get(key)
        if isinstance(value, Map):
            return value
        if value is not None or needed:
            self.problem(f"{path}: must be a map, got {value!r}", owner, key)
            return _Missing(owner.line)
        return Map(owner.line)

    def number(self, owner: Map, key: str, path: str) -> int | None:
        value = owner.get(key)
        if value is None or (isinstance(value, int) and not _odd(value)):
            return value
        self.problem(f"{path}: must be a whole number, got {value!r}", owner, key)
        return None

    def time(self, owner: Map, key: str, path: str) -> float | None:
        value = owner.get(key)
        if value is None:
            return None
        try:
            # Without quotes, YAML has made it a time already.
            made = value if isinstance(value, datetime) else None
            if made is None and not isinstance(value, date):
                made = datetime.fromisoformat(str(value))
        except ValueError:
            made = None
        if made is None:
            accepted = "a time such as 2026-01-05T10:00:00Z"
            self.problem(f"{path}: must be {accepted}, got {value!r}", owner, key)
            return None
        return (made if made.tzinfo else made.replace(tzinfo=UTC)).timestamp()

    def names(self) -> tuple[str, str]:
        metadata = self.map(self.item, "metadata", "metadata", needed=True)
        name = metadata.get("name")
        if not isinstance(name, str) or not name:
            self.problem(
                f"metadata.name: must be a name, got {name!r}", metadata, "name"
            )
        return str(metadata.get("namespace") or "default"), str(name)


def read_cron_job(item: Map, problems: list[Problem]) -> CronJob:
    """
    Read a CronJob of `batch/v1`.

    Args:
        item: The object.
        problems: Gets what is wrong; the CronJob is then of no use.
    """
    reader = _Reader(item, problems)
    namespace, name = reader.names()
    spec = reader.map(item, "spec", "spec", needed=True)
    status = reader.map(item, "status", "status")
    template = reader.map(spec, "jobTemplate", "spec.jobTemplate", needed=True)
    policy = spec.get("concurrencyPolicy") or "Allow"
    if policy not in _POLICIES:
        accepted = ", ".join(_POLICIES)
        text = f"spec.concurrencyPolicy: must be of {accepted}, got {policy!r}"
        reader.problem(text, spec, "concurrencyPolicy")
    last = reader.time(status, "lastScheduleTime", "status.lastScheduleTime")
    deadline = "startingDeadlineSeconds"
    return CronJob(
        namespace=namespace,
        name=name,
        schedule=_schedule(reader, spec, last),
        policy=policy,
        deadline=reader.number(spec, deadline, f"spec.{deadline}"),
        suspended=spec.get("suspend") is True,
        last=last,
        work=_work(
            reader,
            reader.map(template, "spec", "spec.jobTemplate.spec", needed=True),
            "spec.jobTemplate.spec",
        ),
    )


def read_job(item: Map, problems: list[Problem]) -> FinishedJob:
    """
    Read a Job of `batch/v1`, with its status. Arguments: see `read_cron_job`.

    Sources:
        Kubernetes API, JobStatus: `completionTime` is set for jobs that succeed only.
    """
    reader = _Reader(item, problems)
    namespace, name = reader.names()
    spec = reader.map(item, "spec", "spec", needed=True)
    status = reader.map(item, "status", "status")
    start = reader.time(status, "startTime", "status.startTime")
    end = reader.time(status, "completionTime", "status.completionTime")
    if start is not None and end is not None and end < start:
        text = "status.completionTime: must not be before status.startTime"
        reader.problem(text, status, "completionTime")
    return FinishedJob(
        namespace=namespace,
        name=name,
        cron_job=_cron_job(item),
        start=start,
        end=end,
        failed=any(
            one.get("type") == "Failed" and one.get("status") == "True"
            for one in _maps(status.get("conditions"))
        ),
        work=_work(reader, spec, "spec"),
    )


def _schedule(reader: _Reader, spec: Map, last: float | None) -> Schedule:
    text, zone = str(spec.get("schedule") or ""), str(spec.get("timeZone") or "UTC")
    for prefix in _ZONES:
        if text.startswith(prefix):
            zone, _, text = text.removeprefix(prefix).partition(" ")
    if not _is_zone(zone):
        problem = f"spec.timeZone: must be a zone of the tz database, got {zone!r}"
        reader.problem(problem, spec, "timeZone" if "timeZone" in spec else "schedule")
        zone = "UTC"
    text = _MACROS.get(text.strip(), text.strip())
    if text.startswith(_EVERY):
        every = _every(text)
        if every:
            return Schedule(every=every, anchor=last)
    elif len(text.split()) == 5:
        wrong = cron_problems("spec.schedule", text)
        for problem in wrong:
            reader.problem(problem, spec, "schedule")
        return Schedule(cron=None if wrong else parse(text), zone=zone, every=1)
    accepted = "five fields of cron, @hourly and the like, or @every 1h30m"
    got = spec.get("schedule")
    reader.problem(f"spec.schedule: must be {accepted}, got {got!r}", spec, "schedule")
    return Schedule(every=1)


def _every(text: str) -> int:
    try:
        return int(duration_seconds(text.removeprefix(_EVERY)))
    except ValueError:
        return 0


def _is_zone(name: str) -> bool:
    try:
        clock(name, 2026, 2026)
    except (KeyError, OSError, ValueError):
        # What zoneinfo raises for names that are none, for folders, and for paths.
        return False
    return True


def _work(reader: _Reader, spec: Map, path: str) -> Work:
    template = reader.map(spec, "template", f"{path}.template", needed=True)
    pod = reader.map(template, "spec", f"{path}.template.spec", needed=True)
    wanted, wrong = needs(pod)
    for problem in wrong:
        reader.problem(f"{path}.template.spec.{problem}", template, "spec")
    parallel = reader.number(spec, "parallelism", f"{path}.parallelism")
    completions = reader.number(spec, "completions", f"{path}.completions")
    parallel = 1 if parallel is None else parallel
    pods = parallel if completions is None else completions
    most = "activeDeadlineSeconds"
    return Work(
        needs=wanted,
        pods=pods,
        parallel=min(parallel, pods),
        most_seconds=reader.number(spec, most, f"{path}.{most}"),
        obstacle=next(_obstacles(spec, pods, parallel), wanted.obstacle),
    )


def _obstacles(spec: Mapping[str, Any], pods: int, parallel: int) -> Iterator[str]:
    if spec.get("suspend") is True:
        yield "it is suspended"
    if min(pods, parallel) < 1:
        yield f"it runs no pods: completions={pods}, parallelism={parallel}"
    manager = spec.get("managedBy") or _CONTROLLER
    if manager != _CONTROLLER:
        yield f"it is managed by {manager}, which the lab does not run"
    if spec.get("successPolicy"):
        yield "its successPolicy may end it before all pods have run"


def _cron_job(item: Map) -> str | None:
    metadata = item.get("metadata")
    owners = metadata.get("ownerReferences") if isinstance(metadata, Map) else None
    for one in _maps(owners):
        if one.get("kind") == "CronJob":
            return str(one.get("name"))
    return None


def _maps(value: object) -> list[Map]:
    listed = value if isinstance(value, list) else []
    return [one for one in listed if isinstance(one, Map)]


def _odd(value: int) -> bool:
    return isinstance(value, bool) or value < 0
