"""What is asked of an engine is checked against its queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kaicep.errors import KaicepError, OperatorError, QueryTypeError
from support.asked_engine import ASKED, TEXT, AskedEngine, batches

REFUSED = {
    "SELECT ?x.id FROM (?x, STATE(pears))": "query:1:30: no query 'pears' is registered",
    "SELECT ?x.id FROM (?x, STATE(pairs)); SELECT ?x.id FROM (?x, STATE(pairs))": "query:1:",
    "SELECT ?x.id FROM (?x, PARTIAL(counts))": "is an aggregate",
}


def test_what_cannot_be_asked_is_refused_with_its_place(tmp_path: Path) -> None:
    engine = AskedEngine(tmp_path, TEXT)
    engine.deliver(**next(batches()))
    for asked, message in REFUSED.items():
        with pytest.raises(KaicepError) as refused:
            engine.states.ask(asked)
        assert message in str(refused.value)
    engine.stop()


def test_nothing_is_asked_of_a_parked_query_until_it_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = AskedEngine(tmp_path, TEXT)
    first, second, *_ = batches()
    engine.deliver(**first)
    flow = engine.flow.dataflow.flows["pairs"]
    monkeypatch.setattr(type(flow), "is_passed_over", _failing(flow))
    engine.deliver(**second)
    with pytest.raises(QueryTypeError, match=r"it is parked since batch 2.*burst") as refused:
        engine.states.ask(ASKED[0])
    assert "kaicep resume pairs" in str(refused.value)
    assert list(engine.states.ask(ASKED[2]))
    engine.stop()


def _failing(failing: object) -> Any:
    def passed_over(self: object, *_: object) -> bool:
        if self is failing:
            raise OperatorError("burst", hint="less of it")
        return False

    return passed_over
