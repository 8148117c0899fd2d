"""Who prefers a job says so as RFC 7240 has it."""

from __future__ import annotations

import pytest
from fastapi import Request
from kaicep.server.jobs.job_preference import job_answer, prefers_job


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ([], False),
        (["respond-async"], True),
        (["Respond-Async, wait=10"], True),
        (["return=minimal", "wait=1,respond-async;x=1"], True),
        (["no-respond-async"], False),
        (['foo="respond"'], False),
    ],
)
def test_it_is_one_of_several_preferences(said: list[str], wanted: bool) -> None:
    headers = [(b"prefer", one.encode()) for one in said]
    assert prefers_job(Request({"type": "http", "headers": headers})) == wanted


def test_the_answer_says_where_the_job_is() -> None:
    answer = job_answer("abc")
    assert (answer.status_code, answer.body) == (202, b'{"job":"abc"}')
    assert (answer.headers["location"], answer.headers["preference-applied"]) == ("/jobs/abc", "respond-async")
