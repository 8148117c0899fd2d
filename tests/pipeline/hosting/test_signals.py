"""Requests to stop are noted while Spark is at work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from kaicep.pipeline.hosting import Signals
from support.command_line import HANGING_SECONDS


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


STUCK = """
import pyoxigraph as ox
from kaicep.pipeline.hosting import Signals
store = ox.Store()
store.extend(ox.Quad(ox.NamedNode(f"urn:{i}"), ox.NamedNode("urn:p"), ox.NamedNode("urn:o")) for i in range(3000))
with Signals(patience=0.1):
    print("stuck", flush=True)
    store.query("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_cannot_be_ended_does_not_keep_the_process(number: signal.Signals) -> None:
    """The main thread is in a call that takes no sign, so that no handler of Python's runs."""
    process = subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "stuck\n"
    process.send_signal(number)
    _, said = process.communicate(timeout=HANGING_SECONDS)
    assert process.returncode == 128 + number
    assert said == "what is at work does not end: it is left, and done again at the next start\n"
