"""An event is a candidate when no clause fails."""

from __future__ import annotations

from kaicep.explain.candidacy import Candidacy, Explanation
from kaicep.explain.reasons import Reason, ReasonKind

YES = Reason(ReasonKind.CLAUSE, "FILTER (?e.x > 1)", holds=True)
NO = Reason(ReasonKind.CLAUSE, "FILTER (?e.x > 5)", holds=False)


def explained(*candidacies: Candidacy) -> Explanation:
    return Explanation("query", "air", "urn:e", {}, candidacies, {})


def test_the_first_clause_that_fails_is_named() -> None:
    other = Reason(ReasonKind.CLAUSE, "FILTER (?e.x > 7)", holds=False)
    assert Candidacy("e", holds=False, clauses=(YES, NO, other)).failed is NO
    assert Candidacy("e", holds=True, clauses=(YES,)).failed is None


def test_an_explanation_holds_when_the_event_is_a_candidate_of_some_variable() -> None:
    dropped, taken = Candidacy("a", holds=False, clauses=(NO,)), Candidacy("b", holds=True, clauses=(YES,))
    assert explained(dropped, taken).holds
    assert not explained(dropped).holds
