"""
Links, commands, fragments of stack files and of programs in the documents are sound.

Not proven here: that an address on the web answers, that commands of others are right.
"""

import ast
import re
import subprocess
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pulumi
import pytest

from tests.document_blocks import blocks, fragments, read_fragment

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


# What programs import: what we ship, under both of its names, and the SDKs.
NAMES = {"eks_jobs": "components"}


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
    ("document", "text"),
    [
        pytest.param(document, text, id=f"{document}-{place}")
        for document in DOCUMENTS
        for place, text in enumerate(fragments(ROOT / document))
    ],
)
def test_every_fragment_of_a_stack_file_is_valid(tmp_path, document, text):
    """Alone with the least that a stack file says, as a reader would paste it."""
    chosen = read_fragment(tmp_path, text)

    assert chosen.jobs, document


def test_a_wrong_fragment_is_seen(tmp_path):
    with pytest.raises(pulumi.RunError, match="^vpc_cni.warm: unknown key"):
        read_fragment(tmp_path, "vpc_cni: {kind: prefixes, warm: 2}\n")


def absent(text: str) -> list[str]:
    """Name what a program imports and what is not there."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names if not find_spec(known(a.name))]
        elif isinstance(node, ast.ImportFrom):
            module = import_module(known(str(node.module)))
            found += [a.name for a in node.names if not hasattr(module, a.name)]
    return found


def known(module: str) -> str:
    return NAMES.get(module, module)


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_every_program_parses_and_its_imports_exist(document):
    texts = blocks(ROOT / document, "python")

    assert [] == [name for text in texts for name in absent(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import eks_jobs as jobs", []),
        ("from components import JobGroup, JobGruop", ["JobGruop"]),
        ("import component", ["component"]),
    ],
)
def test_a_wrong_import_is_seen(text, expected):
    assert expected == absent(text)


def test_every_document_is_found_from_the_index():
    index = ROOT / "docs" / "README.md"
    linked = {
        (index.parent / link.partition("#")[0]).resolve().relative_to(ROOT)
        for link in LINK.findall(index.read_text())
    }
    # Alerts lead to runbooks, guides to each other.
    deeper = {Path("docs/runbooks"), Path("docs/adopt")}
    wanted = {
        path
        for path in DOCUMENTS
        if path.parts[0] in ("docs", "examples") and path.parent not in deeper
    }

    assert set() == wanted - linked - {Path("docs/README.md")}


def test_every_figure_that_a_document_names_is_one_of_monitoring():
    figure = re.compile(r"`([a-z_]+:eks_jobs_\w+:\w+)`")
    known = set(figure.findall((ROOT / "docs" / "monitoring.md").read_text()))

    assert set() == {
        name
        for document in DOCUMENTS
        for name in figure.findall((ROOT / document).read_text())
        if name not in known
    }


def test_every_key_to_change_is_one_of_the_reference():
    reference = (ROOT / "docs" / "reference.md").read_text()
    ends = {
        key.split(".", place)[-1]
        for key in re.findall(r"^\| \[?`(\S+?)`", reference, re.MULTILINE)
        for place in range(key.count(".") + 1)
    }
    rows = re.findall(
        r"^\|.*\| (.+) \|$",
        (ROOT / "docs" / "troubleshooting.md").read_text(),
        re.MULTILINE,
    )
    named = re.findall(r"`([a-z_]+(?:\.[a-z_<>]+)*)(?:`|: )", "\n".join(rows))

    assert len(named) > 30
    assert [] == [key for key in named if key not in ends]


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
