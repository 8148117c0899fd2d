"""A request is given up when its time is over, or when it is cancelled."""

from __future__ import annotations

import threading

import pytest
from kaicep.archive.sparql import Timeout
from kaicep.errors import ArchiveError


def test_a_request_without_a_limit_is_never_given_up() -> None:
    Timeout(None).check()
    assert Timeout(None).left is None
    Timeout(3600).check()


def test_a_request_whose_time_is_over_is_given_up() -> None:
    timeout = Timeout(-0.5)
    assert timeout.left == 0.001
    with pytest.raises(ArchiveError, match=r"^query: no answer within -0\.5 s: ask for a shorter time range"):
        timeout.check()


def test_a_request_that_is_cancelled_is_given_up_at_once() -> None:
    cancelled = threading.Event()
    timeout = Timeout(3600, cancelled)
    timeout.check()
    cancelled.set()
    with pytest.raises(ArchiveError) as given_up:
        timeout.check()
    assert str(given_up.value) == "query: the query was cancelled: ask again"
