"""
What a stack file may say. The only module that reads `pulumi.Config`.

Secrets: a key that holds a `secure:` value is decrypted for the program, and its
values are checked like any other. What shapes the graph (names, counts, types,
labels) stays plain, since it becomes part of names. What only flows into resources
is stored as a secret: `program.keep_secrets` says which inputs, for each key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from json import loads
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import config as runtime_config

from components.spec.balloon.keda import Keda
from components.spec.balloon.settings import AnyBalloon
from components.spec.cluster import ClusterSettings
from components.spec.groups import JobGroup, ServerGroup
from components.spec.instance_types import InstanceType
from components.spec.kubeconfig import TokenSource
from components.spec.monitoring.settings import Monitoring
from components.spec.network import ExistingNetwork, NewNetwork
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.plan import uses_ami_release
from components.spec.scaler.settings import Scaler
from components.spec.vpc_cni import VpcCniTuning, WarmPrefixes
from infra import checks, reader, stack_file, versions
from infra.scalars import Written

__all__ = ["GIVEN", "Settings", "load", "load_file", "read", "token_source"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """
    The keys of a stack file, one field each.

    Args:
        network: A VPC of its own, or the ids of one that exists.
        cluster: The control plane. Without a name it is called `<project>-<stack>`,
            without a release of node images the one of `versions` is taken, where
            nodes are booted from it.
        servers: Groups for what runs on and on; one of them without taints.
        jobs: Groups for what runs to an end.
        scaler: What adds and removes nodes of jobs.
        retiring_scaler: Another one, on its way out: it makes no nodes, and lets the
            jobs on those it has come to their end. A Cluster Autoscaler of your own
            must be told to, `--max-nodes-total=1`.
        vpc_cni: How nodes keep addresses ready.
        policy: What happens to job pods when they are created. None, which is null in
            the file: nothing.
        balloons: Capacity of job groups that waits for a burst.
        keda: How KEDA gets into the cluster, which balloons with a schedule need.
        monitoring: Rules, scrapes and dashboards for a Prometheus that others
            install; `{}` takes every default. None: nothing.
        tags: AWS tags of all resources.
        instance_types: Facts about types that the bundled table lacks or has wrong.
        check_offerings: Whether to ask EC2, before the first resource, if the region
            and its zones offer the types of all groups. False for a user without
            `ec2:DescribeInstanceTypeOfferings`.
        region: What the file says about `aws:region`. Not a key of ours.
        token: What it says about `aws:profile` and `aws:assumeRoles`. Not a key.
        secret_keys: Keys of the file that hold secrets. Not a key itself.

    Sources:
        Cluster Autoscaler: see `JobPlatformArgs`. Prefixes: four calls to EC2 serve
        the sixty pods of a node, see `WarmPrefixes`.
    """

    network: NewNetwork | ExistingNetwork
    cluster: ClusterSettings
    servers: tuple[ServerGroup, ...]
    jobs: tuple[JobGroup, ...]
    scaler: Scaler = ClusterAutoscaler()
    retiring_scaler: Scaler | None = None
    vpc_cni: VpcCniTuning = WarmPrefixes()
    policy: JobPolicySettings | None = JobPolicySettings()
    balloons: tuple[AnyBalloon, ...] = ()
    keda: Keda = Keda()
    monitoring: Monitoring | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    instance_types: tuple[InstanceType, ...] = ()
    check_offerings: bool = True
    region: str
    token: TokenSource = TokenSource()
    secret_keys: frozenset[str] = frozenset()


# `pulumi new` asks for single values: `network.zones` is a key of its own then.
_PATH = "."

GIVEN = ("region", "token", "secret_keys")
"""Fields that the program supplies; the file cannot name them."""


def load(config: pulumi.Config) -> Settings:
    """
    Read the settings of the selected stack.

    Raises:
        pulumi.RunError: See `read`. The CLI prints the lines without a traceback.
    """
    keys = {**runtime_config.get_config_env(), **runtime_config.CONFIG.get()}
    names = [key.partition(":")[2] for key in keys if key.startswith(f"{config.name}:")]
    secret = [
        name.partition(_PATH)[0]
        for name in names
        if runtime_config.is_config_secret(config.full_key(name))
    ]
    return read(
        {name: config.get(name) for name in names},
        region=pulumi.Config("aws").get("region"),
        cluster_name=f"{pulumi.get_project()}-{pulumi.get_stack()}",
        token=token_source(),
        secret_keys=frozenset(secret),
        before=checks.namespace_problems(keys, config.name),
    )


def token_source() -> TokenSource:
    """
    Return profile and role with which the AWS provider of the stack is configured.

    The CLI assumes one role; where several are assumed in a row, its environment
    decides.
    """
    config = pulumi.Config("aws")
    roles = config.get_object("assumeRoles") or []
    role_arn = roles[0].get("roleArn") if len(roles) == 1 else None
    return TokenSource(profile=config.get("profile"), role_arn=role_arn)


def load_file(root: Path, stack: str) -> Settings:
    """
    Read the settings of a stack from its file below *root*, without the CLI.

    Encrypted values read as `stack_file.SECRET_TEXT`; where that has not the form that
    a field wants (an ARN, the id of an image), the field is refused.

    Raises:
        pulumi.RunError: See `read`; or the file cannot be read.
    """
    project = stack_file.project_name(root)
    config = stack_file.read_config(root, stack)
    own = f"{project}:"
    return read(
        {k.removeprefix(own): v for k, v in config.items() if k.startswith(own)},
        region=config.get(checks.REGION),
        cluster_name=f"{project}-{stack}",
        before=checks.namespace_problems(config, project),
    )


def read(
    values: Mapping[str, Any],
    *,
    region: Any,
    cluster_name: str,
    token: TokenSource = TokenSource(),
    secret_keys: frozenset[str] = frozenset(),
    before: Sequence[str] = (),
) -> Settings:
    """
    Read the settings from the keys of a stack file, without their namespace.

    Args:
        values: What the file says, by key; a text is read as JSON, as Pulumi does.
            A key may also name one value inside another, as `network.zones` does;
            where a text is wanted, that value is its text.
        region: What it says about `aws:region`; it must say something.
        cluster_name: Name of a cluster whose settings give none.
        token: Whose credentials make objects in the cluster.
        secret_keys: Keys that hold secrets.
        before: Problems of keys that are not among *values*, named with the others.

    Raises:
        pulumi.RunError: Keys are missing, unknown, mistyped or out of range, or
            contradict each other: one line for each, which names it.
    """
    parsed, twice = _gathered(values)
    found, problems = reader.read_fields(Settings, "", parsed, GIVEN)
    problems = [*before, *checks.region_problems(region), *twice, *problems]
    problems += _complete(found, cluster_name)
    problems += checks.cross_problems(found, region)
    if problems:
        raise pulumi.RunError("\n".join(problems))
    return Settings(**found, region=region, token=token, secret_keys=secret_keys)


def _gathered(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Put `network.zones` into `network`, and name what is said twice."""
    values = {
        key: _written(value) if _PATH in key else _parsed(value)
        for key, value in values.items()
    }
    gathered = {key: value for key, value in values.items() if _PATH not in key}
    twice: list[str] = []
    for path in sorted(values.keys() - gathered.keys()):
        key, _, name = path.partition(_PATH)
        held = gathered.get(key, {})
        if key not in _names() or not isinstance(held, Mapping):
            # The reader refuses it, as it does with any other key.
            gathered[path] = values[path]
            continue
        if name in held:
            twice.append(f"{path}: stands twice, alone and in {key}")
        gathered[key] = {**held, name: values[path]}
    return gathered, twice


def _names() -> set[str]:
    return {known.name for known in fields(Settings) if known.name not in GIVEN}


def _written(value: Any) -> Any:
    """Keep the text of `cluster.version`: `pulumi config set` writes no other."""
    parsed = _parsed(value)
    if value == "" or not isinstance(value, str) or isinstance(parsed, str):
        return parsed
    return Written(value, parsed)


def _parsed(value: Any) -> Any:
    if value == "":
        # What the CLI makes of null.
        return None
    if not isinstance(value, str):
        return value
    try:
        return loads(value)
    except (RecursionError, ValueError):
        return value


def _complete(found: dict[str, Any], cluster_name: str) -> list[str]:
    """Fill in what the program knows and the file may leave out."""
    if "cluster" not in found:
        return []
    cluster: ClusterSettings = found["cluster"]
    scaler, retiring = found.get("scaler"), found.get("retiring_scaler")
    pinned = scaler is None or uses_ami_release(scaler, retiring)
    complete = partial(
        replace,
        cluster,
        name=cluster.name or cluster_name,
        ami_release=cluster.ami_release or (versions.AMI_RELEASE if pinned else None),
    )
    problems = reader.problems("cluster", complete)
    found["cluster"] = cluster if problems else complete()
    return problems
