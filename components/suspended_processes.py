"""Processes of Auto Scaling groups that others own, kept suspended."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi import dynamic

from ._children import children_of

__all__ = ["SuspendedProcesses", "SuspendedProcessesArgs", "SuspensionProvider"]

_PROCESSES = (
    "AZRebalance",
    "AddToLoadBalancer",
    "AlarmNotification",
    "HealthCheck",
    "InstanceRefresh",
    "Launch",
    "ReplaceUnhealthy",
    "ScheduledActions",
    "Terminate",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SuspendedProcessesArgs:
    """
    Arguments of `SuspendedProcesses`.

    Args:
        group_name: Name of the Auto Scaling group, for instance the one behind a
            managed node group.
        region: Region of the group.
        processes: What to keep suspended.

    Raises:
        ValueError: No process is named, one twice, or one that does not exist.

    Sources:
        AZRebalance: it ends nodes without asking whether a job runs on them. Names:
        Auto Scaling user guide, process types.
    """

    group_name: pulumi.Input[str]
    region: pulumi.Input[str]
    processes: tuple[str, ...] = ("AZRebalance",)

    def __post_init__(self) -> None:
        problems = [
            f"processes must be of {', '.join(_PROCESSES)}, got {process!r}"
            for process in self.processes
            if process not in _PROCESSES
        ]
        if not self.processes:
            problems.append("processes must name at least one process")
        if len(set(self.processes)) < len(self.processes):
            problems.append(
                f"processes must not repeat, got {', '.join(self.processes)}"
            )
        if problems:
            raise ValueError("\n".join(problems))


class SuspendedProcesses(pulumi.ComponentResource):
    """
    Suspended processes of an Auto Scaling group that somebody else owns.

    For groups without an input of their own, such as those behind managed node
    groups. Whoever owns the group may resume a process again: `pulumi refresh`
    shows it, and the next update suspends it once more. A process that was
    suspended before stays suspended when this is deleted.

    The calls are made with the credentials of the machine that runs Pulumi, not
    with those of an explicit provider. They need the permissions
    `autoscaling:DescribeAutoScalingGroups`, `autoscaling:SuspendProcesses` and
    `autoscaling:ResumeProcesses`.

    Children: one dynamic resource, called *name*.

    Args:
        name: Name of the component and of its child.
        args: See `SuspendedProcessesArgs`.
        opts: Options for the component; children inherit the parent.

    Attributes:
        processes: Processes that are suspended.
    """

    processes: pulumi.Output[list[str]]

    def __init__(
        self,
        name: str,
        args: SuspendedProcessesArgs,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("eks-jobs:index:SuspendedProcesses", name, None, opts)

        suspension = _Suspension(name, args, children_of(self, opts))

        self.processes = suspension.processes
        self.register_outputs({"processes": self.processes})


class SuspensionProvider(dynamic.ResourceProvider):
    """
    Suspends and resumes processes, by the API of Auto Scaling.

    Pulumi runs it in a process of its own. boto3 is imported where it is used, so
    that programs without such a group never load it.
    """

    # There is no secret in it; a secret could not be shown in a preview.
    serialize_as_secret_always = False

    def create(self, props: dict[str, Any]) -> dynamic.CreateResult:
        """Suspend what is not suspended yet, and remember what that was."""
        before = _suspended(props)
        if before is None:
            raise RuntimeError(_missing(props))
        ours = [name for name in props["processes"] if name not in before]
        _call("suspend_processes", props, ours)
        return dynamic.CreateResult(
            f"{props['region']}/{props['group_name']}", _state(props, ours)
        )

    def read(self, id_: str, props: dict[str, Any]) -> dynamic.ReadResult:
        """Report what is suspended now, so that a refresh shows drift."""
        now = _suspended(props)
        if now is None:
            return dynamic.ReadResult("", {})
        kept = [name for name in props["processes"] if name in now]
        ours = [name for name in props["suspended_here"] if name in now]
        return dynamic.ReadResult(id_, _state({**props, "processes": kept}, ours))

    def diff(
        self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]
    ) -> dynamic.DiffResult:
        """Compare as sets; another group or region is another resource."""
        # What is not known yet, in a preview, is missing.
        known = [key for key in ("group_name", "region") if key in _news]
        moved = [key for key in known if _olds[key] != _news[key]]
        same = set(_olds["processes"]) == set(_news["processes"])
        return dynamic.DiffResult(
            changes=bool(moved) or len(known) < 2 or not same, replaces=moved
        )

    def update(
        self, _id: str, _olds: dict[str, Any], _news: dict[str, Any]
    ) -> dynamic.UpdateResult:
        """Suspend what is new, and resume what was suspended here and is not kept."""
        before = _suspended(_news)
        if before is None:
            raise RuntimeError(_missing(_news))
        kept = [name for name in _olds["suspended_here"] if name in _news["processes"]]
        added = [name for name in _news["processes"] if name not in before]
        dropped = [
            name for name in _olds["suspended_here"] if name not in _news["processes"]
        ]
        _call("suspend_processes", _news, added)
        _call("resume_processes", _news, dropped)
        return dynamic.UpdateResult(_state(_news, [*kept, *added]))

    def delete(self, _id: str, _props: dict[str, Any]) -> None:
        """Resume what was suspended here; a group that is gone needs nothing."""
        if _suspended(_props) is not None:
            _call("resume_processes", _props, _props["suspended_here"])


class _Suspension(dynamic.Resource, module="eks-jobs", name="Suspension"):
    group_name: pulumi.Output[str]
    region: pulumi.Output[str]
    processes: pulumi.Output[list[str]]
    suspended_here: pulumi.Output[list[str]]

    def __init__(
        self,
        name: str,
        args: SuspendedProcessesArgs,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__(
            SuspensionProvider(),
            name,
            {
                "group_name": args.group_name,
                "region": args.region,
                "processes": sorted(args.processes),
                "suspended_here": None,
            },
            opts,
        )


def _state(props: Mapping[str, Any], ours: Iterable[str]) -> dict[str, Any]:
    return {
        "group_name": props["group_name"],
        "region": props["region"],
        "processes": sorted(props["processes"]),
        "suspended_here": sorted(set(ours)),
    }


def _suspended(props: Mapping[str, Any]) -> set[str] | None:
    """Return what is suspended now, or None when the group does not exist."""
    found = _call("describe_auto_scaling_groups", props, None)
    if not found["AutoScalingGroups"]:
        return None
    (group,) = found["AutoScalingGroups"]
    return {process["ProcessName"] for process in group["SuspendedProcesses"]}


def _call(
    operation: str, props: Mapping[str, Any], processes: list[str] | None
) -> dict[str, Any]:
    """
    Call the API for one group.

    An empty list of *processes* calls nothing: to the API it would mean all.
    """
    import boto3
    from botocore.exceptions import ClientError

    name = props["group_name"]
    if processes == []:
        return {}
    named = (
        {"AutoScalingGroupNames": [name]}
        if processes is None
        else {"AutoScalingGroupName": name, "ScalingProcesses": processes}
    )
    client = boto3.client("autoscaling", region_name=props["region"])
    try:
        return getattr(client, operation)(**named)
    except ClientError as error:
        raise RuntimeError(_explained(operation, props, error)) from error


def _explained(operation: str, props: Mapping[str, Any], error: Any) -> str:
    code, text = error.response["Error"]["Code"], error.response["Error"]["Message"]
    action = "autoscaling:" + "".join(part.title() for part in operation.split("_"))
    group = f"Auto Scaling group {props['group_name']} in {props['region']}"
    if code in ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation"):
        return (
            f"{group}: {action} is not allowed. Allow it to the credentials that run "
            f"Pulumi; the service that owns a group may also forbid it. AWS: {text}"
        )
    return f"{group}: {action} failed, {code}: {text}"


def _missing(props: Mapping[str, Any]) -> str:
    return (
        f"Auto Scaling group {props['group_name']} in {props['region']} does not "
        f"exist, so none of its processes can be suspended"
    )
