"""
Who is in the story of bursts: pools, balloons, jobs.

All but the jobs comes from `components.spec`; only the node class is that of the
simulated cloud. Three pods fill a node.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from components.spec.balloon.manifests import balloon_manifests
from components.spec.balloon.pods import balloon_namespace
from components.spec.balloon.scaler_settings import with_balloons
from components.spec.balloon.schedule import Schedule, Window
from components.spec.balloon.settings import (
    AnyBalloon,
    BufferBalloon,
    PodBalloon,
    StaticBalloon,
)
from components.spec.groups import GROUP_LABEL, JobGroup
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.lifetime import lifetime
from components.spec.scaler.node_pool import node_pool
from components.spec.scaler.pool import PoolRules
from sandbox.kwok import ENDS_LATE, NODE_CLASS, node_class
from tests.cluster.conftest import namespace
from tests.spec.scaler.builders import TYPES, job

__all__ = [
    "ARM",
    "BURSTS",
    "COOLDOWN",
    "CROWD",
    "JOBS",
    "POLLING",
    "SCHEDULED",
    "SLOW_GRACE",
    "STATIC_NODES",
    "WRONG",
    "Cast",
    "burst",
]

Manifest = dict[str, Any]

JOBS = "bursts"
"""Namespace of the jobs."""

BURSTS: Mapping[str, int] = {"with": 2, "without": 2, "slow": 1, "buffer": 1}
"""Pods of the burst by pool. Nodes of these pools take their time to start."""

ARM = "arm"
"""The pool of the other architecture."""

SCHEDULED: Mapping[str, tuple[int, int]] = {
    "window": (-1, 0),
    "opening": (0, 1),
    "closed": (2, 3),
}
"""Hours from the mark to start and end of a window, by pool."""

WRONG: Mapping[str, Mapping[str, str]] = {
    "zone": {"timezone": "JST"},
    "none": {"desiredReplicas": "0"},
    "same": {"start": "0 9 * * *", "end": "00 9 * * *"},
    "never": {"start": "0 0 30 2 *", "end": "0 9 * * *"},
}
"""What is wrong with the trigger of a schedule, by pools that do not exist."""

CROWD = (17, 18)
"""
Balloons of `crowd` before the mark and from it on; its pool does not exist either.

An autoscaler that is told nothing stops at 16 of 17, and never goes from 17 to 18.
"""

PER_NODE = 3
STATIC_NODES = 2

SLOW_GRACE = 10
"""Grace of the balloons of `slow`, which end late, changed by hand: seconds."""

EAGER = "5s"
"""When Karpenter consolidates the pools of balloons, and would begin to loop."""

COOLDOWN = 10
POLLING = 5
"""Seconds of KEDA: the first from the schedule, the second changed by hand."""

_ZONE = "Asia/Seoul"
_REQUEST = {"cpu": "5", "memory": "1Gi"}


class Cast:
    """
    Everything that is there before the burst.

    Args:
        mark: When the window `window` ends and that of `opening` begins.
    """

    def __init__(self, mark: datetime) -> None:
        self.mark = mark
        self.balloons: Mapping[str, AnyBalloon] = {
            **{name: _pods(name) for name in ("with", "slow")},
            ARM: _pods(ARM, replicas=1),
            **{name: _pods(name, schedule=self.schedule(name)) for name in SCHEDULED},
            **{name: _pods(name, schedule=self.schedule("closed")) for name in WRONG},
            "crowd": _pods("crowd", schedule=self._steps()),
            "buffer": BufferBalloon(group="buffer", replicas=PER_NODE, **_REQUEST),
            "static": StaticBalloon(group="static", nodes=STATIC_NODES, name="static"),
        }
        scaler = with_balloons(
            Karpenter(pools=dict.fromkeys((*SCHEDULED, "buffer"), PoolRules())),
            tuple(self.balloons.values()),
            protected=True,
        )
        eager = {
            name: replace(rules, consolidate_after=EAGER)
            for name, rules in scaler.pools.items()
        }
        self.scaler = replace(scaler, pools=eager)

    @property
    def settings(self) -> dict[str, str]:
        """Settings of Karpenter, as its chart hands them on."""
        gates = [
            f"{name[0].upper()}{name[1:]}={str(on).lower()}"
            for name, on in self.scaler.feature_gates.items()
        ]
        return {
            "PREFERENCE_POLICY": self.scaler.preference_policy,
            "BATCH_IDLE_DURATION": self.scaler.batch_idle_duration,
            "BATCH_MAX_DURATION": self.scaler.batch_max_duration,
            "FEATURE_GATES": ",".join(gates),
        }

    def schedule(self, pool: str) -> Schedule:
        """Return the window of a pool, around the mark."""
        return _schedule(self._window(pool))

    def manifests(self) -> Iterator[Manifest]:
        """Return all objects, in the order in which they can be made."""
        yield namespace(JOBS)
        yield balloon_namespace()
        for name in (*BURSTS, ARM, *SCHEDULED):
            yield node_class(name)
            yield self._pool(name)
        yield node_class("static")
        for name in self.balloons:
            yield from self._objects(name)
        for name in ("with", "without"):
            yield _job(f"running-{name}", name, PER_NODE)

    def _window(self, pool: str, replicas: int | None = None) -> Window:
        first, last = (self.mark + timedelta(hours=hour) for hour in SCHEDULED[pool])
        start, end = f"{first:%H:%M}", f"{last:%H:%M}"
        return Window(start=start, end=end, overnight=end < start, replicas=replicas)

    def _steps(self) -> Schedule:
        """Return two windows that meet at the mark."""
        before, after = CROWD
        return _schedule(self._window("window", before), self._window("opening", after))

    def _pool(self, name: str) -> Manifest:
        rules, group = self.scaler.rules(name), _group(name)
        return node_pool(group, rules, lifetime(rules, "1m"), NODE_CLASS, TYPES)

    def _objects(self, name: str) -> Iterator[Manifest]:
        for manifest in balloon_manifests(
            self.balloons[name],
            _group(name),
            scaler=self.scaler,
            instance_types=TYPES,
            cluster_version="1.36",
        ):
            yield _adapted(manifest, name)


def _schedule(*windows: Window) -> Schedule:
    return Schedule(timezone=_ZONE, windows=windows, cooldown=f"{COOLDOWN}s")


def burst(pool: str) -> Manifest:
    """Return the jobs that come to a pool all at once."""
    return _job(f"burst-{pool}", pool, BURSTS[pool])


def _pods(group: str, replicas: int = PER_NODE, **more: Any) -> PodBalloon:
    return PodBalloon(group=group, replicas=replicas, **_REQUEST, **more)


def _group(name: str) -> JobGroup:
    return job(name=name, architecture="arm64" if name == ARM else "amd64")


def _adapted(manifest: Manifest, pool: str) -> Manifest:
    """Change what the story needs otherwise: see the constants above."""
    changed = deepcopy(manifest)
    match manifest["kind"]:
        case "NodePool":
            version, kind = NODE_CLASS
            reference = changed["spec"]["template"]["spec"]["nodeClassRef"]
            reference |= {"group": version.partition("/")[0], "kind": kind}
        case "ScaledObject":
            changed["spec"]["pollingInterval"] = POLLING
            changed["spec"]["triggers"][0]["metadata"] |= WRONG.get(pool, {})
        case "Deployment" if pool == "slow":
            template = changed["spec"]["template"]
            template["metadata"]["annotations"] = {ENDS_LATE: ""}
            template["spec"]["terminationGracePeriodSeconds"] = SLOW_GRACE
    return changed


def _job(name: str, pool: str, pods: int) -> Manifest:
    """Return a Job whose pods run for ever and are never tried again."""
    container = {
        "name": "main",
        "image": "example.com/task:1",
        "resources": {"requests": _REQUEST},
    }
    spec = {
        "restartPolicy": "Never",
        "nodeSelector": {GROUP_LABEL: pool},
        "tolerations": [{"key": GROUP_LABEL, "value": pool}],
        "containers": [container],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": JOBS},
        "spec": {
            "parallelism": pods,
            "completions": pods,
            "backoffLimit": 0,
            "template": {"spec": spec},
        },
    }
