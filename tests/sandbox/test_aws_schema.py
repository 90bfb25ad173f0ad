"""
The parts of the AWS plugin that need no AWS: forms, names, differences, limits.

What AWS itself would say to a request is in the files beside this one.
"""

import botocore.session
import pytest

from sandbox.aws import cloud, constraints, difference, naming, schema, translate
from sandbox.aws.registry import RESOURCES
from sandbox.aws.resource import AutoName
from sandbox.errors import RefusedError
from sandbox.wire import UNKNOWN, contains_unknown, plain_map, without_nulls, wrap_map

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
NAME = AutoName(limit=20)
SEED = b"seed"


def test_values_survive_the_way_to_the_engine_and_back():
    values = {"a": 1, "b": 1.5, "c": True, "d": ["x", {"e": "f"}], "g": {}}

    assert values == plain_map(wrap_map(values))


def test_absent_values_are_left_out():
    given = {"a": None, "b": {"c": None}, "d": [{"e": None}]}

    assert {"b": {}, "d": [{}]} == without_nulls(given)
    assert {"b": {}, "d": [{}]} == plain_map(wrap_map(given))


@pytest.mark.parametrize(
    ("value", "expected"),
    [("x", False), (UNKNOWN, True), (["a", {"b": UNKNOWN}], True), ({}, False)],
)
def test_unknown_values_are_found_at_any_depth(value, expected):
    assert expected is contains_unknown(value)


@pytest.mark.parametrize(
    ("inputs", "problems"),
    [
        ({"userData": "eA=="}, []),
        ({"userData": UNKNOWN}, []),
        ({"nam": "x"}, [("nam", "unknown property, did you mean name")]),
        ({"userData": 3}, [("userData", "must be a string, got 3")]),
        ({"defaultVersion": "3"}, [("defaultVersion", "must be an integer, got '3'")]),
        (
            {"updateDefaultVersion": "true"},
            [("updateDefaultVersion", "must be a boolean, got 'true'")],
        ),
        ({"tags": {"a": True}}, [('tags["a"]', "must be a string, got True")]),
        ({"tags": "a"}, [("tags", "must be a map, got 'a'")]),
        (
            {"blockDeviceMappings": [{"ebs": {"iopss": 1}}]},
            [
                (
                    "blockDeviceMappings[0].ebs.iopss",
                    "unknown property, did you mean iops",
                )
            ],
        ),
        (
            {"blockDeviceMappings": {"ebs": {}}},
            [("blockDeviceMappings", "must be a list, got {'ebs': {}}")],
        ),
    ],
)
def test_refuses_what_the_types_of_the_sdk_do_not_allow(inputs, problems):
    assert problems == list(schema.problems(schema.arguments(TEMPLATE), inputs))


def test_names_what_is_missing_in_a_nested_object():
    shape = schema.arguments("aws:autoscaling/group:Group")
    inputs = {"minSize": 0, "maxSize": 1, "tags": [{"key": "a"}]}

    assert [
        ("tags[0].propagateAtLaunch", "is required"),
        ("tags[0].value", "is required"),
    ] == list(schema.problems(shape, inputs))


def test_a_policy_may_be_a_document_or_its_text():
    shape = schema.arguments("aws:iam/role:Role")
    document = {"assumeRolePolicy": {"Version": "2012-10-17", "Statement": []}}

    assert [] == list(schema.problems(shape, document))


def test_knows_the_outputs_of_a_type():
    outputs = schema.outputs(TEMPLATE)

    assert {"arn", "latestVersion", "tagsAll", "userData"} <= outputs


@pytest.mark.parametrize("token", ["aws:ec2/nope:Nope", "aws:nope/vpc:Vpc"])
def test_a_type_that_the_sdk_does_not_have_is_an_error(token):
    with pytest.raises(LookupError, match=f"^the SDK has no resource type {token}$"):
        schema.arguments(token)


def test_a_function_that_the_sdk_does_not_have_is_an_error():
    with pytest.raises(
        LookupError, match="^the SDK has no function aws:ec2/getX:getX$"
    ):
        schema.function_arguments("aws:ec2/getX:getX")


@pytest.mark.parametrize("kind", RESOURCES.values(), ids=RESOURCES)
def test_every_table_names_inputs_that_the_sdk_has(kind):
    fields = schema.arguments(kind.token).fields
    named = {kind.name.input} if kind.name else set()
    tops = {
        path.partition(".")[0]
        for path in {*kind.replace, *kind.computed, *kind.sets, *kind.documents}
    }

    assert set() == (tops | named | kind.inputs | set(kind.defaults)) - set(fields)


@pytest.mark.parametrize("kind", RESOURCES.values(), ids=RESOURCES)
def test_what_is_tagged_is_what_has_tags(kind):
    has_tags = "tagsAll" in schema.outputs(kind.token)

    assert has_tags is (kind.tagging is not None)


def test_a_made_name_ends_in_seven_characters():
    inputs = {}
    problem = naming.fill_in(NAME, "job", inputs, {}, SEED)

    assert problem is None
    assert {"name": "job-19b2585", "__defaults": ["name"]} == inputs


@pytest.mark.parametrize("logical", ["job", "other"])
def test_a_made_name_is_kept_and_an_alias_changes_nothing_of_it(logical):
    old = {"name": "job-1234567", "__defaults": ["name"]}
    inputs = {}
    naming.fill_in(NAME, logical, inputs, old, SEED)

    assert "job-1234567" == inputs["name"]


def test_a_name_that_was_given_before_is_not_kept_as_a_made_one():
    inputs = {}
    naming.fill_in(NAME, "job", inputs, {"name": "mine"}, SEED)

    assert "job-19b2585" == inputs["name"]


def test_a_prefix_begins_the_name():
    rule = AutoName(limit=40)
    inputs = {"namePrefix": "eks-"}
    naming.fill_in(rule, "job", inputs, {}, SEED)

    assert 4 + naming.PREFIXED == len(inputs["name"])
    assert inputs["name"].startswith("eks-")


def test_a_name_is_made_anew_for_another_prefix():
    old = {"name": "eks-x", "__defaults": ["name"]}
    inputs = {"namePrefix": "job-"}
    naming.fill_in(AutoName(limit=40), "job", inputs, old, SEED)

    assert inputs["name"].startswith("job-")


def test_a_name_has_what_must_stand_before_and_after_it():
    rule = AutoName(limit=40, before="alias/", after=lambda _: ".fifo")
    inputs = {}
    naming.fill_in(rule, "job", inputs, {}, SEED)

    assert "alias/job-19b2585.fifo" == inputs["name"]


@pytest.mark.parametrize(
    ("logical", "problem"),
    [
        ("j" * 12, None),
        (
            "j" * 13,
            (
                "name",
                "'jjjjjjjjjjjjj' plus 7 random characters must be at most 20 "
                "characters, got 21",
            ),
        ),
    ],
)
def test_h078_a_made_name_fits_its_limit(logical, problem):
    assert problem == naming.fill_in(NAME, logical, {}, {}, SEED)


def test_h078_a_given_name_fits_its_limit():
    problem = naming.fill_in(NAME, "job", {"name": "j" * 21}, {}, SEED)

    assert ("name", f"must be at most 20 characters, got 21: '{'j' * 21}'") == problem


def changes(token, old, new):
    kind = RESOURCES[token]
    names = schema.arguments(token).fields
    found = difference.changes(kind, names, old, new)
    return {change.path: change.kind for change in found}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"userData": "a"}, {"userData": "a"}, {}),
        ({"userData": "a"}, {"userData": "b"}, {"userData": "update"}),
        ({"userData": "a"}, {"userData": UNKNOWN}, {"userData": "update"}),
        ({"userData": "a"}, {}, {"userData": "delete"}),
        ({}, {"userData": "a"}, {"userData": "add"}),
        ({"tags": {}}, {}, {}),
        ({"tags": {"a/b": "1"}}, {"tags": {"a/b": "2"}}, {'tags["a/b"]': "update"}),
        ({"defaultVersion": 2}, {}, {}),
        (
            {"vpcSecurityGroupIds": ["a", "b"]},
            {"vpcSecurityGroupIds": ["b", "a"]},
            {},
        ),
        (
            {"blockDeviceMappings": [{"ebs": {"iops": 1}}]},
            {"blockDeviceMappings": [{"ebs": {"iops": 2}}]},
            {"blockDeviceMappings[0].ebs.iops": "update"},
        ),
        (
            {"tagSpecifications": [{"resourceType": "volume"}]},
            {"tagSpecifications": []},
            {"tagSpecifications": "update"},
        ),
    ],
)
def test_compares_property_by_property(old, new, expected):
    assert expected == changes(TEMPLATE, old, new)


def test_documents_are_compared_by_meaning():
    old = {"policy": '{"a": 1, "b": 2}'}

    assert {} == changes("aws:iam/policy:Policy", old, {"policy": '{"b":2,"a":1}'})


def test_what_aws_fills_into_an_object_is_no_change():
    old = {"vpcConfig": {"subnetIds": ["a"], "clusterSecurityGroupId": "sg-1"}}
    new = {"vpcConfig": {"subnetIds": ["a"]}}

    assert {} == changes("aws:eks/cluster:Cluster", old, new)


@pytest.mark.parametrize(
    ("path", "patterns", "expected"),
    [
        ("a", ["a"], True),
        ("a.b", ["a"], True),
        ('a["b"]', ["a"], True),
        ("ab", ["a"], False),
        ("a", ["a.b"], False),
    ],
)
def test_a_path_is_below_its_beginning(path, patterns, expected):
    assert expected is difference.is_below(path, patterns)


def model(service, operation):
    session = botocore.session.get_session()
    return session.get_service_model(service).operation_model(operation)


@pytest.mark.parametrize(
    ("service", "operation", "params", "message"),
    [
        (
            "iam",
            "CreateRole",
            {"RoleName": "a b"},
            r"RoleName must match [\w+=,.@-]+, got 'a b'",
        ),
        (
            "iam",
            "CreateRole",
            {"RoleName": "a" * 65},
            "RoleName: length must be at most 64, got 65",
        ),
        (
            "iam",
            "CreateRole",
            {"MaxSessionDuration": 60},
            "MaxSessionDuration: value must be at least 3600, got 60",
        ),
        (
            "eks",
            "CreateNodegroup",
            {"taints": [{"effect": "NoSchedule"}]},
            "taints[0].effect must be one of NO_SCHEDULE, NO_EXECUTE, "
            "PREFER_NO_SCHEDULE, got 'NoSchedule'",
        ),
        (
            "eks",
            "CreateCluster",
            {"tags": {str(n): "" for n in range(51)}},
            "tags: number of entries must be at most 50, got 51",
        ),
        (
            "eks",
            "CreateCluster",
            {"encryptionConfig": [{}, {}]},
            "encryptionConfig: number of items must be at most 1, got 2",
        ),
        (
            "kms",
            "CreateAlias",
            {"AliasName": "alias/a b"},
            "AliasName must match ^[a-zA-Z0-9:/_-]+$, got 'alias/a b'",
        ),
    ],
)
def test_refuses_what_the_service_model_does_not_allow(
    service, operation, params, message
):
    with pytest.raises(RefusedError) as caught:
        constraints.refuse(params, model(service, operation))

    assert f"{service}:{operation}: {message}" == str(caught.value)


def test_all_problems_of_a_request_are_named():
    params = {"RoleName": "", "Path": "x"}

    with pytest.raises(RefusedError) as caught:
        constraints.refuse(params, model("iam", "CreateRole"))

    assert 3 == len(str(caught.value).splitlines())


@pytest.mark.parametrize(
    "params", [{"RoleName": "a_b-1"}, {"Tags": [{"Key": "ключ", "Value": "a b"}]}]
)
def test_accepts_what_the_service_model_allows(params):
    constraints.refuse(params, model("iam", "CreateRole"))


SERVICES = ("autoscaling", "ec2", "eks", "events", "iam", "kms", "logs", "sqs", "ssm")


@pytest.mark.parametrize("service", SERVICES)
def test_every_pattern_of_the_services_is_understood(service):
    loaded = botocore.session.get_session().get_service_model(service)
    shapes = (loaded.shape_for(name) for name in loaded.shape_names)
    patterns = {
        shape.metadata["pattern"] for shape in shapes if "pattern" in shape.metadata
    }

    assert set() == {text for text in patterns if constraints.compiled(text) is None}


def test_translates_names_and_texts_of_numbers():
    shape = model("ec2", "CreateLaunchTemplate").input_shape
    data = {
        "blockDeviceMappings": [
            {"deviceName": "/dev/xvda", "ebs": {"encrypted": "true", "iops": 3000}}
        ],
        "vpcSecurityGroupIds": ["sg-1"],
    }
    names = {"vpcSecurityGroupIds": "SecurityGroupIds"}

    assert {
        "BlockDeviceMappings": [
            {"DeviceName": "/dev/xvda", "Ebs": {"Encrypted": True, "Iops": 3000}}
        ],
        "SecurityGroupIds": ["sg-1"],
    } == translate.request(shape.members["LaunchTemplateData"], data, names)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"nope": 1}, "nope: RequestLaunchTemplateData has no such member"),
        ({"ebsOptimized": "yes"}, "ebsOptimized must be true or false, got 'yes'"),
        (
            {"cpuOptions": {"coreCount": "two"}},
            "cpuOptions.coreCount must be a whole number, got 'two'",
        ),
    ],
)
def test_refuses_what_cannot_be_translated(data, message):
    shape = model("ec2", "CreateLaunchTemplate").input_shape

    with pytest.raises(RefusedError) as caught:
        translate.request(shape.members["LaunchTemplateData"], data)

    assert message == str(caught.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://localhost:5000"])
def test_the_sandbox_is_on_this_machine(url):
    assert url == cloud.endpoint({"AWS_ENDPOINT_URL": url})


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://ec2.amazonaws.com",
        "http://127.0.0.1.example.com",
        "http://10.0.0.1:5000",
        "http://127.0.0.1@ec2.amazonaws.com",
    ],
)
def test_nothing_reaches_real_aws(url):
    with pytest.raises(RefusedError) as caught:
        cloud.endpoint({"AWS_ENDPOINT_URL": url})

    assert (
        "AWS_ENDPOINT_URL must be the address of the sandbox on this machine, such as "
        f"http://127.0.0.1:5000, got {url!r}"
    ) == str(caught.value)


def test_credentials_of_the_environment_are_forgotten():
    environment = {
        "AWS_ACCESS_KEY_ID": "real",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_ENDPOINT_URL_EC2": "https://ec2.amazonaws.com",
        "AWS_PROFILE": "prod",
        "AWS_REGION": "eu-west-1",
        "PATH": "/bin",
    }
    cloud.forget_real_account(environment)

    assert {
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_REGION": "eu-west-1",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "PATH": "/bin",
    } == environment


def test_h081_the_partition_follows_the_region():
    china = cloud.Cloud("http://127.0.0.1:1", "cn-north-1")

    assert "arn:aws-cn:ec2:cn-north-1:123456789012:vpc/x" == china.arn("ec2", "vpc/x")
    assert "amazonaws.com.cn" == china.dns_suffix
