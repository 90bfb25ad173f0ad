"""
Each hazard of docs/hazards.md has a proof, and `make hazards` finds the gaps.

Not proven here: that a test which carries an id proves the whole kind of its row.
"""

import pytest

from scripts import hazards
from scripts.hazards import Proof, Row

TEST = "tests/spec/test_volume.py::test_h001_rejects"


def row(number: int, **overrides: str) -> Row:
    return Row(
        **{"id": f"H{number:03}", "rule": "Refused.", "kind": "refuse"} | overrides
    )


TABLE = [row(number) for number in range(1, 89)]
FOUND = [Proof(id=one.id, place=TEST) for one in TABLE]


def test_every_hazard_of_the_table_has_a_proof():
    table = hazards.rows((hazards.ROOT / hazards.TABLE).read_text())
    found = hazards.proofs(hazards.ROOT)

    assert [] == hazards.gaps(table, found, hazards.missing_tests(hazards.ROOT))


def test_a_row_is_read_with_its_rule_and_kind():
    table = (
        "| id | fault | rule | kind | source |\n"
        "|---|---|---|---|---|\n"
        "| H007 | Bound by name. | Protected | survive | o/r#1, o/r#2 |\n"
    )

    assert [Row(id="H007", rule="Protected", kind="survive")] == hazards.rows(table)


def test_nothing_is_wrong_with_a_complete_table():
    assert [] == hazards.gaps(TABLE, FOUND, {})


@pytest.mark.parametrize(
    ("table", "found", "tests", "expected"),
    [
        (TABLE[:-1], FOUND[:-1], {}, "H088: no row in docs/hazards.md"),
        (
            [*TABLE, row(90)],
            [*FOUND, Proof(id="H090", place=TEST)],
            {},
            "H089: no row in docs/hazards.md",
        ),
        (
            [*TABLE[:-1], TABLE[0]],
            FOUND[:-1],
            {},
            "H088: no row in docs/hazards.md\nH001: more than one row",
        ),
        (TABLE, FOUND[1:], {}, "H001: no proof"),
        (
            TABLE,
            [*FOUND[1:], Proof(id="H001", place="docs/limits.md:7")],
            {},
            "H001: only documents name it, and kind refuse wants a test",
        ),
        (
            [row(1, kind="warn"), *TABLE[1:]],
            FOUND,
            {},
            "H001: only tests name it, and kind warn wants a document",
        ),
        (
            [row(1, kind="ignore"), *TABLE[1:]],
            FOUND,
            {},
            "H001: kind must be one of explain, refuse, survive, warn, got ignore",
        ),
        (
            TABLE,
            [*FOUND, Proof(id="H089", place=TEST)],
            {},
            f"{TEST}: H089 is no row of docs/hazards.md",
        ),
        (
            TABLE,
            FOUND,
            {"tests/a.py::test_gone": "docs/limits.md:7"},
            "docs/limits.md:7: no test tests/a.py::test_gone",
        ),
    ],
)
def test_a_gap_is_named(table, found, tests, expected):
    assert expected == "\n".join(hazards.gaps(table, found, tests))


def test_a_line_of_the_docs_is_enough_where_a_row_only_explains():
    table = [row(1, kind="explain"), *TABLE[1:]]
    found = [*FOUND[1:], Proof(id="H001", place="docs/limits.md:7")]

    assert [] == hazards.gaps(table, found, {})


def test_ids_are_read_where_they_prove_something(
    tmp_path,
):
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests" / "data").mkdir(parents=True)
    (tmp_path / hazards.PODS).write_text(
        "- {name: job-pod}\n- {name: mirror-pod, hazards: [H006, H007]}\n"
    )
    (tmp_path / "README.md").write_text("Deletion may wait (H071).\n")
    (tmp_path / "docs" / "hazards.md").write_text("H001\n")
    (tmp_path / "docs" / "limits.md").write_text(
        "\nH083, see tests/test_a.py::test_h001_h002 and tests/test_a.py::test_gone.\n"
    )
    (tmp_path / "tests" / "test_a.py").write_text(
        "# H009 in a comment is no proof.\n"
        "def test_h001_h002(): ...\n"
        "def test_named_elsewhere():\n"
        '    """H003: the kind of it."""\n'
        "def helper_h004(): ...\n"
    )
    (tmp_path / "tests" / "helper.py").write_text("def test_h005(): ...\n")

    assert [
        Proof(id="H006", place="tests/data/pods.yaml::mirror-pod"),
        Proof(id="H007", place="tests/data/pods.yaml::mirror-pod"),
        Proof(id="H001", place="tests/test_a.py::test_h001_h002"),
        Proof(id="H002", place="tests/test_a.py::test_h001_h002"),
        Proof(id="H003", place="tests/test_a.py::test_named_elsewhere"),
        Proof(id="H071", place="README.md:1"),
        Proof(id="H083", place="docs/limits.md:2"),
    ] == hazards.proofs(tmp_path)
    assert {"tests/test_a.py::test_gone": "docs/limits.md:2"} == hazards.missing_tests(
        tmp_path
    )


def test_the_report_names_the_proofs_below_their_row():
    found = [Proof(id="H002", place="docs/limits.md:7"), *FOUND[:1]]

    assert [
        "H001 refuse: Refused.",
        f"    {TEST}",
        "H002 refuse: Refused.",
        "    docs/limits.md:7",
    ] == hazards.report(TABLE[:2], found).splitlines()
