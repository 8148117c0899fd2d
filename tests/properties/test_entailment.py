"""What the documentation says of the W3C's entailment tests is what they give."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.ontology.reasoners import REASONERS
from kaicep.settings import ReasonerName
from support.entailment import WHY_NOT, entailment_tests, has_java, outcome, table

PAGE = Path(__file__).parents[2] / "docs" / "entailment.md"


def documented() -> dict[str, dict[ReasonerName, str]]:
    """The outcomes that the page's table has."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    names = {test.name for test in entailment_tests()}
    return {row[0]: dict(zip(REASONERS, row[2:], strict=False)) for row in rows if row[0] in names}


def measured(reasoners: tuple[ReasonerName, ...]) -> dict[str, dict[ReasonerName, str]]:
    known = documented()
    return {t.name: known[t.name] | {r: outcome(t, r) for r in reasoners} for t in entailment_tests()}


def test_the_table_says_what_passes_without_a_reasoner_and_under_owl_2_rl() -> None:
    assert table(measured(("none", "rl"))) in PAGE.read_text(encoding="utf-8")


@pytest.mark.long
def test_the_table_says_what_passes_under_reasoners_for_description_logic() -> None:
    """Pellet's column is held to what it gives where there is the Java that it needs."""
    reasoners: tuple[ReasonerName, ...] = ("hermit", "pellet") if has_java(25) else ("hermit",)
    assert table(measured(reasoners)) in PAGE.read_text(encoding="utf-8")


def test_every_failure_has_its_reason() -> None:
    failing = {name for name, outcomes in documented().items() if outcomes["rl"] != "pass"}
    assert failing == set(WHY_NOT)


def test_all_tests_of_the_manifest_are_in_the_table() -> None:
    assert len(entailment_tests()) == len(documented()) == 70
