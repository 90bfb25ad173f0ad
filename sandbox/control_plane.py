"""
A real Kubernetes control plane on this machine, without nodes.

etcd, kube-apiserver and, where asked for, kube-scheduler and
kube-controller-manager, built from their Go modules. No kubelet runs: what a pod
would do on a node is not shown, admission and scheduling are.
"""

import secrets
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from sandbox.certificates import CA_FILE, CERTIFICATE_FILE, KEY_FILE, Authority
from sandbox.processes import HOST, free_ports, start, stop
from sandbox.readiness import ControlPlaneError, answers, wait_until_ready

__all__ = ["Component", "ControlPlane", "ControlPlaneError"]

Component = Literal["kube-scheduler", "kube-controller-manager"]

_READY_SECONDS = 60

# Without a kubelet nobody renews a node's lease, and the life-cycle controller would
# take every node for lost. Tokens and pod networks need parts that do not run here.
_CONTROLLERS = "*,-nodeipam,-node-lifecycle-controller,-serviceaccount-token"

# By default clients hold themselves back to some tens of requests a second, which
# would count as time of scheduling wherever time runs compressed.
_REQUESTS = 5_000


class ControlPlane:
    """
    Processes that start with the ``with`` block and end with it, come what may.

    Args:
        programs: Files of the built programs by name, as `programs` returns them.
        state: Empty folder for data, certificates and logs.
        components: What runs beside etcd and the API server.
        scheduler_config: A KubeSchedulerConfiguration, without ``clientConnection``,
            which is filled in. None is the scheduler's default.
        aggregation: Whether other servers may serve a part of the API, as those of
            metrics do.
        emulated_version: Version whose APIs and features the API server offers,
            `1.36`; down to three minors below its own. None is its own.

    Raises:
        ControlPlaneError: A process ended early or was not ready in a minute.
    """

    def __init__(
        self,
        *,
        programs: Mapping[str, Path],
        state: Path,
        components: Sequence[Component] = (),
        scheduler_config: Mapping[str, object] | None = None,
        emulated_version: str | None = None,
        aggregation: bool = False,
    ) -> None:
        self.kubeconfig = state / "kubeconfig.yaml"
        self._programs = programs
        self._state = state
        self._components = components
        self._scheduler_config = scheduler_config
        self._emulated_version = emulated_version
        self._aggregation = aggregation
        self._token = secrets.token_hex(16)
        self._etcd, self._peer, self._api = free_ports(3)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def server(self) -> str:
        """URL of the API server."""
        return f"https://{HOST}:{self._api}"

    def __enter__(self) -> Self:
        """Start everything and wait until the API server is ready."""
        try:
            self._start_etcd()
            self._start_api_server()
            self._write_kubeconfig()
            for component in self._components:
                self.start(component)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop everything, the API server's clients first."""
        self._stop()

    def _start_etcd(self) -> None:
        url, peer = f"http://{HOST}:{self._etcd}", f"http://{HOST}:{self._peer}"
        self._run(
            "etcd",
            f"--data-dir={self._state / 'etcd'}",
            f"--listen-client-urls={url}",
            f"--advertise-client-urls={url}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            "--unsafe-no-fsync",
        )

    def _start_api_server(self) -> None:
        key, tokens = self._state / "service-accounts.pem", self._state / "tokens.csv"
        key.write_bytes(_private_key())
        tokens.write_text(f"{self._token},admin,admin,system:masters\n")
        tokens.chmod(0o600)
        emulated = self._emulated_version
        self._run(
            "kube-apiserver",
            f"--etcd-servers=http://{HOST}:{self._etcd}",
            f"--bind-address={HOST}",
            f"--secure-port={self._api}",
            f"--cert-dir={self._state / 'certificates'}",
            f"--token-auth-file={tokens}",
            "--authorization-mode=RBAC",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-cluster-ip-range=10.96.0.0/16",
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
            *([] if emulated is None else [f"--emulated-version={emulated}"]),
            *(self._front_proxy() if self._aggregation else []),
        )
        self._wait_until_ready()

    def _front_proxy(self) -> list[str]:
        """Give the API server a certificate that other servers believe."""
        folder, name = self._state / "front-proxy", "front-proxy"
        Authority.new(name).issue(folder, name)
        return [
            f"--proxy-client-cert-file={folder / CERTIFICATE_FILE}",
            f"--proxy-client-key-file={folder / KEY_FILE}",
            f"--requestheader-client-ca-file={folder / CA_FILE}",
            f"--requestheader-allowed-names={name}",
            "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        ]

    def start(self, component: Component) -> None:
        """Start a component, later than those that begin with the ``with`` block."""
        (port,) = free_ports(1)
        arguments = [f"--secure-port={port}", f"--bind-address={HOST}"]
        if component == "kube-scheduler":
            arguments.append(f"--config={self._write_scheduler_config()}")
        else:
            arguments += [
                f"--kubeconfig={self.kubeconfig}",
                "--leader-elect=false",
                f"--controllers={_CONTROLLERS}",
                f"--kube-api-qps={_REQUESTS}",
                f"--kube-api-burst={_REQUESTS}",
            ]
        self._run(component, *arguments)

    def _write_scheduler_config(self) -> Path:
        path = self._state / "scheduler.yaml"
        document = {
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": False},
            "clientConnection": {
                "kubeconfig": str(self.kubeconfig),
                "qps": _REQUESTS,
                "burst": _REQUESTS,
            },
            **(self._scheduler_config or {}),
        }
        path.write_text(yaml.safe_dump(document, sort_keys=False))
        return path

    def _write_kubeconfig(self) -> None:
        certificate = self._state / "certificates" / "apiserver.crt"
        cluster = {"server": self.server, "certificate-authority": str(certificate)}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "local", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": self._token}}],
            "contexts": [
                {"name": "local", "context": {"cluster": "local", "user": "admin"}}
            ],
            "current-context": "local",
        }
        self.kubeconfig.write_text(yaml.safe_dump(document, sort_keys=False))
        self.kubeconfig.chmod(0o600)

    def _run(self, name: str, *arguments: str) -> None:
        program, log = self._programs[name], self._log(name)
        self._processes[name] = start(program, arguments, log)

    def _wait_until_ready(self) -> None:
        programs = {
            name: (process, self._log(name))
            for name, process in self._processes.items()
        }
        wait_until_ready("kube-apiserver", self._is_ready, programs, _READY_SECONDS)

    def _is_ready(self) -> bool:
        certificate = self._state / "certificates" / "apiserver.crt"
        headers = {"Authorization": f"Bearer {self._token}"}
        return answers(f"{self.server}/readyz", certificate, headers)

    def _stop(self) -> None:
        for process in reversed(self._processes.values()):
            stop(process)
        self._processes.clear()

    def _log(self, name: str) -> Path:
        return self._state / f"{name}.log"


def _private_key() -> bytes:
    """Make a key for the tokens of service accounts."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
