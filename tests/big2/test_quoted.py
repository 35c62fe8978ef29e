"""What somebody wrote, repeated to him."""

import pytest

from big2.quoted import all_quoted, quoted


@pytest.mark.parametrize(("value", "told"), [("é", '"é"'), ([14, 5], "[14, 5]"), ("\x07", '"\\u0007"')])
def test_a_value_is_quoted_as_json_has_it(value, told):
    assert quoted(value) == told


def test_five_values_are_named_and_the_others_counted():
    assert all_quoted([1, 2, 3, 4, 5]) == "1, 2, 3, 4, 5"
    assert all_quoted([1, 2, 3, 4, 5, 6]) == "1, 2, 3, 4, 5 and 1 more"
