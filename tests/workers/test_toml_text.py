"""TOML that is none is told in words, with the line and the character."""

import pytest

from workers.toml_text import NotTomlError, read_toml

VALUE = "no value of TOML stands there (a text has quotes; true and false have small letters)"


def test_what_is_toml_is_read():
    assert read_toml('base = "taiwan"\npoint_tiers = [[10, 2]]\n') == {
        "base": "taiwan",
        "point_tiers": [[10, 2]],
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("base", "is not TOML: an equals sign is missing at its end"),
        ("base: 'x'", "is not TOML: an equals sign is missing at line 1, character 5"),
        ("= 1", "is not TOML: a name is missing at line 1, character 1"),
        ("\ndragon = True", f"is not TOML: {VALUE} at line 2, character 10"),
        ("twos = none\n", f"is not TOML: {VALUE} at line 1, character 8"),
        ("a = 1 2", "is not TOML: more follows after the value at line 1, character 7"),
        ('a = ["x" "y"]', "is not TOML: a list lacks a comma or its closing bracket at line 1, character 10"),
        ("a = {b = 1", "is not TOML: a table lacks a comma or its closing bracket at its end"),
        ('a = "x', "is not TOML: a text has no end at its end"),
        ('a = "x\nb = 1', "is not TOML: a text has no end at line 1, character 7"),
        ("a = 'x", "is not TOML: a text has no end at its end"),
        ("a = 'x\n'", "is not TOML: a text has no end at line 1, character 7"),
        (r'a = "\q"', "is not TOML: a text has an escape that TOML does not know at line 1, character 8"),
        ("# \x01", "is not TOML: a character stands there that TOML does not allow at line 1, character 3"),
        (
            'a = "\x01"',
            "is not TOML: a character stands there that TOML does not allow at line 1, character 6",
        ),
        ("[a]\n[a]", "is not TOML: a table stands there twice at line 2, character 3"),
        ("[a", "is not TOML: it goes wrong at its end"),
        ("a = 1\nb = 2\na = 3\n", 'names a member twice: "a", at line 3, character 6'),
        ("a = {b = 1, b = 2}\n", 'names a member twice: "b", at line 1, character 18'),
        ("'a' = 1\n'a' = 3\n", "names a member twice at line 2, character 8"),
        ("a = " + "[" * 5_000 + "]" * 5_000, "is nested too deep"),
    ],
    ids=range(21),
)
def test_what_is_no_toml_is_told_in_words_with_its_place(text, told):
    with pytest.raises(NotTomlError) as wrong:
        read_toml(text)
    assert str(wrong.value) == told
