"""
Write components/spec/instance_types.csv from what EC2 says.

    python scripts/refresh_instance_types.py             an account, read only
    python scripts/refresh_instance_types.py --from moto the copy that moto carries

The account needs ec2:DescribeInstanceTypes and describes what its region offers,
so use a large region. Left out are macOS types, which cannot be EKS nodes, and
types that EC2 gives no EBS figures for (T2 and older).
"""

import argparse
import csv
import gzip
import io
import json
import sys
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import boto3

TABLE = Path(__file__).parents[1] / "components" / "spec" / "instance_types.csv"
HEADER = "# EC2 DescribeInstanceTypes; written by scripts/refresh_instance_types.py\n"
ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


def from_ec2() -> list[Mapping[str, Any]]:
    """Describe the instance types of the region that is configured."""
    pages = boto3.client("ec2").get_paginator("describe_instance_types").paginate()
    return [one for page in pages for one in page["InstanceTypes"]]


def from_moto() -> list[Mapping[str, Any]]:
    """Read the answers of EC2 that moto replays."""
    file = resources.files("moto") / "ec2" / "resources" / "instance_types.json.gz"
    return list(json.loads(gzip.decompress(file.read_bytes())).values())


def table(described: Iterable[Mapping[str, Any]]) -> str:
    """Render the table, sorted by name, equal bytes for equal facts."""
    rows = sorted(
        (row(one) for one in described if usable(one)), key=lambda one: one["name"]
    )
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return HEADER + text.getvalue()


def usable(one: Mapping[str, Any]) -> bool:
    """Tell whether the type can be an EKS node whose disk can be judged."""
    return (
        architecture(one) is not None
        and one.get("EbsInfo", {}).get("EbsOptimizedInfo") is not None
    )


def architecture(one: Mapping[str, Any]) -> str | None:
    """Name the architecture in the words of Kubernetes."""
    supported = one["ProcessorInfo"]["SupportedArchitectures"]
    return next(
        (ARCHITECTURES[name] for name in ARCHITECTURES if name in supported), None
    )


def row(one: Mapping[str, Any]) -> dict[str, Any]:
    """Pick the columns, which are the fields of `InstanceType`."""
    network, ebs = one["NetworkInfo"], one["EbsInfo"]["EbsOptimizedInfo"]
    card = network["NetworkCards"][network["DefaultNetworkCardIndex"]]
    return {
        "name": one["InstanceType"],
        "architecture": architecture(one),
        "vcpus": one["VCpuInfo"]["DefaultVCpus"],
        "memory_mib": one["MemoryInfo"]["SizeInMiB"],
        "network_interfaces": card["MaximumNetworkInterfaces"],
        "ipv4_addresses_per_interface": network["Ipv4AddressesPerInterface"],
        "ebs_baseline_mb_per_s": f"{ebs['BaselineThroughputInMBps']:.10g}",
        "ebs_maximum_mb_per_s": f"{ebs['MaximumThroughputInMBps']:.10g}",
        "ebs_baseline_iops": ebs["BaselineIops"],
        "ebs_maximum_iops": ebs["MaximumIops"],
    }


def main(arguments: list[str]) -> None:
    """Replace the table of the library."""
    parser = argparse.ArgumentParser(description="Refresh instance_types.csv.")
    parser.add_argument("--from", dest="source", choices=["ec2", "moto"], default="ec2")
    source = parser.parse_args(arguments).source
    text = table(from_moto() if source == "moto" else from_ec2())
    TABLE.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{TABLE.name}: {text.count(chr(10)) - 2} types\n")


if __name__ == "__main__":
    main(sys.argv[1:])
