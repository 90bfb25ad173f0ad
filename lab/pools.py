"""The pools of a run: those that we render for production, on simulated machines."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from components.spec.groups import JobGroup
from components.spec.scaler.lifetime import lifetime
from components.spec.scaler.node_pool import node_pool
from components.spec.scaler.pool import PoolRules
from lab.model import NodeShape
from lab.pace import Pace
from lab.scenario import Scenario
from lab.stack import Stack
from sandbox.kwok import NODE_CLASS, RESERVED, MachineType, node_class

__all__ = ["ZONES", "karpenter_settings", "machine_name", "machines", "pools"]

Manifest = dict[str, Any]

ZONES = ("zone-a", "zone-b", "zone-c")
"""Where the simulated cloud has machines."""

_TYPE = "node.kubernetes.io/instance-type"


def machine_name(group: str, instance_type: str) -> str:
    """
    Return the name of a type in the simulated cloud.

    It has one list for all pools, and a type offers to each group something else.
    """
    return f"{instance_type}.{group}"


def machines(shapes: Sequence[NodeShape], rules: Mapping[str, PoolRules]) -> list:
    """
    Return the machines of the simulated cloud.

    Without a price a machine costs what its vCPUs are in relation; of equal ones
    the first of the group is cheaper by a trifle.

    Args:
        shapes: What nodes offer to pods.
        rules: Rules by the name of the group: how machines are bought.
    """
    return [
        MachineType(
            name=machine_name(shape.group, shape.instance_type),
            architecture=shape.architecture,
            vcpus=(shape.cpu + RESERVED[0]) / 1_000,
            memory_mib=shape.memory + RESERVED[1],
            pods=shape.pods,
            price=(shape.vcpus if shape.price is None else shape.price)
            * (1 + place / 1_000_000),
            zones=ZONES,
            capacity_types=rules.get(shape.group, PoolRules()).capacity_types,
        )
        for place, shape in enumerate(shapes)
    ]


def pools(
    stack: Stack, scenario: Scenario, pace: Pace, expires: str | None = None
) -> list[Manifest]:
    """
    Return the node class and the NodePool of each group.

    Args:
        stack: Whose groups.
        scenario: Its rules count where it has some.
        pace: Makes their durations shorter.
        expires: Age at which all nodes expire, None: when their group says so.
    """
    return [
        manifest
        for group in stack.jobs
        for manifest in (
            node_class(group.name, pace.start_seconds),
            _pool(stack, scenario, group, pace, expires),
        )
    ]


def karpenter_settings(stack: Stack, scenario: Scenario, pace: Pace) -> dict[str, str]:
    """Return the settings of Karpenter by the variables of its chart."""
    karpenter = stack.karpenter
    gates = ",".join(
        f"{k}={str(v).lower()}" for k, v in karpenter.feature_gates.items()
    )
    return {
        "PREFERENCE_POLICY": scenario.preference_policy,
        "BATCH_IDLE_DURATION": pace.milliseconds(karpenter.batch_idle_duration),
        "BATCH_MAX_DURATION": pace.milliseconds(karpenter.batch_max_duration),
        **({"FEATURE_GATES": gates} if gates else {}),
    }


def _pool(
    stack: Stack, scenario: Scenario, group: JobGroup, pace: Pace, expires: str | None
) -> Manifest:
    rules = scenario.rules or stack.karpenter.rules(group.name)
    if expires is not None:
        rules = replace(rules, expire_after=expires)
    life = lifetime(rules, group.longest_job)
    pool = node_pool(
        group,
        pace.rules(rules),
        pace.lifetime(life),
        NODE_CLASS,
        stack.instance_types,
    )
    for requirement in pool["spec"]["template"]["spec"]["requirements"]:
        if requirement["key"] == _TYPE:
            names = [machine_name(group.name, one) for one in requirement["values"]]
            requirement["values"] = names
    return pool
