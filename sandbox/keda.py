"""
KEDA as it is: its operator, and the server that gives its metrics to the HPA.

Both run as programs on this machine beside a control plane that aggregates APIs.
KEDA's admission webhook does not run: what it would refuse is not shown.
"""

from base64 import b64encode
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from sandbox.certificates import CA_FILE, CERTIFICATE_FILE, KEY_FILE, Authority
from sandbox.cluster_api import ClusterApi, wait_until
from sandbox.controllers import running
from sandbox.processes import HOST, free_ports

__all__ = ["keda", "keda_crds"]

Manifest = dict[str, Any]

_SPACE = "keda"
_SERVICE = "keda-metrics-apiserver"
_GROUP, _VERSION = "external.metrics.k8s.io", "v1beta1"
# The API server reaches it by a name, since it refuses loop-back addresses behind a
# Service.
_NAME = "localhost"


def keda_crds(module: Path) -> list[Manifest]:
    """
    Return the CRDs of KEDA.

    Args:
        module: Folder of the module `github.com/kedacore/keda/v2`.
    """
    folder = module / "config" / "crd" / "bases"
    return [yaml.safe_load(file.read_text()) for file in sorted(folder.glob("*.yaml"))]


@contextmanager
def keda(
    programs: Mapping[str, Path], zones: Path, kubeconfig: Path, state: Path
) -> Generator[None]:
    """
    Run KEDA; its CRDs must be there.

    Args:
        programs: The built programs by name.
        zones: Time zones, a folder or a zip file as Go has it.
        kubeconfig: File that says where the API server is; it must aggregate APIs.
        state: Folder for certificates and logs.

    Raises:
        ControlPlaneError: A program ended early or was not ready in a minute.
        TimeoutError: The HPA would not get its metrics.
    """
    certificates = state / "keda-certificates"
    authority = Authority.new("keda")
    authority.issue(certificates, "keda", _NAME, f"{_SERVICE}.{_SPACE}.svc")
    environ = {
        "KUBECONFIG": str(kubeconfig),
        "KEDA_CLUSTER_OBJECT_NAMESPACE": _SPACE,
        "POD_NAMESPACE": _SPACE,
        "WATCH_NAMESPACE": "",
        "ZONEINFO": str(zones),
    }
    health, metrics, service, served = free_ports(4)
    operator = (
        f"--cert-dir={certificates}",
        f"--health-probe-bind-address={HOST}:{health}",
        f"--metrics-service-bind-address={HOST}:{service}",
        "--enable-prometheus-metrics=false",
        "--zap-log-level=info",
    )
    # The port of its own metrics is the only one that cannot be bound to one address.
    adapter = (
        f"--cert-dir={certificates}",
        f"--client-ca-file={certificates / CA_FILE}",
        f"--tls-cert-file={certificates / CERTIFICATE_FILE}",
        f"--tls-private-key-file={certificates / KEY_FILE}",
        f"--bind-address={HOST}",
        f"--secure-port={served}",
        f"--port={metrics}",
        f"--metrics-service-address={_NAME}:{service}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        f"--lister-kubeconfig={kubeconfig}",
    )
    log, trust = state / "keda.log", certificates / CA_FILE
    with (
        running(programs["keda-operator"], operator, log, health, environ),
        running(
            programs["keda-adapter"],
            adapter,
            state / "keda-adapter.log",
            served,
            environ,
            trust,
        ),
    ):
        api = ClusterApi(kubeconfig)
        *before, registration = _registration(served, authority.pem)
        for manifest in (*before, registration):
            api.create(manifest)
        wait_until(lambda: _is_available(api.get(registration)), "metrics for the HPA")
        yield


def _registration(port: int, authority: bytes) -> Sequence[Manifest]:
    """Return what lets the API server hand requests for metrics on to KEDA."""
    service = {"name": _SERVICE, "namespace": _SPACE}
    return (
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _SPACE}},
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": service,
            "spec": {"type": "ExternalName", "externalName": _NAME},
        },
        {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": f"{_VERSION}.{_GROUP}"},
            "spec": {
                "group": _GROUP,
                "version": _VERSION,
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
                "caBundle": b64encode(authority).decode(),
                "service": {**service, "port": port},
            },
        },
    )


def _is_available(stored: Mapping[str, Any]) -> bool:
    conditions = stored.get("status", {}).get("conditions", [])
    return ("Available", "True") in [(one["type"], one["status"]) for one in conditions]
