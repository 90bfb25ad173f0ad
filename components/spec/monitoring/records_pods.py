"""Figures of pods: where they are, what they wait for, how long they run."""

from collections.abc import Iterator

from ..policy.matchers import SERVER_OWNERS
from ..scaler.duration import seconds, spelled
from .joins import (
    END_OF_DRAIN,
    GATED,
    GROUPED,
    INTERRUPTED,
    JOB,
    NODE,
    PLACE,
    alive,
    drains_end,
    label_matcher,
    owned,
    per_pod,
    zero,
)
from .promql import Queries, equal, one_of
from .rules import Recording, Scope
from .watched import JobPods

__all__ = [
    "balloon_records",
    "interruption_records",
    "place_records",
    "policy_records",
    "time_records",
    "waiting_records",
]

_GATE_SECONDS = 3_600
_RECENT_STARTS = 600
_RECENT_ENDS = 3_600
# A pod that is deleted is gone in half a minute: between two looks of the rules, and
# with a scrape or two at most. A scrape may come a minute late.
_END_STEP = "15s"
_SCRAPE_SECONDS = 60
# Taint of nodes that Karpenter takes away. Source: Karpenter 1.15, apis/v1/taints.go.
_DISRUPTED = "karpenter.sh/disrupted"
_OWNED = f"{GROUPED}, owner_kind"
# What ends a pod that did not want to end. Source: kube-state-metrics, pod.go.
_ENDS = ("Evicted", "NodeLost", "PreemptionByScheduler", "Shutdown") + (
    "TerminationByKubelet",
    "UnexpectedAdmissionError",
)
# kube-state-metrics tells no API group of an owner.
_SERVERS = tuple(kind for kind, _ in SERVER_OWNERS)


def place_records(scope: Scope) -> Iterator[Recording]:
    """Return which pods are jobs, and on which node of which group they are."""
    queries, pods = scope.queries, scope.watched.pods
    owner = queries.raw("kube_pod_owner", equal("owner_is_controller", "true"))
    everybody = queries.raw("kube_pod_info")
    known = (
        f"(max by (namespace, pod, uid, owner_kind) ({owner})\n"
        f"or on (uid) max by (namespace, pod, uid) ({everybody}))"
    )
    yield Recording(
        name=JOB,
        expr=f"label_replace(\n{known}\nand on (uid) ({_is_job(queries, pods)}),\n"
        '"owner_kind", "none", "owner_kind", ""\n)',
        meaning="1 for each pod of a job, with the kind of its controlling owner",
        unit="short",
    )
    # A node that went away a moment ago still tells whose pods were lost with it.
    # topk: its name may come back in another group.
    node = f"topk by (node) (1, last_over_time({queries.recorded(NODE)}[15m]))"
    info = queries.raw("kube_pod_info", 'node!=""')
    yield Recording(
        name=PLACE,
        expr=f"{queries.recorded(JOB)}\n"
        f"* on (uid) group_left (node) max by (uid, node) ({info})\n"
        f"* on (node) group_left ({GROUPED}) {node}",
        meaning="1 for each job pod on a job node, with node, group and owner",
        unit="short",
    )
    yield Recording(
        name="group_owner:eks_jobs_pods_running:count",
        expr=f"count by ({_OWNED}) (\n"
        f"{queries.recorded(PLACE)} and on (uid) {alive(queries, 'Running')}\n)",
        meaning="Job pods that run",
        unit="short",
    )


def _is_job(queries: Queries, pods: JobPods) -> str:
    labels = pods.labels if pods.label is None else (pods.label, *pods.labels)
    by_owner = [owned(queries, pods.owners)] if pods.owners else []
    by_label = [
        queries.raw("kube_pod_labels", label_matcher(key, value))
        for key, value in labels
    ]
    if by_label:
        by_label = [_of_no_server(queries, "\nor ".join(by_label))]
    return "\nor ".join([*by_owner, *by_label])


def _of_no_server(queries: Queries, labelled: str) -> str:
    """Leave out the pods of servers, which no label makes a job for the policy."""
    return f"(({labelled})\nunless on (uid) {owned(queries, _SERVERS)})"


def time_records(scope: Scope) -> Iterator[Recording]:
    """Return what pods waited and ran: each pod counts once, when it is over."""
    queries = scope.queries
    started = _per_container(queries)
    created = per_pod(queries, "kube_pod_created")
    scheduled = per_pod(queries, "kube_pod_status_scheduled_time")
    ended = per_pod(queries, "kube_pod_completion_time")
    begun = per_pod(queries, "kube_pod_start_time")
    restarted = queries.raw("kube_pod_container_status_restarts_total")
    yield from _times(
        queries,
        "pending",
        f"({started} - {created})\n"
        f"and on (uid) (time() - {started} < {_RECENT_STARTS})\n"
        f"unless on (uid) ({restarted} > 0)",
        "From creation to the first container, pull included; pods that started in "
        "the last 10 minutes",
    )
    yield from _times(
        queries,
        "node_wait",
        f"({scheduled} - {created})\n"
        f"and on (uid) (time() - {scheduled} < {_RECENT_STARTS})",
        "From creation to a node; pods that got one in the last 10 minutes",
    )
    yield from _times(
        queries,
        "running",
        f"({ended} - {begun})\nand on (uid) (time() - {ended} < {_RECENT_ENDS})",
        "From start to end; pods that ended in the last hour",
    )


def _per_container(queries: Queries) -> str:
    started = queries.raw("kube_pod_container_state_started")
    return f"min by (uid) ({started} > 0)"


def _times(
    queries: Queries, metric: str, seconds: str, meaning: str
) -> Iterator[Recording]:
    every = f"pod:eks_jobs_{metric}_seconds:recent"
    yield Recording(
        name=every,
        expr=f"{queries.recorded(PLACE)} * on (uid) group_left () (\n{seconds}\n)",
        meaning=f"{meaning}; each pod",
        unit="s",
    )
    pods = queries.recorded(every)
    for operation, expression in (
        ("avg", f"avg by ({_OWNED}) ({pods})"),
        ("p99", f"quantile by ({_OWNED}) (0.99, {pods})"),
        ("max", f"max by ({_OWNED}) ({pods})"),
    ):
        yield Recording(
            name=f"group_owner:eks_jobs_{metric}_seconds:{operation}",
            expr=expression,
            meaning=f"{meaning}; {operation}",
            unit="s",
        )


def waiting_records(scope: Scope) -> Iterator[Recording]:
    """Return the job pods that find no node, and those that a gate holds back."""
    queries = scope.queries
    gated = queries.raw("kube_pod_status_reason", equal("reason", "SchedulingGated"))
    # kube-state-metrics tells 1 for who has no node yet, a gate or not.
    stuck = (
        f"({queries.raw('kube_pod_status_unschedulable')} == 1\n"
        f"unless on (uid) ({gated} == 1))"
    )
    job = queries.recorded(JOB)
    yield Recording(
        name=GATED,
        expr=f"{job} and on (uid) ({gated} == 1)",
        meaning="1 for each job pod that a scheduling gate holds back, as Kueue does",
        unit="short",
    )
    yield Recording(
        name="owner:eks_jobs_pods_unschedulable:count",
        expr=f"count by (owner_kind) ({job} and on (uid) {stuck})",
        meaning="Job pods for which the scheduler finds no node",
        unit="short",
    )
    yield Recording(
        name="owner:eks_jobs_unschedulable_seconds:max",
        expr=f"max by (owner_kind) (\n"
        f"{job} * on (uid) group_left () {_waits(scope)}\nand on (uid) {stuck}\n)",
        meaning="How long the oldest job pod waits for which the scheduler finds no "
        "node",
        unit="s",
    )


def _waits(scope: Scope) -> str:
    """Measure since when a pod may have a node: since its gate, or its creation."""
    queries = scope.queries
    # Beyond this time a pod is told anyway; only the figure grows by its gate then.
    window = spelled(seconds(scope.settings.thresholds.unschedulable) + _GATE_SECONDS)
    gate = f"max_over_time(timestamp({queries.recorded(GATED)})[{window}:1m])"
    created = per_pod(queries, "kube_pod_created")
    return f"(time() - (max by (uid) ({gate})\nor on (uid) {created}))"


def interruption_records(scope: Scope) -> Iterator[Recording]:
    """Return the job pods that were ended before they were done."""
    queries = scope.queries
    told = f"({queries.raw('kube_pod_status_disruption_reason')} == 1)"
    older = queries.raw("kube_pod_status_reason", one_of("reason", _ENDS))
    place, reasons = (
        queries.recorded(PLACE),
        [
            f"max by (uid, reason) ({told})",
            f"max by (uid, reason) ({older} == 1)",
        ],
    )
    if drains_end(scope):
        window = _since_last_look(scope)
        # A pod may be gone when rules are read.
        place = f"topk by (uid) (1, last_over_time({place}[{window}]))"
        reasons.append(_ended_with_drain(queries, window))
    every = "\nor on (uid) ".join(reasons)
    yield Recording(
        name=INTERRUPTED,
        expr=f"{place}\n* on (uid) group_left (reason) topk by (uid) (1, {every})",
        meaning="1 for each job pod that was ended from outside and is still listed, "
        "with the reason",
        unit="short",
    )
    yield Recording(
        name="group_owner:eks_jobs_pods_interrupted:count",
        expr=f"count by ({_OWNED}, reason) ({queries.recorded(INTERRUPTED)})",
        meaning="Job pods that were ended from outside and are still listed",
        unit="short",
    )


def _since_last_look(scope: Scope) -> str:
    return spelled(seconds(scope.settings.interval) + _SCRAPE_SECONDS)


def _ended_with_drain(queries: Queries, window: str) -> str:
    """
    Select pods that were deleted while they ran, on a node that Karpenter takes away.

    Pods that were evicted have a reason of their own, which Kubernetes writes first.

    Sources:
        Karpenter 1.15, terminator/eviction.go, forceDelete: at the end of a drain it
        deletes what is left, without a condition (kubernetes-sigs/karpenter#3218).
    """
    node = queries.raw("kube_pod_info", 'node!=""')
    gone = queries.raw("kube_pod_deletion_timestamp")
    told = f"({queries.raw('kube_pod_status_disruption_reason')} == 1)"
    drained = queries.raw("kube_node_spec_taint", equal("key", _DISRUPTED))
    return (
        "label_replace(max by (uid) (max_over_time((\n"
        f"max by (uid, node) ({node} and on (uid) {gone}\n"
        f"and on (uid) {alive(queries, 'Running')} unless on (uid) {told})\n"
        f"and on (node) {drained}\n"
        f')[{window}:{_END_STEP}])), "reason", "{END_OF_DRAIN}", "", "")'
    )


def policy_records(scope: Scope) -> Iterator[Recording]:
    """Return the pods that the job policy should have changed and did not."""
    queries, pods = scope.queries, scope.watched.pods
    if pods.label is None:
        return
    outside = f'namespace!~"{"|".join(pods.left_out)}"'
    by_owner = [
        f"max by (namespace, pod, uid, owner_kind) "
        f"({owned(queries, pods.owners, outside)})"
    ]
    by_label = [
        "max by (namespace, pod, uid) "
        f"({queries.raw('kube_pod_labels', label_matcher(*one), outside)})"
        for one in pods.labels
    ]
    if by_label:
        by_label = [_of_no_server(queries, "\nor on (uid) ".join(by_label))]
    expected = "\nor on (uid) ".join([*(by_owner if pods.owners else []), *by_label])
    labelled = queries.raw("kube_pod_labels", label_matcher(pods.label[0], None))
    yield Recording(
        name="namespace_owner:eks_jobs_policy_misses:count",
        expr="count by (namespace, owner_kind) (label_replace(\n"
        f"({expected})\nunless on (uid) {labelled}\n"
        f"and on (uid) {alive(queries, 'Pending', 'Running')}\n"
        # Where no label of any pod is told, none is missed.
        f"and on () max({queries.raw('kube_pod_labels')}),\n"
        '"owner_kind", "none", "owner_kind", ""\n))',
        meaning="Pods of jobs without the label of the job policy",
        unit="short",
    )


def balloon_records(scope: Scope) -> Iterator[Recording]:
    """Return what balloons hold, and how often the scheduler preempts."""
    queries, classes = scope.queries, scope.watched.balloon_classes
    if classes:
        pods = queries.raw(
            "kube_pod_info", one_of("priority_class", classes), 'node!=""'
        )
        node = queries.recorded(NODE)
        count = "group:eks_jobs_balloons:count"
        yield Recording(
            name=count,
            expr=f"count by ({GROUPED}) (\n"
            f"max by (uid, node) ({pods} and on (uid) {alive(queries, 'Running')})\n"
            f"* on (node) group_left ({GROUPED}) {node}\n)\nor {zero(queries)}",
            meaning="Balloons that hold a place",
            unit="short",
        )
        yield Recording(
            name="group:eks_jobs_balloon_hours:sum1d",
            expr=f"sum_over_time({queries.recorded(count)}[1d:1m]) / 60",
            meaning="Hours that balloons held a place, in a day",
            unit="h",
        )
    victims = queries.raw("scheduler_preemption_victims_sum")
    yield Recording(
        name="cluster:eks_jobs_preemption_victims:increase1h",
        expr=f"sum(increase({victims}[1h]))",
        meaning="Pods that the scheduler ended for others in an hour, balloons mostly",
        unit="short",
    )
