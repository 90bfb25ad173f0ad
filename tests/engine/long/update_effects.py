"""
What a change of inputs does, in words.

The engine is not asked: the inputs before and after are compared, and the stand-ins of
the sandbox, which follow the providers, say what needs a new resource.
"""

import re
from collections.abc import Coroutine, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pulumi.provider.experimental import provider as rpc

from components.spec.helm import KEPT
from components.spec.scaler.duration import seconds
from sandbox.aws.provider import AwsProvider
from sandbox.kubernetes import changes, kinds, settings
from sandbox.wire import wrap_map
from tests.conftest import REGION, Deployment, Resource, computed

__all__ = ["MANAGED", "Effect", "effects", "ends_jobs", "lost", "summary"]

CLUSTER = "eks:index:Cluster"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
MANAGED = "aws:eks/nodeGroup:NodeGroup"
SCALED = "aws:autoscaling/group:Group"
CLASSES = ("EC2NodeClass", "NodeClass")
HOLDERS = ("Group", "NodeGroup", "NodePool")
_ENDS = ("removes", "replaces")
# Inputs of a managed group for which EKS makes new nodes and drains the old ones.
_ROLLING = {"launchTemplate", "releaseVersion", "version"}
_GRACE = "spec.template.spec.terminationGracePeriod"
PROVIDER = "pulumi:providers:kubernetes"
# What tells the managed groups of a job group apart.
_ZONE = rf"\d|{REGION}[a-f]|subnet-[0-9a-f]+"

# Inputs of the remote component, and where they end up in the cluster below it; the
# others are changed in place.
_OF_CLUSTER = {
    "name": "name",
    "encryptionConfigKeyArn": "encryptionConfig.provider.keyArn",
    "kubernetesServiceIpAddressRange": "kubernetesNetworkConfig.serviceIpv4Cidr",
    "privateSubnetIds": "vpcConfig.subnetIds",
    "bootstrapSelfManagedAddons": "bootstrapSelfManagedAddons",
}


@dataclass(frozen=True, kw_only=True)
class Effect:
    """
    What happens to one resource.

    Args:
        type: The last part of its type, `NodePool`.
        name: Its logical name.
        how: `adds`, `removes`, `replaces` or `changes`.
        inputs: Inputs that change.
        old: The resource before, None when there was none.
        new: The resource afterwards, None when there is none.
    """

    type: str
    name: str
    how: str
    inputs: frozenset[str] = frozenset()
    old: Resource | None = None
    new: Resource | None = None


def effects(before: Deployment, after: Deployment) -> list[Effect]:
    """List what a change does, by path of the resource."""
    old = {one.path: one for one in before.resources if _is_real(one)}
    new = _renamed_back(old, [one for one in after.resources if _is_real(one)])
    return [
        effect
        for path in sorted(old.keys() | new.keys())
        for effect in _effect(old.get(path), new.get(path))
    ]


def _is_real(resource: Resource) -> bool:
    return resource.request.custom or resource.request.remote


def _renamed_back(
    old: Mapping[str, Resource], resources: list[Resource]
) -> dict[str, Resource]:
    """Put what has an alias where it was, with what the cloud computed for it."""
    places = {one.path: _place(one, old) for one in resources}
    stays = {
        new: was
        for one in resources
        for new, was in zip(
            _leaves(computed(one.type, one.name)),
            _leaves(computed(one.type, places[one.path].rpartition("::")[2])),
            strict=True,
        )
        if new != was
    }
    return {
        places[one.path]: replace(one, inputs=_translated(one.inputs, stays))
        for one in resources
    }


def _place(resource: Resource, old: Mapping[str, Resource]) -> str:
    """Return the path under which the state knows a resource."""
    above = resource.path.rpartition("::")[0]
    names = [resource.name, *(one.spec.name for one in resource.request.aliases)]
    known = [path for name in names if (path := f"{above}::{name}") in old]
    return known[0] if known else resource.path


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (dict, list)):
        items = value.values() if isinstance(value, dict) else value
        return [leaf for item in items for leaf in _leaves(item)]
    return [value]


def _translated(value: Any, texts: Mapping[Any, Any]) -> Any:
    if isinstance(value, Mapping):
        return {key: _translated(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_translated(item, texts) for item in value]
    return texts.get(value, value) if isinstance(value, str) else value


def _effect(old: Resource | None, new: Resource | None) -> Iterator[Effect]:
    some = old or new
    assert some is not None
    label, name = some.type.rpartition(":")[2], some.name
    if old is None or new is None:
        how = "removes" if new is None else "adds"
        yield Effect(type=label, name=name, how=how, old=old, new=new)
        return
    changed, replaced = _differences(old, new)
    if changed:
        how, inputs = "replaces" if replaced else "changes", frozenset(changed)
        yield Effect(type=label, name=name, how=how, inputs=inputs, old=old, new=new)


def _differences(old: Resource, new: Resource) -> tuple[list[str], bool]:
    """Return the inputs that changed, and whether they need a new resource."""
    if old.inputs == new.inputs:
        return [], False
    names = sorted(
        name
        for name in old.inputs.keys() | new.inputs.keys()
        if old.inputs.get(name) != new.inputs.get(name)
    )
    if new.type == CLUSTER:
        inner = [_of_cluster(one.inputs) for one in (old, new)]
        return names, _aws("aws:eks/cluster:Cluster", *inner, [])[1]
    if new.type == PROVIDER:
        return names, bool(settings.changed(old.inputs, new.inputs)[1])
    if new.type.startswith("kubernetes:helm.sh"):
        return names, bool({"name", "namespace"} & set(names))
    if new.type.startswith("kubernetes:"):
        found = list(changes.between(old.inputs, new.inputs))
        return [one.text for one in found], _is_replaced(new, found)
    return _aws(new.type, old.inputs, new.inputs, list(new.request.ignoreChanges))


def _aws(token: str, old: Any, new: Any, ignore: list[str]) -> tuple[list[str], bool]:
    urn = f"urn:pulumi:t::p::{token}::n"
    request = rpc.DiffRequest(urn, "id", wrap_map(old), wrap_map(new), ignore)
    answer = _at_once(AwsProvider("http://127.0.0.1:1").diff(request))
    return list(answer.diffs or []), bool(answer.replaces)


def _at_once(diff: Coroutine[Any, Any, rpc.DiffResponse]) -> rpc.DiffResponse:
    """Run what waits for nothing, without a loop."""
    try:
        diff.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("a diff waits for something")


def _of_cluster(inputs: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, path in _OF_CLUSTER.items():
        if inputs.get(name) is None:
            continue
        *above, last = path.split(".")
        inside = found
        for key in above:
            inside = inside.setdefault(key, {})
        inside[last] = inputs[name]
    return found


def _is_replaced(new: Resource, found: list[changes.Change]) -> bool:
    kind, manifest = kinds.of_token(new.type), dict(new.inputs)
    fields = kinds.replaced_fields(kind, manifest, mutable_data=False)
    return any(one.touches(field) for one in found for field in fields)


def rolled(found: list[Effect], after: Deployment) -> list[str]:
    """Name the managed groups whose nodes EKS ends one by one, with their pods."""
    templates = [one for one in found if _is_new_template(one)]
    by_template = {
        group.name
        for one in templates
        for group in after.of_type(MANAGED)
        if group.name.removeprefix(one.name)[:1] in ("", "-")
        and group.name.startswith(one.name)
        and _within(group, one, after)
    }
    by_input = {
        one.name
        for one in found
        if one.type == "NodeGroup" and one.how == "changes" and _ROLLING & one.inputs
    }
    return sorted(by_template | by_input)


def _is_new_template(one: Effect) -> bool:
    return (one.type, one.how) == ("LaunchTemplate", "changes")


def _within(group: Resource, template: Effect, after: Deployment) -> bool:
    """Tell whether a group and a template belong to the same component."""
    return _component(group) == _component(after.only(TEMPLATE, template.name))


def _component(resource: Resource) -> str:
    return resource.path.rpartition("$")[0]


def renewed(found: list[Effect], after: Deployment) -> list[str]:
    """Name the Auto Scaling groups whose next nodes are others."""
    groups = {one.name for one in after.of_type(SCALED)}
    return [one.name for one in found if _is_new_template(one) and one.name in groups]


def drifted(found: list[Effect], after: Deployment) -> list[str]:
    """
    Name the pools whose nodes are replaced when their jobs are done.

    Sources:
        Karpenter 1.15, fields with a hash: the template of a pool, and a class but for
        the subnets, which only count for nodes outside of them. Images are those of
        the version of the cluster.
    """
    upgraded = any(one.type == "Cluster" and "version" in one.inputs for one in found)
    pools = {one.name for one in after.resources if one.type.endswith(":NodePool")}
    changed = {
        one.name.removesuffix("-class")
        for one in found
        if one.how == "changes"
        and (
            (one.type in CLASSES and _outside(one.inputs, "spec.subnetSelectorTerms"))
            or (one.type == "NodePool" and _below(one.inputs, "spec.template"))
        )
    }
    return sorted(changed | (pools if upgraded else set()))


def _below(inputs: frozenset[str], path: str) -> set[str]:
    return {one for one in inputs if re.match(rf"{re.escape(path)}($|[.\[])", one)}


def _outside(inputs: frozenset[str], path: str) -> set[str]:
    return set(inputs) - _below(inputs, path)


def outlived(found: list[Effect]) -> list[str]:
    """
    Name the pools that let jobs run longer, while nodes keep the limit of before.

    A node without a limit waits for its jobs whatever the pool says.

    Sources:
        Karpenter 1.15, pkg/apis/v1: a NodeClaim has a copy of the template.
    """
    return [
        one.name
        for one in found
        if one.type == "NodePool" and one.old and one.new and _is_raised(one)
    ]


def _is_raised(one: Effect) -> bool:
    assert one.old is not None
    assert one.new is not None
    old, new = (changes.at(each.inputs, _GRACE) for each in (one.old, one.new))
    return old is not None and (new is None or seconds(new) > seconds(old))


def shut_out(found: list[Effect], after: Deployment) -> list[str]:
    """Name what keeps its nodes while the entry that lets them in goes."""
    entries = [
        one.old
        for one in found
        if one.type == "AccessEntry" and one.how in _ENDS and one.old
    ]
    return sorted(
        {
            one.name
            for one in after.resources
            if any(_lets_in(entry, one) for entry in entries)
        }
    )


def _lets_in(entry: Resource, holder: Resource) -> bool:
    """Pools of a component share an entry; an Auto Scaling group has its own."""
    if _component(entry) != _component(holder):
        return False
    alone = holder.type == SCALED and holder.name == entry.name
    return alone or holder.type.endswith(":NodePool")


def undefined(found: list[Effect], after: Deployment) -> list[str]:
    """Name the pools that go because Kubernetes is no longer told what a pool is."""
    if all(_is_kept(one) for one in _definitions(found)):
        return []
    return [one.name for one in after.resources if one.type.endswith(":NodePool")]


def _definitions(found: list[Effect]) -> list[Resource]:
    """Return the releases of definitions that go."""
    return [
        one.old
        for one in found
        if one.type == "Release" and one.how in _ENDS and one.old
        if _defines(one.old)
    ]


def _defines(release: Resource) -> bool:
    return (
        release.inputs["chart"].endswith("-crd") or "crds" in release.inputs["values"]
    )


def _is_kept(release: Resource) -> bool:
    values = release.inputs["values"]
    parts = (values, values.get("crds", {}))
    keys = ("additionalAnnotations", "annotations")
    annotations = [part.get(key, {}) for part in parts for key in keys]
    return any(KEPT.items() <= one.items() for one in annotations)


def cut(found: list[Effect]) -> bool:
    """
    Tell whether connections of jobs to the outside lose their way, or go another.

    Sources:
        AWS Knowledge Center, from a NAT instance to a NAT gateway: connections are
        dropped when the route is changed.
    """
    return any(
        one.type == "Route"
        and one.old is not None
        and "natGatewayId" in one.old.inputs
        and (one.new is None or "natGatewayId" in one.inputs)
        for one in found
    )


def lost(found: list[Effect]) -> list[Effect]:
    """Return what holds nodes and goes, with the jobs on them."""
    return [one for one in found if one.how in _ENDS and one.type in HOLDERS]


def whole(found: list[Effect]) -> str:
    """Name what everything else stands on, when that is replaced."""
    names = {"Cluster": "cluster", "Vpc": "network"}
    replaced = {one.type for one in found if one.how == "replaces"}
    return next((what for type_, what in names.items() if type_ in replaced), "")


def ends_jobs(found: list[Effect], after: Deployment, jobs: set[str]) -> bool:
    """Tell whether nodes of these job groups go with what runs on them."""
    names = {
        *(one.name for one in lost(found)),
        *undefined(found, after),
        *shut_out(found, after),
        *rolled(found, after),
        *outlived(found),
    }
    groups = {group_name(name) for name in names}
    return bool(whole(found) or cut(found) or groups & jobs)


def group_name(name: str) -> str:
    """Cut the name of a resource down to the name of its group in the stack file."""
    return re.sub(rf"^platform-(karpenter-|auto-mode-)?|-({_ZONE})$", "", name)


def summary(found: list[Effect], after: Deployment) -> str:
    """Say in words what the effects come to, the hardest first."""
    if not found:
        return "nothing"
    if whole(found):
        return f"**replaces the {whole(found)}**"
    hard = list(dict.fromkeys(_on_nodes(found, after)))
    others = [*_others(found)]
    changed = sorted({one.type for one in found if one.how == "changes"})
    in_place = [] if hard or others else [f"in place: {', '.join(changed)}"]
    return "; ".join([*hard, *others, *in_place])


def _on_nodes(found: list[Effect], after: Deployment) -> Iterator[str]:
    for one in lost(found):
        yield f"**{one.how} the nodes of `{group_name(one.name)}`**"
    for name in undefined(found, after):
        yield f"**removes the nodes of `{group_name(name)}`**"
    for name in shut_out(found, after):
        yield f"**shuts out the nodes of `{group_name(name)}`**"
    gone = {one.name for one in lost(found)}
    for name in rolled(found, after):
        if name not in gone:
            yield f"**rolls** `{group_name(name)}`"
    if cut(found):
        yield "**cuts connections**"
    if any(one.type == "LogGroup" and one.how in _ENDS for one in found):
        yield "**deletes logs**"
    yield from (f"new nodes of `{group_name(name)}`" for name in renewed(found, after))
    yield from (f"drift of `{group_name(name)}`" for name in drifted(found, after))
    for name in outlived(found):
        yield f"**old limit** for nodes of `{group_name(name)}`"


def _others(found: list[Effect]) -> Iterator[str]:
    for how in ("removes", "replaces", "adds"):
        types = {one.type for one in found if one.how == how and one not in lost(found)}
        if types:
            yield f"{how} {', '.join(sorted(types))}"
    if any(_is_kept(one) for one in _definitions(found)):
        yield "leaves definitions"
