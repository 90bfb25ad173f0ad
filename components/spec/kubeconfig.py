"""A kubeconfig that asks the AWS CLI who its user is."""

import json

__all__ = ["render_kubeconfig"]


def render_kubeconfig(
    name: str, endpoint: str, certificate_authority: str, region: str
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
    """
    command = ["--region", region, "eks", "get-token", "--cluster-name", name]
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
