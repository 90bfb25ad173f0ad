"""What makes a pod a job: who controls it, or a label that it carries."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

from ..labels import label_problems
from ..problems import refuse

__all__ = [
    "PRESETS",
    "SERVER_OWNERS",
    "Handle",
    "Label",
    "LabelMatcher",
    "Matcher",
    "Owner",
    "OwnerMatcher",
    "describe",
    "handles",
    "matcher_problems",
]

_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}")
_GROUP = re.compile(
    r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
)


SERVER_OWNERS: tuple[tuple[str, str], ...] = (
    ("ReplicaSet", "apps"),
    ("StatefulSet", "apps"),
    ("DaemonSet", "apps"),
    ("ReplicationController", ""),
    ("Node", ""),
)
"""
Kind and group of owners whose pods are never a job, whatever labels they carry.

A Node owns the mirror pods of its static pods.
"""

_SERVER_KINDS = (*SERVER_OWNERS, ("Deployment", "apps"), ("RayService", "ray.io"))

# Names of products that people take for a kind; no object of that name controls a
# pod.
_PRODUCTS = {
    "airflow": "airflow",
    "airflowtask": "airflow",
    "kubernetesexecutor": "airflow",
    "kubernetespodoperator": "airflow",
    "argo": "argo-workflows",
    "argoworkflow": "argo-workflows",
    "dagster": "dagster",
    "dagsterrun": "dagster",
    "github": "github-runners",
    "githubactions": "github-runners",
    "githubrunner": "github-runners",
    "gitlab": "gitlab-runner",
    "gitlabrunner": "gitlab-runner",
    "spark": "spark",
    "tekton": "tekton",
}
# Objects that stand above the one that controls the pod, or beside it.
_ABOVE = {
    ("CronJob", "batch"): "batch-jobs",
    ("JobSet", "jobset.x-k8s.io"): "batch-jobs",
    ("ScaledJob", "keda.sh"): "batch-jobs",
    ("CronWorkflow", "argoproj.io"): "argo-workflows",
    ("ClusterWorkflowTemplate", "argoproj.io"): "argo-workflows",
    ("WorkflowTemplate", "argoproj.io"): "argo-workflows",
    ("AutoscalingRunnerSet", "actions.github.com"): "github-runners",
    ("EphemeralRunnerSet", "actions.github.com"): "github-runners",
    ("AutoscalingListener", "actions.github.com"): "github-runners",
    ("RunnerDeployment", "actions.summerwind.dev"): "github-runners",
    ("RunnerReplicaSet", "actions.summerwind.dev"): "github-runners",
    ("PipelineRun", "tekton.dev"): "tekton",
    ("ScheduledSparkApplication", "sparkoperator.k8s.io"): "spark",
}
# The same, where no preset helps, and what does.
_ABOVE_OTHERS = {
    ("RunnerSet", "actions.summerwind.dev"): (
        "its pods are of a StatefulSet, which is never a job; write the annotations "
        "into its pod template"
    ),
    ("RayJob", "ray.io"): (
        "its pods are of a RayCluster, as those of a RayService are; name that kind, "
        "or a label of the pod templates"
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Owner:
    """
    The object that controls a pod.

    Kind and group are both compared: other groups have a Workflow as well. The
    version is not, so that a producer may move on to its next one.

    Args:
        kind: Kind of the controlling owner, as `Job`.
        api_group: Its API group without a version, as `batch`; empty for the core
            group.

    Raises:
        ValueError: This is no kind or group, or no such object controls job pods.

    Sources:
        Kubernetes API, OwnerReference.
    """

    kind: str
    api_group: str

    def __post_init__(self) -> None:
        refuse(self._spelling_problems() or self._role_problems())

    def _spelling_problems(self) -> list[str]:
        problems = []
        if not isinstance(self.kind, str) or not _KIND.fullmatch(self.kind):
            problems.append(
                f"kind must be a Kubernetes kind such as Job, got kind={self.kind!r}"
            )
        if not isinstance(self.api_group, str) or not (
            self.api_group == "" or _GROUP.fullmatch(self.api_group)
        ):
            problems.append(
                "api_group must be an API group without version such as batch, "
                f"got api_group={self.api_group!r}"
            )
        return problems

    def _role_problems(self) -> Iterator[str]:
        if (self.kind, self.api_group) in _SERVER_KINDS:
            yield (
                "kind must be one that runs to its end, "
                f"got kind={self.kind!r}, whose pods are servers"
            )
        preset = _PRODUCTS.get(self.kind.lower()) or _ABOVE.get(
            (self.kind, self.api_group)
        )
        advice = (
            f"use the preset {preset} ({_contents(preset)})"
            if preset
            else _ABOVE_OTHERS.get((self.kind, self.api_group))
        )
        if advice:
            yield (
                "kind must be what controls the pod itself, "
                f"got kind={self.kind!r}: {advice}"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """
    A label that only job pods carry.

    Args:
        key: Key of the label, as `runner-pod`.
        value: The value it must have; None takes every value.

    Raises:
        ValueError: Kubernetes would refuse the label, or the value is empty.
    """

    key: str
    value: str | None = None

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        if self.value == "":
            yield "value must not be empty: leave it out to match every value"
        given = {self.key: "" if self.value is None else self.value}
        yield from label_problems("label", given)


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnerMatcher:
    """
    Calls a pod a job by its controlling owner.

    Args:
        owner: The owner. One that only exists for garbage collection
            (`controller` not true) does not count.
    """

    owner: Owner


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelMatcher:
    """
    Calls a pod a job by a label, for producers whose pods have no owner.

    Args:
        label: The label.
    """

    label: Label


Matcher = str | OwnerMatcher | LabelMatcher
"""An entry of `matchers`: the name of a preset, an owner, or a label."""

Handle = Owner | Label
"""What a matcher comes down to."""

PRESETS: Mapping[str, tuple[Handle, ...]] = MappingProxyType(
    {
        "batch-jobs": (Owner(kind="Job", api_group="batch"),),
        "argo-workflows": (Owner(kind="Workflow", api_group="argoproj.io"),),
        "airflow": (
            Label(key="kubernetes_executor", value="True"),
            Label(key="kubernetes_pod_operator", value="True"),
        ),
        "dagster": (Label(key="dagster/run-id"),),
        "github-runners": (
            Owner(kind="EphemeralRunner", api_group="actions.github.com"),
            Label(key="runner-pod"),
            Owner(kind="Runner", api_group="actions.summerwind.dev"),
        ),
        "gitlab-runner": (Label(key="job.runner.gitlab.com/pod"),),
        "tekton": (Owner(kind="TaskRun", api_group="tekton.dev"),),
        "spark": (
            Owner(kind="SparkApplication", api_group="sparkoperator.k8s.io"),
            Label(key="spark-role", value="driver"),
            Label(key="spark-role", value="executor"),
        ),
    }
)
"""
What the pods of each producer can be told by.

Airflow, GitLab Runner and the container-mode pods of GitHub runners have no owner
at all, and a Spark driver gets its owner only from a webhook that may come later.
The Jobs of Dagster are told by their label, or the preset would take every Job.

Sources:
    Argo Workflows 4.1, workflowpod.go. Airflow, provider cncf-kubernetes 10.25,
    pod_generator.py and operators/pod.py. dagster-k8s 0.29, job.py. ARC 0.14,
    resourcebuilder.go and runner_controller.go; runner-container-hooks,
    packages/k8s. GitLab Runner 19.3, executors/kubernetes. Tekton 1.15, pkg/pod.
    Spark operator 2.5, sparkpod_defaulter.go.
"""


def handles(matchers: Sequence[Matcher]) -> tuple[Handle, ...]:
    """Expand the presets, each handle once, in the order of the matchers."""
    found: list[Handle] = []
    for matcher in matchers:
        if isinstance(matcher, str):
            found += PRESETS[matcher]
        elif isinstance(matcher, OwnerMatcher):
            found.append(matcher.owner)
        else:
            found.append(matcher.label)
    return tuple(dict.fromkeys(found))


def matcher_problems(field: str, matchers: Sequence[object]) -> Iterator[str]:
    """Name what is no matcher, with the nearest preset, and what repeats."""
    if not matchers:
        yield f"{field} must name at least one of {', '.join(PRESETS)}, got none"
    seen: list[object] = []
    for place, matcher in enumerate(matchers):
        if matcher in seen:
            yield f"{field}[{place}] must not repeat {field}[{seen.index(matcher)}]"
        seen.append(matcher)
        if isinstance(matcher, str):
            if matcher not in PRESETS:
                yield _unknown_preset(f"{field}[{place}]", matcher)
        elif not isinstance(matcher, OwnerMatcher | LabelMatcher):
            yield (
                f"{field}[{place}] must be the name of a preset, an owner (kind and "
                f"api_group) or a label (key and value), got {matcher!r}"
            )


def describe(handle: Handle) -> str:
    """Say in a few words what a handle matches."""
    if isinstance(handle, Owner):
        return f"owner {handle.kind} of {handle.api_group or 'the core group'}"
    if handle.value is None:
        return f"label {handle.key}"
    return f"label {handle.key}={handle.value}"


def _unknown_preset(field: str, name: str) -> str:
    plain = re.sub(r"[^a-z]", "", name.lower())
    nearest = (
        [_PRODUCTS[plain]]
        if plain in _PRODUCTS
        else get_close_matches(name.lower(), PRESETS, n=2, cutoff=0.4)
    )
    hint = " or ".join(f"{one} ({_contents(one)})" for one in nearest)
    return f"{field} must be one of {', '.join(PRESETS)}, got {name!r}" + (
        f"; nearest is {hint}" if hint else ""
    )


def _contents(preset: str) -> str:
    return ", ".join(describe(handle) for handle in PRESETS[preset])
