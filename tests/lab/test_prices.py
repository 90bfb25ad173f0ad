"""Tables of prices."""

import pytest

from lab.prices import load_prices, read_prices


def test_a_map_of_yaml_is_a_table_of_prices():
    text = "m7i.4xlarge: 0.8064\nm7g.4xlarge: 1\n"

    assert {"m7i.4xlarge": 0.8064, "m7g.4xlarge": 1.0} == read_prices(text, "p.yaml")


@pytest.mark.parametrize(
    "head",
    [
        "instance_type,usd_per_hour",
        "Type, Price",
        "# ours\n\ninstance type,USD/hour",
        "\ufeffinstance_type,usd_per_hour",
    ],
)
def test_a_csv_is_a_table_of_prices(head):
    text = f"{head}\nm7i.4xlarge,0.8064\n"

    assert {"m7i.4xlarge": 0.8064} == read_prices(text, "p.csv")


def test_a_csv_of_a_spreadsheet_may_have_semicolons():
    text = "usd_per_hour;instance_type\n0.5;m7i.4xlarge\n"

    assert {"m7i.4xlarge": 0.5} == read_prices(text, "p.csv")


@pytest.mark.parametrize(
    ("name", "text", "problems"),
    [
        (
            "p.yaml",
            "m7i.4xlarge: 0\nbig: 1\nm7g.4xlarge: free\nm6i.4xlarge: true\n",
            [
                "p.yaml:1: usd_per_hour: must be above 0, got 0",
                "p.yaml:2: instance_type: must look like m7i.4xlarge, got big",
                "p.yaml:3: usd_per_hour: must be above 0, got 'free'",
                "p.yaml:4: usd_per_hour: must be above 0, got True",
            ],
        ),
        (
            "p.csv",
            "type,price\n\nm7i.4xlarge,nan\nm7i.4xlarge,1\n",
            [
                "p.csv:3: usd_per_hour: must be above 0, got nan",
                "p.csv:4: instance_type: must have one price, got m7i.4xlarge of line "
                "3 again",
            ],
        ),
        (
            "p.csv",
            "type,price\nm7i.4xlarge\nm7g.4xlarge,1,2\n",
            [
                "p.csv:2: must have 2 fields, got 1",
                "p.csv:3: must have 2 fields, got 3",
            ],
        ),
        (
            "p.csv",
            "type,euro\n",
            [
                "p.csv:1: column must be of instance_type, usd_per_hour, got 'euro'",
                "p.csv:1: usd_per_hour: must be a column, got none",
            ],
        ),
        (
            "p.csv",
            "type,instance_type,price\n",
            ["p.csv:1: instance_type: must be one column, got 2"],
        ),
        (
            "p.csv",
            "\n# nothing\n",
            ["p.csv: must have a line with instance_type, usd_per_hour, got none"],
        ),
        (
            "p.yaml",
            "- m7i.4xlarge\n",
            ["p.yaml: must be a map of instance type to USD an hour"],
        ),
        ("p.yaml", "", ["p.yaml: must be a map of instance type to USD an hour"]),
        (
            "p.yaml",
            "a.large: 1\na.large: 2\n",
            ["p.yaml:2: must be YAML, got: key a.large stands twice"],
        ),
        (
            "p.yaml",
            "a.large: [\n",
            ["p.yaml:2: must be YAML, got: did not find expected node content"],
        ),
    ],
)
def test_what_is_no_price_is_named_with_its_line(name, text, problems):
    with pytest.raises(ValueError, match=".") as caught:
        read_prices(text, name)

    assert problems == str(caught.value).splitlines()


def test_prices_come_from_a_file(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("instance_type,usd_per_hour\nm7i.4xlarge,1\n")

    assert {"m7i.4xlarge": 1.0} == load_prices(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"gone\.csv: must be a file of prices, got: "):
        load_prices(tmp_path / "gone.csv")
