"""What kube-state-metrics would have told of a run of the lab, with its times."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from components.spec.groups import GROUP_LABEL
from components.spec.monitoring.metrics import metric_of
from components.spec.monitoring.promql import label_name
from lab.model import Job, NodeRecord, PodRecord, ScenarioRun

__all__ = ["STEP", "Told"]

STEP = 15
"""Seconds between two looks."""

_LISTED = 300.0
_MIB = 2**20
_PHASES = ("Pending", "Running", "Succeeded", "Failed")


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """
    A run of the lab, told as if it had been scraped.

    Ended pods stay listed for five minutes, as Jobs with such a
    `ttlSecondsAfterFinished` do. Balloons are left out.

    Args:
        run: The run.
        jobs: Its jobs by name.
        label: Key and value of the label of the job policy.
        begin: Unix time of its begin, a multiple of `STEP`.
    """

    run: ScenarioRun
    jobs: Mapping[str, Job]
    label: tuple[str, str]
    begin: int

    @property
    def end(self) -> int:
        """Unix time of its end."""
        return self.begin + int(self.run.end) // STEP * STEP

    @property
    def busy(self) -> int:
        """Unix time at which the last job was created: all of them were seen."""
        last = max(pod.created for pod in self.run.pods if not pod.balloon)
        return self.begin + int(last) // STEP * STEP

    def lines(self) -> Iterator[str]:
        """Return samples in OpenMetrics, series by series."""
        for node in self.run.nodes:
            yield from self._node(node)
        for number, pod in enumerate(self.run.pods):
            if not pod.balloon:
                yield from self._pod(pod, f"{self.begin}-{number}")

    def _node(self, node: NodeRecord) -> Iterator[str]:
        if node.ready is None:
            return
        life = (node.ready, self.run.end if node.deleted is None else node.deleted)
        key = {"node": node.name}
        group = {label_name(GROUP_LABEL): node.shape.group}
        yield from self._flat("kube_node_labels", 1, life, **key, **group)
        created = self.begin + node.created
        yield from self._flat("kube_node_created", created, life, **key)
        for resource, amount in (
            ("cpu", node.shape.cpu / 1_000),
            ("memory", node.shape.memory * _MIB),
            ("pods", node.shape.pods),
        ):
            name = "kube_node_status_allocatable"
            yield from self._flat(name, amount, life, **key, resource=resource)

    def _pod(self, pod: PodRecord, uid: str) -> Iterator[str]:
        job = self.jobs[pod.job]
        end = self.run.end
        over = end if pod.finished is None else pod.finished
        life = (pod.created, min(end, over + _LISTED))
        key = {"namespace": job.namespace, "pod": pod.job, "uid": uid}
        yield from self._who(pod, job, key, life)
        yield from self._phases(pod, key, over, life[1])
        yield from self._times(pod, key, over, life)
        if pod.outcome == "interrupted" and pod.reason:
            yield from self._flat(
                "kube_pod_status_disruption_reason",
                1,
                (over, life[1]),
                **key,
                reason=pod.reason,
            )

    def _who(
        self, pod: PodRecord, job: Job, key: dict[str, str], life: tuple[float, float]
    ) -> Iterator[str]:
        owner = {"owner_kind": job.owner, "owner_is_controller": "true"}
        yield from self._flat("kube_pod_owner", 1, life, **key, **owner)
        label = {label_name(self.label[0]): self.label[1]}
        yield from self._flat("kube_pod_labels", 1, life, **key, **label)
        bound = life[1] if pod.bound is None else pod.bound
        for node, span in (("", (life[0], bound)), (pod.node or "", (bound, life[1]))):
            info = {"node": node, "priority_class": ""}
            yield from self._flat("kube_pod_info", 1, span, **key, **info)
            for resource, amount in (
                ("cpu", pod.cpu / 1_000),
                ("memory", pod.memory * _MIB),
            ):
                asked = {"container": "main", "node": node, "resource": resource}
                name = "kube_pod_container_resource_requests"
                if amount:
                    yield from self._flat(name, amount, span, **key, **asked)

    def _phases(
        self, pod: PodRecord, key: dict[str, str], over: float, gone: float
    ) -> Iterator[str]:
        started = over if pod.started is None else pod.started
        last = "Failed" if pod.outcome == "interrupted" else "Succeeded"
        held = {
            "Pending": (pod.created, started),
            "Running": (started, over),
            last: (over, gone),
        }
        for phase in _PHASES:
            if phase in held:
                span = held[phase]
                yield from self._flat(
                    "kube_pod_status_phase", 1, span, **key, phase=phase
                )

    def _times(
        self,
        pod: PodRecord,
        key: dict[str, str],
        over: float,
        life: tuple[float, float],
    ) -> Iterator[str]:
        yield from self._since("kube_pod_created", pod.created, life, **key)
        waited = life[1] if pod.bound is None else pod.bound
        yield from self._flat(
            "kube_pod_status_unschedulable", 1, (pod.created, waited), **key
        )
        for name in ("kube_pod_status_scheduled_time", "kube_pod_start_time"):
            yield from self._since(name, pod.bound, life, **key)
        name = "kube_pod_container_state_started"
        yield from self._since(name, pod.started, life, **key, container="main")
        if pod.started is not None:
            name = "kube_pod_container_status_restarts_total"
            yield from self._flat(
                name, 0, (pod.started, life[1]), **key, container="main"
            )
        if pod.finished is not None:
            yield from self._since("kube_pod_completion_time", over, life, **key)

    def _since(
        self, name: str, when: float | None, life: tuple[float, float], **labels: str
    ) -> Iterator[str]:
        """Tell a time from when it is known on."""
        if when is not None:
            yield from self._flat(name, self.begin + when, (when, life[1]), **labels)

    def _flat(
        self, name: str, value: float, span: tuple[float, float], **labels: str
    ) -> Iterator[str]:
        metric_of(name)
        series = ",".join(f'{key}="{one}"' for key, one in labels.items())
        first = -(-span[0] // STEP) * STEP
        at = self.begin + int(first)
        while at < self.begin + span[1]:
            yield f"{name}{{{series}}} {value:.3f} {at}"
            at += STEP
