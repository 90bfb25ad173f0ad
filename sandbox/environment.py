"""
Where the sandbox keeps its state, and the environment that seals it off.

Every process of the sandbox runs in the environment of `sealed`, so that a
program with AWS credentials at hand cannot reach AWS by accident.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PLUGINS", "ROOT", "STATE_VARIABLE", "Layout", "for_pulumi", "sealed"]

# Not resolved: a folder of links to a checkout is a project of its own.
ROOT = Path(__file__).absolute().parent.parent
PLUGINS = ROOT / "sandbox" / "plugins"
VENV_BIN = Path(sys.prefix) / "bin"
STATE_VARIABLE = "EKS_JOBS_SANDBOX"

# What the user's shell may hold for real deployments: none of it comes along.
_PREFIXES = ("AWS_", "PULUMI_", "KUBE", "HELM_", "PYTHON", "MOTO_")
# But how often the state is saved is for the caller to say.
_SAVING = "PULUMI_SKIP_CHECKPOINTS"
# Nothing listens on port 9 (discard): what would leave this machine fails at once.
_NOWHERE = "http://127.0.0.1:9"
_LOCAL = "127.0.0.1,localhost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """
    The files of the sandbox.

    Args:
        state: The folder that holds everything; deleting it ends the sandbox.
    """

    state: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "Layout":
        """Take the folder from EKS_JOBS_SANDBOX, or else `.sandbox` of the checkout."""
        chosen = environ.get(STATE_VARIABLE)
        return cls(state=Path(chosen).absolute() if chosen else ROOT / ".sandbox")

    @property
    def server(self) -> Path:
        """Who serves the local AWS: `pid` and `port`."""
        return self.state / "server.json"

    @property
    def server_log(self) -> Path:
        """What the local AWS was asked, and its tracebacks."""
        return self.state / "server.log"

    @property
    def lock(self) -> Path:
        """Held by the runner at work; names it."""
        return self.state / "run.lock"

    @property
    def project(self) -> Path:
        """Copies of `Pulumi.yaml` and of the stack files, which the CLI may change."""
        return self.state / "project"

    @property
    def backend(self) -> Path:
        """The state that the CLI keeps."""
        return self.state / "pulumi"

    @property
    def home(self) -> Path:
        """Home folder of the sealed processes."""
        return self.state / "home"

    @property
    def manifests(self) -> Path:
        """What was applied to each cluster, one folder a stack."""
        return self.state / "kubernetes"

    def config(self, stack: str) -> Path:
        """Return the copy of a stack file."""
        return self.project / f"Pulumi.{stack}.yaml"


def sealed(environ: Mapping[str, str], layout: Layout) -> dict[str, str]:
    """
    Return an environment from which AWS, other clusters and the net are out of reach.

    Left out: credentials, profiles and endpoints of AWS, settings and logins of
    Pulumi, kubeconfigs, settings of Python. The home folder is an empty one, so that
    files below it are not found either. Proxies point to a closed port: whatever
    would leave this machine fails.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if name == _SAVING
        or (not name.startswith(_PREFIXES) and not name.lower().endswith("_proxy"))
    }
    return {
        **kept,
        "HOME": str(layout.home),
        STATE_VARIABLE: str(layout.state),
        "AWS_ACCESS_KEY_ID": "sandbox",
        "AWS_SECRET_ACCESS_KEY": "sandbox",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "KUBECONFIG": os.devnull,
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), _NOWHERE),
        **dict.fromkeys(("http_proxy", "https_proxy"), _NOWHERE),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), _LOCAL),
    }


def for_pulumi(
    environ: Mapping[str, str], layout: Layout, *, tools: Path, port: int
) -> dict[str, str]:
    """
    Return the sealed environment of the CLI, its plugins and the program.

    Args:
        environ: The environment to start from.
        layout: Where the state is.
        tools: Folder of the CLI.
        port: Port of the local AWS on 127.0.0.1.
    """
    path = [str(tools), str(VENV_BIN), environ.get("PATH", os.defpath)]
    return {
        **sealed(environ, layout),
        "PATH": os.pathsep.join(path),
        "VIRTUAL_ENV": str(VENV_BIN.parent),
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "PULUMI_BACKEND_URL": f"file://{layout.backend}",
        "PULUMI_CONFIG_PASSPHRASE": "",
        "PULUMI_HOME": str(layout.home / ".pulumi"),
        # No provider on PATH, real or not, takes the place of a stand-in.
        "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_SUPPRESS_NEO_LINK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }
