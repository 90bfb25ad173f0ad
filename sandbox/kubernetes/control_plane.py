"""Ask the local AWS about the control plane behind a kubeconfig."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass

from sandbox.kubernetes.kubeconfig import Target

__all__ = ["ControlPlane", "ask"]

_TIMEOUT_SECONDS = 10
# moto finds the service and the account of a request in its credential and checks
# no signature.
_AUTHORIZATION = (
    "AWS4-HMAC-SHA256 Credential={key}/20200101/{region}/eks/aws4_request, "
    "SignedHeaders=host, Signature=0"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ControlPlane:
    """
    What is known about a control plane.

    Args:
        version: Kubernetes version such as ``1.36``; None when nobody could say.
        unreachable: Why no object can be read or written, or None.
    """

    version: str | None = None
    unreachable: str | None = None


def ask(target: Target, environ: Mapping[str, str]) -> ControlPlane:
    """
    Look an EKS cluster up; any other cluster is taken as reachable.

    Args:
        target: The cluster.
        environ: Holds AWS_ENDPOINT_URL and AWS_ACCESS_KEY_ID of the local AWS.
    """
    address = environ.get("AWS_ENDPOINT_URL")
    if target.eks_name is None or address is None:
        return ControlPlane()
    request = urllib.request.Request(
        f"{address}/clusters/{target.eks_name}",
        headers={
            "Authorization": _AUTHORIZATION.format(
                key=environ.get("AWS_ACCESS_KEY_ID", "sandbox"), region=target.region
            )
        },
    )
    # Without proxies: the local AWS is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=_TIMEOUT_SECONDS) as answer:
            return ControlPlane(version=json.load(answer)["cluster"]["version"])
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return ControlPlane(
                unreachable=f"the EKS cluster {target.eks_name} does not exist"
            )
        return ControlPlane(unreachable=f"{address} answered {error.code}")
    except OSError as error:
        return ControlPlane(unreachable=f"{address} does not answer: {error}")
