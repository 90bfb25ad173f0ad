"""Records of an account that has none yet, and of one that has."""

import pytest

from sandbox.aws.journal import RecordExistsError
from tests.sandbox.aws_driver import served


@pytest.fixture
def journal():
    with served() as account:
        yield account.journal


def test_an_empty_account_has_no_records(journal):
    journal.remove("a/1")

    assert (None, []) == (journal.get("a/1"), list(journal.below("a/")))


def test_a_record_is_made_once_found_and_removed(journal):
    journal.put("a/2", {"n": 2})
    journal.add("a/1", {"n": 1})
    with pytest.raises(RecordExistsError, match="a/1"):
        journal.add("a/1", {"n": 3})

    assert [("a/1", {"n": 1}), ("a/2", {"n": 2})] == list(journal.below("a/"))
    journal.remove("a/1")
    assert [("a/2", {"n": 2})] == list(journal.below("a/"))
