"""Charts as Helm renders them, from the modules that they travel in."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

__all__ = ["Steps", "leaves", "merged", "render", "with_another", "without_missing"]

Steps = tuple[str | int, ...]
Values = Mapping[str, Any]


def render(program: Path, chart: Path, values: Values) -> str:
    """Return what `helm template` prints."""
    # A home of its own: nothing of the user's Helm, no plugins, no repositories.
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [program, "template", "release", chart]
            + ["--namespace", "controllers", "--values", "-"],
            input=yaml.safe_dump(dict(values)),
            capture_output=True,
            text=True,
            check=False,
            env={"HOME": home},
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


def without_missing(chart: Path, folder: Path, beside: Path) -> Path:
    """
    Copy a chart without those of its dependencies that are not to be had.

    Helm renders no chart that lacks one, and a module carries only its own.

    Args:
        chart: The chart.
        folder: Where to.
        beside: A dependency that travels in another module, in whatever version.
    """
    shutil.copytree(chart, folder, copy_function=shutil.copyfile)
    for one in (folder, folder / "charts"):
        one.chmod(0o755)
    shutil.copytree(
        beside, folder / "charts" / beside.name, copy_function=shutil.copyfile
    )
    (folder / "Chart.lock").unlink()
    file = folder / "Chart.yaml"
    document = yaml.safe_load(file.read_text())
    document["dependencies"] = [
        {**one, "version": "*-0"} if one["name"] == beside.name else one
        for one in document["dependencies"]
        if (folder / "charts" / one["name"]).exists()
    ]
    file.write_text(yaml.safe_dump(document))
    return folder


def leaves(values: Any, path: Steps = ()) -> Iterator[Steps]:
    """Return the path of each value that holds no others; emptiness is one too."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(values, dict):
        inner = list(values.items())
    elif isinstance(values, list):
        inner = list(enumerate(values))
    if not inner:
        yield path
    for key, value in inner:
        yield from leaves(value, (*path, key))


def with_another(values: Values, path: Steps) -> dict[str, Any]:
    """Return values with another one at a path."""
    changed = deepcopy(dict(values))
    part: Any = changed
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = _another(part[path[-1]])
    return changed


def merged(values: Any, more: Any) -> Any:
    """Return values with more over them, as Helm merges them."""
    if not (isinstance(values, Mapping) and isinstance(more, Mapping)):
        return more
    both = {key: merged(values[key], more[key]) for key in values.keys() & more.keys()}
    return {**values, **more, **both}


def _another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return "sentinel" if isinstance(value, str) else ["sentinel"]
