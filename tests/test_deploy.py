"""The promises of the `deploy` fixture itself."""

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as kubernetes
import pytest

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def test_a_failure_inside_apply_fails_the_test(deploy):
    with pytest.raises(ZeroDivisionError):
        deploy(lambda: pulumi.Output.from_input(0).apply(lambda zero: 1 / zero))


def test_a_provider_call_that_nobody_expected_fails_the_test(deploy):
    with pytest.raises(Exception, match="unexpected provider call"):
        deploy(lambda: aws.get_billing_service_account())


def test_a_call_is_answered_by_the_table(deploy):
    deployment = deploy(
        lambda: pulumi.export("partition", aws.get_partition().partition)
    )

    assert {"partition": "test"} == deployment.exports
    assert [("aws:index/getPartition:getPartition", "")] == [
        (call.token, call.provider) for call in deployment.calls
    ]


def test_a_urn_that_is_used_twice_fails_the_test(deploy):
    with pytest.raises(AssertionError, match="registered twice: .*::twin"):
        deploy(lambda: [aws.ec2.LaunchTemplate("twin") for _ in range(2)])


def test_options_are_visible(deploy):
    opts = pulumi.ResourceOptions(
        protect=True, aliases=[pulumi.Alias(name="old")], ignore_changes=["tags"]
    )
    request = (
        deploy(lambda: aws.ec2.LaunchTemplate("new", opts=opts)).only(TEMPLATE).request
    )

    assert request.protect
    assert ["old"] == [alias.spec.name for alias in request.aliases]
    assert ["tags"] == list(request.ignoreChanges)


def test_whole_numbers_arrive_as_whole_numbers(deploy):
    template = deploy(
        lambda: aws.ec2.LaunchTemplate(
            "disk", block_device_mappings=[{"ebs": {"iops": 8_000}}]
        )
    ).only(TEMPLATE)

    assert "[{'ebs': {'iops': 8000}}]" == str(template.inputs["blockDeviceMappings"])


@pytest.mark.parametrize(
    ("type_", "inputs", "problem"),
    [
        (
            aws.ec2.LaunchTemplate,
            {"metadata_options": {"http_token": "required"}},
            "aws:ec2/launchTemplate:LaunchTemplate.metadataOptions.http_token: "
            "unknown key of LaunchTemplateMetadataOptionsArgs",
        ),
        (
            aws.ec2.LaunchTemplate,
            {"block_device_mappings": [{"ebs": {"encrypted": True}}]},
            "aws:ec2/launchTemplate:LaunchTemplate.blockDeviceMappings[0].ebs."
            "encrypted: expected str, got True",
        ),
        (
            aws.autoscaling.Group,
            {"max_size": "3", "min_size": 0},
            "aws:autoscaling/group:Group.maxSize: expected int, got '3'",
        ),
        (
            aws.autoscaling.Group,
            {"max_size": 3, "min_size": 0, "tags": [{"key": "k", "value": "v"}]},
            "aws:autoscaling/group:Group.tags[0].propagateAtLaunch: missing, "
            "GroupTagArgs requires it",
        ),
        (
            aws.ec2.LaunchTemplate,
            {"tags": {"count": 1}},
            "aws:ec2/launchTemplate:LaunchTemplate.tags.count: expected str, got 1",
        ),
        (
            aws.ec2.LaunchTemplate,
            {"vpc_security_group_ids": "sg-1"},
            "aws:ec2/launchTemplate:LaunchTemplate.vpcSecurityGroupIds: "
            "expected a list, got 'sg-1'",
        ),
        (
            eks.Cluster,
            {"authentication_mode": "APIS"},
            "eks:index:Cluster.authenticationMode: "
            "expected one of AuthenticationMode, got 'APIS'",
        ),
        (
            kubernetes.storage.v1.StorageClass,
            {"provisioner": "p", "metadata": {"annotation": {}}},
            "kubernetes:storage.k8s.io/v1:StorageClass.metadata.annotation: "
            "unknown key of ObjectMetaArgs",
        ),
    ],
)
def test_an_input_that_the_sdk_does_not_know_fails_the_test(
    deploy, type_, inputs, problem
):
    with pytest.raises(AssertionError) as caught:
        deploy(lambda: type_("it", **inputs))

    assert f"it: {problem}" == str(caught.value)


def test_a_type_that_the_sdk_does_not_know_fails_the_test(deploy):
    with pytest.raises(AssertionError) as caught:
        deploy(lambda: pulumi.CustomResource("aws:ec2/vpn:Vpn", "it"))

    assert "it: aws:ec2/vpn:Vpn: no imported SDK declares this type" == str(
        caught.value
    )


def test_h073_computed_values_are_unknown_in_a_preview(deploy):
    seen = []

    def program():
        template = aws.ec2.LaunchTemplate("a", image_id="ami-1")
        template.image_id.apply(seen.append)
        template.id.apply(seen.append)
        template.latest_version.apply(seen.append)

    deploy(program, preview=True)

    assert ["ami-1"] == seen


def test_the_cluster_of_the_remote_component_can_be_read(deploy):
    def program():
        cluster = eks.Cluster("c", name="alpha", version="1.36").eks_cluster
        pulumi.export("endpoint", cluster.endpoint)
        pulumi.export("group", cluster.vpc_config.cluster_security_group_id)

    deployment = deploy(program)

    assert {
        "endpoint": "https://alpha.eks.example.com",
        "group": "sg-alpha",
    } == deployment.exports


def test_order_follows_dependencies_and_providers(deploy):
    def program():
        first = aws.ec2.LaunchTemplate("first")
        wait = pulumi.ResourceOptions(depends_on=[first])
        provider = aws.Provider("explicit", region="eu-west-1", opts=wait)
        aws.ec2.LaunchTemplate("second", opts=pulumi.ResourceOptions(provider=provider))

    deployment = deploy(program)

    assert set() == deployment.waits_for(deployment.only(TEMPLATE, "first"))
    assert {
        "pulumi:providers:aws::explicit",
        f"{TEMPLATE}::first",
    } == deployment.waits_for(deployment.only(TEMPLATE, "second"))


def test_default_providers_are_found(deploy):
    def program():
        provider = aws.Provider("explicit", region="eu-west-1")
        aws.ec2.LaunchTemplate("first")
        aws.ec2.LaunchTemplate("second", opts=pulumi.ResourceOptions(provider=provider))
        aws.get_partition(opts=pulumi.InvokeOptions(provider=provider))
        aws.get_region()

    assert [
        f"{TEMPLATE}::first",
        "aws:index/getRegion:getRegion",
    ] == deploy(program).on_default_providers()


def test_warnings_are_collected(deploy):
    def program():
        pulumi.log.warn("careful", resource=aws.ec2.LaunchTemplate("a"))
        pulumi.log.info("fine")

    assert ((f"{TEMPLATE}::a", "careful"),) == deploy(program).warnings
