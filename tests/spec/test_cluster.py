"""
What a cluster may say, and what EKS is sent.

Not proven here: that EKS offers the version in the region, and that the principals
exist.
"""

from functools import cache

import botocore.session
import pytest
from botocore.validate import ParamValidator
from hypothesis import given
from hypothesis import strategies as st

from components.spec.cluster import (
    ADDONS,
    KUBERNETES_VERSIONS,
    ClusterSettings,
    ResourceWeight,
    SchedulerScoring,
    validate_addresses,
)
from components.spec.network import ExistingNetwork, NewNetwork

ROLE = "arn:aws-cn:iam::111122223333:role/platform/admin"


class Later:
    """Stands for a `pulumi.Output`, which the core must not look into."""

    def apply(self, function):
        return function


def settings(**overrides):
    return ClusterSettings(**({"version": "1.36"} | overrides))


def refusal(make):
    with pytest.raises(ValueError, match="must") as caught:
        make()
    return str(caught.value)


@cache
def eks():
    return botocore.session.get_session().get_service_model("eks")


def api_problems(shape, value):
    """Say what the EKS API's own model has against *value*."""
    report = ParamValidator().validate(value, eks().shape_for(shape))
    return report.generate_report()


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (
            1.36,
            'version must be text in quotes such as "1.36", got version=1.36: YAML '
            "reads it as a number",
        ),
        (
            1.3,
            'version must be text in quotes such as "1.36", got version=1.3: YAML '
            "reads it as a number",
        ),
        *(
            (
                version,
                'version must be text in quotes such as "1.36", got '
                f"version={version!r} (YAML reads an unquoted 1.30 as 1.3)",
            )
            for version in (
                "1.3",
                "",
                "1",
                "v1.36",
                "1.36.2",
                "2.10",
                "1.036",
                "latest",
            )
        ),
        *(
            (
                version,
                "version must be 1.32 or newer, EKS no longer offers older ones, "
                f"got version={version!r}",
            )
            for version in ("1.31", "1.30", "1.29", "1.10")
        ),
    ],
)
def test_refuses_versions_that_eks_would_refuse(version, message):
    assert message == refusal(lambda: settings(version=version))


@pytest.mark.parametrize(
    ("version", "now"),
    [("1.32", "extended"), ("1.33", "extended"), ("1.34", "standard")],
)
def test_accepts_what_eks_supports(version, now):
    support = settings(version=version).version_support

    assert support is not None
    assert now == support.now


def test_h046_a_version_newer_than_the_table_passes():
    assert settings(version="1.37").version_support is None


def test_support_ends_after_14_and_26_months():
    assert {
        "1.34": ("2026-12-02", "2027-12-02"),
        "1.35": ("2027-03-27", "2028-03-27"),
        "1.36": ("2027-08-02", "2028-08-02"),
    } == {
        version: (support.standard_until, support.extended_until)
        for version, support in KUBERNETES_VERSIONS.items()
        if support.now == "standard"
    }


def test_versions_are_in_order_without_gaps():
    minors = [int(version.removeprefix("1.")) for version in KUBERNETES_VERSIONS]

    assert list(range(minors[0], minors[-1] + 1)) == minors


@pytest.mark.parametrize("name", ["a", "9", "Jobs_1-x", "a" * 100])
def test_h078_accepts_the_edges_of_cluster_names(name):
    assert name == settings(name=name).name


@pytest.mark.parametrize("name", ["", "-jobs", "_jobs", "a.b", "a b", "a" * 101])
def test_h078_refuses_names_that_eks_would_refuse(name):
    assert (
        "name must be 1 to 100 letters, digits, - and _, and begin with a letter or "
        f"digit, got name={name!r}"
    ) == refusal(lambda: settings(name=name))


@pytest.mark.parametrize("name", ["public_access_cidrs", "private_access_cidrs"])
@pytest.mark.parametrize(
    ("cidrs", "message"),
    [
        (
            ("office",),
            " must be IPv4 in CIDR form such as 10.40.0.0/16, got 'office'",
        ),
        (
            ("203.0.113.7",),
            " must be written as '203.0.113.7/32', got '203.0.113.7'",
        ),
        (
            ("203.0.113.7/24",),
            " must be written as '203.0.113.0/24', got '203.0.113.7/24'",
        ),
        (
            ("203.0.113.0/24", "203.0.113.0/24"),
            " must not repeat, got '203.0.113.0/24' 2 times",
        ),
        (
            tuple(f"203.0.113.{last}/32" for last in range(41)),
            " must be at most 40, got 41",
        ),
    ],
)
def test_refuses_address_lists_that_aws_would_refuse(name, cidrs, message):
    assert name + message == refusal(lambda: settings(**{name: cidrs}))


def test_h083_ipv6_access_is_not_supported():
    assert (
        "public_access_cidrs must be IPv4, IPv6 is not supported, got '::/0'"
    ) == refusal(lambda: settings(public_access_cidrs=("::/0",)))


def test_an_endpoint_open_to_the_world_is_no_error():
    cidrs = ("0.0.0.0/0", *(f"203.0.113.{last}/32" for last in range(39)))

    assert 40 == len(settings(public_access_cidrs=cidrs).public_access_cidrs)


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov", "aws-iso-b"])
@pytest.mark.parametrize(
    "principal", ["role/admin", "user/jane@example.com", "role/aws-reserved/sso/A_1"]
)
def test_h081_admins_of_every_partition_are_accepted(partition, principal):
    arn = f"arn:{partition}:iam::111122223333:{principal}"

    assert (arn,) == settings(admins=(arn,)).admins


@pytest.mark.parametrize(
    "arn",
    [
        "admin",
        "arn:aws-cn:iam::111122223333:root",
        "arn:aws-cn:iam::111122223333:group/admins",
        "arn:aws-cn:iam::11112222333:role/admin",
        "arn:aws-cn:sts::111122223333:assumed-role/admin/session",
    ],
)
def test_refuses_admins_that_no_access_entry_can_name(arn):
    assert (
        "admins must be ARNs of IAM roles or users "
        f"(arn:<partition>:iam::<account>:role/<name>), got {arn!r}"
    ) == refusal(lambda: settings(admins=(arn,)))


def test_h076_an_admin_is_named_once():
    assert f"admins must not repeat, got {ROLE!r} 2 times" == refusal(
        lambda: settings(admins=(ROLE, ROLE))
    )


def test_h073_admins_that_a_program_learns_later_pass():
    later = Later()

    assert (later, ROLE) == settings(admins=(later, ROLE)).admins


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"log_types": ("api", "kubelet")},
            "log_types must be of api, audit, authenticator, controllerManager, "
            "scheduler, got 'kubelet'",
        ),
        ({"log_types": ("api", "api")}, "log_types must not repeat, got 'api' 2 times"),
        (
            {"support": "standard"},
            "support must be STANDARD or EXTENDED, got support='standard'",
        ),
        (
            {"service_cidr": "172.20.0.0/11"},
            "service_cidr must be written as '172.0.0.0/11', got '172.20.0.0/11'",
        ),
        (
            {"service_cidr": "10.0.0.0/11"},
            "service_cidr must be /12 to /24, got '10.0.0.0/11'",
        ),
        (
            {"service_cidr": "172.20.0.0/25"},
            "service_cidr must be /12 to /24, got '172.20.0.0/25'",
        ),
        (
            {"service_cidr": "100.64.0.0/16"},
            "service_cidr must lie in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, got "
            "'100.64.0.0/16'",
        ),
        (
            {"log_retention_days": 91},
            "log_retention_days must be one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, "
            "180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653, got "
            "log_retention_days=91",
        ),
        (
            {"terminated_pod_gc_threshold": 0},
            "terminated_pod_gc_threshold must be 1 to 12500, got "
            "terminated_pod_gc_threshold=0",
        ),
        (
            {"terminated_pod_gc_threshold": 12_501},
            "terminated_pod_gc_threshold must be 1 to 12500, got "
            "terminated_pod_gc_threshold=12501",
        ),
        (
            {"addons": {"ebs": "v1.2.3-eksbuild.1"}},
            "addons must be of vpc-cni, coredns, kube-proxy, eks-pod-identity-agent, "
            "aws-ebs-csi-driver, got 'ebs'",
        ),
        (
            {"addons": {"coredns": "latest", "vpc-cni": 1.2}},
            "addons.coredns must be a version such as v1.20.4-eksbuild.1, got "
            "'latest'\n"
            "addons.vpc-cni must be a version such as v1.20.4-eksbuild.1, got 1.2",
        ),
        (
            {"ami_release": "latest"},
            "ami_release must be a release such as v20260714, got ami_release='latest'",
        ),
    ],
)
def test_refuses_settings_that_eks_would_refuse(kwargs, message):
    assert message == refusal(lambda: settings(**kwargs))


def test_h083_an_ipv6_service_range_is_not_supported():
    assert (
        "service_cidr must be IPv4, IPv6 is not supported, got 'fd00::/108'"
    ) == refusal(lambda: settings(service_cidr="fd00::/108"))


@pytest.mark.parametrize(
    "kwargs",
    [
        {"service_cidr": "10.0.0.0/12"},
        {"service_cidr": "192.168.7.0/24"},
        {"log_retention_days": 1},
        {"log_retention_days": 3653},
        {"terminated_pod_gc_threshold": 1},
        {"terminated_pod_gc_threshold": 12_500},
        {"log_types": ()},
        {"log_types": ("controllerManager", "scheduler")},
        {"support": "EXTENDED", "version": "1.32"},
        {"addons": dict.fromkeys(ADDONS, "v1.20.4-eksbuild.10")},
        {"ami_release": "v20260714"},
    ],
)
def test_accepts_the_edges_of_what_eks_accepts(kwargs):
    assert settings(**kwargs) == settings(**kwargs)


def test_all_problems_of_a_cluster_are_named_at_once():
    text = refusal(
        lambda: ClusterSettings(
            version="1.3",
            name="",
            public_access_cidrs=("x",),
            admins=("x",),
            log_types=("x",),
            support="x",
            service_cidr="10.0.0.0/8",
            terminated_pod_gc_threshold=0,
            addons={"x": "v1.0.0-eksbuild.1"},
            ami_release="x",
        )
    )

    assert [
        "version",
        "name",
        "public_access_cidrs",
        "admins",
        "log_types",
        "support",
        "service_cidr",
        "terminated_pod_gc_threshold",
        "addons",
        "ami_release",
    ] == [line.split()[0] for line in text.splitlines()]


def test_scheduler_config_has_the_names_of_the_wire():
    scoring = SchedulerScoring(
        resources=(
            ResourceWeight(name="cpu", weight=2),
            ResourceWeight(name="nvidia.com/gpu", weight=100),
        )
    )

    assert {
        "nodeResourcesFit": {
            "scoringStrategy": {
                "type": "MostAllocated",
                "resources": [
                    {"name": "cpu", "weight": 2},
                    {"name": "nvidia.com/gpu", "weight": 100},
                ],
            }
        }
    } == settings(scheduler=scoring).kube_scheduler_config()


def test_scoring_counts_cpu_and_memory_alike_by_default():
    assert SchedulerScoring() == SchedulerScoring(
        strategy="MostAllocated",
        resources=(
            ResourceWeight(name="cpu", weight=1),
            ResourceWeight(name="memory", weight=1),
        ),
    )


def test_accepts_the_edges_of_scoring():
    longest = ResourceWeight(name="a" * 253, weight=100)
    many = tuple(ResourceWeight(name=f"example.com/r{n}") for n in range(99))

    assert 100 == len(SchedulerScoring(resources=(longest, *many)).resources)


def test_controller_manager_config_has_the_names_of_the_wire():
    assert {"podGcControllerConfig": {"terminatedPodGcThreshold": 500}} == settings(
        terminated_pod_gc_threshold=500
    ).kube_controller_manager_config()


def test_nothing_is_sent_that_nobody_chose():
    assert (None, None) == (
        settings().kube_scheduler_config(),
        settings().kube_controller_manager_config(),
    )


RESOURCES = st.lists(
    st.builds(
        ResourceWeight,
        name=st.sampled_from(("cpu", "memory", "pods", "nvidia.com/gpu")),
        weight=st.integers(1, 100),
    ),
    min_size=1,
    unique_by=lambda resource: resource.name,
)


@given(
    st.sampled_from(("MostAllocated", "LeastAllocated")),
    RESOURCES,
    st.integers(1, 12_500),
)
def test_the_eks_api_model_accepts_every_config(strategy, resources, threshold):
    cluster = settings(
        scheduler=SchedulerScoring(strategy=strategy, resources=tuple(resources)),
        terminated_pod_gc_threshold=threshold,
    )

    assert "" == api_problems(
        "KubeSchedulerConfigRequest", cluster.kube_scheduler_config()
    )
    assert "" == api_problems(
        "KubeControllerManagerConfigRequest", cluster.kube_controller_manager_config()
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: ResourceWeight(name="cpu", weight=0),
            "weight must be 1 to 100, got weight=0",
        ),
        (
            lambda: ResourceWeight(name="cpu", weight=101),
            "weight must be 1 to 100, got weight=101",
        ),
        *(
            (
                lambda name=name: ResourceWeight(name=name),
                "name must be a resource such as cpu, memory or nvidia.com/gpu, got "
                f"name={name!r}",
            )
            for name in ("", "/gpu", "a b", "-cpu", "nvidia.com/", "a" * 254)
        ),
        (
            lambda: SchedulerScoring(strategy="RequestedToCapacityRatio"),
            "strategy must be MostAllocated or LeastAllocated, got "
            "strategy='RequestedToCapacityRatio'",
        ),
        (lambda: SchedulerScoring(resources=()), "resources must be 1 to 100, got 0"),
        (
            lambda: SchedulerScoring(
                resources=tuple(
                    ResourceWeight(name=f"example.com/r{number}")
                    for number in range(101)
                )
            ),
            "resources must be 1 to 100, got 101",
        ),
        (
            lambda: SchedulerScoring(
                resources=(ResourceWeight(name="cpu"), ResourceWeight(name="cpu"))
            ),
            "resources must not repeat, got 'cpu' 2 times",
        ),
    ],
)
def test_refuses_scoring_that_eks_would_refuse(make, message):
    assert message == refusal(make)


@pytest.mark.parametrize(
    ("service_cidr", "network", "message"),
    [
        (
            "10.40.96.0/20",
            NewNetwork(),
            "service_cidr must not overlap the network, got '10.40.96.0/20' and "
            "'10.40.0.0/16'",
        ),
        (
            "10.0.0.0/12",
            ExistingNetwork(
                vpc_id="vpc-0a",
                subnet_ids=("subnet-0a", "subnet-0b"),
                subnet_cidrs=("10.1.0.0/24", "10.2.0.0/24"),
            ),
            "service_cidr must not overlap the network, got '10.0.0.0/12' and "
            "'10.1.0.0/24'\n"
            "service_cidr must not overlap the network, got '10.0.0.0/12' and "
            "'10.2.0.0/24'",
        ),
    ],
)
def test_refuses_services_in_the_range_of_the_network(service_cidr, network, message):
    cluster = settings(service_cidr=service_cidr)

    assert message == refusal(lambda: validate_addresses(cluster, network))


@pytest.mark.parametrize(
    "network",
    [
        NewNetwork(),
        ExistingNetwork(vpc_id="vpc-0a", subnet_ids=("subnet-0a", "subnet-0b")),
    ],
)
def test_services_beside_the_network_pass(network):
    assert validate_addresses(settings(), network) is None
