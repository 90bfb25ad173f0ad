"""
Every setting has a row in docs/updates.md.

Not proven here: that the rows are right; tests/engine/long/test_update_safety.py
computes them, which takes a minute.
"""

import re
from pathlib import Path

from scripts import reference
from tests.engine.long.update_changes import BASES, CHANGES, COVERED, MAY_END_JOBS

ROOT = Path(__file__).parent.parent

ROWS = {change.key for change in CHANGES}


def is_covered(path: str) -> bool:
    """Tell whether a key, or all that stands below it, has a row."""
    above = [path[: found.start()] for found in re.finditer(r"[.\[]", path)]
    return (
        path in ROWS
        or any(place in COVERED for place in [*above, f"{path}[]", path])
        or any(row.startswith((f"{path}.", f"{path}[")) for row in ROWS)
    )


def test_every_setting_has_a_row():
    listed = [key.path for _, key in reference.keys(reference.sections())]

    assert [] == [path for path in listed if not is_covered(path)]


def test_every_row_is_about_a_setting():
    listed = {key.path for _, key in reference.keys(reference.sections())}

    assert set() == ROWS - listed
    assert set() == set(COVERED.values()) - ROWS


def test_every_way_to_make_nodes_is_tried_on_every_setting_of_a_job_group():
    listed = {
        key.path
        for _, key in reference.keys(reference.sections())
        if key.path.startswith("jobs[].") and key.path in ROWS
    }

    for base in BASES:
        assert listed == {
            change.key
            for change in CHANGES
            if change.base == base and change.key.startswith("jobs[].")
        }


def test_the_committed_table_has_exactly_the_rows():
    text = (ROOT / "docs" / "updates.md").read_text()
    tables = text.partition("## network")[2]

    assert ROWS == set(re.findall(r"^\| `([^`]+)` \|", tables, re.MULTILINE))
    assert set() == {key for key, _ in MAY_END_JOBS} - ROWS
