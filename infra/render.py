"""
What a stack file amounts to, as files, without the engine and without AWS.

    python -m infra.render --stack prod --out build/prod
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pulumi
import yaml

from components.spec.balloon.keda import keda_release
from components.spec.balloon.manifests import balloon_manifests
from components.spec.balloon.plan import needs_namespace
from components.spec.balloon.pods import balloon_namespace
from components.spec.instance_types import InstanceTypes
from components.spec.monitoring.plan import monitoring_files, monitoring_manifests
from components.spec.node_config import NodeCluster, managed_user_data
from components.spec.policy.fragment import render_pod_templates
from components.spec.policy.manifests import policy_manifests
from components.spec.policy.plan import engine_of, kyverno_release
from components.spec.scaler.plan import auto_mode_alone
from components.spec.storage_class import storage_class
from infra import scaled_groups
from infra.monitoring_summary import watched_by
from infra.settings import Settings, load_file
from infra.summary import summary

__all__ = ["files", "main", "write"]

_ROOT = Path(__file__).parent.parent

# Names the files of the last run, so that the next one replaces these and no others.
_RECORD = ".rendered.json"


def main(arguments: Sequence[str]) -> int:
    """Write the files of one stack; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m infra.render", description=__doc__)
    parser.add_argument("--stack", required=True, help="name in Pulumi.<stack>.yaml")
    parser.add_argument("--out", required=True, type=Path, help="folder to write to")
    given = parser.parse_args(arguments)
    try:
        rendered = files(given.stack, load_file(_ROOT, given.stack))
        write(given.out, rendered)
    except (OSError, pulumi.RunError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(rendered)} files in {given.out}, read summary.md first")
    return 0


def files(stack: str, settings: Settings) -> dict[str, str]:
    """
    Render all files of a stack, by their path. Equal settings give equal bytes.

    User data is the text before base64. What only the cluster itself knows is written
    in capitals, between angle brackets.
    """
    types = InstanceTypes.bundled().including(settings.instance_types)
    objects = {
        f"kubernetes/{one['kind'].lower()}-{one['metadata']['name']}.yaml": _text(one)
        for one in (
            _storage_class(settings),
            *_policies(settings),
            *_pool_objects(settings, types),
            *_balloon_objects(settings, types),
            *monitoring_manifests(settings.monitoring, watched_by(settings)),
        )
    }
    values = {
        f"helm/{chart}.yaml": _text(one)
        for chart, one in (*scaled_groups.chart_values(settings), *_keda(settings))
    }
    monitoring = {
        f"monitoring/{path}": text
        for path, text in monitoring_files(
            settings.monitoring, watched_by(settings)
        ).items()
    }
    user_data = {
        f"user-data/{path}.txt": text
        for path, text in _user_data(settings, types)
        if text is not None
    }
    return {
        "summary.md": summary(stack, settings),
        **user_data,
        **objects,
        **values,
        **_policy_files(settings),
        **monitoring,
    }


def _storage_class(settings: Settings) -> dict[str, Any]:
    alone = auto_mode_alone(settings.scaler, settings.retiring_scaler, settings.servers)
    return storage_class(auto_mode=alone)


def _pool_objects(settings: Settings, types: InstanceTypes) -> list[dict[str, Any]]:
    return [
        manifest
        for scaler in scaled_groups.scalers(settings)
        for one in scaled_groups.pools(scaler, settings, types)
        for manifest in (one.node_class, one.node_pool)
    ]


def _balloon_objects(
    settings: Settings, types: InstanceTypes
) -> Iterator[dict[str, Any]]:
    if needs_namespace(settings.balloons):
        yield balloon_namespace()
    groups = {group.name: group for group in settings.jobs}
    scaler, _ = scaled_groups.scaler_and_jobs(settings.scaler, settings)
    for balloon in settings.balloons:
        yield from balloon_manifests(
            balloon,
            groups[balloon.group],
            scaler=scaler,
            instance_types=types,
            cluster_version=settings.cluster.version,
        )


def _keda(settings: Settings) -> Iterator[tuple[str, dict[str, Any]]]:
    release = keda_release(settings.keda, settings.balloons, settings.servers)
    if release is not None:
        yield release.name, release.values


def _policies(settings: Settings) -> list[dict[str, Any]]:
    if settings.policy is None:
        return []
    engine = engine_of(settings.policy, settings.cluster.version)
    return policy_manifests(settings.policy, engine)


def _policy_files(settings: Settings) -> dict[str, str]:
    """Render what is no object of the cluster: values of a chart, pod templates."""
    if settings.policy is None:
        return {}
    release = kyverno_release(
        settings.policy, settings.cluster.version, settings.servers, settings.jobs
    )
    values = {} if release is None else {"helm/kyverno.yaml": _text(release.values)}
    templates = render_pod_templates(settings.policy)
    return values | {f"pod-templates/{name}": text for name, text in templates.items()}


class _Dumper(yaml.SafeDumper):
    """Writes expressions of several lines as they are read, and nothing as a link."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 (named by PyYAML)
        return True


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _represent_text)


def _text(document: dict[str, Any]) -> str:
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False)


def _user_data(
    settings: Settings, types: InstanceTypes
) -> Iterator[tuple[str, str | None]]:
    """
    Yield what nodes of each group boot with, by its path.

    A scaler that retires is rendered too: a node of its groups that breaks is
    replaced by one that boots with that.
    """
    for group in settings.servers:
        yield group.name, managed_user_data(group, types)
    cluster = NodeCluster(
        name=str(settings.cluster.name),
        endpoint="https://<ENDPOINT OF THE CLUSTER>",
        certificate_authority="<CERTIFICATE AUTHORITY OF THE CLUSTER>",
        service_cidr=settings.cluster.service_cidr,
    )
    for scaler in scaled_groups.scalers(settings):
        folder = "retiring/" if scaler is settings.retiring_scaler else ""
        for group in settings.jobs:
            text = scaled_groups.job_node_data(group, scaler, settings, types, cluster)
            yield f"{folder}{group.name}", text


def write(out: Path, rendered: dict[str, str]) -> None:
    """
    Make *out* hold the *rendered* files, and none of an earlier run besides them.

    Raises:
        pulumi.RunError: A file that is in the way was not written by an earlier run.
            Nothing was changed.
    """
    earlier = _earlier(out)
    foreign = [
        f"{out / path}: in the way, and not written by an earlier run; choose another "
        "folder or remove it"
        for path in sorted(rendered)
        if path not in earlier and _is_taken(out, path)
    ]
    if foreign:
        raise pulumi.RunError("\n".join(foreign))
    _remove(out, [path for path in earlier if path not in rendered])
    # Recorded before and after, so that a run that is killed can be repeated.
    for path, text in {
        _RECORD: _record({*earlier, *rendered}),
        **rendered,
    }.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_bytes(text.encode())
    (out / _RECORD).write_text(_record(rendered))


def _record(paths: Iterable[str]) -> str:
    return json.dumps(sorted(paths), indent=2) + "\n"


def _is_taken(out: Path, path: str) -> bool:
    """Tell whether something stands there; a link counts, wherever it leads."""
    steps = [out / path, *(out / parent for parent in Path(path).parents)][:-1]
    return (out / path).exists() or any(step.is_symlink() for step in steps)


def _earlier(out: Path) -> list[str]:
    """Read the record of the last run; one that is none counts as no run."""
    try:
        listed = json.loads((out / _RECORD).read_text())
    except (FileNotFoundError, ValueError):
        return []
    if not isinstance(listed, list):
        return []
    return [path for path in listed if isinstance(path, str) and _is_inside(path)]


def _is_inside(path: str) -> bool:
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def _remove(out: Path, paths: Iterable[str]) -> None:
    for path in paths:
        (out / path).unlink(missing_ok=True)
        folder = (out / path).parent
        if folder != out and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
