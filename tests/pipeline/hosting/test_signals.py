"""Requests to stop are noted while Spark is at work."""

from __future__ import annotations

import os
import signal

import pytest
from kaicep.pipeline.hosting import Signals


def test_the_first_request_is_noted_and_raised_when_there_is_time() -> None:
    with Signals() as signals:
        signals.raise_received()
        os.kill(os.getpid(), signal.SIGINT)
        assert signals.received is signal.SIGINT
        with pytest.raises(KeyboardInterrupt):
            signals.raise_received()


def test_a_request_to_terminate_leaves_with_its_exit_code() -> None:
    with Signals() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(SystemExit) as left:
            signals.raise_received()
    assert left.value.code == 143


def test_a_second_request_does_not_wait() -> None:
    with Signals() as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        assert signals.received is signal.SIGTERM


def test_afterwards_signals_are_handled_as_before() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Signals():
        assert signal.getsignal(signal.SIGTERM) is not before[1]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
