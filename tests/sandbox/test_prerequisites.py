"""Networks of others, in the account of a rehearsal."""

import os
from unittest import mock

import pytest

from sandbox import account, prerequisites
from sandbox.account import Account
from sandbox.environment import Layout, sealed

REGION = "ap-northeast-2"
VPC = "vpc-0123456789abcdef0"
SUBNETS = ("subnet-0123456789abcdef0", "subnet-0123456789abcdef1")
STACK_FILE = """
config:
  aws:region: {region}
  eks-jobs:network: {network}
  eks-jobs:cluster: {{version: "1.36"}}
  eks-jobs:servers:
    - {{name: server, architecture: amd64, instance_types: [m7i.large, m6i.large]}}
  eks-jobs:jobs: []
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Give a client of an account in which the network was lent twice."""
    layout = Layout(state=tmp_path_factory.mktemp("account"))
    local = account.start(layout, sealed(os.environ, layout))
    try:
        for subnets in (SUBNETS[:1], SUBNETS):
            account.lend(local, region=REGION, vpc_id=VPC, subnet_ids=subnets)
        with mock.patch.dict(os.environ):
            yield account.cloud(local, REGION).client("ec2")
    finally:
        account.stop(layout)


def test_a_lent_network_exists_once_and_under_its_id(client):
    vpcs = client.describe_vpcs()["Vpcs"]

    assert [VPC] == [vpc["VpcId"] for vpc in vpcs if not vpc["IsDefault"]]


def test_lent_subnets_are_in_different_zones_of_the_network(client):
    subnets = client.describe_subnets(SubnetIds=SUBNETS)["Subnets"]

    assert {(VPC, f"{REGION}a"), (VPC, f"{REGION}b")} == {
        (subnet["VpcId"], subnet["AvailabilityZone"]) for subnet in subnets
    }
    assert 2 == len({subnet["CidrBlock"] for subnet in subnets})


def test_a_lent_network_has_what_aws_makes_with_every_network(client):
    only = [{"Name": "vpc-id", "Values": [VPC]}]
    tables = client.describe_route_tables(Filters=only)["RouteTables"]
    groups = client.describe_security_groups(Filters=only)["SecurityGroups"]

    assert 1 == len(tables)
    assert ["default"] == [group["GroupName"] for group in groups]


@pytest.fixture
def lent(tmp_path, monkeypatch):
    """Return what `provide` lends for a stack file with the given keys."""
    calls = []
    monkeypatch.setattr(account, "lend", lambda _, **network: calls.append(network))

    def provide(network, region=REGION):
        text = STACK_FILE.format(network=network, region=region)
        (tmp_path / "Pulumi.yaml").write_text("name: eks-jobs\n")
        (tmp_path / "Pulumi.dev.yaml").write_text(text)
        prerequisites.provide(Account(pid=1, port=1), "dev", tmp_path)
        return calls

    return provide


def test_the_network_of_the_stack_file_is_lent(lent):
    network = f"{{vpc_id: {VPC}, subnet_ids: [{', '.join(SUBNETS)}]}}"

    assert [{"region": REGION, "vpc_id": VPC, "subnet_ids": SUBNETS}] == lent(network)


@pytest.mark.parametrize(
    ("network", "region"),
    [
        ("{cidr: 10.40.0.0/16}", REGION),
        ("{cidr: 10.40.0.0/16} # no vpc_id", REGION),
        (f"{{vpc_id: {VPC}, subnet_ids: []}}", REGION),
        (f"{{vpc_id: {VPC}, subnet_ids: [{', '.join(SUBNETS)}]}}", "nowhere"),
    ],
    ids=["own network", "only a comment", "refused network", "refused region"],
)
def test_nothing_is_lent_without_need_or_for_a_refused_file(lent, network, region):
    assert [] == lent(network, region)
