"""
`Pulumi.yaml`: the keys that it describes, and the questions of `pulumi new`.

Not proven here: that the CLI asks them; `tests/engine/long/test_template.py` lets it.
"""

from dataclasses import MISSING, fields
from pathlib import Path

import pulumi
import pytest
import yaml

from infra import settings, stack_file
from infra.settings import Settings

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "Pulumi.yaml").read_text()
PROJECT = yaml.safe_load(TEXT)
GIVEN = ("region", "token", "secret_keys")
KEYS = [field for field in fields(Settings) if field.name not in GIVEN]
OPTIONAL = [
    field.name
    for field in KEYS
    if field.default is not MISSING or field.default_factory is not MISSING
]
DEV = stack_file.read_config(ROOT, "dev")


def read(**more):
    own = {key.removeprefix("eks-jobs:"): value for key, value in DEV.items()}
    own.pop("aws:region")
    return settings.read(
        {**own, **more}, region=DEV["aws:region"], cluster_name="shop-dev"
    )


def test_every_key_that_a_stack_must_have_is_described():
    required = [field.name for field in KEYS if field.name not in OPTIONAL]

    assert required == list(PROJECT["config"])


def test_no_key_gets_a_default_or_a_type_beside_those_of_the_program():
    assert [{"description"}] * len(PROJECT["config"]) == [
        set(described) for described in PROJECT["config"].values()
    ]


def test_the_other_keys_are_named():
    assert f"{', '.join(OPTIONAL)}." in " ".join(TEXT.replace("#", " ").split())


def test_what_is_asked_makes_a_stack_with_its_defaults():
    asked = PROJECT["template"]["config"]
    answers = {key: asked[key]["default"] for key in asked if ":" not in key}
    made = read(**answers)

    assert (3, ()) == (made.network.zones, made.cluster.public_access_cidrs)
    assert DEV["aws:region"] == asked["aws:region"]["default"]


def test_answers_are_texts_of_json():
    made = read(
        **{
            "network.zones": '["ap-northeast-2a", "ap-northeast-2c"]',
            "cluster.public_access_cidrs": '["203.0.113.0/24"]',
        }
    )

    assert ("ap-northeast-2a", "ap-northeast-2c") == made.network.zones
    assert ("203.0.113.0/24",) == made.cluster.public_access_cidrs
    assert "10.43.0.0/16" == made.network.cidr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"network.zones": "9"},
            "network: zones must be 2 to 6, got zones=9",
        ),
        (
            {"network.cidr": "10.44.0.0/16"},
            "network.cidr: stands twice, alone and in network",
        ),
        (
            {"network.zone": "3"},
            "network.zone: unknown key, expected one of cidr, zones, nat, endpoints; "
            "did you mean zones?",
        ),
        (
            {"jobs.size": "3"},
            '["jobs.size"]: unknown key, expected one of '
            f"{', '.join(field.name for field in KEYS)}",
        ),
    ],
)
def test_a_wrong_answer_is_refused_as_if_it_stood_in_its_place(more, message):
    with pytest.raises(pulumi.RunError) as refused:
        read(**more)

    assert message == str(refused.value)


def test_stack_files_follow_the_name_of_the_project(tmp_path):
    for name in ("Pulumi.yaml", "Pulumi.dev.yaml", "Pulumi.prod.yaml"):
        text = (ROOT / name).read_text()
        renamed = text.replace("name: eks-jobs\n", "name: shop\n", 1)
        (tmp_path / name).write_text(renamed)

    assert "shop-dev" == settings.load_file(tmp_path, "dev").cluster.name
    assert "shop-prod" == settings.load_file(tmp_path, "prod").cluster.name


def test_a_key_with_and_without_the_name_of_the_project_is_refused(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: shop")
    (tmp_path / "Pulumi.dev.yaml").write_text(
        "config: {scaler: {kind: karpenter}, 'shop:scaler': {kind: auto-mode}}"
    )
    with pytest.raises(pulumi.RunError) as refused:
        stack_file.read_config(tmp_path, "dev")

    assert (
        "Pulumi.dev.yaml: shop:scaler stands twice, with and without the name of the "
        "project"
    ) == str(refused.value)
