import pytest

from components.spec.policy.kyverno_settings import KyvernoSettings
from components.spec.policy.matchers import Label, LabelMatcher, Owner, OwnerMatcher
from components.spec.policy.policy_review import review_policy
from components.spec.policy.settings import JobLabel, JobPolicySettings

RUNNER = OwnerMatcher(
    owner=Owner(kind="EphemeralRunner", api_group="actions.github.com")
)


def notices(engine="native", version="1.36", nodes=0, pods=0, **changes):
    return [
        (one.severity, str(one))
        for one in review_policy(
            JobPolicySettings(**changes),
            engine=engine,
            cluster_version=version,
            most_job_nodes=nodes,
            most_job_pods=pods,
        )
    ]


def test_the_default_policy_is_silent():
    assert [] == notices()


def test_h006_runners_without_their_step_pods_warn():
    assert [
        (
            "warning",
            "policy.matchers: runners in Kubernetes container mode run the steps in a "
            "second pod without an owner, which no matcher covers: use the preset "
            "github-runners, or add the label runner-pod",
        )
    ] == notices(matchers=(RUNNER,))


@pytest.mark.parametrize(
    "matchers",
    [
        ("github-runners",),
        (RUNNER, LabelMatcher(label=Label(key="runner-pod"))),
        ("batch-jobs",),
    ],
)
def test_h006_covered_step_pods_are_silent(matchers):
    assert [] == notices(matchers=matchers)


@pytest.mark.parametrize("value", [None, "ci"])
def test_h026_a_matcher_on_our_own_label_warns(value):
    matcher = LabelMatcher(label=Label(key="group", value=value))

    assert [
        (
            "warning",
            "policy.label: pods that match by the label group keep its value, and are "
            "packed only when it is job",
        )
    ] == notices(matchers=(matcher,), label=JobLabel(key="group"))


def test_h026_a_matcher_on_our_label_and_value_is_silent():
    matcher = LabelMatcher(label=Label(key="group", value="job"))

    assert [] == notices(matchers=(matcher,), label=JobLabel(key="group"))


def test_h017_protection_without_packing_warns():
    assert [
        (
            "warning",
            "policy.packing: none with protected jobs: while they spread over all "
            "nodes and new ones keep coming, no node is ever empty and none is removed",
        )
    ] == notices(packing="none")


@pytest.mark.parametrize("packing", ["scheduler", "both"])
def test_packing_by_the_scheduler_says_what_else_is_packed(packing):
    assert [
        (
            "warning",
            f"policy.packing: {packing} sets the scoring of the whole cluster: pods of "
            "servers are packed too; give them topology spread constraints",
        )
    ] == notices(packing=packing)


@pytest.mark.parametrize(
    ("nodes", "pods", "size"),
    [
        (301, 0, "301 job nodes"),
        (0, 2_001, "0 job nodes and 2001 job pods"),
        (301, 7, "301 job nodes and 7 job pods"),
    ],
)
def test_h024_affinity_on_large_clusters_warns(nodes, pods, size):
    assert [
        (
            "warning",
            f"policy.packing: affinity slows the scheduler on large clusters: up to "
            f"{size}, not tried above 300 nodes and 2000 pods; use scheduler, or "
            "unpacked_namespaces",
        )
    ] == notices(nodes=nodes, pods=pods)


def test_h024_affinity_up_to_its_limits_is_silent():
    assert [] == notices(nodes=300, pods=2_000)


def test_h024_other_packings_do_not_mind_the_size():
    assert "slows" not in str(notices(packing="none", nodes=9_999, pods=9_999))


@pytest.mark.parametrize(
    "kyverno",
    [
        KyvernoSettings(replicas=2),
        KyvernoSettings(install=False),
        KyvernoSettings(chart_version="3.8.0"),
    ],
)
def test_an_engine_that_waits_for_an_older_cluster_is_named(kyverno):
    message = (
        "info",
        "policy.kyverno: does nothing with engine native, which the API server runs "
        "itself: only its namespace is left alone",
    )

    assert [message] == notices(kyverno=kyverno)
    assert message not in notices(engine="kyverno", kyverno=kyverno)


def test_a_kyverno_that_others_rely_on_is_not_removed_in_silence():
    kyverno = KyvernoSettings(fail_open=False, replicas=5)

    assert [
        (
            "warning",
            "policy.kyverno.fail_open: false says that something relies on Kyverno, "
            "and engine native removes one that was installed here: every other "
            "policy stays, and nothing follows it; keep Kyverno by engine kyverno",
        )
    ] == notices(kyverno=kyverno)
    assert [] == notices(engine="kyverno", version="1.35", kyverno=kyverno)


def test_the_namespace_of_the_engine_counts_with_every_engine():
    assert [] == notices(kyverno=KyvernoSettings(namespace="policies"))


def test_h025_packing_by_namespace_warns():
    assert [
        (
            "warning",
            "policy.affinity_scope: own-namespace packs each namespace by itself: jobs "
            "of ten namespaces take about as many nodes as without packing",
        )
    ] == notices(affinity_scope="own-namespace")


def test_h012_strict_warns():
    assert [
        (
            "warning",
            "policy.strict: overwrites what the author of a pod or another policy says "
            "about eviction",
        )
    ] == notices(strict=True)


def test_h012_strict_says_where_kyverno_is_not_asked_again():
    """Registered so by Kyverno for a MutatingPolicy, not for a ClusterPolicy."""
    again = (
        "warning",
        "policy.strict: Kyverno up to 1.19.1 is not asked again about a pod that a "
        "later webhook changes: what that one says about eviction stays; the engine "
        "native is asked again",
    )

    assert [*notices(strict=True), again] == notices(
        engine="kyverno", version="1.35", strict=True
    )
    assert again not in notices(engine="kyverno-legacy", version="1.35", strict=True)
    assert [] == notices(engine="kyverno", version="1.35")


def test_h084_host_network_warns_of_the_node_role():
    assert [
        (
            "warning",
            "policy.host_network: job pods reach the instance metadata service past "
            "its hop limit, and with it the role of the node; no NetworkPolicy or "
            "security group for pods applies to them, and Pod Identity is reported to "
            "fail: give them AWS rights by IRSA, and the node role as few as possible; "
            "Fargate leaves them pending: name its namespaces in exclude_namespaces",
        )
    ] == notices(host_network=True)


def test_warnings_of_the_engine_are_listed_last():
    listed = notices(engine="kyverno-legacy", version="1.36", strict=True)

    assert ["policy.strict", "policy.engine", "policy.engine"] == [
        text.partition(":")[0] for _, text in listed
    ]
