"""All recording rules, in the order in which they read each other."""

from collections.abc import Iterable

from .records_kubelet import kubelet_records, pull_records
from .records_nodes import node_records, packing_records, volume_records
from .records_pods import (
    balloon_records,
    interruption_records,
    place_records,
    policy_records,
    time_records,
    waiting_records,
)
from .records_scaler import scaler_records
from .rules import Recording, RuleGroup, Scope

__all__ = ["recording_groups"]


def recording_groups(scope: Scope) -> tuple[RuleGroup, ...]:
    """
    Return the recording rules.

    Names are `level:metric:operation`. Levels and their labels: `cluster` has none,
    `group` has group and architecture, `group_owner` also owner_kind, `node` also
    node, `pod` also namespace, pod and uid. Each has the label of the cluster.

    A group of rules reads what groups before it recorded, at most one interval ago.

    Args:
        scope: The settings and the cluster.
    """
    return (
        _group("nodes", node_records(scope)),
        _group(
            "pods",
            place_records(scope),
            interruption_records(scope),
            waiting_records(scope),
            policy_records(scope),
        ),
        _group("times", time_records(scope)),
        _group("packing", packing_records(scope), balloon_records(scope)),
        _group("kubelet", kubelet_records(scope), pull_records(scope)),
        _group("volumes", volume_records(scope)),
        _group("scaler", scaler_records(scope)),
    )


def _group(name: str, *records: Iterable[Recording]) -> RuleGroup:
    rules = tuple(rule for some in records for rule in some)
    return RuleGroup(name=f"eks-jobs-{name}", rules=rules)
