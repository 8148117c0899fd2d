"""An explanation as entries: verdicts, clauses, triples with what states or derives them."""

from __future__ import annotations

from kaicep.explain.candidacy import Candidacy, Explanation
from kaicep.explain.printing.reason_outline import OutlineEntry, attribute_texts, outline
from kaicep.explain.reasons import Reason, ReasonKind
from kaicep.ontology.proofs import TurtleWriter
from support.reasons import EVENT, campus, node, view


def entries(*clauses: Reason) -> tuple[OutlineEntry, ...]:
    candidacy = Candidacy("e", holds=all(clause.holds for clause in clauses), clauses=clauses)
    told = Explanation("high", "air", EVENT, {"flow": 430.0}, (candidacy,), {})
    return outline(told, TurtleWriter(campus(), {"bd": "urn:bd#"}))


def test_a_verdict_has_its_clauses() -> None:
    (verdict,) = entries(Reason(ReasonKind.CLAUSE, "FILTER", holds=False, note="4 below"))
    assert (verdict.text, verdict.holds, verdict.note) == ("no candidate of ?e", False, "in high")
    assert verdict.parts == (OutlineEntry("FILTER", holds=False, note="4 below"),)


def test_a_triple_says_what_it_rests_on() -> None:
    with view() as one:
        (quad,) = one.store.quads_for_pattern(node("bd:r1"), None, node("bd:Office"))
        reason = Reason(ReasonKind.PATTERN, "bd:r1 a bd:Office", holds=True, proofs=(one.prove(quad.triple),))
    (verdict,) = entries(reason)
    (triple,) = verdict.parts
    assert (triple.text, triple.rule, triple.source) == ("bd:r1 a bd:Office", "cax-sco", "")
    assert {(part.text, part.source, part.holds) for part in triple.parts} == {
        ("bd:FacultyOffice rdfs:subClassOf bd:Office", "turtle", None),
        ("bd:r1 a bd:FacultyOffice", "turtle", None),
    }


def test_attributes_are_told_one_by_one() -> None:
    told = Explanation("high", "air", EVENT, {"flow": 430.0, "note": "a, b"}, (), {})
    assert attribute_texts(told) == ["flow=430.0", "note=a, b"]
