"""A kubeconfig that asks the AWS CLI who its user is."""

import json
from dataclasses import dataclass

__all__ = ["TokenSource", "render_kubeconfig"]


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenSource:
    """
    Whose credentials the AWS CLI takes when it is asked for a token.

    EKS lets in who makes a cluster, so these should be those of the AWS provider.

    Args:
        profile: A profile of the CLI. None: the credentials of its environment.
        role_arn: A role that is assumed with them.
    """

    profile: str | None = None
    role_arn: str | None = None


def render_kubeconfig(
    name: str,
    endpoint: str,
    certificate_authority: str,
    region: str,
    token: TokenSource = TokenSource(),
) -> str:
    """
    Render a kubeconfig that asks the AWS CLI for a token.

    Shape:
        A `Config` of Kubernetes, as JSON. Equal arguments give equal bytes: another
        text could replace the provider, and with it every Kubernetes object.

    Args:
        name: Name of the cluster.
        endpoint: URL of the API server.
        certificate_authority: CA certificate, base64.
        region: Region of the cluster; the CLI may have another default.
        token: Whose credentials the CLI takes.
    """
    command = ["--region", region, "eks", "get-token", "--cluster-name", name]
    if token.profile is not None:
        command = ["--profile", token.profile, *command]
    if token.role_arn is not None:
        command += ["--role-arn", token.role_arn]
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": name,
                    "cluster": {
                        "server": endpoint,
                        "certificate-authority-data": certificate_authority,
                    },
                }
            ],
            "users": [
                {
                    "name": name,
                    "user": {
                        "exec": {
                            "apiVersion": "client.authentication.k8s.io/v1beta1",
                            "command": "aws",
                            "args": [*command, "--output", "json"],
                            "interactiveMode": "Never",
                        }
                    },
                }
            ],
            "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
            "current-context": name,
        }
    )
