"""What is no time is told by the name of its parameter, with the way out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from kaicep.server.problem import ProblemError
from kaicep.server.time_parameter import duration_parameter, moment_before, moment_parameter
from support.servers import ask

NINE = datetime(2026, 6, 1, 9, tzinfo=UTC)


def test_times_as_they_are_written() -> None:
    assert duration_parameter("gap", " 15min ") == timedelta(minutes=15)
    assert moment_before("last", "1h", NINE) == datetime(2026, 6, 1, 8, tzinfo=UTC)
    assert moment_parameter("from", "now - 1h", NINE) == datetime(2026, 6, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda: duration_parameter("last", "xx"), "last: 'xx' is no duration: write a number and a unit, such as 90s"),
        (lambda: duration_parameter("last", "-1h"), "last: '-1h' is less than nothing: write"),
        (lambda: moment_before("last", "900000d", NINE), "last: '900000d' reaches back before the year 1: write"),
        (lambda: moment_parameter("to", "soon", NINE), "to: 'soon' is no moment: write 2021-09-07, "),
    ],
)
def test_what_is_none_is_told(read: Callable[[], object], said: str) -> None:
    with pytest.raises(ProblemError) as refused:
        read()
    assert str(refused.value.error).startswith(said)
    assert refused.value.status == 400


def test_requests_hear_which_of_their_parameters_is_wrong(plain_url: str) -> None:
    """And of no line in any text: there is none."""
    for path, status, said in (
        ("/contexts?last=xx", 400, "last: 'xx' is no duration"),
        ("/alarms?limit=abc", 422, "limit: 'abc' is no whole number"),
        ("/alarms?limit=1001", 422, "limit: '1001' is more than 1000"),
        ("/matches/a/why", 422, "query: it is missing"),
    ):
        found = ask(plain_url + path)
        assert (found.status, found.json["detail"], "place" in found.json) == (status, said, False)
        assert found.json["hint"]
