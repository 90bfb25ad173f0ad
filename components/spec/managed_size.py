"""What a change of the bounds of a managed node group does to its nodes."""

__all__ = ["size_problem"]


def size_problem(
    cluster: str, group: str, *, running: int, sent: int, low: int, high: int
) -> str | None:
    """
    Tell why a change of bounds must not be sent to EKS.

    The size goes with the bounds in one request, and Pulumi sends the one in its
    state, which is that of the last deployment or refresh.

    Args:
        cluster: Name of the cluster.
        group: Name of the node group at EKS.
        running: Nodes that the group is to have now, as the autoscaler wants it.
        sent: Size that would be sent.
        low: New minimum.
        high: New maximum.

    Returns:
        What is wrong and the way out, None when the change ends no node.

    Sources:
        Request: terraform-provider-aws, `node_group.go`, any change of
        `scaling_config` sends all of it. Size: Pulumi, `ignoreChanges` sends what
        the state holds. Bounds: EKS refuses a size outside of them.
    """
    if sent < running:
        return (
            f"the group has {running} nodes, and Pulumi knows of {sent}: to send "
            f"that with the new bounds would end {running - sent} of them, with "
            "what runs there; run `pulumi up --refresh`, which asks for the number "
            "first"
        )
    if sent > running and sent > high:
        return (
            f"Pulumi knows of {sent} nodes, more than the new max={high}, and the "
            f"group has {running}; run `pulumi up --refresh`, which asks for the "
            "number first"
        )
    if sent > high:
        return (
            f"max={high} is below the {running} nodes of the group, which EKS "
            "refuses; wait until the autoscaler has taken those that are too many, "
            "then run `pulumi up --refresh`"
        )
    if sent < low:
        return (
            f"min={low} is above the {running} nodes of the group, which EKS "
            "refuses; give it the nodes first, by `aws eks update-nodegroup-config "
            f"--cluster-name {cluster} --nodegroup-name {group} --scaling-config "
            f"minSize={low},maxSize={high},desiredSize={low}`, then run "
            "`pulumi up --refresh`"
        )
    return None
