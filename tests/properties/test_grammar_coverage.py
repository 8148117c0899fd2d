"""Every construct of the grammar appears in the random queries: its rules and words, read off the grammar itself."""

from __future__ import annotations

import contextlib
from functools import cache
from importlib.resources import files
from itertools import product
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kaicep.language.source_text import SourceText
from kaicep.language.syntax.scanner import mask
from lark import Lark, Token, Tree
from lark.grammar import Rule
from support.campus import campuses
from support.cases import KINDS, within
from support.change_queries import FAMILIES as CHANGES
from support.context_families import FAMILIES as CONTEXTS
from support.context_families import case
from support.cover_pairs import random_query
from support.mode_queries import MODES, query
from support.pattern_queries import pattern_queries
from support.patterns import sketches
from support.queries import FAMILIES
from support.rule_queries import FAMILIES as RULES
from support.rule_queries import rules
from support.state_queries import ASKED
from support.timer_queries import FAMILIES as TIMERS


@cache
def grammar() -> Lark:
    text = files("kaicep.language.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", keep_all_tokens=True)


def constructs() -> set[str]:
    """What a tree can consist of: rules under the names of their alternatives, and terminals."""
    rules = {str(rule.alias or rule.origin.name) for rule in grammar().rules if _is_visible(rule)}
    return rules | {terminal.name for terminal in grammar().terminals} - {str(i) for i in grammar().ignore_tokens}


def _is_visible(rule: Rule) -> bool:
    """Whether it has nodes of its own: those of lark's making have none, nor what only stands for its one part."""
    is_alone = rule.options.expand1 and len(rule.expansion) == 1 and rule.alias is None
    return not rule.origin.name.startswith("_") and not is_alone


def used(text: str) -> set[str]:
    tree = grammar().parse(mask(SourceText("query", text)))
    nodes = {str(node.data) for node in tree.iter_subtrees()}
    return nodes | {t.type for t in tree.scan_values(lambda leaf: isinstance(leaf, Token))}


class _Covered(Exception):
    """Nothing is left to be seen."""


@st.composite
def texts(draw: st.DrawFn, family: str) -> str:
    """Queries of a family, with WITHIN at times."""
    some = draw(campuses())
    asked = FAMILIES[family](some) if family in FAMILIES else pattern_queries(some, family, draw(sketches(family)))
    text = draw(asked)
    return draw(within(text)) if draw(st.integers(0, 3)) == 0 and family != "documents" else text


def ask_about(family: str, missing: set[str], most: int) -> None:
    """Take away what queries of a family use: each family has its share, so that none depends on luck to be drawn."""

    @settings(
        max_examples=most, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(text=texts(family))
    def ask(text: str) -> None:
        missing.difference_update(used(text))
        if not missing:
            raise _Covered

    with contextlib.suppress(_Covered):
        ask()


@pytest.mark.long
def test_every_construct_of_the_grammar_is_asked_about() -> None:
    missing = constructs()
    for family in CONTEXTS:
        for seed in range(10):
            missing.difference_update(used(case(family, seed).text))
    for write in (*CHANGES.values(), *TIMERS.values()):
        for seed in range(20):
            missing.difference_update(used(write(Random(seed))))
    for mode in MODES:
        for seed in range(20):
            missing.difference_update(used(query(mode, Random(seed))))
    for family in RULES:
        for seed in range(20):
            missing.difference_update(used(rules(family, Random(seed))))
    for asked in (*ASKED, f"SELECT ?e FROM (?e, STATE({{ {random_query(Random(0)).text()} }}))"):
        missing.difference_update(used(asked))
    for most, family in product((20, 120), (*FAMILIES, *KINDS)):  # a family that lacks it is not asked long at first
        if missing:
            ask_about(family, missing, most)
    assert sorted(missing) == []


def test_a_tree_shows_what_a_query_consists_of() -> None:
    assert {"partition", "LINK", "_PARTITION", "negation"} <= constructs()
    assert "negation" in used("SELECT ?a.x SEQ (?a, NOT ?n FOR 5s)")
    assert "link" not in used("SELECT ?a.x SEQ (?a)")
    assert isinstance(grammar().parse("SELECT ?a"), Tree)
