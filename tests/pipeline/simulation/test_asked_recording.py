"""Documents whose last query is asked of the states of the others: H2O's examples, and what is refused."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep import Project
from kaicep.errors import PlanError
from oracle.asked import ask
from oracle.evaluate import Oracle
from support.context_examples import Example, examples

EXAMPLES = examples("state_examples")
(ORDERS,) = (e for e in EXAMPLES if e.name == "9-h2o-query4-how-many")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_an_example_has_its_rows(example: Example) -> None:
    project, oracle = Project.parse(example.content), Oracle(example.content)
    assert example.shown(list(project.evaluate(example.text, example.streams)))[0] == example.rows
    for seconds, text, rows in example.asks:
        at, document = example.base + timedelta(seconds=seconds), f"{example.text};\n{text}"
        assert example.shown(list(project.evaluate(document, example.streams, ask_at=at)))[0] == rows, text
        if "PARTIAL(" not in text:
            assert example.shown(ask(oracle, document, example.streams, at))[0] == rows, text


def test_ask_at_stands_alone_and_has_a_time_zone() -> None:
    project, text = Project.parse(ORDERS.content), f"{ORDERS.text};\n{ORDERS.asks[0][1]}"
    with pytest.raises(PlanError, match="ask_at beside a strategy"):
        project.evaluate(text, ORDERS.streams, ask_at=ORDERS.base, strategy="replay")
    with pytest.raises(PlanError, match="no time zone"):
        project.evaluate(text, ORDERS.streams, ask_at=ORDERS.base.replace(tzinfo=None))
