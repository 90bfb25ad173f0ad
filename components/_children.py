"""Options that the children of every component share."""

from collections.abc import Sequence

import pulumi

__all__ = ["after", "children_of", "invoke_with", "renamed"]


def children_of(
    component: pulumi.ComponentResource,
    opts: pulumi.ResourceOptions | None,
    ready: Sequence[pulumi.Resource] = (),
) -> pulumi.ResourceOptions:
    """
    Make the options of the children of *component*.

    The parent brings provider, region and account. A component is done as soon as
    it is registered, so what its caller told *it* to wait for is told to each child.

    Args:
        component: Parent of the children.
        opts: Options that the component was given; only `depends_on` is read.
        ready: More that the children wait for.
    """
    child = pulumi.ResourceOptions(parent=component, depends_on=list(ready))
    if opts is None or opts.depends_on is None:
        return child
    return child.merge(pulumi.ResourceOptions(depends_on=opts.depends_on))


def after(
    opts: pulumi.ResourceOptions, resources: Sequence[pulumi.Resource]
) -> pulumi.ResourceOptions:
    """Return *opts* with more to wait for."""
    return opts.merge(pulumi.ResourceOptions(depends_on=list(resources)))


def renamed(
    opts: pulumi.ResourceOptions, name: str, former: str
) -> pulumi.ResourceOptions:
    """Return *opts* of a child that had the logical name *former*, and stays."""
    if name == former:
        return opts
    return opts.merge(pulumi.ResourceOptions(aliases=[pulumi.Alias(name=former)]))


def invoke_with(opts: pulumi.ResourceOptions) -> pulumi.InvokeOutputOptions:
    """Make the options of a provider call that belongs to the parent of *opts*."""
    return pulumi.InvokeOutputOptions(parent=opts.parent)
