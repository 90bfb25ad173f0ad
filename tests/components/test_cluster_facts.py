"""What is refused of a cluster that others made, before anything joins it."""

import pulumi
import pytest

from tests.components.builders import facts

QUOTES = 'version must be text in quotes such as "1.36", '


def refusal(**overrides) -> list[str]:
    with pytest.raises(ValueError, match=".") as caught:
        facts(**overrides)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        (
            {"name": "a.b"},
            "name must be 1 to 100 letters, digits, - and _, and begin with a letter "
            "or digit, got name='a.b'",
        ),
        (
            {"name": None},
            "name must be plain text, as the configuration of the stack has it, "
            "got None",
        ),
        ({"version": 1.3}, f"{QUOTES}got version=1.3: YAML reads it as a number"),
        (
            {"version": "1"},
            f"{QUOTES}got version='1' (YAML reads an unquoted 1.30 as 1.3)",
        ),
        (
            {"version": "1.29"},
            "version must be 1.32 or newer, EKS no longer offers older ones, "
            "got version='1.29'",
        ),
        ({"subnet_ids": ()}, "subnet_ids must name at least one subnet"),
        (
            {"subnet_ids": "subnet-1"},
            "subnet_ids must be a list of ids, each of which may be an Output, "
            "got 'subnet-1'",
        ),
    ],
)
def test_a_wrong_value_is_named(overrides, line):
    assert [line] == refusal(**overrides)


def test_what_decides_about_resources_cannot_be_an_output_and_all_of_it_is_said(deploy):
    def program():
        lines = refusal(
            name=pulumi.Output.from_input("alpha"),
            version=pulumi.Output.from_input("1.36"),
            subnet_ids=pulumi.Output.from_input(["subnet-1", "subnet-2"]),
        )
        assert [
            "name must be plain text, as the configuration of the stack has it, "
            "got an Output",
            "subnet_ids must be a list of ids, each of which may be an Output, "
            "got an Output",
            "version must be plain text, as the configuration of the stack has it, "
            "got an Output",
        ] == lines

    deploy(program)


def test_h073_each_subnet_may_be_an_output(deploy):
    def program():
        subnet = pulumi.Output.from_input("subnet-2")
        pulumi.export(
            "subnets", list(facts(subnet_ids=("subnet-1", subnet)).subnet_ids)
        )

    assert {"subnets": ["subnet-1", "subnet-2"]} == deploy(program).exports
