"""What the controllers of scalers need at AWS, and how they get into a cluster."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from . import _iam
from ._children import after, invoke_with
from ._objects import custom_resource
from .cluster_facts import ClusterFacts
from .spec.scaler.iam import Account
from .spec.scaler.manifests import PoolObjects
from .spec.scaler.versions import NAMESPACE, Chart

__all__ = ["account", "controller_role", "pool_objects", "release"]


def account(
    cluster: ClusterFacts, opts: pulumi.ResourceOptions
) -> pulumi.Output[Account]:
    """Ask the provider where the cluster lives."""
    calls = invoke_with(opts)
    return pulumi.Output.all(
        partition=aws.get_partition_output(opts=calls).partition,
        region=aws.get_region_output(opts=calls).region,
        account_id=aws.get_caller_identity_output(opts=calls).account_id,
    ).apply(lambda known: Account(cluster_name=cluster.name, **known))


def controller_role(
    name: str,
    cluster: ClusterFacts,
    service_account: str,
    policies: Mapping[str, pulumi.Input[str]],
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> pulumi.Resource:
    """
    Make a role for the pods of a service account, with policies of its own.

    Args:
        name: Logical name of the role and of what ties the account to it.
        cluster: The cluster.
        service_account: Name of the account, in the namespace of controllers.
        policies: Texts of policies by their logical names.
        tags: Tags of everything.
        opts: Options of the children.

    Returns:
        What a controller must wait for: it starts without permissions otherwise,
        and keeps that.
    """
    pods = _iam.Pods(
        cluster=cluster.name, namespace=NAMESPACE, service_account=service_account
    )
    role, _ = _iam.role(name, pods, (), tags, opts)
    attached = [
        aws.iam.RolePolicyAttachment(
            label,
            role=role.name,
            policy_arn=aws.iam.Policy(label, policy=policy, tags=tags, opts=opts).arn,
            opts=opts,
        )
        for label, policy in policies.items()
    ]
    return aws.eks.PodIdentityAssociation(
        name,
        cluster_name=cluster.name,
        namespace=NAMESPACE,
        service_account=service_account,
        role_arn=role.arn,
        tags=tags,
        opts=after(opts, attached),
    )


def release(
    name: str,
    called: str,
    chart: Chart,
    version: str,
    values: Mapping[str, Any],
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
    *,
    skip_crds: bool = False,
) -> kubernetes.helm.v3.Release:
    """
    Install a chart; with its cluster it goes without being asked.

    Args:
        name: Logical name.
        called: Name of the release.
        chart: The chart.
        version: Its version.
        values: Its values; outputs may be leaves.
        cluster: The cluster.
        opts: Options of the children.
        skip_crds: Whether definitions come from another chart.
    """
    repository = chart.repository
    return kubernetes.helm.v3.Release(
        name,
        name=called,
        chart=chart.name,
        version=version,
        repository_opts=None if repository is None else {"repo": repository},
        namespace=NAMESPACE,
        values=dict(values),
        skip_crds=skip_crds,
        opts=_in_cluster(opts, cluster).merge(
            pulumi.ResourceOptions(deleted_with=cluster.deleted_with)
        ),
    )


def pool_objects(
    name: str,
    pools: Sequence[PoolObjects],
    cluster: ClusterFacts,
    opts: pulumi.ResourceOptions,
) -> dict[str, pulumi.Output[str]]:
    """
    Make the class and the pool of each group.

    They are deleted one by one even when the cluster goes: a controller that is gone
    ends no instances. The pool goes first, and waits for its nodes.

    Args:
        name: Name of the component; the name of a group is added.
        pools: The objects.
        cluster: The cluster.
        opts: Options of the children, with what must exist before.

    Returns:
        The names of the pools, by the names of their groups.
    """
    made = {}
    for one in pools:
        label = f"{name}-{one.group.name}"
        patient = _in_cluster(opts, cluster).merge(
            pulumi.ResourceOptions(
                custom_timeouts=pulumi.CustomTimeouts(delete=one.drain_limit)
            )
        )
        node_class = custom_resource(label, one.node_class, patient)
        custom_resource(label, one.node_pool, after(patient, [node_class]))
        made[one.group.name] = pulumi.Output.from_input(one.group.name)
    return made


def _in_cluster(
    opts: pulumi.ResourceOptions, cluster: ClusterFacts
) -> pulumi.ResourceOptions:
    return opts.merge(pulumi.ResourceOptions(provider=cluster.provider))
