"""All alerts: when they fire, how loud, and what they say."""

from collections.abc import Iterator

from ..labels import GROUP_LABEL
from ..scaler.duration import seconds
from .joins import (
    END_OF_DRAIN,
    GROUP_NODES,
    GROUPED,
    INTERRUPTED,
    drains_end,
    label_matcher,
)
from .promql import equal, lasting, one_of
from .records_scaler import SCALE_UPS_FAILED
from .rules import Alert, RuleGroup, Scope

__all__ = ["alert_group"]

_WHERE = "{{ $labels.node }} of group {{ $labels.group }}"
# Why Karpenter gives up a node that never came. Source: Karpenter, metrics/constants.
_NEVER_CAME = (
    "insufficient_capacity",
    "launch_timeout",
    "nodeclass_not_ready",
    "registration_timeout",
)


def alert_group(scope: Scope) -> RuleGroup:
    """
    Return the alerts that are not muted and have something to look at.

    Args:
        scope: The settings and the cluster.
    """
    muted = scope.settings.muted
    rules = tuple(one for one in _alerts(scope) if one.name not in muted)
    return RuleGroup(name="eks-jobs-alerts", rules=rules)


def _alerts(scope: Scope) -> Iterator[Alert]:
    yield from _jobs(scope)
    yield from _kubelets(scope)
    yield from _machines(scope)
    if scope.watched.pods.label is not None:
        yield _policy(scope)
    yield from _scaling(scope)
    yield from _waste(scope)
    yield _blind(scope)


def _jobs(scope: Scope) -> Iterator[Alert]:
    queries, limits = scope.queries, scope.settings.thresholds
    # Each pod once: while it stays listed, the next one must be heard as well.
    interrupted = queries.recorded(INTERRUPTED)
    yield Alert(
        name="JobInterrupted",
        expr=f"count by ({GROUPED}, owner_kind, reason) (\n"
        f"{_interrupted(scope)}\n"
        f"unless on (uid) last_over_time({interrupted}[1h] offset 15m)\n)",
        wait="0s",
        severity="critical",
        summary="{{ $value }} job pods of group {{ $labels.group }} were ended: "
        "{{ $labels.reason }}",
        description="Pods owned by {{ $labels.owner_kind }} were ended from outside "
        "before they were done. Their work is lost unless the job tries again.",
    )
    waits = queries.recorded("owner:eks_jobs_unschedulable_seconds:max")
    yield Alert(
        name="JobPodsUnschedulable",
        expr=f"{waits} > {seconds(limits.unschedulable)}",
        wait="1m",
        severity="critical",
        summary="Job pods of {{ $labels.owner_kind }} find no node since "
        "{{ $value | humanizeDuration }}",
        description="No node of a job group takes them, and no new one comes.",
    )


def _interrupted(scope: Scope) -> str:
    """Select who was interrupted lately: the reason that came first is told."""
    queries = scope.queries
    lately = f"last_over_time({queries.recorded(INTERRUPTED)}[15m])"
    if not drains_end(scope):
        return lately
    # Where the node goes before the pod, Kubernetes collects the pod: a second reason.
    first = queries.recorded(INTERRUPTED, equal("reason", END_OF_DRAIN))
    return f"(last_over_time({first}[15m]) or on (uid) {lately})"


def _kubelets(scope: Scope) -> Iterator[Alert]:
    queries, limits = scope.queries, scope.settings.thresholds
    relist = queries.recorded("node:eks_jobs_pleg_relist_seconds:p99")
    yield Alert(
        name="JobNodeKubeletOverloaded",
        expr=f"{relist} >= {limits.pleg_p99_seconds}",
        wait="5m",
        severity="critical",
        summary=f"The kubelet of {_WHERE} is slow",
        description="It takes {{ $value | humanizeDuration }} to look at its "
        "containers, and after 3 minutes the node counts as lost with all its jobs.",
    )
    rejected = queries.recorded("node:eks_jobs_pulls_rejected:count")
    yield Alert(
        name="JobImagePullsRejected",
        expr=f"{rejected} >= {limits.rejected_pulls}",
        wait="5m",
        severity="warning",
        summary=f"The kubelet of {_WHERE} refuses pulls",
        description="{{ $value }} job pods wait for their image although no pull "
        "failed: more pods came at once than registry_pull_qps lets pull.",
    )
    waiting = queries.recorded("node:eks_jobs_pulls_waiting:count")
    errors = queries.recorded("node:eks_jobs_pull_errors:increase15m")
    yield Alert(
        name="JobImagePullsFailing",
        expr=f"{waiting} > 0 and on (node) {errors} > 0",
        wait="15m",
        severity="warning",
        summary=f"Pulls of {_WHERE} fail",
        description="{{ $value }} job pods wait for an image that the registry or "
        "the container runtime does not deliver.",
    )


def _machines(scope: Scope) -> Iterator[Alert]:
    queries, limits = scope.queries, scope.settings.thresholds
    busy = [
        f"{queries.recorded(f'node:eks_jobs_volume_{what}:ratio')} "
        f">= {limits.volume_ratio}"
        for what in ("iops", "throughput")
    ]
    yield Alert(
        name="JobNodeVolumeThrottled",
        expr="\nor ".join(busy),
        wait="10m",
        severity="warning",
        summary=f"The root volume of {_WHERE} is at its limit",
        description="It runs at {{ $value | humanizePercentage }} of what it was "
        "given. Starts and pulls wait for it, and names of containers stay taken.",
    )
    refused = queries.recorded("node:eks_jobs_addresses_refused:increase15m")
    sandboxes = queries.recorded("node:eks_jobs_sandbox_errors:increase15m")
    yield Alert(
        name="JobPodAddressesShort",
        expr=f"{refused} > 0\nor {sandboxes} >= {limits.sandbox_errors}",
        wait="5m",
        severity="warning",
        summary=f"Pods of {_WHERE} get no address",
        description="{{ $value | humanize }} times in a quarter of an hour a pod got "
        "no address or no sandbox.",
    )


def _policy(scope: Scope) -> Alert:
    misses = scope.queries.recorded("namespace_owner:eks_jobs_policy_misses:count")
    return Alert(
        name="JobPolicyNotApplied",
        expr=f"{misses} > 0",
        wait="10m",
        severity="warning",
        summary="{{ $value }} job pods in {{ $labels.namespace }} were missed by the "
        "job policy",
        description="Pods owned by {{ $labels.owner_kind }} carry no label of the "
        "policy: they are neither packed nor protected, and a scaler may end them.",
    )


def _scaling(scope: Scope) -> Iterator[Alert]:
    queries = scope.queries
    yield from _limit(scope)
    failures = list(_failures(scope))
    waiting = queries.recorded("owner:eks_jobs_pods_unschedulable:count")
    if failures:
        yield Alert(
            name="JobScaleUpsFailing",
            expr="({})\nand on () (sum({}) > 0)".format(
                "\nor ".join(failures), waiting
            ),
            wait="15m",
            severity="warning",
            summary="Nodes for jobs do not come: {{ $labels.reason }}",
            description="{{ $value | humanize }} times in an hour the scaler asked "
            "for a node and did not get it, and job pods wait.",
        )
    old = list(_old(scope))
    if old:
        yield Alert(
            name="JobNodeOverItsExpiry",
            expr="\nor ".join(old),
            wait="15m",
            severity="warning",
            summary=f"{_WHERE} outlived its pool's age".replace("{{", "Node {{", 1),
            description="It is {{ $value | humanizeDuration }} old and should be gone "
            "with its drain. It runs an old image and takes no new pods.",
        )


def _limit(scope: Scope) -> Iterator[Alert]:
    """Watch groups that grow: one of a fixed size is always at its limit."""
    every = scope.watched.groups
    grow = tuple(one.name for one in every if not one.fixed)
    if every and not grow:
        return
    some = (one_of("group", grow),) if len(grow) < len(every) else ()
    share = scope.queries.recorded("group:eks_jobs_limit:ratio", *some)
    yield Alert(
        name="JobGroupAtItsLimit",
        expr=f"{share} >= {scope.settings.thresholds.limit_ratio}",
        wait="10m",
        severity="warning",
        summary="Group {{ $labels.group }} is at its limit",
        description="It has {{ $value | humanizePercentage }} of its size.max. What "
        "comes next waits until a job ends.",
    )


def _failures(scope: Scope) -> Iterator[str]:
    if "karpenter" in scope.watched.scalers:
        gone = scope.queries.recorded(
            "group:eks_jobs_nodes_disrupted:increase1h", one_of("reason", _NEVER_CAME)
        )
        yield f"{gone} > 0"
    if "cluster-autoscaler" in scope.watched.scalers:
        yield f"{scope.queries.recorded(SCALE_UPS_FAILED)} > 0"


def _old(scope: Scope) -> Iterator[str]:
    margin = seconds(scope.settings.thresholds.expiry_margin)
    for group in scope.watched.groups:
        if group.longest_life_seconds is not None:
            age = scope.queries.recorded(
                "node:eks_jobs_node_age_seconds:max", equal("group", group.name)
            )
            yield f"{age} > {group.longest_life_seconds + margin}"


def _waste(scope: Scope) -> Iterator[Alert]:
    queries, limits = scope.queries, scope.settings.thresholds
    oldest = queries.recorded("node:eks_jobs_oldest_pod_seconds:max")
    pods = queries.recorded("node:eks_jobs_pods:count")
    kept = limits.kept_by_one_pod
    yield Alert(
        name="JobNodeKeptByOnePod",
        expr=f"{oldest} > {seconds(kept)}\n"
        f"and on (node) max_over_time({pods}[{lasting(kept)}]) == 1",
        wait="10m",
        severity="info",
        summary=f"One job pod keeps {_WHERE}",
        description="It runs since {{ $value | humanizeDuration }} and no other came "
        "to it. A pod that hangs keeps its node for ever.",
    )
    packing = queries.recorded("group:eks_jobs_packing:ratio")
    nodes = queries.recorded(GROUP_NODES)
    yield Alert(
        name="JobPackingPoor",
        expr=f"max by ({GROUPED}) ({packing}) < {limits.packing_ratio}\n"
        f"and on (group) {nodes} >= {limits.packing_nodes}",
        wait="1h",
        severity="info",
        summary="Jobs of group {{ $labels.group }} are spread thin",
        description="Their nodes are requested at {{ $value | humanizePercentage }} "
        "at most; fewer nodes would do.",
    )


def _blind(scope: Scope) -> Alert:
    queries = scope.queries
    needed = [
        ("kube_node_labels", (label_matcher(GROUP_LABEL, None),)),
        ("kube_pod_labels", ()),
        ("kubelet_node_name", ()),
        ("node_uname_info", ()),
        *((name, ()) for name in _told_by_scalers(scope)),
    ]
    absent = [
        f'label_replace(absent({queries.raw(name, *matchers)}), "missing", "{name}", '
        '"", "")'
        for name, matchers in needed
    ]
    return Alert(
        name="JobMonitoringBlind",
        expr="max by (missing) (\n{}\n)".format("\nor ".join(absent)),
        wait="15m",
        severity="warning",
        summary="Nothing is known of jobs: {{ $labels.missing }} is missing",
        description="Rules that need this metric are silent, whatever happens.",
    )


def _told_by_scalers(scope: Scope) -> Iterator[str]:
    if "karpenter" in scope.watched.scalers:
        yield "karpenter_nodepools_limit"
    if "cluster-autoscaler" in scope.watched.scalers:
        yield "cluster_autoscaler_unschedulable_pods_count"
