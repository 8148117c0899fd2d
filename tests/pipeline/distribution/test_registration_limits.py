"""Queries that come after the first batch: those that stand alone may, others are told what to do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.distribution.registration_limits import refuse_joining, refuse_looking_back, refuse_lost
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sharding.hosted_queries import StatePlace
from kaicep.pipeline.sharding.hosting_state import HostingState
from support.shards import PROJECT

NOW = datetime(2026, 1, 1, tzinfo=UTC)
A = "CREATE QUERY a AS SELECT ?e.id AS id FROM (?e, P)"
B = "CREATE QUERY b AS SELECT ?a.id AS id FROM (?a, a)"
RULE = "CREATE RULE {0} ON P DO EMIT {0}s (?row.id AS id)"


def of(text: str) -> list[Registration]:
    return list(PROJECT.registrations(text, "q"))


def test_whoever_looks_back_is_refused_once_there_is_something_to_look_at() -> None:
    past = of("SELECT ?e.id FROM (?e, P) WITHIN [now - 1h, now + 1h]")
    refuse_looking_back(past, lambda _: None)
    refuse_looking_back(of(A), lambda _: NOW)
    refuse_looking_back(of(RULE.format("r")), lambda _: NOW)
    with pytest.raises(PipelineError, match=r"'q' asks for the past, which executors do not look through yet"):
        refuse_looking_back(past, lambda _: NOW)


def test_states_that_cannot_be_put_together_stay_apart() -> None:
    a, b = of(f"{A};\n{B}")
    alone = HostingState("", 1, states=(StatePlace("1.parts", "a", 0),))
    refuse_joining([a, b], [], HostingState("", 1))
    refuse_joining(of(RULE.format("r")), [a], alone)
    with pytest.raises(PipelineError, match=r"'b' reads or decides what 'a' gives, which is answered by itself"):
        refuse_joining([b], [a], alone)
    (one,), (other,) = of(RULE.format("one")), of(RULE.format("other"))
    together = HostingState("", 1, states=(StatePlace("1.parts", "one+", 0),), kept={"one": "one+"})
    refuse_joining([other], [one], together)


def test_who_has_changed_contexts_stays() -> None:
    refuse_lost(["a"], ["a", "b"])
    with pytest.raises(PipelineError, match=r"'a' has changed contexts, is registered no more.*register it again, or"):
        refuse_lost(["a"], ["b"])
