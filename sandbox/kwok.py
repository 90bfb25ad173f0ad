"""
Nodes that nobody runs: kwok plays the kubelets, Karpenter makes and ends the nodes.

Karpenter is the real one with a cloud that is a list of instance types. It knows no
EC2NodeClass and no kubelet: what a node offers stands in that list.
"""

import json
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sandbox.controllers import running
from sandbox.processes import HOST, free_ports

__all__ = [
    "DURATION",
    "NODE_CLASS",
    "RESERVED",
    "MachineType",
    "karpenter",
    "karpenter_crds",
    "kubelets",
    "node_class",
]

Manifest = dict[str, Any]

NODE_CLASS = ("karpenter.kwok.sh/v1alpha1", "KWOKNodeClass")
"""API version and kind of the node class of this cloud."""

DURATION = "pod-complete.stage.kwok.x-k8s.io/delay"
"""Annotation of a pod: how long it runs, `40s`. Without it, for ever."""

RESERVED = (100, 10)
"""
What a node of this cloud keeps from pods, millicores and MiB.

Sources: Karpenter 1.15, kwok/cloudprovider/helpers.go.
"""

ENDS_LATE = "pod-delete.stage.kwok.x-k8s.io/ends-late"
"""
Annotation of a pod, with any value: it takes all its grace to end.

Others end at the first signal.
"""

_OWNER = ".metadata.ownerReferences.[].kind"
_STAGES = (
    "node/fast/node-initialize",
    "node/heartbeat-with-lease/node-heartbeat-with-lease",
    "pod/fast/pod-ready",
    "pod/fast/pod-complete",
    "pod/fast/pod-delete",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineType:
    """
    An instance type of this cloud.

    Args:
        name: Its name.
        architecture: `amd64` or `arm64`.
        vcpus: Cores, thousandths count; pods get `RESERVED` less.
        memory_mib: Memory, MiB; pods get `RESERVED` less.
        pods: How many pods a node of it takes.
        price: What it costs; the cheapest that fits is taken.
        zones: Where it can be bought.
        capacity_types: How it can be bought, at one price.
    """

    name: str
    architecture: str
    vcpus: float
    memory_mib: int
    pods: int
    price: float
    zones: tuple[str, ...] = ("zone-a",)
    capacity_types: tuple[str, ...] = ("on-demand",)

    def manifest(self) -> Manifest:
        """Return an item of the file that Karpenter reads."""
        return {
            "name": self.name,
            "architecture": self.architecture,
            "operatingSystems": ["linux"],
            "resources": {
                "cpu": str(self.vcpus),
                "memory": f"{self.memory_mib}Mi",
                "ephemeral-storage": "100Gi",
                "pods": str(self.pods),
            },
            "offerings": [
                self._offering(zone, bought)
                for zone in self.zones
                for bought in self.capacity_types
            ],
        }

    def _offering(self, zone: str, bought: str) -> Manifest:
        where = {
            "karpenter.sh/capacity-type": bought,
            "topology.kubernetes.io/zone": zone,
        }
        requirements = [
            {"key": key, "operator": "In", "values": [value]}
            for key, value in where.items()
        ]
        return {"Price": self.price, "Available": True, "Requirements": requirements}


def node_class(name: str, start_seconds: int = 0) -> Manifest:
    """
    Return the node class that a pool of this name refers to.

    Args:
        name: Of the pool.
        start_seconds: How long a machine takes until its node is there.
    """
    api, kind = NODE_CLASS
    manifest: Manifest = {"apiVersion": api, "kind": kind, "metadata": {"name": name}}
    if start_seconds:
        manifest["spec"] = {"nodeRegistrationDelay": f"{start_seconds}s"}
    return manifest


def karpenter_crds(module: Path) -> list[Manifest]:
    """
    Return the CRDs that Karpenter needs with this cloud.

    Args:
        module: Folder of the module `sigs.k8s.io/karpenter`.
    """
    folders = (module / "kwok" / "charts" / "crds", module / "kwok" / "apis" / "crds")
    files = [file for folder in folders for file in sorted(folder.glob("*.yaml"))]
    return [yaml.safe_load(file.read_text()) for file in files]


@contextmanager
def kubelets(
    program: Path,
    module: Path,
    kubeconfig: Path,
    state: Path,
) -> Generator[None]:
    """
    Run kwok: nodes get ready, pods run, those with a `DURATION` end after it.

    A pod that is deleted is gone at once, unless it is one that `ENDS_LATE`.

    Args:
        program: kwok.
        module: Folder of its module, which holds the stages of nodes and pods.
        kubeconfig: File that says where the API server is.
        state: Folder for its configuration and log.

    Raises:
        ControlPlaneError: It ended early or was not ready in a minute.
    """
    folder = module / "kustomize" / "stage"
    stages = [
        yaml.safe_load((folder / f"{stage}.yaml").read_text()) for stage in _STAGES
    ]
    changed = [_with_one_address(_with_grace(_with_duration(s))) for s in stages]
    config = state / "kwok.yaml"
    config.write_text(yaml.safe_dump_all(changed))
    (port,) = free_ports(1)
    arguments = (
        f"--config={config}",
        f"--kubeconfig={kubeconfig}",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
        f"--server-address={HOST}:{port}",
    )
    with running(program, arguments, state / "kwok.log", port):
        yield


@contextmanager
def karpenter(
    program: Path,
    kubeconfig: Path,
    state: Path,
    machine_types: Iterable[MachineType],
    settings: Mapping[str, str],
) -> Generator[int]:
    """
    Run Karpenter, whose CRDs must be there; yield the port of its metrics.

    Args:
        program: Karpenter with the kwok provider.
        kubeconfig: File that says where the API server is.
        state: Folder for the instance types and the log.
        machine_types: What the cloud has.
        settings: Settings by the variable that its chart puts them in.

    Raises:
        ControlPlaneError: It ended early or was not ready in a minute.
    """
    types = state / "instance-types.json"
    types.write_text(json.dumps([one.manifest() for one in machine_types]))
    health, metrics = free_ports(2)
    environ = {
        **settings,
        "KUBECONFIG": str(kubeconfig),
        "INSTANCE_TYPES_FILE_PATH": str(types),
        "DISABLE_LEADER_ELECTION": "true",
        "HEALTH_PROBE_PORT": str(health),
        "METRICS_PORT": str(metrics),
    }
    with running(program, (), state / "karpenter.log", health, environ):
        yield metrics


def _with_duration(stage: Manifest) -> Manifest:
    """Let pods of any owner end when their time is over, those of Jobs not at once."""
    if stage["metadata"]["name"] != "pod-complete":
        return stage
    spec = stage["spec"]
    expression = f'.metadata.annotations["{DURATION}"]'
    selected = [
        *(one for one in spec["selector"]["matchExpressions"] if one["key"] != _OWNER),
        {"key": expression, "operator": "Exists"},
    ]
    delay = {"durationMilliseconds": 0, "durationFrom": {"expressionFrom": expression}}
    selector = {"matchExpressions": selected}
    return {**stage, "spec": {**spec, "selector": selector, "delay": delay}}


def _with_one_address(stage: Manifest) -> Manifest:
    """
    Let a pod that is made ready twice keep the second address alone.

    kwok does so to a pod that comes in the moment in which it takes over the node. The
    API server refuses two addresses, and kwok would leave the pod running for ever.
    """
    if stage["metadata"]["name"] != "pod-ready":
        return stage
    after = stage["spec"]["next"]
    before = after["statusTemplate"]
    template = before.replace("podIPs:\n", "podIPs:\n- $patch: replace\n")
    if template == before:
        raise ValueError("pod-ready of kwok must write podIPs, got none")
    after = {**after, "statusTemplate": template}
    return {**stage, "spec": {**stage["spec"], "next": after}}


def _with_grace(stage: Manifest) -> Manifest:
    """Let pods that end late stay until their deletion is due: the end of the grace."""
    if stage["metadata"]["name"] != "pod-delete":
        return stage
    late = f'select(.annotations["{ENDS_LATE}"] != null)'
    due = {"expressionFrom": f".metadata | {late} | .deletionTimestamp"}
    delay = {"durationMilliseconds": 0, "durationFrom": due}
    return {**stage, "spec": {**stage["spec"], "delay": delay}}
