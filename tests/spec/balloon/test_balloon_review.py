import pytest

from components.spec.balloon.balloon_review import balloon_notices
from components.spec.balloon.keda import Keda
from components.spec.balloon.schedule import Schedule, Window
from components.spec.balloon.schedule_review import schedule_notices, step_notices
from components.spec.groups import Size
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.checks import Resources
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.pool import PoolRules
from tests.spec.balloon.builders import buffer, office, pods, static, warm
from tests.spec.scaler.builders import TYPES, job

OFFICE = pods(schedule=office())
MOVES = Karpenter(
    pools={"job": PoolRules(consolidation_policy="WhenEmptyOrUnderutilized")}
)
KEEPS = Karpenter(pools={"job": PoolRules()})


def notices(*balloons, **overrides):
    return balloon_notices(
        balloons,
        **{
            "jobs": (job(),),
            "scaler": Karpenter(),
            "cluster_version": "1.35",
            "instance_types": TYPES,
            "policy": JobPolicySettings(),
            "zones": 3,
        }
        | overrides,
    )


def texts(*balloons, **overrides):
    return [str(one) for one in notices(*balloons, **overrides)]


@pytest.mark.parametrize("scaler", [Karpenter(), AutoMode(), KEEPS])
def test_balloons_of_office_hours_need_no_word(scaler):
    assert [] == texts(OFFICE, scaler=scaler)


def test_what_a_schedule_does_at_changes_of_clocks_is_said_with_its_path():
    schedule = office(timezone="Europe/Berlin", start="30 2 * * *", end="0 8 * * *")
    own = list(schedule_notices("balloons[1].schedule", schedule, 3))

    assert 1 == len(own)
    assert own == list(notices(OFFICE, pods(name="night", schedule=schedule)))


def test_no_balloons_need_no_word():
    assert [] == texts()


@pytest.mark.parametrize(
    ("scaler", "policy"),
    [(Karpenter(), "Balanced"), (AutoMode(), "WhenEmptyOrUnderutilized")],
)
def test_h058_the_consolidation_that_was_chosen_is_announced(scaler, policy):
    assert [
        f"scaler.pools[job].consolidation_policy: {policy}, because of balloons that "
        "are always up: under WhenEmpty each that a burst leaves alone on a node keeps "
        "the node. It moves pods that the job policy does not protect, as those from "
        "before it; name the pool to decide yourself"
    ] == texts(pods(), scaler=scaler)


def test_balloons_that_are_always_up_keep_nodes_under_when_empty():
    assert [
        "scaler.pools[job].consolidation_policy: a burst may leave each of the 3 "
        "balloons of job that are always up alone on a node, which then stays: choose "
        "Balanced or WhenEmptyOrUnderutilized"
    ] == texts(pods(), scaler=KEEPS)


def test_windows_without_a_gap_are_always_up_with_their_smallest_number():
    """Those that are there by day only go, and their nodes with them."""
    windows = (
        Window(start="08:00", end="20:00", replicas=7),
        Window(start="20:00", end="08:00", overnight=True, replicas=2),
    )
    schedule = Schedule(timezone="Asia/Seoul", windows=windows)
    found = texts(
        pods(name="shifts", schedule=schedule),
        pods(replicas=1),
        scaler=ClusterAutoscaler(),
    )

    assert (
        "scaler: a burst may leave each of the 3 balloons of job that are always up "
        "alone on a node, which then stays: Cluster Autoscaler moves none"
    ) == found[-1]


@pytest.mark.parametrize(("version", "told"), [("1.34", 1), ("1.35", 0)])
def test_h091_a_step_that_a_cluster_cannot_take_is_said_with_its_path(version, told):
    windows = (
        Window(start="08:00", end="12:00", replicas=20),
        Window(start="12:00", end="18:00", replicas=22),
    )
    schedule = Schedule(timezone="Asia/Seoul", windows=windows)
    own = list(step_notices("balloons[0].schedule", schedule, 3))
    found = notices(pods(schedule=schedule), cluster_version=version)

    assert told == len([one for one in found if one in own])
    assert 1 == len(own)


def test_without_a_policy_nothing_is_moved_and_the_cost_is_said():
    assert [
        "scaler.pools[job].consolidation_policy: a burst may leave each of the 3 "
        "balloons of job that are always up alone on a node, which then stays: give "
        "the stack a job policy that leaves no namespace out, or the balloons a "
        "schedule"
    ] == texts(pods(), policy=None)


def test_cluster_autoscaler_moves_no_balloon():
    assert [
        "scaler: a burst may leave each of the 3 balloons of job that are always up "
        "alone on a node, which then stays: Cluster Autoscaler moves none"
    ] == texts(pods(), scaler=ClusterAutoscaler())


@pytest.mark.parametrize("balloon", [pods(), OFFICE])
def test_h058_a_policy_that_moves_jobs_for_balloons_is_a_warning(balloon):
    assert [
        "scaler.pools[job].consolidation_policy: WhenEmptyOrUnderutilized with "
        "balloons: jobs that no job policy protects are ended to put balloons together"
    ] == texts(balloon, scaler=MOVES, policy=None)
    assert [] == texts(balloon, scaler=MOVES)


def test_h058_balloons_and_a_pool_that_consolidates_at_once_are_a_warning():
    """Three replicas, as in the report: a node comes for one and goes again."""
    rules = PoolRules(
        consolidation_policy="WhenEmptyOrUnderutilized", consolidate_after="0s"
    )

    assert [
        "scaler.pools[job].consolidate_after: 0s with WhenEmptyOrUnderutilized and "
        "balloons: a node that comes for a balloon may go as soon as it fits "
        "elsewhere, and come back with the next job; 5m or more lets it stay"
    ] == texts(pods(), scaler=Karpenter(pools={"job": rules}))


def test_alpha_kinds_are_named():
    assert [
        "balloons[0].kind: alpha in Karpenter: the library turns "
        "feature_gates[capacityBuffer] on",
        "balloons[1].kind: alpha in Karpenter: the library turns "
        "feature_gates[staticCapacity] on",
    ] == texts(buffer(), static())
    assert [] == texts(static(), scaler=AutoMode())
    assert [] == texts(buffer(), scaler=ClusterAutoscaler())


@pytest.mark.parametrize(
    ("scaler", "text"),
    [
        (
            Karpenter(install=False),
            "balloons[0].kind: alpha in Karpenter: turn "
            "settings.featureGates.capacityBuffer on in the Karpenter you run",
        ),
        (
            ClusterAutoscaler(install=False, version="1.35.2"),
            "balloons[0].kind: the Cluster Autoscaler you run needs "
            "--capacity-buffer-controller-enabled, "
            "--capacity-buffer-pod-injection-enabled, "
            "--kube-api-content-type=application/json, rights on capacitybuffers and "
            "podtemplates, and the CRD CapacityBuffer",
        ),
    ],
)
def test_what_a_controller_of_others_needs_is_said(scaler, text):
    assert [text] == texts(buffer(), scaler=scaler)


@pytest.mark.parametrize(
    ("cpu", "memory", "words"),
    [
        ("500m", "1000Mi", "memory=750Mi is below 1000Mi"),
        ("1", "750Mi", "cpu=500m is below 1"),
        ("1", "1Gi", "cpu=500m is below 1 and memory=750Mi is below 1Gi"),
    ],
)
def test_a_balloon_below_a_typical_job_is_a_warning(cpu, memory, words):
    typical = Resources(cpu=cpu, memory=memory)

    assert [
        f"balloons[0]: {words} of a typical job: a job pushes out several balloons of "
        "one node, or finds no node where they are enough"
    ] == texts(pods(schedule=office(), typical_job=typical))


def test_a_balloon_as_large_as_a_typical_job_needs_no_word():
    typical = Resources(cpu="500m", memory="750Mi")

    assert [] == texts(pods(schedule=office(), typical_job=typical))


@pytest.mark.parametrize(
    ("scaler", "text"),
    [
        (
            Karpenter(),
            "balloons[0].priority: -11 is below -10: with Cluster Autoscaler such pods "
            "get no node unless its cut-off is lowered",
        ),
        (
            ClusterAutoscaler(),
            "balloons[0].priority: -11 lowers expendable-pods-priority-cutoff to it "
            "for the whole cluster: other pods down to there get nodes too, and keep "
            "them",
        ),
    ],
)
def test_h057_a_priority_below_the_usual_cut_off_is_named(scaler, text):
    (notice,) = notices(pods(schedule=office(), priority=-11), scaler=scaler)

    assert (text, "info") == (str(notice), notice.severity)


def test_the_instances_of_a_warm_pool_are_counted():
    scaler = ClusterAutoscaler(groups="managed")
    text = "balloons[0]: up to 3 instances wait in each zone"

    assert [f"{text}, 9 in all: their volumes are paid for"] == texts(
        warm(max_prepared=3), scaler=scaler
    )
    assert [f"{text}: their instances are paid for"] == texts(
        warm(min_size=3, state="RUNNING"), scaler=scaler, zones=None
    )


def test_balloons_that_fill_a_group_are_a_warning():
    two = job(size=Size(max=2))
    text = (
        "balloons: those of job need 2 nodes at their largest, and its size.max leaves "
        "{}: jobs push them out, and no node comes for them to come back on"
    )
    rows = [pods(schedule=office(), replicas=n, name=f"n{n}") for n in (31, 1)]

    assert [text.format(2)] == texts(*rows, jobs=(two,))
    assert [] == texts(rows[0], jobs=(two,))
    three = job(size=Size(max=3))
    assert [] == texts(*rows, jobs=(three,))
    assert [text.format(2)] == texts(
        *rows, static(nodes=1), jobs=(three,), scaler=AutoMode()
    )


def test_types_that_are_not_known_are_not_checked_and_named():
    group = job(instance_types=("m99x.large", "m7i.4xlarge"))

    assert [
        "balloons[0]: whether it fits on m99x.large of job is not checked: the key "
        "instance_types of the stack can describe them"
    ] == texts(OFFICE, jobs=(group,))


def test_memory_that_only_ec2_has_is_a_warning_with_cluster_autoscaler():
    group = job(instance_types=("m7i.large",))
    balloon = pods(schedule=office(), replicas=1, memory="6500Mi")

    assert [
        "balloons[0].memory: 6500Mi may not fit on m7i.large, of which firmware and "
        "kernel may leave 6262Mi: Cluster Autoscaler then starts nodes on which it "
        "never runs"
    ] == texts(balloon, jobs=(group,), scaler=ClusterAutoscaler())


@pytest.mark.parametrize("version", ["1.32", "1.36"])
def test_a_kubernetes_that_keda_is_not_tested_with_is_named(version):
    (notice,) = notices(OFFICE, cluster_version=version)

    assert (
        "keda.version: 2.20.2 is tested with Kubernetes 1.33 to 1.35, the cluster has "
        f"{version}"
    ) == str(notice)
    assert "info" == notice.severity


@pytest.mark.parametrize(("version", "said"), [("1.35", True), ("1.34", False)])
def test_h091_a_keda_of_the_cluster_is_told_which_it_must_be(version, said):
    windows = (
        Window(start="08:00", end="12:00", replicas=20),
        Window(start="12:00", end="18:00", replicas=22),
    )
    small = pods(schedule=office(start=None, end=None, windows=windows))
    found = notices(small, cluster_version=version, keda=Keda(install=False))
    said_so = {str(one): one.severity for one in found if "KEDA" in one.text}
    wanted = (
        "keda.install: the KEDA of the cluster must be 2.18 or newer for the steps of "
        "a tenth or less of balloons[0].schedule"
    )

    assert ({wanted: "info"} if said else {}) == said_so


def test_a_keda_that_is_not_known_is_named():
    assert [
        "keda.version: 2.31.0 is tested with Kubernetes versions not known here, the "
        "cluster has 1.35"
    ] == texts(OFFICE, keda=Keda(version="2.31.0"))
    assert [] == texts(OFFICE, cluster_version="1.36", keda=Keda(install=False))
