"""The explanation of an event for programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from kaicep.explain import explanation_dict
from kaicep.explain.candidacy import Candidacy, Explanation
from kaicep.explain.printing.reason_json import json_value
from kaicep.explain.reasons import Reason, ReasonKind
from support.reasons import EVENT, node, view

WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def test_reasons_are_nested_and_say_which_clause_fails() -> None:
    part = Reason(ReasonKind.CONDITION, "?e.x > 5", holds=False, note="4 below")
    clauses = (Reason(ReasonKind.CLAUSE, "one", holds=True), Reason(ReasonKind.CLAUSE, "two", False, (part,)))
    told = explanation_dict(
        Explanation("high", "air", EVENT, {"at": WHEN}, (Candidacy("e", holds=False, clauses=clauses),), {})
    )
    assert json.loads(json.dumps(told)) == told
    assert (told["query"], told["attributes"], told["holds"]) == ("high", {"at": "2026-01-01T00:00:00Z"}, False)
    (candidacy,) = told["candidacies"]
    assert candidacy["failed"] == 1
    assert candidacy["clauses"][1]["parts"] == [
        {"kind": "condition", "text": "?e.x > 5", "holds": False, "note": "4 below"}
    ]


def test_proofs_are_trees_of_triples() -> None:
    with view() as one:
        (quad,) = one.store.quads_for_pattern(node("bd:r1"), None, node("bd:hall"))
        reason = Reason(ReasonKind.PATTERN, "part of", holds=True, proofs=(one.prove(quad.triple),))
    told = explanation_dict(Explanation("high", "air", EVENT, {}, (Candidacy("e", holds=True, clauses=(reason,)),), {}))
    (proof,) = told["candidacies"][0]["clauses"][0]["proofs"]
    assert proof["rule"] == "prp-trp"
    assert ["<urn:bd#r1>", "<urn:bd#partOf>", "<urn:bd#floor>"] in [p["triple"] for p in proof["premises"]]


def test_moments_are_iso_texts_within_whatever_holds_them() -> None:
    assert json_value({"window": {"start": WHEN}, "n": 3}) == {"window": {"start": "2026-01-01T00:00:00Z"}, "n": 3}
