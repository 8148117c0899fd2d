"""The explanation of an event as a tree on the terminal."""

from __future__ import annotations

from kaicep.explain import explanation_tree
from kaicep.explain.candidacy import Candidacy, Explanation
from kaicep.explain.reasons import Reason, ReasonKind
from kaicep.ontology.proofs import TurtleWriter
from rich.console import Console
from support.reasons import EVENT, campus, node, view


def printed(*clauses: Reason, event: str | None = EVENT) -> list[str]:
    holds = all(clause.holds for clause in clauses)
    candidacy = Candidacy("e", holds=holds, clauses=clauses)
    told = Explanation("high", "air", event, {"flow": 430.0}, (candidacy,), {})
    prefixes = {name: f"urn:{name}#" for name in ("bd",)}
    console = Console(width=200, highlight=False)
    with console.capture() as capture:
        console.print(explanation_tree(told, TurtleWriter(campus(), prefixes)))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_what_fails_is_marked_with_its_note() -> None:
    part = Reason(ReasonKind.CONDITION, "?e.x > [5]", holds=False, note="4 below")
    assert printed(Reason(ReasonKind.CLAUSE, "FILTER", False, (part,))) == [
        f"{EVENT}  flow=430.0",
        "└── ✗ no candidate of ?e in high",
        "    └── ✗ FILTER",
        "        └── ✗ ?e.x > [5]: 4 below",
    ]


def test_a_tuple_that_is_no_event_is_told_as_such() -> None:
    assert printed(Reason(ReasonKind.EVENT, "no event", holds=False), event=None)[0] == "no event  flow=430.0"


def test_links_of_a_chain_are_told_as_one_step() -> None:
    """A class is above another over several links: they are one line, with what states each below."""
    with view() as one:
        (quad,) = one.store.quads_for_pattern(node("bd:r1"), None, node("bd:Room"))
        reason = Reason(ReasonKind.PATTERN, "bd:r1 a bd:Room", holds=True, proofs=(one.prove(quad.triple),))
    _, verdict, step, *leaves = printed(reason)
    assert verdict == "└── ✓ a candidate of ?e in high"
    assert step.strip("└─ ").startswith("✓ bd:r1 a bd:Room  [cax-sco]")
    told = [leaf.strip("│├└─ ") for leaf in leaves]
    assert "bd:r1 a bd:FacultyOffice  turtle" in told
    assert sum("subClassOf" in leaf for leaf in told) == 3
