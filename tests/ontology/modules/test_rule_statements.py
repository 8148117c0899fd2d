"""What rules state, and which rule stated it."""

from __future__ import annotations

import pytest
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.modules import Module, RuleStatement, nquads, parse_nquads, updated_rules
from kaicep.ontology.proofs import Prover

OPEN = "INSERT DATA { <urn:r1> <urn:state> 'open' }"
SHUT = "DELETE { ?r <urn:state> ?s } INSERT { ?r <urn:state> 'shut' } WHERE { ?r <urn:state> ?s }"


def state(modules: list[Module], *updates: tuple[str, str]) -> Module | None:
    return updated_rules(modules, [RuleStatement(rule, str(n), text) for n, (rule, text) in enumerate(updates)])


def test_updates_are_done_in_order_and_each_triple_has_its_rule() -> None:
    module = state([], ("opens", OPEN), ("shuts", SHUT), ("opens / again", OPEN))
    assert module is not None
    assert {str(t): rule for t, rule in module.origins.items()} == {
        '<urn:r1> <urn:state> "shut"': "shuts",
        '<urn:r1> <urn:state> "open"': "opens / again",
    }
    assert parse_nquads(nquads(module)) == (tuple(module.triples), module.origins)


def test_what_says_the_same_is_no_change() -> None:
    module = state([], ("opens", OPEN))
    assert module is not None
    assert state([module], ("others", OPEN)) is None
    unshut = "DELETE DATA { <urn:r1> <urn:state> 'shut' }"
    assert state([module], ("shuts", SHUT), ("opens", OPEN), ("opens", unshut)) is None


@pytest.mark.parametrize(
    ("update", "message"),
    [
        ("INSERT DATA { <urn:a> }", "the update of the module 'rules' cannot be done"),
        ("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:b> <urn:c> } }", "the update writes to a named graph"),
    ],
)
def test_refused(update: str, message: str) -> None:
    with pytest.raises(OntologyError, match=message):
        state([], ("r", update))


def test_why_names_the_rule() -> None:
    module = state([], ("shuts", "INSERT DATA { <urn:r1> a <urn:Shut> }"))
    assert module is not None
    leaf = Prover(KnowledgeBase((module,), "rl")).leaf(module.triples[0])
    assert leaf is not None
    assert leaf.sources == ("rules (rule shuts)",)
