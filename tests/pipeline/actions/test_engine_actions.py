"""What rules ask of the engine itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kaicep.errors import ConfigError, KaicepError, OntologyError, PipelineError
from kaicep.ontology.modules import RuleStatement
from kaicep.pipeline.actions import Action, DeliveryError, make_action
from support.receivers import call, spec

UPDATE = "INSERT DATA { <urn:rooms:{room}> <urn:state> $state }"


class Host:
    """An engine that notes what it is asked for, and refuses what it is told to."""

    def __init__(self, refusal: KaicepError | None = None) -> None:
        self.asked: list[object] = []
        self.refusal = refusal

    def state(self, statements: Sequence[RuleStatement]) -> None:
        self._ask([(one.rule, one.key, one.update) for one in statements])

    def submit(self, name: str, text: str) -> None:
        self._ask(("submit", name, text))

    def withdraw(self, name: str) -> None:
        self._ask(("withdraw", name))

    def _ask(self, what: object) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.asked.append(what)


def action(root: Path, host: Host | None, **settings: Any) -> Action:
    return make_action(
        replace(spec(root, **{f"kaicep:{name}": value for name, value in settings.items()}), engine=host)
    )


def test_updates_of_many_calls_go_at_once(tmp_path: Path) -> None:
    host = Host()
    action(tmp_path, host, knowledge=UPDATE).send([call(n, room=f"r{n}", state="open") for n in range(2)])
    updates = [f'INSERT DATA {{ <urn:rooms:r{n}> <urn:state> "open" }}' for n in range(2)]
    assert host.asked == [[("r", f"r/r-{n}", update) for n, update in enumerate(updates)]]


def test_updates_before_one_that_cannot_be_filled_are_done(tmp_path: Path) -> None:
    host = Host()
    with pytest.raises(DeliveryError) as caught:
        action(tmp_path, host, knowledge=UPDATE).send([call(1, room="a", state="open"), call(2)])
    assert (caught.value.delivered, caught.value.hopeless, len(host.asked)) == (1, True, 1)


def test_queries(tmp_path: Path) -> None:
    host = Host()
    query = {"name": "watch_{room}", "query": "SELECT ?e.co2 FILTER (?e.room = $room)"}
    action(tmp_path, host, submit=query).send([call(room="B 1")])
    action(tmp_path, host, withdraw="watch_{room}").send([call(room="B 1")])
    text = 'SELECT ?e.co2 FILTER (?e.room = "B 1")'
    assert host.asked == [("submit", "watch_B_201", text), ("withdraw", "watch_B_201")]


@pytest.mark.parametrize(("refusal", "hopeless"), [(OntologyError("no"), True), (PipelineError("later"), False)])
def test_what_is_refused_is_hopeless_and_what_passes_is_not(
    refusal: KaicepError, *, hopeless: bool, tmp_path: Path
) -> None:
    with pytest.raises(DeliveryError, match=refusal.message) as caught:
        action(tmp_path, Host(refusal), withdraw="q").send([call()])
    assert caught.value.hopeless == hopeless


def test_without_an_engine_calls_wait(tmp_path: Path) -> None:
    with pytest.raises(DeliveryError, match="no engine runs") as caught:
        action(tmp_path, None, withdraw="q").send([call()])
    assert not caught.value.hopeless


def test_a_template_that_is_no_update_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"actions\.ops\.kaicep:knowledge: the update of the module 'rules'"):
        action(tmp_path, None, knowledge="INSERT DATA { <urn:a> ?b $c }")
