import pytest

from components.spec.policy.expressions import cel
from tests.spec.policy.admission import evaluate


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        ("job", "'job'"),
        (100, "100"),
        (True, "true"),
        (False, "false"),
        ({}, "{}"),
        ([], "[]"),
        (["a", "b"], "['a', 'b']"),
        ({"a": "b", "c": "d"}, "{'a': 'b', 'c': 'd'}"),
        ({"a": 1, "b": "c"}, "{'a': dyn(1), 'b': dyn('c')}"),
        ({"a": {"b": "c"}, "d": {}}, "{'a': dyn({'b': 'c'}), 'd': dyn({})}"),
    ],
)
def test_literals_never_mix_types(value, literal):
    """The API server allows no map of mixed values without `dyn`."""
    assert literal == cel(value)
    assert value == evaluate(cel(value), {})


def test_a_misspelt_patch_does_not_compile():
    with pytest.raises(RuntimeError, match="undefined field 'pth'"):
        evaluate("[JSONPatch{op: 'add', pth: '/a'}]", {})


def test_an_expression_that_fails_is_noticed():
    with pytest.raises(ValueError, match="Key not found in map"):
        evaluate("object.metadata.ownerReferences[0].kind == 'Job'", {"metadata": {}})
