"""
A plugin that takes the place of pulumi-aws: accepts everything, and answers in facts.

It proves nothing about AWS. With it the component of the EKS plugin meets the real
engine, and the state of the stack shows which children it asked for.
"""

import sys
from collections.abc import Mapping

from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.server import main

VERSION = "7.51.1"

ISSUER = "https://oidc.eks.ap-northeast-2.amazonaws.com/id/1"


def text(**values):
    return {key: PropertyValue(value) for key, value in values.items()}


COMPUTED = {
    "aws:eks/cluster:Cluster": {
        **text(
            arn="arn:aws:eks:ap-northeast-2:111122223333:cluster/c",
            endpoint="https://c.eks.example.com",
        ),
        "certificateAuthority": PropertyValue(text(data="Y2E=")),
        "identities": PropertyValue(
            [
                PropertyValue(
                    {"oidcs": PropertyValue([PropertyValue(text(issuer=ISSUER))])}
                )
            ]
        ),
    },
    "aws:iam/role:Role": text(arn="arn:aws:iam::111122223333:role/r"),
    "aws:ec2/securityGroupRule:SecurityGroupRule": text(securityGroupRuleId="sgr-1"),
}
ANSWERS = {
    "aws:index/getPartition:getPartition": text(partition="aws", dnsSuffix="amazonaws"),
    "aws:eks/getAddonVersion:getAddonVersion": text(version="v1.20.4-eksbuild.1"),
}


def covers(state, wanted):
    """Say whether the state holds what is wanted, and perhaps more."""
    if not isinstance(wanted.value, Mapping):
        return state == wanted
    return all(
        key in state.value and covers(state.value[key], value)
        for key, value in wanted.value.items()
    )


def outcome(request, inputs):
    token = request.type.rpartition("$")[2]
    state = {**inputs, **COMPUTED.get(token, {})}
    state.setdefault("name", PropertyValue(f"{request.name}-0000000"))
    network = state["vpcConfig"].value if "vpcConfig" in state else None
    if isinstance(network, Mapping):
        known = {**network, **text(clusterSecurityGroupId="sg-eks")}
        state["vpcConfig"] = PropertyValue(known)
    return state


class EchoProvider(rpc.Provider):
    async def diff(self, request):
        state, wanted = request.old_state, request.new_inputs
        same = covers(PropertyValue(state), PropertyValue(wanted))
        return rpc.DiffResponse(changes=not same)

    async def create(self, request):
        made = "" if request.preview else f"{request.name}-id"
        return rpc.CreateResponse(made, outcome(request, request.properties))

    async def update(self, request):
        return rpc.UpdateResponse(outcome(request, request.news))

    async def delete(self, request):
        """Let go of what was never made."""
        assert request.resource_id

    async def invoke(self, request):
        return rpc.InvokeResponse(ANSWERS[request.tok])


if __name__ == "__main__":
    main(sys.argv[1:], VERSION, EchoProvider())
