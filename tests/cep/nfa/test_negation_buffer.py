"""NOT in repetitions with JOINs within the repetition and around it: each is asked with its own events."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from kaicep.pipeline.flow.batch import Batch
from kaicep.pipeline.flow.queries.registration import Registration
from kaicep.pipeline.sinks.row_values import rows
from support.batches import processed
from support.letters import agreed, project, question, stream, written


@dataclass(frozen=True)
class Case:
    """A pattern, the variables that `?n.x` has to be equal to for `?n` to be forbidden, a stream and the matches."""

    pattern: str
    equal: str
    events: str
    matches: tuple[str, ...]
    window: str = "1h"
    beside: str = ""

    @property
    def joins(self) -> list[str]:
        return [f"JOIN (?n.x = ?{v}.x)" for v in self.equal]


TWICE = "(?a -> NOT ?n -> ?b){2; ->} -> ?c"
NESTED = "((?a -> NOT ?n -> ?b){1,2; ->} -> ?d){2; ->} -> ?c"
CASES = {
    "forbidden in an earlier repetition": Case(TWICE, "ac", "a1 n1 b a2 b c1 c2", ("a1 a4 b3 b5 c7",)),
    "allowed by the event of its own repetition": Case(TWICE, "ac", "a1 n2 b a2 b c2", ("a1 a4 b3 b5 c6",)),
    "forbidden in the last repetition": Case(TWICE, "ac", "a1 b a2 n2 b c2 c1", ("a1 a3 b2 b5 c7",)),
    "behind and before the repetition": Case(
        "?d -> (?a -> NOT ?n -> ?b){2; ->} -> ?c", "dac", "d1 a1 n1 b a2 n2 b c1 c2", ("d1 a2 a5 b4 b7 c9",),
    ),
    "around two groups": Case(NESTED, "adc", "a1 n1 b d1 a2 b d c1 c2", ("a1 a5 b3 b6 d4 d7 c9",)),
    "allowed by the group around": Case(NESTED, "adc", "a1 n1 b d2 a2 b d c1", ("a1 a5 b3 b6 d4 d7 c8",)),
    "at the end of the repetition": Case(
        "(?a -> NOT ?n){2; ->} -> ?c", "ac", "a1 n1 a2 n1 c1 c2", ("a1 a3 c6",),
    ),
    "first, and forbidden in the first repetition": Case("(NOT ?n -> ?a){2; ->}", "a", "n1 a1 a2 a1", ("a3 a4",)),
    "first, and allowed in the first repetition": Case("(NOT ?n -> ?a){2; ->}", "a", "n2 a1 a2", ("a2 a3",)),
    "first, and just near enough when the last event has come": Case(
        "(NOT ?n -> ?a){2; ->}", "a", "n1 a1@4 a2@5", (), window="5s",
    ),
    "first, and too long ago when the last event has come": Case(
        "(NOT ?n -> ?a){2; ->}", "a", "n1 a1@4 a2@5.5", ("a2 a3",), window="5s",
    ),
    "first, with what follows the repetitions": Case("(NOT ?n -> ?a){2; ->} -> ?c", "ac", "n1 a1 a2 c1", ()),
    "first, allowed by what follows the repetitions": Case(
        "(NOT ?n -> ?a){2; ->} -> ?c", "ac", "n1 a1 a2 c2", ("a2 a3 c4",),
    ),
    "FOR, after which only one JOIN is open": Case(
        "?a -> NOT ?n FOR 2s -> ?b{1,2; ->} -> ?c", "ac", "a1@0 n2@1 b@3 c2@4", ("a1 b3 c4",),
    ),
    "with what SEQ does not name": Case(TWICE, "aco", "a1 n1 b a2 b c1 o1 o2", ("a1 a4 b3 b5 c6 o8",), beside="o"),
}  # fmt: skip


def in_pieces(text: str, events: str) -> list[str]:
    """The engine's answer event by event, each time in another dataflow that has only the snapshot."""
    (query,) = project().compile(text)
    registration = Registration(query, "query")
    dataflow = project().dataflow()
    dataflow.register(registration)
    tables = []
    for event in stream(events)["letters"]:
        tables.append(processed(dataflow, {"letters": [event]}).matches["query"])
        state, dataflow = dataflow.snapshot(), project().dataflow()
        dataflow.restore(state, [registration])
    tables.append(dataflow.process(Batch(ends=True)).matches["query"])
    return [one for table in tables for one in written(rows(table))]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_not_in_repetitions(case: Case) -> None:
    found = agreed(case.pattern, case.events, *case.joins, window=case.window, beside=case.beside)
    assert found == list(case.matches)
    text = question(case.pattern, *case.joins, window=case.window, beside=case.beside)
    assert in_pieces(text, case.events) == found
