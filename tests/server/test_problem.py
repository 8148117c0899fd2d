"""A refusal has a status, an error with its way out, and headers."""

from __future__ import annotations

from kaicep.errors import ArchiveError
from kaicep.server.problem import ProblemError


def test_a_problem_has_headers() -> None:
    problem = ProblemError(503, "too many", "wait", Retry_After="5")
    assert (problem.headers, problem.error.message, problem.error.hint) == ({"Retry-After": "5"}, "too many", "wait")


def test_it_is_told_as_its_error() -> None:
    assert "this is no query: write one" in str(ProblemError(400, ArchiveError("this is no query", hint="write one")))
