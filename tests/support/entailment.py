"""The entailment tests of the W3C's SPARQL 1.1 test suite, run over closures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyoxigraph as ox
from kaicep.errors import OntologyError
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners import REASONERS
from kaicep.ontology.reasoners.java_runtime import find_java
from kaicep.settings import ReasonerName

__all__ = ["SUITE", "EntailmentTest", "entailment_tests", "has_java", "outcome"]

SUITE = Path(__file__).parents[1] / "ontology" / "w3c"
_BASE = "http://example.org/entailment/"
_TESTS = """
PREFIX mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#>
PREFIX qt: <http://www.w3.org/2001/sw/DataAccess/tests/test-query#>
PREFIX sd: <http://www.w3.org/ns/sparql-service-description#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
SELECT ?test ?query ?data ?result ?regime {
  ?test mf:action ?action ; mf:result ?result .
  ?action qt:query ?query ; qt:data ?data ; sd:entailmentRegime/(rdf:rest*/rdf:first)? ?regime FILTER (ISIRI(?regime))
} ORDER BY ?test ?regime"""


@dataclass(frozen=True)
class EntailmentTest:
    """One test: files of the suite, and the regimes under which its result must be given."""

    name: str
    query: str
    data: str
    result: str
    regimes: tuple[str, ...]


@cache
def entailment_tests() -> tuple[EntailmentTest, ...]:
    """All tests of the manifest, by name."""
    store = ox.Store()
    store.load((SUITE / "manifest.ttl").read_bytes(), ox.RdfFormat.TURTLE, base_iri=_BASE)
    found: dict[tuple[str, str, str, str], list[str]] = {}
    solutions = store.query(_TESTS)
    assert isinstance(solutions, ox.QuerySolutions)
    for row in solutions:
        test, query, data, result, regime = (term.value for term in row if isinstance(term, ox.NamedNode))
        query, data, result = (name.removeprefix(_BASE) for name in (query, data, result))
        found.setdefault((test.rpartition("#")[2], query, data, result), []).append(regime.rpartition("/")[2])
    return tuple(EntailmentTest(*key, tuple(regimes)) for key, regimes in found.items())


def outcome(test: EntailmentTest, reasoner: ReasonerName) -> str:
    """`pass`, `fail`, or `refused` when the data cannot be loaded under the reasoner."""
    store = _closed(test.data, reasoner)
    if store is None:
        return "refused"
    text = (SUITE / test.query).read_text(encoding="utf-8")
    answer = store.query(text, base_iri=_BASE)
    expected = ox.parse_query_results((SUITE / test.result).read_bytes(), ox.QueryResultsFormat.XML)
    return "pass" if _rows(answer) == _rows(expected) else "fail"


@cache
def _closed(data: str, reasoner: ReasonerName) -> ox.Store | None:
    module = Module.parse(data, (SUITE / data).read_bytes(), base=_BASE + data)
    try:
        return KnowledgeBase([module], reasoner).store
    except OntologyError:
        return None


def _rows(answer: object) -> object:
    """Solutions as a bag, in which blank nodes are all alike; the answer to ASK as it is."""
    if isinstance(answer, ox.QuerySolutions):
        names = [variable.value for variable in answer.variables]
        return Counter(
            frozenset((n, _text(t)) for n, t in zip(names, row, strict=True) if t is not None) for row in answer
        )
    return bool(answer)


def _text(term: object) -> str:
    return "[]" if isinstance(term, ox.BlankNode) else str(term)


_DESCRIPTION = "asks for members of a class that the query itself describes; it has no name in any closure"
_EVERYTHING = "asks for what is true of everything (`x owl:sameAs x`, `owl:Nothing`, `owl:Thing`), which is left out"
_RULES = "takes rules in RIF XML, which kaicep does not read"
WHY_NOT = {
    "paper-sparqldl-Q1": _EVERYTHING,
    "paper-sparqldl-Q2": _DESCRIPTION,
    "paper-sparqldl-Q3": _DESCRIPTION,
    "parent4": _DESCRIPTION,
    "parent5": _DESCRIPTION,
    "parent6": _DESCRIPTION,
    "parent7": _DESCRIPTION,
    "parent8": _DESCRIPTION,
    "parent9": "asks for what is below a class that the query describes; owl:Nothing is missing",
    "parent10": "asks for what is below a class that the query describes; blank nodes are too many",
    "rdf01": "asks for `rdf:Property` as the type of whatever is used as a predicate, which only RDF's axioms say",
    "rif01": _RULES,
    "rif03": _RULES,
    "rif04": _RULES,
    "rif06": _RULES,
    **{f"simple{n}": _DESCRIPTION for n in range(1, 9)},
    "sparqldl-10": _EVERYTHING,
    "sparqldl-11": "the range of a property from the domain of its inverse: true in OWL 2 DL, no rule of OWL 2 RL; "
    "a DL reasoner is asked for classes and properties, not for domains and ranges",
    "sparqldl-12": "the domain of a property has a blank node for the restriction that is the same, and no owl:Thing",
    "sparqldl-13": _EVERYTHING,
}
"""Why a test fails under `rl`."""


def table(outcomes: dict[str, dict[ReasonerName, str]]) -> str:
    """Outcomes by test and reasoner, as Markdown."""
    lines = [
        f"| test | regimes | {' | '.join(REASONERS)} | why not under rl |",
        "|---|---|" + "---|" * (len(REASONERS) + 1),
    ]
    for test in entailment_tests():
        marks = " | ".join(outcomes[test.name][reasoner] for reasoner in REASONERS)
        why = WHY_NOT.get(test.name, "") if outcomes[test.name]["rl"] != "pass" else ""
        lines.append(f"| {test.name} | {', '.join(test.regimes)} | {marks} | {why} |")
    counts = [sum(outcomes[t.name][r] == "pass" for t in entailment_tests()) for r in REASONERS]
    lines.append(f"| of {len(entailment_tests())} pass | | {' | '.join(map(str, counts))} | |")
    return "\n".join(lines)


def has_java(version: int) -> bool:
    """Whether this machine has a Java of that version or later: Pellet needs 25."""
    try:
        find_java(version, "pellet")
    except OntologyError:
        return False
    return True


if __name__ == "__main__":
    print(table({t.name: {r: outcome(t, r) for r in REASONERS} for t in entailment_tests()}))  # noqa: T201 (the table is the output)
