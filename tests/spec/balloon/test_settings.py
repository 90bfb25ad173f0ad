import pytest

from components.spec.balloon.quantities import mebibytes, millicores
from components.spec.balloon.schedule import Window
from components.spec.balloon.settings import PAUSE_IMAGE
from tests.spec.balloon.builders import buffer, office, pods, static, warm


def refusal(make, **overrides):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        make(**overrides)
    return str(caught.value)


def test_a_balloon_is_named_after_its_group_unless_it_has_a_name():
    assert ["balloon-job", "buffer-job", "static-job", "warm-pool-job"] == [
        one.object_name for one in (pods(), buffer(), static(), warm())
    ]
    assert ["noon", "noon", "noon"] == [
        one.object_name
        for one in (pods(name="noon"), buffer(name="noon"), static(name="noon"))
    ]


@pytest.mark.parametrize(
    ("cpu", "number"), [("1", 1_000), ("16", 16_000), ("250m", 250)]
)
def test_cpu_is_counted_in_millicores(cpu, number):
    assert number == millicores(cpu)


@pytest.mark.parametrize(("memory", "number"), [("750Mi", 750), ("2Gi", 2_048)])
def test_memory_is_counted_in_mebibytes(memory, number):
    assert number == mebibytes(memory)


def test_all_problems_of_a_balloon_are_named_at_once():
    assert (
        "name must be 1 to 54 lower-case letters, digits or '-', with a letter or "
        "digit at both ends, got name=Noon\n"
        "replicas must be at least 1, got replicas=0: leave the balloon out for none\n"
        "cpu must be such as 1 or 500m, got cpu=0.5\n"
        "memory must be such as 512Mi or 1Gi, got memory=750M"
    ) == refusal(pods, name="Noon", replicas=0, cpu="0.5", memory="750M")


def test_the_name_leaves_room_for_that_of_the_autoscaler_of_keda():
    assert "n" * 54 == pods(name="n" * 54).object_name
    assert refusal(pods, name="n" * 55).startswith("name must be 1 to 54")


def test_names_of_the_system_are_refused():
    assert "name must not begin with system-, got name=system-x" == refusal(
        pods, name="system-x"
    )


@pytest.mark.parametrize("priority", [-(2**25), -(2**31), 0, 1_000])
def test_h058_a_priority_that_loops_or_pushes_out_no_balloon_is_refused(priority):
    """From -2^25 on Karpenter deletes nodes of balloons as empty, and makes them."""
    assert (
        "priority must be -33554431 to -1: jobs have 0 and push out what is below, and "
        "from -33554432 on Karpenter takes nodes of balloons for empty ones, and "
        f"deletes and makes them for ever, got priority={priority}"
    ) == refusal(pods, priority=priority)


@pytest.mark.parametrize("priority", [-(2**25) + 1, -10, -1])
def test_priorities_between_the_loop_and_the_jobs_pass(priority):
    assert priority == pods(priority=priority).priority


@pytest.mark.parametrize(
    "image",
    [
        PAUSE_IMAGE,
        "registry.k8s.io/pause:3.10",
        "pause:3.10",
        "registry.example.com:5000/team/pause:3.10",
        f"registry.example.com/pause@sha256:{'a' * 64}",
        f"registry.example.com/pause:latest@sha256:{'a' * 64}",
    ],
)
def test_an_image_with_a_tag_or_digest_passes(image):
    assert image == pods(image=image).image


@pytest.mark.parametrize(
    "image",
    [
        "",
        "pause",
        "registry.k8s.io/pause",
        "registry.k8s.io/pause:latest",
        "registry.example.com:5000/pause",
        "registry.example.com/pause@sha256:abc",
        "pause 3.10",
    ],
)
def test_an_image_that_may_change_is_refused(image):
    assert (
        f"image must name a tag or digest that stays, such as {PAUSE_IMAGE}, "
        f"got image={image}"
    ) == refusal(pods, image=image)


@pytest.mark.parametrize(
    "key",
    ["app.kubernetes.io/name", "app.kubernetes.io/instance", "eks-jobs/workload"],
)
def test_labels_of_the_library_are_not_the_users(key):
    assert f"labels must leave out {key}, which is set by this library" == refusal(
        pods, labels={key: "x"}
    )


def test_the_peak_is_that_of_the_largest_window():
    noon = Window(start="12:00", end="13:00", replicas=8)
    morning = Window(start="08:00", end="09:00")
    schedule = office(start=None, end=None, windows=(morning, noon))

    assert 8 == pods(replicas=3, schedule=schedule).peak
    assert 9 == pods(replicas=9, schedule=office(start="08:00", end="09:00")).peak
    assert 9 == pods(replicas=9).peak


def test_a_warm_pool_keeps_no_more_than_it_was_asked_for():
    assert {
        "min_size": 2,
        "max_group_prepared_capacity": 2,
        "pool_state": "STOPPED",
        "reuse_on_scale_in": False,
    } == warm().warm_pool.config()


def test_a_warm_pool_has_the_options_of_eks():
    pool = warm(min_size=1, max_prepared=9, state="RUNNING", reuse_on_scale_in=True)

    assert {
        "min_size": 1,
        "max_group_prepared_capacity": 9,
        "pool_state": "RUNNING",
        "reuse_on_scale_in": True,
    } == pool.warm_pool.config()


def test_a_warm_pool_that_could_not_be_is_refused():
    assert (
        "min_size must be at least 1, got min_size=0: leave the balloon out for none\n"
        "max_prepared must be at least min_size, got max_prepared=-1, min_size=0\n"
        "state must be STOPPED or RUNNING (the launch templates of the library do not "
        "turn hibernation on), got state=HIBERNATED"
    ) == refusal(warm, min_size=0, max_prepared=-1, state="HIBERNATED")


def test_static_nodes_and_buffers_are_at_least_one():
    assert (
        "nodes must be at least 1, got nodes=0: leave the balloon out for none"
    ) == refusal(static, nodes=0)
    assert (
        "replicas must be at least 1, got replicas=-1: leave the balloon out for none"
    ) == refusal(buffer, replicas=-1)
