"""Which balloons a run holds."""

from components.spec.balloon.schedule import Schedule, Window
from components.spec.balloon.settings import BufferBalloon, PodBalloon
from components.spec.scaler.karpenter import Karpenter
from lab.balloons import balloons_of, manifests, replayable, with_held
from lab.model import Job, Load
from tests.spec.scaler.builders import TYPES, job

GROUPS = (job(), job(architecture="arm64"))


def load(*starts, group="job", cpu=500, memory=512):
    return [
        Job(
            name=f"{group}-{place}",
            namespace="team",
            start=start,
            duration=60.0,
            cpu=cpu,
            memory=memory,
            architecture="amd64",
            group=group,
        )
        for place, start in enumerate(starts)
    ]


def test_there_are_as_many_as_the_largest_burst_has_jobs():
    jobs = load(0.0, 100.0, 101.0, 109.9, 110.0, 300.0)

    (balloon,) = balloons_of(Load(name="test", jobs=tuple(jobs)), GROUPS)
    assert ("job", 3, "500m", "512Mi") == (
        balloon.group,
        balloon.replicas,
        balloon.cpu,
        balloon.memory,
    )


def test_each_is_as_large_as_the_mean_job_and_not_smaller_than_some():
    jobs = [*load(0.0, cpu=100, memory=64), *load(1.0, cpu=401, memory=65)]
    (balloon,) = balloons_of(Load(name="test", jobs=tuple(jobs)), GROUPS)
    (least,) = balloons_of(
        Load(name="test", jobs=tuple(load(0.0, cpu=0, memory=0))), GROUPS
    )

    assert ("251m", "128Mi") == (balloon.cpu, balloon.memory)
    assert ("100m", "128Mi") == (least.cpu, least.memory)


def test_each_group_has_its_own():
    jobs = (*load(0.0, 1.0), *load(0.5, group="job-arm"))
    found = balloons_of(Load(name="test", jobs=jobs), GROUPS)

    assert [("job", 2), ("job-arm", 1)] == [(one.group, one.replicas) for one in found]


def test_those_of_a_stack_file_are_always_up():
    window = Window(start="08:30", end="18:00", days=("mon", "tue"))
    schedule = Schedule(timezone="Asia/Seoul", windows=(window,))
    balloon = PodBalloon(
        group="job", replicas=3, cpu="1", memory="1Gi", schedule=schedule
    )

    assert ((PodBalloon(group="job", replicas=3, cpu="1", memory="1Gi"),), ()) == (
        replayable([balloon])
    )


def test_what_the_simulated_cloud_lacks_is_named():
    buffer = BufferBalloon(group="job", replicas=3, cpu="1", memory="1Gi")

    assert (
        (),
        (
            "The capacity-buffer balloon of job is left out: the simulated cloud has "
            "none.",
        ),
    ) == replayable([buffer])


def test_pools_are_set_up_for_balloons_as_in_production():
    balloon = PodBalloon(group="job", replicas=3, cpu="1", memory="1Gi")

    def policy(*, protects):
        scaler = with_held(Karpenter(), [balloon], protects=protects)
        return scaler.rules("job").consolidation_policy

    assert "Balanced" == policy(protects=True)
    assert "WhenEmpty" == policy(protects=False)


def test_a_run_holds_the_objects_of_production():
    balloon = PodBalloon(group="job", replicas=3, cpu="1", memory="1Gi")
    made = list(manifests([balloon], GROUPS, Karpenter(), TYPES))

    assert ["Namespace", "PriorityClass", "Deployment"] == [one["kind"] for one in made]
    assert [] == list(manifests([], GROUPS, Karpenter(), TYPES))
