"""A request: its moments have a zone, its range an order, and it says whether it may be given up."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from kaicep.archive.sparql import SparqlRequest
from kaicep.errors import ArchiveError
from support.archives import NINE, opened


def test_a_moment_without_a_zone_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as archive, pytest.raises(ArchiveError) as refused:
        archive.query("ASK { }", start=datetime(2012, 5, 7))  # noqa: DTZ001 - that is the point
    assert str(refused.value) == "start has no zone: give an aware datetime, such as datetime.now(UTC)"


def test_a_range_does_not_end_before_it_begins() -> None:
    assert SparqlRequest("ASK { }", NINE, NINE).end == NINE
    with pytest.raises(ArchiveError) as refused:
        SparqlRequest("ASK { }", NINE, NINE - timedelta(seconds=1))
    assert str(refused.value) == "the time range ends before it begins: give the earlier moment as start"


def test_a_request_with_a_timeout_or_an_event_may_be_given_up() -> None:
    assert not SparqlRequest("ASK { }").may_be_given_up
    assert SparqlRequest("ASK { }", timeout=1.0).may_be_given_up
    assert SparqlRequest("ASK { }", cancelled=threading.Event()).may_be_given_up
