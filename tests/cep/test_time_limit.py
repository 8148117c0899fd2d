"""A query has its time for a batch, and no more: both by the clock and by the processor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from types import SimpleNamespace

import pytest
from kaicep.cep import build_operator, limit_time
from kaicep.cep.time_limit import exceeded_limit
from kaicep.errors import CeilingError
from support.operators import Reading, compiled, feed

READINGS: list[Reading] = [{"id": f"e{i:04}", "t": i, "n": i % 3 + 1} for i in range(60)]
BOTH = "FROM (?a, readings), (?b, readings) FILTER (?a.n = 1) FILTER (?b.n = 2)"
KINDS = {
    "selection": "SELECT ?e.n FROM (?e, readings)",
    "windows": "SELECT COUNT(?e) AS n FROM (?e, readings) WINDOW (?e, sliding, 5s)",
    "joins": f"SELECT ?a {BOTH} SEQ (?a, ?b) WINDOW (?a, ?b, 1min)",
    "automata": f"SELECT ?a {BOTH} SEQ (?a, ?b+) WINDOW (?a, ?b, 5s)",
}


@contextmanager
def passed(monkeypatch: pytest.MonkeyPatch, *, clock: float, processor: float) -> Iterator[None]:
    """Two seconds are allowed, and so many have passed."""
    now = SimpleNamespace(clock=100.0, processor=10.0)
    clocks = SimpleNamespace(monotonic=lambda: now.clock, process_time=lambda: now.processor)
    monkeypatch.setattr("kaicep.cep.time_limit.time", clocks)
    with limit_time(2.0):
        now.clock, now.processor = now.clock + clock, now.processor + processor
        yield


@pytest.mark.parametrize(("clock", "processor", "over"), [(3, 3, True), (600, 1, False), (1, 3, False), (2, 2, False)])
def test_neither_a_stopped_process_nor_other_queries_count(
    monkeypatch: pytest.MonkeyPatch, clock: float, processor: float, *, over: bool
) -> None:
    with passed(monkeypatch, clock=clock, processor=processor):
        assert exceeded_limit() == (2.0 if over else None)
    assert exceeded_limit() is None


def test_it_holds_on_one_thread_and_until_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float | None] = []
    with passed(monkeypatch, clock=9, processor=9):
        other = Thread(target=lambda: seen.append(exceeded_limit()))
        other.start()
        other.join()
        with limit_time(None):
            seen.append(exceeded_limit())
        seen.append(exceeded_limit())
    assert seen == [None, None, 2.0]


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_answers_a_query_asks(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    query = compiled(KINDS[kind])
    assert feed(build_operator(query), query, READINGS)
    with passed(monkeypatch, clock=3, processor=3), pytest.raises(CeilingError) as caught:
        feed(build_operator(query), query, READINGS)
    assert caught.value.message == "it takes longer than 2 s for the events of one batch"
    assert caught.value.hint == (
        "bound it: a shorter WINDOW, a FILTER, a JOIN of equal attributes, PARTITION BY, a maximum {m,n} or "
        "POLICY next; or raise query_timeout in [engine]"
    )
    assert caught.value.place is not None


@pytest.mark.parametrize("kind", ["joins", "automata"])
def test_what_may_take_long_asks_in_its_midst(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """And not only when it is done."""
    query = compiled(KINDS[kind])
    asked: list[None] = []
    monkeypatch.setattr("kaicep.cep.limits.exceeded_limit", lambda: asked.append(None))
    feed(build_operator(query), query, READINGS)
    assert len(asked) > 3
