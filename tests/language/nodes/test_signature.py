"""What functions take: of as many arguments as are written, each by its parameter."""

from __future__ import annotations

from kaicep.language.nodes import Signature, UnitRule, ValueType, Wanted, wanted_by


def signature(*parameters: Wanted, repeated: bool = False) -> Signature:
    return Signature(parameters, 0, repeated, ValueType.STRING, UnitRule.NONE, None)


def test_arguments_are_wanted_by_their_parameters() -> None:
    assert wanted_by(signature("a string", "a number"), 2) == ("a string", "a number")
    assert wanted_by(signature("a string", "a number"), 1) == ("a string",)


def test_the_last_parameter_is_that_of_all_further_arguments() -> None:
    assert wanted_by(signature("a boolean", "one type", repeated=True), 4) == ("a boolean", *["one type"] * 3)
