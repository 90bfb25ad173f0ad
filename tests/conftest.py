"""
Fixtures: `deploy` runs a program on a fake engine, `golden` compares with a file.

They prove what the engine is sent, and that the SDKs' own input types allow it; not
that AWS or Kubernetes accepts it.
"""

import asyncio
import gc
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import hypothesis
import pulumi
import pytest
from pulumi.output import Unknown
from pulumi.runtime import resource as registration
from pulumi.runtime import rpc, settings
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.proto import engine_pb2, source_pb2
from pulumi.runtime.stack import Stack

from tests import sdk_inputs

# Equal runs on every machine, however slow: an example that fails once fails always.
hypothesis.settings.register_profile(
    "steady", deadline=None, derandomize=True, max_examples=50
)
hypothesis.settings.load_profile("steady")

# Looking for garbage among all the classes of the SDKs is a quarter of the time.
gc.set_threshold(100_000, 50, 50)

# Pulumi sends where in the source each resource is made, with all frames above; to
# collect those below pytest is about a quarter of the time, and no test reads them.
registration._get_stack_trace = source_pb2.StackTrace

# The SDK tells the engine of each step, once names are known, for `pulumi --debug`.
pulumi.log.debug = lambda *_, **__: None


class _AtOnce(ThreadPoolExecutor):
    """
    Answers in the thread that asks: the fake engine has nothing to wait for.

    It has a loop of its own, as in a thread of its own: in that of the program it would
    let the next registration stand on this one, and soon too many for Python.
    """

    loop = asyncio.new_event_loop()

    def submit(self, fn, /, *args, **kwargs):
        answer = Future()
        asking = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        asyncio.set_event_loop(self.loop)
        try:
            answer.set_result(fn(*args, **kwargs))
        except BaseException as error:
            answer.set_exception(error)
        finally:
            asyncio.set_event_loop(asking)
            asyncio._set_running_loop(asking)
        return answer


# The longest files begin first, and the rest fills the time.
LONGEST = (
    "tests/engine/test_sandbox.py",
    "tests/sandbox/test_aws_eks.py",
    "tests/sandbox/test_aws_network.py",
    "tests/components/test_job_platform.py",
    "tests/test_program.py",
    "tests/sandbox/test_server.py",
    "tests/test_render.py",
    "tests/test_stacks.py",
    "tests/sandbox/test_aws_services.py",
    "tests/test_settings_properties.py",
    "tests/test_settings.py",
    "tests/components/test_platform_balloons.py",
    "tests/sandbox/test_aws_nodes.py",
    "tests/test_package.py",
    "tests/engine/long/test_examples.py",
    "tests/engine/long/test_scaler.py",
    "tests/engine/long/test_balloons.py",
    "tests/engine/long/test_failure.py",
    "tests/engine/long/test_component_package.py",
    "tests/engine/long/test_wheel.py",
    "tests/engine/long/test_crash.py",
    "tests/engine/long/test_update_safety.py",
    "tests/engine/long/test_policy.py",
    "tests/cluster/test_lab.py",
    "tests/cluster/test_balloons.py",
    "tests/cluster/test_karpenter.py",
    "tests/cluster/test_monitoring_stack.py",
    "tests/cluster/test_packing.py",
    "tests/cluster/test_policy_stack.py",
    "tests/cluster/test_prometheus.py",
)

LOOP = asyncio.new_event_loop()
LOOP.set_default_executor(_AtOnce())
GOLDEN = Path(__file__).parent / "golden"
STACK = "pulumi:pulumi:Stack"
EKS_CLUSTER = "eks:index:Cluster"
AWS_CLUSTER = "aws:eks/cluster:Cluster"

# What the cloud would compute and a program reads; `{name}` is the logical name.
# Anything else reads as None, and during a preview all of it is unknown.
COMPUTED: dict[str, dict[str, Any]] = {
    "aws:cloudwatch/logGroup:LogGroup": {"arn": "arn:test:logs:{name}"},
    "aws:cloudwatch/eventRule:EventRule": {"arn": "arn:test:rule/{name}"},
    "aws:ec2/eip:Eip": {"allocationId": "eipalloc-{name}"},
    "aws:ec2/launchTemplate:LaunchTemplate": {"latestVersion": 7},
    "aws:ec2/vpc:Vpc": {"defaultSecurityGroupId": "sg-{name}-default"},
    "aws:eks/nodeGroup:NodeGroup": {
        "nodeGroupName": "{name}",
        "resources": [{"autoscalingGroups": [{"name": "eks-{name}"}]}],
    },
    "aws:iam/instanceProfile:InstanceProfile": {"arn": "arn:test:profile/{name}"},
    "aws:iam/policy:Policy": {"arn": "arn:test:policy/{name}"},
    "aws:iam/role:Role": {"arn": "arn:test:role/{name}"},
    "aws:kms/key:Key": {"arn": "arn:test:key/{name}"},
    "aws:sqs/queue:Queue": {
        "arn": "arn:test:queue/{name}",
        "url": "https://sqs.example.com/{name}",
    },
}

# The part of an EKS cluster that `pulumi_eks.Cluster` hands out as `eks_cluster`.
CLUSTER_STATE: dict[str, Any] = {
    "arn": "arn:test:cluster/{name}",
    "certificateAuthority": {"data": "Y2E="},
    "endpoint": "https://{name}.eks.example.com",
    "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
    "roleArn": "arn:test:role/c-eksRole",
    "vpcConfig": {"clusterSecurityGroupId": "sg-{name}"},
}

REGION = "ap-northeast-2"
ACCOUNT = "111122223333"

# Zones that offer every type; the examples name theirs in another region.
OFFERING = [f"{one}{letter}" for one in (REGION, "eu-west-1") for letter in "abcd"]


def _offered(types: Iterable[str], zones: Iterable[str]) -> dict[str, list[str]]:
    """Answer as EC2 does where each of *zones* offers each of *types*."""
    pairs = list(product(types, zones))
    return {
        "instanceTypes": [name for name, _ in pairs],
        "locations": [zone for _, zone in pairs],
        "locationTypes": ["availability-zone"] * len(pairs),
    }


# Answers to calls of a provider, by token: a value, or a function of the arguments.
# A call that is not listed fails the test.
Answer = dict[str, Any] | Callable[[dict[str, Any]], dict[str, Any]]
ANSWERS: dict[str, Answer] = {
    "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": lambda args: {
        "id": REGION,
        **_offered(args["filters"][0]["values"], OFFERING),
    },
    "aws:ec2/getSubnet:getSubnet": lambda args: {
        "id": args["id"],
        "availabilityZone": f"{REGION}a",
    },
    "aws:eks/getAddonVersion:getAddonVersion": lambda args: {
        "id": args["addonName"],
        "addonName": args["addonName"],
        "kubernetesVersion": args["kubernetesVersion"],
        "version": f"v1.0.0-eksbuild.{args['kubernetesVersion'].split('.')[1]}",
    },
    "aws:index/getAvailabilityZones:getAvailabilityZones": {
        "id": REGION,
        "names": [f"{REGION}{letter}" for letter in "abcd"],
        "zoneIds": [f"apne2-az{number}" for number in (1, 2, 3, 4)],
    },
    "aws:index/getCallerIdentity:getCallerIdentity": {
        "id": ACCOUNT,
        "accountId": ACCOUNT,
        "arn": f"arn:test:iam::{ACCOUNT}:user/test",
        "userId": "AIDATEST",
    },
    "aws:index/getPartition:getPartition": {
        "id": "test",
        "partition": "test",
        "dnsSuffix": "test.example.com",
        "reverseDnsPrefix": "com.example.test",
    },
    "aws:index/getRegion:getRegion": {
        "id": REGION,
        "name": REGION,
        "region": REGION,
        "endpoint": f"ec2.{REGION}.example.com",
        "description": "Test",
    },
    "aws:ssm/getParameter:getParameter": lambda args: {
        "id": args["name"],
        "name": args["name"],
        "type": "String",
        "value": "ami-0123456789abcdef0",
    },
}


@dataclass(frozen=True, kw_only=True)
class Resource:
    """
    One resource as the engine was sent it.

    Args:
        type: Type token.
        name: Logical name.
        path: The end of the URN: types of the ancestors, own type, own name.
        inputs: Inputs, in camelCase; an `Unknown` where a preview knows no value.
        request: The whole request, with aliases, protect, ignoreChanges and the rest.
    """

    type: str
    name: str
    path: str
    inputs: Mapping[str, Any]
    request: Any

    @property
    def provider(self) -> str:
        """The logical name of the explicit provider; empty for a default one."""
        return self.request.provider.split("::")[3] if self.request.provider else ""


@dataclass(frozen=True, kw_only=True)
class Call:
    """
    One call of a function of a provider.

    Args:
        token: Type token of the function.
        inputs: Its arguments, in camelCase.
        provider: Logical name of the explicit provider; empty for a default one.
    """

    token: str
    inputs: Mapping[str, Any]
    provider: str


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """
    What a program registered.

    Args:
        resources: Sorted by type and name; the order of registration is random.
        calls: Calls of provider functions, sorted by token and arguments.
        outputs: What each component passed to `register_outputs`, by its path.
        exports: Outputs of the stack.
        warnings: Pairs of path of the resource (empty for none) and text, sorted.
    """

    resources: tuple[Resource, ...]
    calls: tuple[Call, ...]
    outputs: Mapping[str, Mapping[str, Any]]
    exports: Mapping[str, Any]
    warnings: tuple[tuple[str, str], ...]

    def of_type(self, type_: str) -> list[Resource]:
        return [r for r in self.resources if r.type == type_]

    def only(self, type_: str, name: str | None = None) -> Resource:
        (resource,) = (r for r in self.of_type(type_) if name in (None, r.name))
        return resource

    def waits_for(self, resource: Resource) -> set[str]:
        """
        List the paths of all that must exist before *resource*.

        The same order, backwards, is the order of a destroy. The provider of a
        resource counts, as does whatever the provider waits for.
        """
        known = {other.path: other for other in self.resources}
        found: set[str] = set()
        ahead = [resource]
        while ahead:
            request = ahead.pop().request
            urns = [
                *request.dependencies,
                request.provider,
                *request.providers.values(),
            ]
            for path in {_path(urn) for urn in urns if urn} - found:
                found.add(path)
                ahead.extend(filter(None, [known.get(path)]))
        return found

    def on_default_providers(self) -> list[str]:
        """
        List what would talk to a provider that the program did not create.

        That is every resource and call without an explicit provider; a remote
        component counts when it was handed none at all.
        """
        resources = [
            resource.path
            for resource in self.resources
            if not resource.type.startswith("pulumi:")
            and (resource.request.custom or resource.request.remote)
            and not (resource.request.provider or resource.request.providers)
        ]
        return resources + [call.token for call in self.calls if not call.provider]


def computed(type_: str, name: str) -> dict[str, Any]:
    """Return what the cloud computes for a resource."""
    return _named(COMPUTED.get(type_, {}), name)


class _Cloud(pulumi.runtime.Mocks):
    def __init__(self, answers: Mapping[str, Answer], preview: bool) -> None:
        self.answers = answers
        self.preview = preview
        self.calls: list[Call] = []

    def new_resource(self, args):
        if self.preview and not args.typ.startswith("pulumi:providers:"):
            return "", _wire(args.inputs)
        state = {"name": args.name, **computed(args.typ, args.name), **args.inputs}
        return f"{args.name}-id", state

    def call(self, args):
        provider = args.provider.split("::")[3] if args.provider else ""
        inputs = _whole(args.args)
        self.calls.append(Call(token=args.token, inputs=inputs, provider=provider))
        answer = self.answers.get(args.token)
        if answer is None:
            raise AssertionError(f"unexpected provider call {args.token}")
        return answer(inputs) if callable(answer) else answer


class _Engine:
    def __init__(self) -> None:
        self.warnings: list[tuple[str, str]] = []

    def Log(self, request):  # noqa: N802 (named by the protocol)
        if request.severity == engine_pb2.WARNING:
            path = _path(request.urn) if request.urn else ""
            self.warnings.append((path, request.message))

    def RequirePulumiVersion(self, _request):  # noqa: N802 (named by the protocol)
        return None


class _Monitor(MockMonitor):
    def __init__(self, cloud: _Cloud) -> None:
        super().__init__(cloud)
        self.preview = cloud.preview
        self.registered: list[Resource] = []
        self.outputs: dict[str, Mapping[str, Any]] = {}
        self.problems: list[str] = []

    def make_urn(self, parent, type_, name):
        """Chain the types of all ancestors, as the real engine does."""
        above = parent.split("::")[2] if parent else STACK
        chain = type_ if above == STACK else f"{above}${type_}"
        return f"urn:pulumi:{pulumi.get_stack()}::project::{chain}::{name}"

    def RegisterResource(self, request):  # noqa: N802 (named by the protocol)
        response = super().RegisterResource(request)
        if request.type == STACK:
            return response
        inputs = _whole(rpc.deserialize_properties(request.object))
        if request.custom or request.remote:
            self.problems += [
                f"{request.name}: {problem}"
                for problem in sdk_inputs.problems(request.type, inputs)
            ]
        self.registered.append(
            Resource(
                type=request.type,
                name=request.name,
                path=_path(response.urn),
                inputs=inputs,
                request=request,
            )
        )
        if request.type == EKS_CLUSTER and not self.preview:
            self._add_cluster(response, request.name)
        return response

    def _add_cluster(self, response, name: str) -> None:
        """Give the remote component the cluster that it hands out."""
        child = f"{name}-eksCluster"
        urn = self.make_urn(response.urn, AWS_CLUSTER, child)
        inputs = _whole(rpc.deserialize_properties(response.object))
        physical = inputs.get("name", name)
        state = {"name": physical, "version": inputs.get("version")}
        state |= _named(CLUSTER_STATE, physical)
        self.resources[urn] = MockMonitor.ResourceRegistration(urn, physical, state)
        reference = {rpc._special_sig_key: rpc._special_resource_sig, "urn": urn}
        response.object["eksCluster"] = reference | {"id": physical}

    def RegisterResourceOutputs(self, request):  # noqa: N802 (named by the protocol)
        outputs = _whole(rpc.deserialize_properties(request.outputs))
        self.outputs[_path(request.urn)] = outputs
        return super().RegisterResourceOutputs(request)


def _path(urn: str) -> str:
    """Cut an URN, or a reference to a provider, to types and name."""
    return "::".join(urn.split("::")[2:4])


def _whole(value: Any) -> Any:
    """Undo the wire format, in which every number is a float."""
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _wire(value: Any) -> Any:
    """Write unknown values as the engine does."""
    if isinstance(value, dict):
        return {key: _wire(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_wire(item) for item in value]
    return rpc.UNKNOWN if isinstance(value, Unknown) else value


def _named(value: Any, name: str) -> Any:
    """Write the logical name into every text of a table."""
    if isinstance(value, dict):
        return {key: _named(item, name) for key, item in value.items()}
    if isinstance(value, list):
        return [_named(item, name) for item in value]
    return value.replace("{name}", name) if isinstance(value, str) else value


def _unique(resources: Iterable[Resource]) -> None:
    paths = Counter(resource.path for resource in resources)
    twice = sorted(path for path, count in paths.items() if count > 1)
    assert [] == twice, f"registered twice: {twice}"


@pytest.fixture(autouse=True)
def _event_loop() -> None:
    """
    Give each test the same event loop.

    `asyncio.run` of a test before leaves none, and a loop that Pulumi makes by the way
    is collected while it is open, which fails whatever test runs at that moment.
    """
    asyncio.set_event_loop(LOOP)


@pytest.fixture(scope="session")
def deploy() -> Callable[..., Deployment]:
    """
    Run a program on a fake engine and return what it registered.

    Modules that only look at one deployment make it once, in a fixture of theirs.

    An exception inside `apply`, a provider call that nobody stubbed, a URN that is
    used twice and an input that the SDK does not know all fail the test.

    The returned function takes the program, and by name: *stack*, the name of the
    stack; *preview*, whether computed values are unknown, as in a first preview;
    *answers*, more of `ANSWERS`.
    """

    def run(
        program: Callable[[], Any],
        stack: str = "test",
        *,
        preview: bool = False,
        answers: Mapping[str, Answer] | None = None,
    ) -> Deployment:
        asyncio.set_event_loop(LOOP)
        cloud = _Cloud({**ANSWERS, **(answers or {})}, preview)
        monitor, engine, exports = _Monitor(cloud), _Engine(), {}
        pulumi.runtime.set_mocks(cloud, stack=stack, preview=preview, monitor=monitor)
        settings.SETTINGS.engine = engine
        # The stack outlives a test, and with it the exports of the test before.
        root = pulumi.runtime.get_root_resource()
        assert isinstance(root, Stack)
        root.outputs.clear()

        @pulumi.runtime.test
        def wrapped():
            program()
            return pulumi.Output.from_input(root.outputs).apply(exports.update)

        wrapped()
        if monitor.problems:
            raise AssertionError("\n".join(sorted(monitor.problems)))
        _unique(monitor.registered)

        return Deployment(
            resources=tuple(sorted(monitor.registered, key=lambda r: (r.type, r.name))),
            calls=tuple(sorted(cloud.calls, key=lambda c: (c.token, str(c.inputs)))),
            outputs=monitor.outputs,
            exports=exports,
            warnings=tuple(sorted(engine.warnings)),
        )

    return run


def pytest_configure(config: pytest.Config) -> None:
    """Let pulumi-eks warn about a deprecated class of its own when it is imported."""
    config.addinivalue_line(
        "filterwarnings", "ignore:NodeGroup uses:DeprecationWarning:pulumi_eks"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest files begin first; the others keep their order."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_collection_finish() -> None:
    """Keep what stands by now, the SDKs above all, out of each search for garbage."""
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch that rewrites golden files."""
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite tests/golden"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file below tests/golden, byte for byte."""

    def check(name: str, actual: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(actual.encode())
        expected = path.read_bytes().decode()

        assert expected == actual

    return check
