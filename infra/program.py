"""The program of every stack: settings in, one platform and its outputs out."""

from collections.abc import Mapping

import pulumi

from components import InstanceTypes, JobPlatform, JobPlatformArgs
from infra.settings import Settings

__all__ = ["deploy", "keep_secrets"]

_OF_NODES = {"user_data", "block_device_mappings", "tags", "tag_specifications"}

# Kubernetes objects and Helm releases hold everything in one input; a PodTemplate has
# no spec of its own.
_OF_OBJECTS = {"spec", "template", "values"}

# The inputs into which values of a key flow as they are. The rest of a key shapes
# the graph and becomes part of names, so it is plain whatever the file says.
_CARRIERS: Mapping[str, set[str]] = {
    "network": {
        "vpc_id",
        "subnet_ids",
        "private_subnet_ids",
        "vpc_zone_identifiers",
        *_OF_OBJECTS,
    },
    "cluster": {"public_access_cidrs", "cidr_ipv4"},
    "servers": _OF_NODES,
    "jobs": _OF_NODES | _OF_OBJECTS | {"image_id"},
    "scaler": _OF_OBJECTS | {"policy"},
    "retiring_scaler": _OF_OBJECTS | {"policy"},
    "policy": _OF_OBJECTS,
    "balloons": _OF_OBJECTS,
    "keda": _OF_OBJECTS,
    "monitoring": _OF_OBJECTS | {"data"},
    # No key of a stack file, but an input of the package in other languages.
    "token": {"kubeconfig"},
    "tags": {"tags", "tag_specifications"} | _OF_OBJECTS,
}


def deploy(settings: Settings) -> None:
    """
    Create the resources of one stack, all of them below one `JobPlatform`.

    Outputs of the stack: `cluster_name`, `endpoint`, `groups` (the names at AWS of
    node groups and Auto Scaling groups, or those of node pools, by the names of the
    stack file) and
    `kubeconfig_command` (what writes the access for kubectl).

    Raises:
        pulumi.RunError: AWS would refuse something, one line each. Nothing was
            created but the components that asked: the region has too few zones, or
            does not offer an instance type.
    """
    try:
        platform = _platform(settings)
    except ValueError as error:
        raise pulumi.RunError(str(error)) from error
    name = platform.facts.name
    pulumi.export("cluster_name", name)
    pulumi.export("endpoint", platform.facts.endpoint)
    pulumi.export("groups", dict(platform.group_names))
    pulumi.export(
        "kubeconfig_command",
        f"aws eks update-kubeconfig --region {settings.region} --name {name}",
    )


def _platform(settings: Settings) -> JobPlatform:
    types = InstanceTypes.bundled().including(settings.instance_types)
    return JobPlatform(
        "platform",
        JobPlatformArgs(
            network=settings.network,
            cluster=settings.cluster,
            servers=settings.servers,
            jobs=settings.jobs,
            scaler=settings.scaler,
            retiring_scaler=settings.retiring_scaler,
            vpc_cni=settings.vpc_cni,
            policy=settings.policy,
            balloons=settings.balloons,
            keda=settings.keda,
            monitoring=settings.monitoring,
            tags=settings.tags,
            instance_types=types,
            token=settings.token,
            check_offerings=settings.check_offerings,
        ),
        pulumi.ResourceOptions(transformations=[keep_secrets(settings.secret_keys)]),
    )


def keep_secrets(keys: frozenset[str]) -> pulumi.ResourceTransformation:
    """
    Store what flows out of the settings *keys* into resources as secrets.

    Pulumi tells a program which key holds a secret, and not which value of it. So
    every input that carries values of the key as they are (tags, user data, disks
    with their keys, ids of an existing network, policies) is encrypted in the state
    and hidden in previews, on all resources. Names, counts, types and labels never
    are.

    Args:
        keys: Keys of the stack file that hold a `secure:` value.
    """
    carriers = {name for key in keys for name in _CARRIERS.get(key, ())}

    def transform(
        resource: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult:
        props = {
            name: pulumi.Output.secret(value)
            if name in carriers and value is not None
            else value
            for name, value in resource.props.items()
        }
        return pulumi.ResourceTransformationResult(props, resource.opts)

    return transform
