"""What the job policy accepts and is still worth a warning."""

from collections.abc import Iterator
from dataclasses import replace

from ..group_review import Notice
from .engine import Engine, engine_warnings
from .kyverno_settings import KyvernoSettings
from .matchers import Label, Owner, handles
from .packing import PACKS_BY_AFFINITY, PACKS_BY_SCHEDULER
from .settings import JobPolicySettings

__all__ = ["review_policy"]

# No size was tried beyond these: the Kubernetes docs advise against inter-pod
# affinity in clusters of several hundred nodes; reports of 2,000 pods scheduled
# slowly. Rules of thumb.
_MOST_AFFINITY_NODES = 300
_MOST_AFFINITY_PODS = 2_000


def review_policy(
    settings: JobPolicySettings,
    *,
    engine: Engine,
    cluster_version: str,
    most_job_nodes: int = 0,
    most_job_pods: int = 0,
) -> tuple[Notice, ...]:
    """
    List what will not work as well as it may look.

    The order is that of the fields of the settings. Equal settings give equal
    notices.

    Args:
        settings: The policy.
        engine: What runs it.
        cluster_version: Version of Kubernetes, as `1.36`.
        most_job_nodes: Nodes of all job groups at their largest; 0 is not known.
        most_job_pods: Job pods that run at once; 0 is not known.
    """
    return (
        *_matchers(settings),
        *_label(settings),
        *_packing(settings, most_job_nodes, most_job_pods),
        *_strict(settings, engine),
        *_host_network(settings),
        *_idle_engine(settings, engine),
        *(
            Notice(path="policy.engine", text=text)
            for text in engine_warnings(
                engine,
                cluster_version=cluster_version,
                chart_version=settings.kyverno.chart_version,
            )
        ),
    )


def _matchers(settings: JobPolicySettings) -> Iterator[Notice]:
    found = handles(settings.matchers)
    runner = Owner(kind="EphemeralRunner", api_group="actions.github.com")
    if runner in found and "runner-pod" not in _keys(settings):
        yield Notice(
            path="policy.matchers",
            text="runners in Kubernetes container mode run the steps in a second pod "
            "without an owner, which no matcher covers: use the preset "
            "github-runners, or add the label runner-pod",
        )


def _label(settings: JobPolicySettings) -> Iterator[Notice]:
    key, value = settings.label.key, settings.label.value
    for handle in handles(settings.matchers):
        if isinstance(handle, Label) and handle.key == key and handle.value != value:
            yield Notice(
                path="policy.label",
                text=f"pods that match by the label {key} keep its value, and are "
                f"packed only when it is {value}",
            )


def _packing(settings: JobPolicySettings, nodes: int, pods: int) -> Iterator[Notice]:
    path = "policy.packing"
    if settings.packing == "none":
        yield Notice(
            path=path,
            text="none with protected jobs: while they spread over all nodes and new "
            "ones keep coming, no node is ever empty and none is removed",
        )
    if settings.packing in PACKS_BY_SCHEDULER:
        yield Notice(
            path=path,
            text=f"{settings.packing} sets the scoring of the whole cluster: pods of "
            "servers are packed too; give them topology spread constraints",
        )
    if settings.packing in PACKS_BY_AFFINITY and (
        nodes > _MOST_AFFINITY_NODES or pods > _MOST_AFFINITY_PODS
    ):
        size = f"{nodes} job nodes" + (f" and {pods} job pods" if pods else "")
        yield Notice(
            path=path,
            text=f"{settings.packing} slows the scheduler on large clusters: up to "
            f"{size}, not tried above {_MOST_AFFINITY_NODES} nodes and "
            f"{_MOST_AFFINITY_PODS} pods; use scheduler, or unpacked_namespaces",
        )
    if settings.affinity_scope == "own-namespace":
        yield Notice(
            path="policy.affinity_scope",
            text="own-namespace packs each namespace by itself: jobs of ten "
            "namespaces take about as many nodes as without packing",
        )


def _strict(settings: JobPolicySettings, engine: Engine) -> Iterator[Notice]:
    if not settings.strict:
        return
    yield Notice(
        path="policy.strict",
        text="overwrites what the author of a pod or another policy says about "
        "eviction",
    )
    # kyverno#17282: its webhooks for a MutatingPolicy are registered without the
    # policy's `reinvocationPolicy`; those for a ClusterPolicy have one.
    if engine == "kyverno":
        yield Notice(
            path="policy.strict",
            text="Kyverno up to 1.19.1 is not asked again about a pod that a later "
            "webhook changes: what that one says about eviction stays; the engine "
            "native is asked again",
        )


def _host_network(settings: JobPolicySettings) -> Iterator[Notice]:
    if settings.host_network:
        yield Notice(
            path="policy.host_network",
            text="job pods reach the instance metadata service past its hop limit, and "
            "with it the role of the node; no NetworkPolicy or security group for "
            "pods applies to them, and Pod Identity is reported to fail: give them "
            "AWS rights by IRSA, and the node role as few as possible; Fargate "
            "leaves them pending: name its namespaces in exclude_namespaces",
        )


def _idle_engine(settings: JobPolicySettings, engine: Engine) -> Iterator[Notice]:
    """Name settings that wait for an older cluster; the namespace never does."""
    unused = replace(settings.kyverno, namespace=KyvernoSettings().namespace)
    if engine != "native" or unused == KyvernoSettings():
        return
    # Only with install=true, or the settings refuse it.
    if not settings.kyverno.fail_open:
        yield Notice(
            path="policy.kyverno.fail_open",
            text="false says that something relies on Kyverno, and engine native "
            "removes one that was installed here: every other policy stays, and "
            "nothing follows it; keep Kyverno by engine kyverno",
        )
    else:
        yield Notice(
            path="policy.kyverno",
            text="does nothing with engine native, which the API server runs itself: "
            "only its namespace is left alone",
            severity="info",
        )


def _keys(settings: JobPolicySettings) -> list[str]:
    return [one.key for one in handles(settings.matchers) if isinstance(one, Label)]
