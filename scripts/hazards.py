"""
Name the proof of each hazard: the tests that carry its id, and lines of the docs.

    python scripts/hazards.py

The table is docs/hazards.md. A proof is a test with the id in its name or docstring
(`test_h040_...`, "H040: ..."), a pod of tests/data/pods.yaml whose `hazards` hold the
id. A row that warns or explains also wants a line of another document that names it,
and for one that explains the line is enough. Fails where a row has no proof, where a
proof names an id or a test that does not exist, and where the ids have gaps.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

__all__ = ["Proof", "Row", "gaps", "proofs", "report", "rows"]

ROOT = Path(__file__).parent.parent
TABLE = "docs/hazards.md"

# Admitted one by one, in a CEL runtime and on a real API server.
PODS = "tests/data/pods.yaml"

# So many were found in public; a row may be corrected, and none is dropped.
FEWEST = 88

KINDS = "explain", "refuse", "survive", "warn"

# What is accepted, or not possible, is for people to read.
_TOLD = "explain", "warn"

_ROW = re.compile(r"^\| (H\d{3}) \| (.+?) \| (.+?) \| ([a-z]+) \| .+ \|$", re.MULTILINE)
_ID = re.compile(r"(?<![0-9a-zA-Z])[hH](\d{3})(?![0-9a-zA-Z])")
_TEST = re.compile(r"\btests/[\w/]+\.py::\w+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """
    A hazard of the table.

    Args:
        id: `H001` and on.
        rule: What the project does about it.
        kind: One of `KINDS`.
    """

    id: str
    rule: str
    kind: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """
    Where an id is named.

    Args:
        id: The hazard.
        place: `tests/spec/test_volume.py::test_...`, `tests/data/pods.yaml::job-pod`,
            or `docs/job-policy.md:25`.
    """

    id: str
    place: str

    @property
    def is_test(self) -> bool:
        """Tell tests from lines of documents."""
        return "::" in self.place


def rows(table: str) -> list[Row]:
    """Read the rows of the table, in its order."""
    found = _ROW.findall(table)
    return [Row(id=id_, rule=rule, kind=kind) for id_, _, rule, kind in found]


def proofs(root: Path) -> list[Proof]:
    """Find what names a hazard below *root*, in the order of files and lines."""
    return [*_of_pods(root), *_of_tests(root), *_of_documents(root)]


def gaps(
    table: Sequence[Row], found: Sequence[Proof], named_tests: Mapping[str, str]
) -> list[str]:
    """
    List what is wrong, a line each.

    Args:
        table: The rows.
        found: The proofs.
        named_tests: Tests that documents name, `tests/a.py::test_b`, and where;
            only those that do not exist.
    """
    ids = [row.id for row in table]
    wanted = [f"H{number:03}" for number in range(1, max(FEWEST, len(ids)) + 1)]
    lines = [f"{id_}: no row in {TABLE}" for id_ in wanted if id_ not in ids]
    lines += [f"{id_}: more than one row" for id_ in wanted if ids.count(id_) > 1]
    lines += [line for row in table for line in _row_gaps(row, found)]
    lines += [
        f"{proof.place}: {proof.id} is no row of {TABLE}"
        for proof in found
        if proof.id not in ids
    ]
    return lines + [f"{where}: no test {name}" for name, where in named_tests.items()]


def report(table: Sequence[Row], found: Sequence[Proof]) -> str:
    """Write each row with its proofs, a line each."""
    lines = []
    for row in table:
        lines.append(f"{row.id} {row.kind}: {row.rule}")
        lines += [f"    {proof.place}" for proof in found if proof.id == row.id]
    return "\n".join(lines)


def missing_tests(root: Path) -> dict[str, str]:
    """Return the tests that documents name and that do not exist, and where."""
    exist = {place for place, _ in _tests(root)}
    return {
        name: place
        for place, line in _lines(root)
        for name in _TEST.findall(line)
        if name not in exist
    }


def main() -> int:
    """Print what proves each hazard, then the gaps; fail when there are any."""
    table, found = rows((ROOT / TABLE).read_text()), proofs(ROOT)
    wrong = gaps(table, found, missing_tests(ROOT))
    print(report(table, found))
    tests = sum(proof.is_test for proof in found)
    print(f"{len(table)} hazards, {tests} tests, {len(found) - tests} lines of docs")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


def _row_gaps(row: Row, found: Sequence[Proof]) -> Iterator[str]:
    own = [proof for proof in found if proof.id == row.id]
    if row.kind not in KINDS:
        yield f"{row.id}: kind must be one of {', '.join(KINDS)}, got {row.kind}"
    if not own:
        yield f"{row.id}: no proof"
    elif row.kind != "explain" and not any(proof.is_test for proof in own):
        yield f"{row.id}: only documents name it, and kind {row.kind} wants a test"
    elif row.kind in _TOLD and all(proof.is_test for proof in own):
        yield f"{row.id}: only tests name it, and kind {row.kind} wants a document"


def _of_pods(root: Path) -> Iterator[Proof]:
    for case in yaml.safe_load((root / PODS).read_text()):
        for id_ in case.get("hazards", ()):
            yield Proof(id=id_, place=f"{PODS}::{case['name']}")


def _of_tests(root: Path) -> Iterator[Proof]:
    for place, text in _tests(root):
        # \w would take the underscores of a name for letters.
        ids = dict.fromkeys(_ID.findall(text.replace("_", " ")))
        yield from (Proof(id=f"H{number}", place=place) for number in ids)


def _of_documents(root: Path) -> Iterator[Proof]:
    for place, line in _lines(root):
        # The name of a test in a line is no proof of its own.
        for number in dict.fromkeys(_ID.findall(_TEST.sub("", line))):
            yield Proof(id=f"H{number}", place=place)


def _tests(root: Path) -> Iterator[tuple[str, str]]:
    """Yield each test that pytest collects, with its name and docstring."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                text = f"{node.name} {ast.get_docstring(node) or ''}"
                yield f"{path.relative_to(root).as_posix()}::{node.name}", text


def _lines(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of what people read, but for the table itself."""
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        name = path.relative_to(root).as_posix()
        if name == TABLE:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            yield f"{name}:{number}", line


if __name__ == "__main__":
    sys.exit(main())
