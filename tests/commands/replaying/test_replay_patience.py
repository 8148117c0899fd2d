"""Who waits for a receiver is told so, once for each time that it takes long."""

from __future__ import annotations

import re
import threading
from datetime import timedelta

from kaicep.commands.replaying.replay_patience import ReplayPatience
from support.receivers import eventually

WAITING = r"waiting for kafka://broker/rows, until \d\d:\d\d:\d\d if it is away; Ctrl-C ends it"


def test_what_takes_long_is_told_once() -> None:
    told: list[str] = []
    heard = threading.Event()

    def say(line: str) -> None:
        told.append(line)
        heard.set()

    with ReplayPatience("kafka://broker/rows", timedelta(minutes=1), say, timedelta(milliseconds=20)) as patience:
        for _ in range(2):
            with patience.waiting():
                assert heard.wait(60)
                heard.clear()
                assert not heard.wait(0.2)  # it is no news any more
    assert len(told) == 2
    assert all(re.fullmatch(WAITING, line) for line in told)


def test_between_two_sendings_nobody_waits() -> None:
    """They may be minutes apart, as their events were."""
    told: list[str] = []
    with ReplayPatience("mqtt://broker", timedelta(minutes=1), told.append, timedelta(milliseconds=10)) as patience:
        with patience.waiting():
            pass
        threading.Event().wait(0.2)
        assert told == []
        with patience.waiting():
            assert eventually(lambda: bool(told))
