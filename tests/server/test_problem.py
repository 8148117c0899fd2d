"""A refusal has a status, an error with its way out, and headers."""

from __future__ import annotations

from typing import Literal

import pytest
from kaicep.errors import ArchiveError
from kaicep.server.problem import ProblemError, first_fault
from pydantic import BaseModel, ConfigDict, Field, ValidationError


def test_a_problem_has_headers() -> None:
    problem = ProblemError(503, "too many", "wait", Retry_After="5")
    assert (problem.headers, problem.error.message, problem.error.hint) == ({"Retry-After": "5"}, "too many", "wait")


def test_it_is_told_as_its_error() -> None:
    assert "this is no query: write one" in str(ProblemError(400, ArchiveError("this is no query", hint="write one")))


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str
    limit: int = Field(5, ge=1, le=10)
    form: Literal["text", "svg"] = "text"
    whole: bool = False
    near: float = 0


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ('{"text": "a", "limit": "abc"}', "limit: 'abc' is no whole number: write one, such as 20"),
        ('{"text": "a", "limit": 2.5}', "limit: '2.5' is no whole number: write one, such as 20"),
        ('{"text": "a", "limit": 0}', "limit: '0' is less than 1: write 1 or more"),
        ('{"text": "a", "limit": 99}', "limit: '99' is more than 10: write 10 or less"),
        ('{"text": "a", "form": "poem"}', "form: 'poem' is no choice that there is: write 'text' or 'svg'"),
        ('{"text": "a", "whole": "perhaps"}', "whole: 'perhaps' is neither true nor false: write one of them"),
        ('{"text": 5}', "text: '5' is no text: write it in quotation marks"),
        ('{"text": "a", "sort": 1}', "sort: nothing is called so: leave it out"),
        ("{}", "text: it is missing: add it"),
        (f'{{"text": "a", "limit": "{70 * "x"}"}}', f"limit: '{60 * 'x'}…' is no whole number: write one, such as 20"),
    ],
)
def test_what_is_wrong_is_told_with_the_way_out(sent: str, said: str) -> None:
    with pytest.raises(ValidationError) as wrong:
        _Asked.model_validate_json(sent)
    assert str(first_fault(wrong.value.errors())) == said


def test_what_has_no_words_of_ours_has_those_of_pydantic() -> None:
    with pytest.raises(ValidationError) as wrong:
        _Asked.model_validate_json('{"text": "a", "near": "here"}')
    assert first_fault(wrong.value.errors()).message.startswith("near: 'here' is wrong: Input should be a valid number")
    with pytest.raises(ValidationError) as broken:
        _Asked.model_validate_json("{")
    assert str(first_fault(broken.value.errors())).startswith("body: Invalid JSON: EOF")
