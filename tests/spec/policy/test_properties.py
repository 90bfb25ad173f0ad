"""Promises that hold for every pod, not only for those that somebody thought of."""

from copy import deepcopy

from hypothesis import given, settings
from hypothesis import strategies as st

from components.spec.policy.matchers import (
    PRESETS,
    Label,
    LabelMatcher,
    Owner,
    OwnerMatcher,
)
from components.spec.policy.native import native_policies
from components.spec.policy.settings import JobPolicySettings
from tests.spec.policy.admission import (
    AFFINITY,
    DO_NOT_DISRUPT,
    LABEL,
    SAFE_TO_EVICT,
    TERM,
    TOLERATION,
    admit,
)

EVERY_PRESET = tuple(PRESETS)
KINDS = ["Job", "Workflow", "EphemeralRunner", "TaskRun", "ReplicaSet", "Node", "Pod"]
GROUPS = ["batch/v1", "argoproj.io/v1alpha1", "v1", "apps/v1", "batch.example.com/v1"]
LABEL_KEYS = [LABEL, "app", "runner-pod", "spark-role", "kubernetes_executor", "a/b"]
LABEL_VALUES = ["job", "driver", "True", "", "x"]
ANNOTATION_KEYS = [
    DO_NOT_DISRUPT,
    SAFE_TO_EVICT,
    "karpenter.sh/do-not-evict",
    "kubernetes.io/config.mirror",
    "a~b/c",
]


def absent_or(strategy):
    return st.one_of(st.none(), strategy)


def objects(**fields):
    """Draw maps from which any field may be absent."""
    return st.fixed_dictionaries({}, optional=fields)


owners = st.lists(
    st.fixed_dictionaries(
        {"apiVersion": st.sampled_from(GROUPS), "kind": st.sampled_from(KINDS)},
        optional={"controller": st.booleans(), "name": st.text(max_size=3)},
    ),
    max_size=3,
)
selectors = objects(
    matchLabels=st.dictionaries(
        st.sampled_from([LABEL, "app"]), st.sampled_from(["job", "x"]), max_size=2
    )
)
pod_terms = st.one_of(
    st.just(TERM["podAffinityTerm"]),
    st.fixed_dictionaries(
        {"topologyKey": st.sampled_from(["kubernetes.io/hostname", "zone"])},
        optional={"labelSelector": selectors, "namespaceSelector": selectors},
    ),
)
preferred = st.lists(
    st.fixed_dictionaries(
        {"weight": st.integers(1, 100), "podAffinityTerm": pod_terms}
    ),
    max_size=3,
)
pod_affinities = objects(
    **{
        AFFINITY: preferred,
        "requiredDuringSchedulingIgnoredDuringExecution": st.lists(
            pod_terms, max_size=2
        ),
    }
)
affinities = objects(
    podAffinity=pod_affinities,
    podAntiAffinity=pod_affinities,
    nodeAffinity=st.just({"preferredDuringSchedulingIgnoredDuringExecution": []}),
)
tolerations = st.lists(
    objects(
        key=st.sampled_from(["", TOLERATION["key"], "eks-jobs/group"]),
        operator=st.sampled_from(["Exists", "Equal"]),
        value=st.sampled_from(["", "x"]),
        effect=st.sampled_from(["", "NoExecute", "NoSchedule"]),
        tolerationSeconds=st.sampled_from([0, 60]),
    ),
    max_size=3,
)
containers = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from("abc")},
        optional={"ports": st.lists(st.just({"containerPort": 80}), max_size=2)},
    ),
    min_size=1,
    max_size=2,
)
pods = st.fixed_dictionaries(
    {
        "metadata": st.fixed_dictionaries(
            {"namespace": st.sampled_from(["team-a", "kube-system", "bulk"])},
            optional={
                "labels": st.dictionaries(
                    st.sampled_from(LABEL_KEYS), st.sampled_from(LABEL_VALUES)
                ),
                "annotations": st.dictionaries(
                    st.sampled_from(ANNOTATION_KEYS),
                    st.sampled_from(["true", "false", "4h", ""]),
                ),
                "ownerReferences": owners,
            },
        ),
        "spec": st.fixed_dictionaries(
            {"containers": containers},
            optional={
                "initContainers": containers,
                "affinity": affinities,
                "tolerations": tolerations,
                "nodeName": st.sampled_from(["", "node-1"]),
                "hostNetwork": st.booleans(),
                "hostUsers": st.booleans(),
                "dnsPolicy": st.sampled_from(["ClusterFirst", "Default"]),
                "os": st.just({"name": "windows"}),
                "securityContext": objects(
                    sysctls=st.lists(st.just({"name": "net.ipv4.x"}), max_size=1)
                ),
            },
        ),
    }
)
policies = st.builds(
    JobPolicySettings,
    matchers=st.sampled_from(
        [
            EVERY_PRESET,
            ("batch-jobs",),
            ("spark", LabelMatcher(label=Label(key="a/b"))),
            (OwnerMatcher(owner=Owner(kind="Pod", api_group="")),),
        ]
    ),
    unpacked_namespaces=st.sampled_from([(), ("bulk",)]),
    affinity_scope=st.sampled_from(["all-namespaces", "own-namespace"]),
    strict=st.booleans(),
    host_network=st.booleans(),
).map(native_policies)


def without(value, *path):
    """Return a copy without the field at the end of *path*."""
    copied = deepcopy(value)
    at = copied
    for key in path[:-1]:
        at = at.get(key, {})
    at.pop(path[-1], None)
    return copied


def preferred_of(pod):
    return pod["spec"].get("affinity", {}).get("podAffinity", {}).get(AFFINITY, [])


@given(policies, pods)
@settings(max_examples=100, deadline=None)
def test_h001_no_pod_makes_an_expression_fail(manifests, pod):
    admit(manifests, pod)


@given(policies, pods)
@settings(max_examples=100, deadline=None)
def test_h004_admission_is_idempotent(manifests, pod):
    once = admit(manifests, pod)

    assert once == admit(manifests, once)


@given(pods, st.booleans())
@settings(max_examples=100, deadline=None)
def test_h003_nothing_of_the_users_is_lost(pod, host_network):
    chosen = JobPolicySettings(matchers=EVERY_PRESET, host_network=host_network)
    admitted = admit(native_policies(chosen), pod)
    before, after = pod["metadata"], admitted["metadata"]

    for field in ("labels", "annotations"):
        assert before.get(field, {}).items() <= after.get(field, {}).items()
    assert preferred_of(pod) == preferred_of(admitted)[: len(preferred_of(pod))]
    assert preferred_of(admitted)[len(preferred_of(pod)) :] in ([], [TERM])
    brought = pod["spec"].get("tolerations", [])
    tolerated = admitted["spec"].get("tolerations", [])
    assert brought == tolerated[: len(brought)]
    assert tolerated[len(brought) :] in ([], [TOLERATION])


@given(pods)
@settings(max_examples=100, deadline=None)
def test_nothing_changes_but_label_annotations_affinity_and_tolerations(pod):
    admitted = admit(native_policies(JobPolicySettings(matchers=EVERY_PRESET)), pod)

    def rest(one):
        for path in (
            ("metadata", "labels"),
            ("metadata", "annotations"),
            ("spec", "tolerations"),
            ("spec", "affinity", "podAffinity", AFFINITY),
        ):
            one = without(one, *path)
        affinity = one["spec"].get("affinity", {})
        if affinity.get("podAffinity") == {}:
            del affinity["podAffinity"]
        if affinity == {}:
            one["spec"].pop("affinity", None)
        return one

    assert rest(pod) == rest(admitted)


@given(pods)
@settings(max_examples=100, deadline=None)
def test_a_pod_that_does_not_match_passes_unchanged(pod):
    nobody = OwnerMatcher(owner=Owner(kind="Nobody", api_group="example.com"))

    assert pod == admit(native_policies(JobPolicySettings(matchers=(nobody,))), pod)


@given(pods)
@settings(max_examples=100, deadline=None)
def test_a_job_is_protected_or_untouched(pod):
    admitted = admit(native_policies(JobPolicySettings(matchers=EVERY_PRESET)), pod)
    annotations = admitted["metadata"].get("annotations", {})

    assert admitted == pod or {DO_NOT_DISRUPT, SAFE_TO_EVICT} <= annotations.keys()


@given(pods)
@settings(max_examples=100, deadline=None)
def test_h090_a_job_tolerates_new_nodes_or_is_untouched(pod):
    admitted = admit(native_policies(JobPolicySettings(matchers=EVERY_PRESET)), pod)
    tolerations = admitted["spec"].get("tolerations", [])

    assert admitted == pod or any(map(tolerates_new_nodes, tolerations))


def tolerates_new_nodes(toleration):
    """Say what Kubernetes would of a taint without a value."""
    every = {"key": "", "operator": "Equal", "value": "", "effect": ""}
    given = {**every, **toleration}
    return (
        (given["operator"] == "Exists" or given["value"] == "")
        and given["key"] in ("", TOLERATION["key"])
        and given["effect"] in ("", "NoExecute")
    )
