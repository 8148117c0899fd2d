"""Words, examples and contexts over HTTP."""

from __future__ import annotations

import pytest
from kaicep.server.streams.vocabulary_endpoint import _in_words
from support.command_line import HIGH
from support.servers import ask


def test_for_those_who_write_queries(plain_url: str) -> None:
    assert ask(f"{plain_url}/examples").json == [{"label": "High", "text": HIGH}]
    assert [one["name"] for one in ask(f"{plain_url}/vocabulary").json["streams"]] == ["air"]
    assert ask(f"{plain_url}/contexts").json == []
    assert ask(f"{plain_url}/contexts?last=bogus").status == 400


@pytest.mark.parametrize(
    ("stem", "words"),
    [("1_stale_air", "Stale air"), ("10-too-hot", "Too hot"), ("co2", "Co2"), ("7", "7"), ("24h", "24h")],
)
def test_an_example_is_called_as_its_file_is_without_the_number_that_orders_it(stem: str, words: str) -> None:
    assert _in_words(stem) == words
