"""What importers install: the components alone, typed, with room for their own pins."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.document_blocks import blocks

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NEEDED = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
PINS = dict(
    re.findall(
        r"^([\w-]+)==(\S+)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE
    )
)


def test_every_folder_of_components_is_in_the_wheel():
    folders = {path.parent for path in (ROOT / "components").rglob("*.py")}
    names = {folder.relative_to(ROOT / "components").parts for folder in folders}

    assert {".".join(("eks_jobs", *parts)) for parts in names} == set(
        PROJECT["tool"]["setuptools"]["packages"]
    )


def test_files_that_are_no_modules_are_in_the_wheel():
    data = PROJECT["tool"]["setuptools"]["package-data"]
    listed = {
        path
        for package, globs in data.items()
        for glob in globs
        for path in (
            ROOT / package.replace(".", "/").replace("eks_jobs", "components", 1)
        ).glob(glob)
    }
    files = {path for path in (ROOT / "components").rglob("*") if path.is_file()}

    assert listed == {
        path
        for path in files
        if path.suffix != ".py" and "__pycache__" not in path.parts
    }


@pytest.mark.parametrize("needed", NEEDED, ids=str)
def test_what_we_pin_is_among_what_importers_may_have(needed):
    assert PINS[needed.name] in needed.specifier


def test_importers_get_what_the_program_needs_and_no_more():
    assert PINS.keys() == {needed.name for needed in NEEDED}


def test_the_stack_of_the_documents_deploys(deploy):
    code = compile(documented("pulumi.export("), "import.md", "exec")

    deployed = deploy(lambda: exec(code, {}))

    assert {"group": "shop-job"} == deployed.exports


def test_the_mocks_of_the_documents_run_a_platform(tmp_path):
    """Alone, as importers run them: without the fake engine of these tests."""
    file = tmp_path / "test_stack.py"
    file.write_text(documented("pulumi.runtime.Mocks"))
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == finished.returncode, finished.stdout
    assert "1 passed" in finished.stdout


def documented(part: str) -> str:
    """Return the program of the document with *part* in it, for this checkout."""
    programs = blocks(ROOT / "docs" / "import.md", "python")
    (program,) = (one for one in programs if part in one)
    assert "import eks_jobs as jobs" in program
    return program.replace("eks_jobs", "components")
