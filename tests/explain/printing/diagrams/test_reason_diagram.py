"""Reasons as boxes: what holds, what fails, what is stated where."""

from __future__ import annotations

from kaicep.explain import reason_diagram_of
from kaicep.explain.candidacy import Candidacy, Explanation
from kaicep.explain.printing.diagrams.diagram import Box, Diagram, Tone
from kaicep.explain.reasons import Reason, ReasonKind
from kaicep.ontology.proofs import TurtleWriter
from support.reasons import EVENT, campus, node, view


def diagram(*clauses: Reason, event: str | None = EVENT) -> Diagram:
    candidacy = Candidacy("e", holds=all(clause.holds for clause in clauses), clauses=clauses)
    told = Explanation("high", "air", event, {"flow": 430.0}, (candidacy,), {})
    return reason_diagram_of(told, TurtleWriter(campus(), {"bd": "urn:bd#"}))


def pattern(subject: str, target: str) -> Reason:
    with view() as one:
        (quad,) = one.store.quads_for_pattern(node(subject), None, node(target))
        return Reason(ReasonKind.PATTERN, f"{subject} {target}", holds=True, proofs=(one.prove(quad.triple),))


def test_what_fails_is_red_with_what_is_instead() -> None:
    found = diagram(Reason(ReasonKind.CLAUSE, "FILTER", holds=False, note="4 below"))
    event, verdict, clause = found.boxes
    assert event.lines == (EVENT, "flow=430.0")
    assert verdict == Box("r1", ("no candidate of ?e", "in high"), Tone.FAILS)
    assert clause == Box("r2", ("FILTER", "4 below"), Tone.FAILS)
    assert {(a.source, a.target) for a in found.arrows} == {("event", "r1"), ("r1", "r2")}


def test_what_is_no_event_has_no_name() -> None:
    assert diagram(event=None).boxes[0].lines[0] == "no event"


def test_stated_triples_are_grounds_with_their_files_and_steps_have_their_rule() -> None:
    found = diagram(pattern("bd:r1", "bd:Office"))
    boxes = {box.key: box for box in found.boxes}
    grounds = {box.lines for box in found.boxes if box.tone is Tone.GROUND}
    assert grounds == {("bd:FacultyOffice rdfs:subClassOf bd:Office", "turtle"), ("bd:r1 a bd:FacultyOffice", "turtle")}
    assert {a.label for a in found.arrows if boxes[a.target].tone is Tone.GROUND} == {"cax-sco"}


def test_a_premise_that_two_reasons_rest_on_is_one_box() -> None:
    found = diagram(pattern("bd:r1", "bd:Office"), pattern("bd:r1", "bd:Room"))
    shared = [box for box in found.boxes if box.lines[0] == "bd:r1 a bd:FacultyOffice"]
    assert len(shared) == 1
    assert sum(arrow.target == shared[0].key for arrow in found.arrows) == 2
