"""Rows as calls: what is sent is the row, and what is refused for ever is a dead letter."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from kaicep.pipeline.actions import Action, ActionCall, DeliveryError
from kaicep.pipeline.sinks.outgoing.row_action import RowAction, RowCall
from support.receivers import action, web_receiver

ROW = {"room": "B1", "_query": "warm", "_time": "2026-01-01T00:00:00Z", "_id": "a1"}


def row(number: int = 1) -> ActionCall:
    line = json.dumps({**ROW, "_id": f"a{number}"})
    return ActionCall("warm", f"a{number}", "sinks.ops", "2026-01-01T00:00:00Z", line)


def test_a_row_is_the_body_and_its_items_fill_templates() -> None:
    found = RowCall(*row())
    assert json.loads(found.to_json()) == ROW
    assert found.values() == {**ROW, "query": "warm"}
    assert found.key == "warm/a1"


def test_webhooks_are_posted_rows_with_their_keys(tmp_path: Path) -> None:
    with web_receiver() as receiver:
        sink = RowAction(action(tmp_path, webhook={"url": receiver.url}), 3, {})
        sink.send([row()])
        sink.close()
    (request,) = receiver.requests
    assert json.loads(request.body) == ROW
    assert request.headers["Idempotency-Key"] == "warm/a1"


class Refusing(Action):
    """Takes no row whose number is odd."""

    batch = 10
    needs: frozenset[str] = frozenset()

    def check(self) -> None:
        pass

    def send(self, calls: Sequence[ActionCall]) -> None:
        for number, call in enumerate(calls):
            if int(call.id[1:]) % 2:
                raise DeliveryError("no", delivered=number, refused=True)

    def close(self) -> None:
        pass


def test_a_row_that_is_refused_by_itself_is_given_up_after_some_tries() -> None:
    sink = RowAction(Refusing(), 3, {})
    given_up = []
    for _ in range(3):
        with pytest.raises(DeliveryError) as caught:
            sink.send([row(2), row(3)])
        assert caught.value.delivered == 1
        given_up.append(caught.value.hopeless)
    assert given_up == [False, False, True]


def test_rows_that_are_refused_together_are_not() -> None:
    sink = RowAction(Refusing(), 1, {})
    with pytest.raises(DeliveryError) as caught:
        sink.send([row(1), row(2)])
    assert not caught.value.hopeless


def test_a_row_is_given_up_whichever_thread_tries_it_and_whatever_goes_out_meanwhile() -> None:
    refused: dict[str, int] = {}
    threads = [RowAction(Refusing(), 3, refused) for _ in range(2)]
    given_up = []
    for number in range(3):
        with pytest.raises(DeliveryError) as caught:
            threads[number % 2].send([row(1)])
        given_up.append(caught.value.hopeless)
        for sink in threads:
            sink.send([row(2)])
    assert given_up == [False, False, True]
    assert not refused
