"""An error says what is wrong, where, and what to do, and marks the place in its line."""

from __future__ import annotations

import kaicep.errors
import pytest
from kaicep.errors import KaicepError, Place, QueryTypeError, did_you_mean, error_fields, error_of

TEXT = "SELECT ?e.x\r\nFILTER (?e.y > 5)\nLIMIT 1"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 6, Place("q", 1, 1, 6, "SELECT ?e.x")),
        (21, 25, Place("q", 2, 9, 4, "FILTER (?e.y > 5)")),
        (21, 99, Place("q", 2, 9, 9, "FILTER (?e.y > 5)")),
        (99, 100, Place("q", 3, 8, 1, "LIMIT 1")),
    ],
    ids=["first line", "second line", "to the end of its first line", "behind the text"],
)
def test_places(start: int, end: int, expected: Place) -> None:
    assert Place.at("q", TEXT, start, end) == expected


@pytest.mark.parametrize(
    ("place", "hint", "shown"),
    [
        (None, None, "it is wrong"),
        (None, "mend it", "it is wrong: mend it"),
        (Place("a.toml"), None, "a.toml: it is wrong"),
        (Place("a.toml"), "mend it", "a.toml: it is wrong: mend it"),
        (Place("q", 12, 5, 3, "abcdefgh"), "mend it", "q:12:5: it is wrong\n  12 | abcdefgh\n     |     ^^^ mend it"),
        (Place("q", 1, 1, 1, "a"), None, "q:1:1: it is wrong\n  1 | a\n    | ^"),
    ],
)
def test_how_errors_are_shown(place: Place | None, hint: str | None, shown: str) -> None:
    error = QueryTypeError("it is wrong", place=place, hint=hint)
    assert str(error) == shown
    assert (error.message, error.place, error.hint) == ("it is wrong", place, hint)


def test_notebooks_show_the_message_alone() -> None:
    error = QueryTypeError("it is wrong", place=Place("q", 1, 1, 1, "a"))
    error.add_note("and so is that")
    assert error._render_traceback_() == ["q:1:1: it is wrong", "  1 | a", "    | ^", "and so is that"]


def test_the_nearest_known_name_is_suggested() -> None:
    assert did_you_mean("flowrte", ["sensorID", "flowrate"]) == "did you mean 'flowrate'?"
    assert did_you_mean("x", ["sensorID", "flowrate"]) is None


def test_every_error_is_a_kaicep_error() -> None:
    for name in kaicep.errors.__all__:
        kind = getattr(kaicep.errors, name)
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert issubclass(kind, KaicepError)


@pytest.mark.parametrize("place", [None, Place("q", 2, 9, 4, "FILTER (?e.y > 5)")])
def test_an_error_is_the_same_in_another_process(place: Place | None) -> None:
    error = QueryTypeError("it is wrong", place=place, hint="mend it")
    again = error_of(error_fields(error))
    assert (type(again), str(again)) == (QueryTypeError, str(error))
    assert type(error_of({**error_fields(error), "error": "Place"})) is KaicepError


def test_so_are_its_notes() -> None:
    error = KaicepError("it is wrong")
    error.add_note("and so is that")
    assert error_of(error_fields(error)).__notes__ == ["and so is that"]


@pytest.mark.parametrize("column", [1, 400, 50_000, 100_000])
def test_of_a_long_line_the_neighbourhood_is_shown(column: int) -> None:
    line = "x" * (column - 1) + "!!" + "y" * (100_000 - column)
    error = KaicepError("no", place=Place("q", 1, column, 2, line))
    _, shown, marked = str(error).split("\n")
    assert len(shown) < 600
    assert shown[marked.index("^") : marked.rindex("^") + 1] == "!!"
    assert error.place is not None
    assert error.place.text == line


def test_a_message_that_tells_of_a_long_word_is_clipped() -> None:
    told = str(KaicepError(f"unknown attribute '{'x' * 100_000}' of stream 'air'", hint="did you mean 'x'?"))
    assert len(told) < 1_100
    assert told.startswith("unknown attribute 'xxx")
    assert told.endswith("x' of stream 'air': did you mean 'x'?")
