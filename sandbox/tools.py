"""The Pulumi CLI with its Python language host: the ones on PATH, or built."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from sandbox.builder import Build, Bundle, Copy, obtain

__all__ = ["PROGRAMS", "PULUMI", "pulumi_folder"]

_VERSION = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
_SDK = "github.com/pulumi/pulumi/sdk/v3"

# The language host is the last one that is a module; it runs programs of the current
# SDK through the current exec script. The linker sets the version, without which the
# Automation API refuses the CLI.
PULUMI = Bundle(
    name="pulumi",
    builds=(
        Build(
            name="pulumi-language-python",
            module="language",
            package=f"{_SDK}/python/cmd/pulumi-language-python",
            version_variable=_VERSION,
        ),
        Build(
            name="pulumi",
            module="pulumi",
            package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
            version_variable=_VERSION,
        ),
    ),
    copies=(
        Copy(
            module="pulumi",
            source=_SDK,
            file="python/cmd/pulumi-language-python-exec",
        ),
        Copy(
            module="pulumi",
            source=_SDK,
            file="python/dist/pulumi-resource-pulumi-python",
        ),
    ),
    minutes=5,
    gigabytes=4,
)

PROGRAMS = (
    *(build.name for build in PULUMI.builds),
    *(Path(copy.file).name for copy in PULUMI.copies),
)


def pulumi_folder(environ: Mapping[str, str]) -> Path:
    """
    Return the folder that holds the CLI and what it needs for Python programs.

    A CLI on PATH is used if it is complete and at least as new as the SDK of the
    program; it must be of the SDK's major version.

    Raises:
        BuildError: No CLI was found, and none could be built.
    """
    found = shutil.which("pulumi", path=environ.get("PATH"))
    if found is None:
        return obtain(PULUMI, environ)
    folder = Path(found).resolve().parent
    problem = _problem(Path(found), folder, environ)
    if problem is None:
        return folder
    print(f"Not using {found}: {problem}.", flush=True)
    return obtain(PULUMI, environ)


def _problem(found: Path, folder: Path, environ: Mapping[str, str]) -> str | None:
    missing = [name for name in PROGRAMS if not (folder / name).exists()]
    if missing:
        return f"{', '.join(missing)} is not beside it"
    answer = subprocess.run(
        [found, "version"],
        env={**environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    cli, sdk = _numbers(answer.stdout), _numbers(version("pulumi"))
    if cli is None or sdk is None:
        return f"`pulumi version` answers {answer.stdout.strip()!r}"
    if cli[0] != sdk[0] or cli < sdk:
        wanted = f"{_dotted(sdk)} or newer, below {sdk[0] + 1}"
        return f"its version is {_dotted(cli)}, needed is {wanted}"
    return None


def _numbers(text: str) -> tuple[int, ...] | None:
    match = re.match(r"v?(\d+)\.(\d+)\.(\d+)", text.strip())
    return tuple(map(int, match.groups())) if match else None


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))
