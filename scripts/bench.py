"""
How much a run of our program costs, beside the import of the SDKs that it uses.

    python scripts/bench.py

The program of prod runs under Pulumi's mocks, so neither engine nor cloud counts.
Every measurement is a fresh process, runs alternate, and medians of processor time
are compared, which other programs on the machine disturb least.
"""

import argparse
import importlib
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parent.parent

SDKS = ("pulumi", "pulumi_aws", "pulumi_eks", "pulumi_kubernetes")

RUNS = 5

MOST = 1.5


def main() -> int:
    """Compare, print one line for each figure, and fail above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", choices=["import", "program"])
    child = parser.parse_args().child
    if child == "program":
        print(json.dumps(_program()))
        return 0
    if child == "import":
        print(json.dumps(_import(json.load(sys.stdin))))
        return 0
    return _compare()


def _compare() -> int:
    modules = _measure("program")["modules"]
    seconds: dict[str, list[float]] = {"import": [], "program": []}
    for _ in range(RUNS):
        for child, measured in seconds.items():
            measured.append(_measure(child, modules)["seconds"])
    bare, program = (median(seconds[child]) for child in seconds)
    ratio = program / bare
    print(f"import of {len(modules)} SDK modules   {bare:.2f} s")
    print(f"program of prod under mocks   {program:.2f} s")
    print(f"ratio   {ratio:.2f}   (at most {MOST})")
    return 0 if ratio <= MOST else 1


def _measure(child: str, modules: list[str] | None = None) -> dict[str, Any]:
    finished = subprocess.run(
        [sys.executable, __file__, "--child", child],
        input=json.dumps(modules),
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    if finished.returncode:
        sys.exit(finished.stderr)
    return json.loads(finished.stdout)


def _import(modules: list[str]) -> dict[str, Any]:
    start = time.process_time()
    for module in modules:
        importlib.import_module(module)
    return {"seconds": time.process_time() - start}


def _program() -> dict[str, Any]:
    sys.path.insert(0, str(ROOT))
    start = time.process_time()
    import pulumi

    from infra import program, settings

    _fake_engine(pulumi)

    @pulumi.runtime.test
    def run() -> None:
        program.deploy(settings.load_file(ROOT, "prod"))

    run()
    seconds = time.process_time() - start
    modules = sorted(name for name in sys.modules if name.split(".")[0] in SDKS)
    return {"seconds": seconds, "modules": modules}


def _fake_engine(pulumi: Any) -> None:
    from pulumi.runtime.mocks import MockMonitor

    class Cloud(pulumi.runtime.Mocks):
        def new_resource(self, args: Any) -> tuple[str, dict[str, Any]]:
            computed = {"arn": "arn", "name": args.name, "latestVersion": 1}
            return args.name, computed | args.inputs

        def call(self, args: Any) -> dict[str, Any]:
            name = args.token.rpartition(":")[2]
            return ANSWERS.get(name, {}) | args.args

    class Monitor(MockMonitor):
        def RegisterResource(self, request: Any) -> Any:  # noqa: N802 (of the protocol)
            response = super().RegisterResource(request)
            if request.type == "eks:index:Cluster":
                response.object["eksCluster"] = self.cluster(request.name)
            return response

        def cluster(self, name: str) -> dict[str, Any]:
            """Give the remote component the cluster that it hands out."""
            urn = f"urn:pulumi:prod::eks-jobs::aws:eks/cluster:Cluster::{name}"
            self.resources[urn] = MockMonitor.ResourceRegistration(urn, name, CLUSTER)
            signature = pulumi.runtime.rpc._special_sig_key
            kind = pulumi.runtime.rpc._special_resource_sig
            return {signature: kind, "urn": urn, "id": name}

    cloud = Cloud()
    pulumi.runtime.set_mocks(
        cloud, project="eks-jobs", stack="prod", preview=False, monitor=Monitor(cloud)
    )


ANSWERS: dict[str, dict[str, Any]] = {
    "getAddonVersion": {"version": "v1.0.0-eksbuild.1"},
    "getAvailabilityZones": {"names": ["ap-northeast-2a", "ap-northeast-2b"]},
    "getParameter": {"value": "ami-0123456789abcdef0"},
    "getPartition": {
        "partition": "aws",
        "dnsSuffix": "example.com",
        "reverseDnsPrefix": "com.example",
    },
    "getRegion": {"region": "ap-northeast-2"},
}

CLUSTER = {
    "certificateAuthority": {"data": "Y2E="},
    "endpoint": "https://example.com",
    "vpcConfig": {"clusterSecurityGroupId": "sg-1"},
}


if __name__ == "__main__":
    sys.exit(main())
