import pytest

from components.spec.balloon.kinds import kind_problems
from components.spec.groups import Size
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler, WarmPool
from components.spec.scaler.karpenter import Karpenter
from tests.spec.balloon.builders import buffer, pods, static, warm
from tests.spec.scaler.builders import job

MANAGED = ClusterAutoscaler(groups="managed")


def problems(balloon, scaler, version="1.36", zones=None, **overrides):
    return list(
        kind_problems(
            balloon, job(**overrides), scaler, cluster_version=version, zones=zones
        )
    )


@pytest.mark.parametrize(
    ("balloon", "scaler"),
    [
        *(
            (pods(), scaler)
            for scaler in (Karpenter(), ClusterAutoscaler(), MANAGED, AutoMode())
        ),
        (buffer(), Karpenter()),
        (buffer(), Karpenter(version="1.14.0")),
        (buffer(), Karpenter(install=False)),
        (buffer(), ClusterAutoscaler()),
        (buffer(), ClusterAutoscaler(install=False, version="1.36.0")),
        (warm(), MANAGED),
        (static(), Karpenter()),
        (static(), AutoMode()),
    ],
)
def test_each_scaler_takes_the_kinds_that_it_has(balloon, scaler):
    assert [] == problems(balloon, scaler)


@pytest.mark.parametrize(
    ("balloon", "scaler", "version", "line"),
    [
        (
            buffer(),
            Karpenter(version="1.13.0"),
            "1.36",
            "kind capacity-buffer needs Karpenter 1.14 or newer, got "
            "scaler.version=1.13.0: use kind pods",
        ),
        (
            buffer(),
            Karpenter(feature_gates={"capacityBuffer": False}),
            "1.36",
            "kind capacity-buffer needs scaler.feature_gates[capacityBuffer], got "
            "false: leave the gate out, or use kind pods",
        ),
        (
            buffer(),
            AutoMode(),
            "1.36",
            "kind must be pods, or static for whole nodes, with EKS Auto Mode, which "
            "has no capacity buffers, got kind=capacity-buffer",
        ),
        (
            buffer(),
            ClusterAutoscaler(),
            "1.34",
            "kind capacity-buffer needs Cluster Autoscaler 1.35 or newer, got "
            "scaler.version=1.34.5: use kind pods",
        ),
        (
            buffer(),
            ClusterAutoscaler(install=False),
            "1.36",
            "kind capacity-buffer needs Cluster Autoscaler 1.35 or newer, got "
            "scaler.version=none, which is unknown: use kind pods",
        ),
        (
            warm(),
            Karpenter(),
            "1.36",
            "kind must be pods, capacity-buffer or static with scaler kind karpenter, "
            "whose nodes are in no Auto Scaling group, got kind=warm-pool",
        ),
        (
            warm(),
            AutoMode(),
            "1.36",
            "kind must be pods or static with scaler kind auto-mode, whose nodes are "
            "in no Auto Scaling group, got kind=warm-pool",
        ),
        (
            warm(),
            ClusterAutoscaler(),
            "1.36",
            "kind warm-pool needs scaler.groups: managed, got groups=self-managed: "
            "use kind pods",
        ),
        (
            warm(),
            ClusterAutoscaler(groups="managed", warm_pool=WarmPool(min_size=1)),
            "1.36",
            "kind warm-pool and scaler.warm_pool exclude each other, since the latter "
            "is for every group: keep one",
        ),
        (
            static(),
            ClusterAutoscaler(),
            "1.36",
            "kind must be pods, or size.min of the group above 0 for whole nodes, with "
            "Cluster Autoscaler, which has no static pools, got kind=static",
        ),
        (
            static(),
            Karpenter(version="1.7.0"),
            "1.34",
            "kind static needs Karpenter 1.8 or newer, got scaler.version=1.7.0: use "
            "kind pods",
        ),
        (
            static(),
            Karpenter(feature_gates={"staticCapacity": False}),
            "1.36",
            "kind static needs scaler.feature_gates[staticCapacity], got false: leave "
            "the gate out, or use kind pods",
        ),
        (
            pods(priority=-11),
            ClusterAutoscaler(install=False),
            "1.36",
            "priority must be at least -10 with a Cluster Autoscaler that is not "
            "installed here: it gives no node to pods below its "
            "expendable-pods-priority-cutoff, which the library then cannot lower, "
            "got priority=-11",
        ),
    ],
)
def test_h057_what_a_scaler_lacks_is_refused_and_the_way_out_named(
    balloon, scaler, version, line
):
    assert [line] == problems(balloon, scaler, version)


@pytest.mark.parametrize(
    "scaler", [ClusterAutoscaler(), Karpenter(), Karpenter(install=False), AutoMode()]
)
def test_h057_a_priority_below_the_cut_off_passes_where_the_cut_off_follows(scaler):
    """Of Karpenter and Auto Mode no cut-off is known."""
    assert [] == problems(pods(priority=-11), scaler)


def test_a_group_with_its_own_image_has_no_warm_pool():
    image = "ami-0123456789abcdef0"

    assert [
        "kind must be pods for a group with an image of its own, for which EKS has no "
        f"warm pools, got kind=warm-pool, job.ami_id={image}"
    ] == problems(warm(), MANAGED, ami_id=image)


def test_a_warm_pool_is_no_larger_than_the_group_of_a_zone():
    size = Size(max=10)

    assert [
        "min_size and max_prepared must be at most 3, which is what size.max=10 of job "
        "leaves to each of 3 zones, got 4"
    ] == problems(warm(min_size=4), MANAGED, zones=3, size=size)
    assert [] == problems(warm(min_size=3), MANAGED, zones=3, size=size)
    assert [] == problems(warm(min_size=4), MANAGED, size=size)


@pytest.mark.parametrize("scaler", [Karpenter(), AutoMode()])
def test_static_nodes_leave_some_of_the_group_to_bursts(scaler):
    assert [
        "nodes must be below size.max=2 of job, of which they are a part, got nodes=2"
    ] == problems(static(), scaler, size=Size(max=2))


def test_a_scaler_that_does_not_fit_the_cluster_is_refused_elsewhere():
    assert [] == problems(buffer(), ClusterAutoscaler(), "1.99")
