"""A study made by hand: three scenarios of four jobs."""

from dataclasses import replace

from lab.model import (
    Job,
    LeftOut,
    Load,
    NodeRecord,
    NodeShape,
    PodRecord,
    ScenarioRun,
)
from lab.report.study import Study, Throughput

SHAPE = NodeShape(
    group="job",
    instance_type="m7i.4xlarge",
    architecture="amd64",
    vcpus=16,
    cpu=16_000,
    memory=32_000,
    pods=60,
    price=0.8,
)

JOBS = tuple(
    Job(
        name=f"job-{number}",
        namespace="data",
        owner="Workflow" if number % 2 else "Job",
        # A burst in the second of five minutes.
        start=240.0 if number == 3 else 60.0 + number,
        duration=1_800.0,
        cpu=8_000,
        memory=8_000,
        architecture="amd64",
        group="job",
    )
    for number in range(4)
)

LOAD = Load(
    name="by hand",
    jobs=JOBS,
    left_out=(LeftOut(what="CronJob data/late", reason="suspended | for now"),),
)


def scenario(name, nodes=2, wait=40.0, outcome="succeeded", balloons=(), **changes):
    """Two jobs a node, or four on one; each node lives for half an hour and more."""
    pods = [
        PodRecord(
            job=job.name,
            group=job.group,
            node=f"node-{number % nodes}",
            created=job.start,
            bound=job.start + wait,
            started=job.start + wait + number,
            finished=job.start + wait + job.duration,
            outcome=outcome if number == 0 else "succeeded",
            reason="EvictionByEvictionAPI" if outcome == "interrupted" else "",
            cpu=job.cpu,
            memory=job.memory,
        )
        for number, job in enumerate(JOBS)
    ]
    fields = {
        "scenario": name,
        "pods": (*pods, *balloons),
        "nodes": tuple(
            NodeRecord(
                name=f"node-{number}",
                shape=SHAPE,
                created=0.0,
                ready=40.0,
                deleted=3_600.0,
            )
            for number in range(nodes)
        ),
        "end": 3_600.0,
        "speed": 20.0,
        "facts": {"scenario": f"{name} in a sentence", "faults": "none"},
    }
    return ScenarioRun(**{**fields, **changes})


STUDY = Study(
    runs=(
        scenario("default", nodes=4, outcome="interrupted"),
        scenario("both"),
        scenario("both+balloons", wait=2.0),
    ),
    load=LOAD,
    shapes=(SHAPE,),
    throughput=(Throughput(packing="none", nodes=500, pods=10_000, seconds=40.0),),
    notes=("A note.",),
    command="python -m lab run --speed 20",
    versions={"kube-scheduler": "v1.37.2", "karpenter": "1.15.0"},
)


def unpriced(study):
    """Return the study without prices."""
    shape = replace(SHAPE, price=None)
    runs = tuple(
        replace(run, nodes=tuple(replace(node, shape=shape) for node in run.nodes))
        for run in study.runs
    )
    return replace(study, runs=runs, shapes=(shape,))
