"""A PATH's body, taken apart."""

from __future__ import annotations

import pytest
from kaicep.explain.reasons.path_conjuncts import conjuncts_of, groups_in, joined, split_at, tidy

EVENT = "urn:e"


def parts(body: str) -> list[tuple[str, str]]:
    return [(conjunct.kind, conjunct.text) for conjunct in conjuncts_of(body, "e", EVENT)]


def test_sequences_of_a_path_are_single_steps() -> None:
    assert parts("?e <urn:a>/<urn:b> ?x") == [
        ("triples", "<urn:e> <urn:a> ?kaicep_step_0 ."),
        ("triples", "?kaicep_step_0 <urn:b> ?x ."),
    ]


def test_inverses_are_turned() -> None:
    assert parts("?e ^<urn:a> ?x") == [("triples", "?x <urn:a> <urn:e> .")]


def test_what_leads_on_from_the_event_comes_first() -> None:
    found = parts("?y <urn:c> ?z . ?x <urn:b> ?y . ?e <urn:a> ?x")
    assert [text.split()[1] for _, text in found] == ["<urn:a>", "<urn:b>", "<urn:c>"]


def test_filters_come_last_one_for_each_condition() -> None:
    assert parts("FILTER (?x > 1 && ?x < 9) ?e <urn:a> ?x")[1:] == [
        ("FILTER", "FILTER ( ?x > 1 )"),
        ("FILTER", "FILTER ( ?x < 9 )"),
    ]
    assert parts("?e <urn:a> ?x FILTER (?x > 1 || ?x < 9)")[1:] == [("FILTER", "FILTER ( ?x > 1 || ?x < 9 )")]


@pytest.mark.parametrize(
    ("body", "kind"),
    [("OPTIONAL { ?e <urn:a> ?x }", "OPTIONAL"), ("{ ?e <urn:a> ?x } UNION { ?e <urn:b> ?x }", "{")],
)
def test_groups_stay_whole(body: str, kind: str) -> None:
    (conjunct,) = conjuncts_of(body, "e", EVENT)
    assert conjunct.kind == kind
    assert conjunct.pattern is None
    assert len(groups_in(conjunct.tokens)) == body.count("}")


def test_labelled_blank_nodes_are_variables() -> None:
    assert parts("?e <urn:a> _:x")[0][1] == "<urn:e> <urn:a> ?blank_x ."


def test_tokens_are_divided_outside_of_brackets_only() -> None:
    (conjunct,) = conjuncts_of("FILTER (ABS(?x + 1) > 1 || (?x < 9 && ?y > 2))", "e", EVENT)
    divided = split_at(conjunct.tokens[1:-1], ("||", "&&"))
    assert [(mark, tidy(part)) for mark, part in divided] == [("", "ABS(?x + 1) > 1"), ("||", "(?x < 9 && ?y > 2)")]
    assert joined([conjunct, conjunct]).count("FILTER") == 2
