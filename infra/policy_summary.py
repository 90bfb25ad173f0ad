"""The part of `summary.md` that describes what happens to job pods."""

from collections.abc import Iterator

from components.spec.policy.engine import Engine
from components.spec.policy.matchers import describe, handles
from components.spec.policy.packing import PACKS_BY_AFFINITY
from components.spec.policy.plan import KyvernoRelease, engine_of, kyverno_release
from components.spec.policy.settings import JobPolicySettings
from infra.markdown import pairs, table
from infra.settings import Settings

__all__ = ["policy_summary"]


def policy_summary(settings: Settings) -> Iterator[list[str]]:
    """
    Describe the policy: what runs it, which pods it is for, what it adds.

    Returns:
        Blocks of lines.
    """
    policy = settings.policy
    yield ["## Job policy"]
    if policy is None:
        yield ["None: job pods are as their authors write them."]
        return
    release = kyverno_release(
        policy, settings.cluster.version, settings.servers, settings.jobs
    )
    engine = engine_of(policy, settings.cluster.version)
    yield table(
        ("setting", "value"),
        [
            ("engine", _engine(engine, release)),
            ("a job is a pod with", "; ".join(map(describe, handles(policy.matchers)))),
            ("never in namespaces", ", ".join(policy.left_out)),
            ("label", pairs({policy.label.key: policy.label.value})),
            ("packing", _packing(policy)),
            ("annotations", pairs(policy.protection)),
            ("what a pod brings", _kept(policy)),
            ("host network", "yes" if policy.host_network else "no"),
        ],
    )
    yield ["The same for pods that you write yourself is in `pod-templates/`."]


def _engine(engine: Engine, release: KyvernoRelease | None) -> str:
    if engine == "native":
        return "native: MutatingAdmissionPolicy, run by the API server"
    kind = "ClusterPolicy" if engine == "kyverno-legacy" else "MutatingPolicy"
    if release is None:
        return f"{engine}: {kind}, run by a Kyverno that is not installed here"
    controller = release.values["admissionController"]["replicas"]
    return (
        f"{engine}: {kind}, run by chart {release.chart} {release.version} in the "
        f"namespace {release.namespace}, {controller} replicas"
    )


def _packing(policy: JobPolicySettings) -> str:
    if policy.packing not in PACKS_BY_AFFINITY:
        return policy.packing
    scope = policy.affinity_scope.replace("-", " ")
    without = ", ".join(policy.unpacked_namespaces)
    return f"{policy.packing}, weight {policy.weight}, {scope}" + (
        f" without {without}" if without else ""
    )


def _kept(policy: JobPolicySettings) -> str:
    if policy.strict:
        return "its label and affinity are kept, its protection is overwritten"
    return "its label, affinity and annotations are kept"
