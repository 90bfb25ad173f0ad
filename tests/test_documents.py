"""
Links and commands in the documents lead somewhere.

Not proven here: that an address on the web answers.
"""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MADE = {".git", ".venv", ".sandbox", "build", "node_modules"}

# Files that the program writes are read as data, see tests/test_render.py.
DOCUMENTS = sorted(
    path.relative_to(ROOT)
    for path in ROOT.rglob("*.md")
    if not MADE & set(path.relative_to(ROOT).parts) and "golden" not in path.parts
)
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:^|`)\s*make ([a-z-]+)", re.MULTILINE)


def headings(path: Path) -> set[str]:
    """Return the anchors of a document, as code hosts make them of its headings."""
    lines = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", line.lower()) for line in lines)
    return {line.replace(" ", "-") for line in plain}


def broken(document: Path, link: str) -> bool:
    if "://" in link or link.startswith("mailto:"):
        return False
    place, _, anchor = link.partition("#")
    target = (ROOT / document).parent / place if place else ROOT / document
    if not target.exists():
        return True
    return bool(anchor) and anchor not in headings(target)


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_link_leads_to_a_file_and_a_heading(document):
    links = LINK.findall((ROOT / document).read_text())

    assert [] == [link for link in links if broken(document, link)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_command_is_a_target_of_make(document):
    commands = COMMAND.findall((ROOT / document).read_text())
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))

    assert [] == [command for command in commands if command not in targets]


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("README.md", False),
        ("docs/nowhere.md", True),
        ("#nowhere", True),
        ("https://example.com/nowhere", False),
    ],
)
def test_a_broken_link_is_seen(link, expected):
    assert expected == broken(Path("README.md"), link)


def test_make_help_names_every_target():
    listed = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    makefile = (ROOT / "Makefile").read_text()
    phony = " ".join(re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE))

    assert sorted(phony.split()) == sorted(re.findall(r"^  (\S+) ", listed, re.M))
