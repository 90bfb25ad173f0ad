"""
KEDA as the engine is sent it.

That the chart takes the values, and that KEDA does what a schedule says, is for
tests/cluster.
"""

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import pytest

from components import (
    Keda,
    KedaController,
    KedaControllerArgs,
    Resources,
)
from components.spec.balloon.keda import keda_chart
from tests.components.builders import SERVER, facts

COMPONENT = "eks-jobs:index:KedaController"
RELEASE = "kubernetes:helm.sh/v3:Release"


def keda(settings=Keda(), opts=None, **cluster):
    known = facts(provider=kubernetes.Provider("alpha"), **cluster)
    args = KedaControllerArgs(cluster=known, keda=settings, servers=(SERVER,))
    return KedaController("schedules", args, opts)


def test_identity_is_pinned(deploy):
    deployment = deploy(keda)

    assert [
        f"{COMPONENT}::schedules",
        f"{COMPONENT}${RELEASE}::schedules",
    ] == [r.path for r in deployment.resources if COMPONENT in r.path]
    assert {"version": "2.20.2"} == deployment.outputs[f"{COMPONENT}::schedules"]


def test_it_is_the_pinned_chart_on_nodes_of_servers(deploy):
    settings = Keda(
        version="2.20.1",
        namespace="schedules",
        resources=Resources(cpu="50m", memory="128Mi"),
    )
    release = deploy(lambda: keda(settings)).only(RELEASE)

    assert {
        "name": "keda",
        "chart": "keda",
        "version": "2.20.1",
        "repositoryOpts": {"repo": "https://kedacore.github.io/charts"},
        "namespace": "schedules",
        "createNamespace": True,
        "values": keda_chart(settings, (SERVER,)).values,
    } == {key: value for key, value in release.inputs.items() if key != "compat"}


def test_it_waits_for_its_nodes(deploy):
    def program():
        keda(opts=pulumi.ResourceOptions(depends_on=[aws.ec2.Eip("nodes")]))

    deployment = deploy(program)

    assert "aws:ec2/eip:Eip::nodes" in deployment.waits_for(deployment.only(RELEASE))


def test_h072_it_goes_with_its_cluster(deploy):
    release = deploy(lambda: keda(deleted_with=aws.ec2.Eip("cluster"))).only(RELEASE)

    assert release.request.deletedWith.endswith("aws:ec2/eip:Eip::cluster")


def test_h074_it_is_installed_by_the_provider_of_its_cluster(deploy):
    deployment = deploy(keda)

    assert "alpha" == deployment.only(RELEASE).provider
    assert [] == deployment.on_default_providers()


def test_it_asks_for_no_permission(deploy):
    """A schedule is a clock: nothing at AWS is read for it."""
    assert [] == [r for r in deploy(keda).resources if r.type.startswith("aws:")]


def test_what_could_not_be_installed_is_refused():
    message = (
        "cluster.provider must be given, the controller runs in the cluster\n"
        "keda.install must be true, this component is the installation"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        KedaControllerArgs(cluster=facts(), keda=Keda(install=False))
