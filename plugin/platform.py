"""`JobPlatform`: its inputs are the keys of a stack file."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pulumi
from pulumi.output import Unknown

from components import (
    ClusterSettings,
    ExistingNetwork,
    InstanceTypes,
    JobPlatform,
    JobPlatformArgs,
    JobPolicySettings,
    TokenSource,
)
from components._region import provider_region
from infra import reader, settings
from infra.settings import Settings
from plugin.offer import Input, Made, Offer, inputs_of, provider_of

__all__ = ["PLATFORM"]

# Valid in form, and told apart: stand for ids that a preview does not know.
_VPC, _SUBNET = "vpc-00000000", "subnet-{:08}"


def _make(name: str, values: Mapping[str, Any], opts: pulumi.ResourceOptions) -> Made:
    values = dict(values)
    aws = provider_of("aws", opts)
    region = _region(values.pop("region", None), aws)
    token = _token(values.pop("token", None), aws)
    if values.get("policy") is False:
        # Null does not travel between languages.
        values["policy"] = None
    network: Any = values.get("network")
    if network is not None:
        values["network"] = _with_stand_ins(network)
    read = settings.read(values, region=region, cluster_name=name, token=token)
    if isinstance(read.network, ExistingNetwork):
        read = replace(read, network=_with_outputs(read.network, network))
    platform = JobPlatform(name, _arguments(read), opts)
    facts = platform.facts
    return Made(
        component=platform,
        outputs={
            "cluster_name": facts.name,
            "endpoint": facts.endpoint,
            "certificate_authority": facts.certificate_authority,
            "group_names": dict(platform.group_names),
        },
    )


def _region(said: Any, provider: pulumi.ProviderResource | None) -> Any:
    """Return the region of the provider, which makes everything."""
    found = provider_region(provider)
    if found is None and said is None:
        raise ValueError(
            "region: expected a region such as ap-northeast-2, since the AWS provider "
            "is not known yet; got nothing"
        )
    if found is not None and said not in (None, found):
        raise ValueError(
            f"region: expected {found}, the region of the AWS provider, got {said}"
        )
    return found or said


def _token(said: Any, provider: pulumi.ProviderResource | None) -> TokenSource:
    """Leave out what the stack says about its own provider, if it is not in use."""
    if said is not None:
        return reader.build(TokenSource, "token", said)
    return settings.token_source() if provider is None else TokenSource()


def _arguments(read: Settings) -> JobPlatformArgs:
    """Pass every setting on: arguments of the component have the same names."""
    names = [field.name for field in fields(JobPlatformArgs)]
    arguments: dict[str, Any] = {name: getattr(read, name) for name in names}
    types = InstanceTypes.bundled().including(read.instance_types)
    arguments["instance_types"] = types
    return JobPlatformArgs(**arguments)


def _with_stand_ins(network: Any) -> Any:
    if not isinstance(network, Mapping):
        return network
    kept = dict(network)
    if isinstance(network.get("vpc_id"), Unknown):
        kept["vpc_id"] = _VPC
    subnets = network.get("subnet_ids")
    if isinstance(subnets, list):
        kept["subnet_ids"] = [
            _SUBNET.format(place) if isinstance(one, Unknown) else one
            for place, one in enumerate(subnets)
        ]
    return kept


def _with_outputs(network: ExistingNetwork, sent: Mapping[str, Any]) -> ExistingNetwork:
    """Put what is unknown back: it flows into resources as it is."""

    def known(value: Any) -> Any:
        return pulumi.Output.from_input(value) if isinstance(value, Unknown) else value

    return replace(
        network,
        vpc_id=known(sent["vpc_id"]),
        subnet_ids=tuple(known(one) for one in sent["subnet_ids"]),
    )


PLATFORM = Offer(
    text=(
        "A whole EKS cluster on which jobs run packed, and servers run apart from "
        "them. Inputs are the keys of a stack file; what is below them is written as "
        "there."
    ),
    inputs={
        **inputs_of(Settings, *settings.GIVEN),
        "cluster": Input(
            type=ClusterSettings,
            text=(
                "The control plane. Without a name it is called as the component, "
                "without a release of node images the one that this version pins."
            ),
            required=True,
        ),
        "policy": Input(
            type=JobPolicySettings,
            text="What happens to job pods when they are created; false: nothing.",
        ),
        "region": Input(
            type=str,
            text=(
                "The region that the AWS provider must have; it decides where "
                "everything is made. Needed only while a preview does not know it."
            ),
        ),
        "token": Input(
            type=TokenSource,
            text=(
                "Whose credentials make objects in the cluster: profile and role_arn. "
                "If left out what aws:profile and aws:assumeRoles say; with an AWS "
                "provider of the program the credentials of the environment."
            ),
        ),
    },
    outputs={
        "cluster_name": str,
        "endpoint": str,
        "certificate_authority": str,
        "group_names": Mapping[str, str],
    },
    make=_make,
    flowing=("network.vpc_id", "network.subnet_ids["),
)
