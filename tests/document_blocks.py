"""The fenced blocks of the documents, and fragments of stack files among them."""

import re
from dataclasses import fields
from pathlib import Path
from textwrap import dedent, indent

from infra import settings

ROOT = Path(__file__).parent.parent
STACK = "fragment"

_KEYS = "|".join(field.name for field in fields(settings.Settings))

_BLOCK = re.compile(
    r"^(?P<tab> *)```(\w*)\n(.*?)^(?P=tab)```$", re.MULTILINE | re.DOTALL
)

# What a fragment does not say itself.
_REST = {
    "aws:region": "ap-northeast-2",
    "network": "{cidr: 10.40.0.0/16, zones: 2}",
    "cluster": '{version: "1.36", public_access_cidrs: [203.0.113.0/24]}',
    "servers": "[{name: server, architecture: amd64, "
    "instance_types: [m7i.large, m6i.large], size: {min: 2, max: 4}}]",
    "jobs": "[{name: job, architecture: amd64, longest_job: 6h, "
    "instance_types: [m7i.4xlarge, m6i.4xlarge], size: {min: 0, max: 20}}, "
    "{name: job-arm, architecture: arm64, longest_job: 6h, "
    "instance_types: [m7g.4xlarge, m8g.4xlarge], size: {min: 0, max: 20}}]",
}


def blocks(document: Path, language: str) -> list[str]:
    """Return the text of each block of one language, or of none, in order."""
    found = _BLOCK.findall(document.read_text())
    return [dedent(body) for _, name, body in found if name == language]


def fragments(document: Path) -> list[str]:
    """Return the blocks that hold keys of a stack file."""
    texts = blocks(document, "yaml")
    # Whole programs in YAML say how they are run.
    return [
        text
        for text in texts
        if re.search(rf"^(?:  )?(?:{_KEYS}):", text, re.MULTILINE)
        and "runtime: yaml" not in text
    ]


def read_fragment(folder: Path, text: str) -> settings.Settings:
    """
    Read a fragment as a stack file, with what it leaves out.

    Raises:
        pulumi.RunError: The stack file would be refused.
    """
    body = text.partition("config:\n")[2] or indent(text, "  ")
    keys = [key.strip() for key in re.findall(r"^  (\S+?):(?= |$)", body, re.MULTILINE)]
    rest = "".join(
        f"  {key}: {value}\n" for key, value in _REST.items() if key not in keys
    )
    (folder / "Pulumi.yaml").write_text("name: eks-jobs\n")
    (folder / f"Pulumi.{STACK}.yaml").write_text(f"config:\n{rest}{body}")
    return settings.load_file(folder, STACK)
