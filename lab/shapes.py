"""What a node of each job group offers, read from the same specs as the groups."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from components.spec.capacity import node_capacity
from components.spec.groups import JobGroup
from components.spec.instance_types import InstanceType, InstanceTypes
from components.spec.problems import refuse
from lab.model import Job, LeftOut, Load, NodeShape

__all__ = ["fits", "fitting", "node_shapes"]


def node_shapes(
    groups: Sequence[JobGroup],
    instance_types: InstanceTypes,
    prices: Mapping[str, float] | None = None,
) -> tuple[NodeShape, ...]:
    """
    Say what each type of each group leaves for jobs, in the order of the stack file.

    Args:
        groups: Job groups of a stack.
        instance_types: The bundled table with those of the stack file.
        prices: USD an hour by instance type; None, or a type without one, is a
            shape without a price.

    Raises:
        ValueError: A type is not in the table, or nothing is left of a node. All
            such types are named.
    """
    refuse(_unknown(groups, instance_types))
    found = [
        (place, _shape(group, one, types, prices or {}))
        for place, group in enumerate(groups)
        for types in [_types(group, instance_types)]
        for one in types
    ]
    refuse(
        f"jobs[{place}].instance_types: {shape.instance_type} must leave something for "
        f"jobs, got cpu={shape.cpu}m, memory={shape.memory}Mi"
        for place, shape in found
        if min(shape.cpu, shape.memory) < 1
    )
    return tuple(shape for _, shape in found)


def fits(job: Job, shapes: Sequence[NodeShape]) -> bool:
    """Tell whether an empty node of the job's group can run it."""
    return any(
        shape.group == job.group
        and shape.architecture == job.architecture
        and job.cpu <= shape.cpu
        and job.memory <= shape.memory
        for shape in shapes
    )


def fitting(load: Load, shapes: Sequence[NodeShape]) -> Load:
    """Return the load with the jobs that no node can run among what is left out."""
    alone = [job for job in load.jobs if not fits(job, shapes)]
    if not alone:
        return load
    left_out = [LeftOut(what=_name(job), reason=_reason(job, shapes)) for job in alone]
    return replace(
        load,
        jobs=tuple(job for job in load.jobs if fits(job, shapes)),
        left_out=(*load.left_out, *left_out),
    )


def _unknown(groups: Sequence[JobGroup], known: InstanceTypes) -> Iterator[str]:
    for place, group in enumerate(groups):
        for name in group.instance_types:
            if known.find(name) is None:
                yield (
                    f"jobs[{place}].instance_types must be in the table of instance "
                    f"types, got {name}: describe it under the key instance_types of "
                    "the stack file"
                )


def _types(group: JobGroup, known: InstanceTypes) -> list[InstanceType]:
    found = [known.find(name) for name in group.instance_types]
    return [one for one in found if one is not None]


def _shape(
    group: JobGroup,
    one: InstanceType,
    types: Sequence[InstanceType],
    prices: Mapping[str, float],
) -> NodeShape:
    left = node_capacity(group, one, max(each.vcpus for each in types))
    return NodeShape(
        group=group.name,
        instance_type=one.name,
        architecture=one.architecture,
        cpu=left.allocatable_cpu_m,
        memory=left.allocatable_memory_mib,
        pods=group.kubelet.max_pods,
        vcpus=one.vcpus,
        price=prices.get(one.name),
    )


def _name(job: Job) -> str:
    return f"job {job.namespace}/{job.name}"


def _reason(job: Job, shapes: Sequence[NodeShape]) -> str:
    own = [shape for shape in shapes if shape.group == job.group]
    if not own:
        groups = ", ".join(dict.fromkeys(shape.group for shape in shapes))
        return f"there is no job group {job.group} among {groups}"
    if job.architecture not in {shape.architecture for shape in own}:
        return f"the group {job.group} has no {job.architecture} nodes"
    largest = ", ".join(
        f"{shape.instance_type} ({shape.cpu}m, {shape.memory}Mi)" for shape in own
    )
    return (
        f"its request of {job.cpu}m and {job.memory}Mi is more than an empty node of "
        f"the group {job.group} offers: {largest}"
    )
