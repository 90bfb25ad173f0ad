"""The kubeconfig that the provider writes, byte for byte."""

import json
from collections.abc import Mapping
from typing import Any

import pulumi

from sandbox.eks.resources import Inputs, Made

__all__ = ["compact_json", "kubeconfig"]

_EXEC_INFO = '{"apiVersion": "client.authentication.k8s.io/v1beta1"}'


def kubeconfig(
    inputs: Inputs, cluster: Made, *, with_profile: bool
) -> pulumi.Output[dict[str, Any]]:
    """
    **Shape**: `Config` that asks the AWS CLI for a token.

    The profile is for the provider alone: users have their own.
    """
    credentials = inputs.get("providerCredentialOpts")
    profile = pulumi.Config("aws").get("profile")
    if credentials is None and profile is not None:
        credentials = {"profileName": profile}
    names = ("arn", "certificateAuthority", "endpoint", "name")
    known = pulumi.Output.all(credentials, *(cluster.output(each) for each in names))
    return known.apply(lambda values: _render(*values, with_profile=with_profile))


def _render(
    credentials: Mapping[str, Any] | None,
    arn: str,
    authority: Mapping[str, Any],
    endpoint: str,
    name: str,
    *,
    with_profile: bool,
) -> dict[str, Any]:
    words = ["--region", arn.split(":")[3], "eks", "get-token", "--cluster-name", name]
    words += ["--output", "json"]
    given = credentials or {}
    if given.get("roleArn"):
        words += ["--role", given["roleArn"]]
    if with_profile and given.get("profileName"):
        words += ["--profile", given["profileName"]]
    login = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": words,
        "env": [{"name": "KUBERNETES_EXEC_INFO", "value": _EXEC_INFO}],
    }
    server = {
        "server": endpoint,
        "certificate-authority-data": authority["data"],
    }
    return {
        "apiVersion": "v1",
        "clusters": [{"cluster": server, "name": "kubernetes"}],
        "contexts": [
            {"context": {"cluster": "kubernetes", "user": "aws"}, "name": "aws"}
        ],
        "current-context": "aws",
        "kind": "Config",
        "users": [{"name": "aws", "user": {"exec": login}}],
    }


def compact_json(value: Any) -> pulumi.Output[str]:
    """Return a value as JSON without blanks, as JavaScript writes it."""
    return pulumi.Output.from_input(value).apply(
        lambda known: json.dumps(known, separators=(",", ":"))
    )
