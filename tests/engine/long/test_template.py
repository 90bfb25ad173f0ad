"""
`pulumi new` from this repository, by the real CLI, to a project of another name.

Not proven here: that the CLI fetches the repository from git; that it installs the
packages, which happens with the current language host and needs the package index.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.engine.long.place import Done, Place, script
from tests.engine.project import ROOT

STACK = "dev"
ANSWERS = {
    "aws:region": "eu-west-1",
    "shop:network.zones": "2",
    "shop:cluster.public_access_cidrs": '["203.0.113.0/24"]',
}


@dataclass(frozen=True, kw_only=True)
class Story:
    """What the CLI said, and what it wrote."""

    new: Done
    incomplete: Done
    preview: Done
    project: dict
    stack: dict


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    folder = tmp_path_factory.mktemp("template")
    template = checked_out(folder / "template")
    # Nothing is installed: the interpreter has all packages, and no index is reached.
    host = ROOT / "tests" / "engine" / "long" / "plugin_host.py"
    python = script(folder / "bin", "pulumi-language-python", host, ROOT)
    place = Place(folder, [python.parent])
    try:
        return told(place, template, python)
    finally:
        place.close()


def checked_out(target: Path) -> Path:
    """Copy what git knows, as a clone would have it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        source, copy = ROOT / name, target / name
        if source.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)
    return target


def told(place: Place, template: Path, python: Path) -> Story:
    answers = [
        word
        for key, value in ANSWERS.items()
        for word in ("--config", f"{key}={value}")
    ]
    new = place.pulumi(
        *("new", str(template), "--name", "shop", "--stack", STACK),
        *("--yes", "--offline", *answers),
    )
    # From here on the host is the one beside the CLI.
    python.unlink()
    project = yaml.safe_load((place.program / "Pulumi.yaml").read_text())
    file = place.program / f"Pulumi.{STACK}.yaml"
    preview = place.pulumi("preview", "--stack", STACK)
    text = file.read_text()
    stack = yaml.safe_load(text)
    file.write_text(yaml.safe_dump({"config": {"aws:region": "eu-west-1"}}))
    incomplete = place.pulumi("preview", "--stack", STACK)
    file.write_text(text)
    return Story(
        new=new, incomplete=incomplete, preview=preview, project=project, stack=stack
    )


def test_a_project_of_another_name_is_made(story):
    assert 0 == story.new.code, story.new.text
    assert "Created project 'shop'" in story.new.text
    assert "shop" == story.project["name"]
    assert "template" not in story.project


def test_the_answers_are_in_the_stack_file_with_what_was_there(story):
    config = story.stack["config"]
    plain = {key.removeprefix("shop:") for key in config}

    assert ANSWERS == {key: config[key] for key in ANSWERS}
    assert {"network", "cluster", "servers", "jobs", "scaler", "tags"} <= plain


def test_the_new_project_deploys(story):
    assert 0 == story.preview.code, story.preview.text
    assert "shop-dev" in story.preview.text
    assert "eks-jobs:index:JobPlatform platform create" in story.preview.text


def test_what_a_stack_must_say_is_named(story):
    assert 0 != story.incomplete.code
    assert (
        "Stack 'dev' is missing configuration values "
        "'cluster', 'jobs', 'network' and 'servers'"
    ) in story.incomplete.text
