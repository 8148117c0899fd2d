"""Queries come and go, with a past, in contexts, reading each other: tasks give what the driver gives."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from kaicep.errors import PipelineError, QueryTypeError
from kaicep.pipeline.catalog import Catalog
from support import context_families, rule_queries
from support.context_pasts import context_past
from support.dataflows import cut_anywhere
from support.hosted_documents import KEYED, RULES, Batches
from support.hostings import BothHostings
from support.keyed import keyed_batches, keyed_question
from support.sampling import some_of

_PAIR = "SEQ (?a, ?b) WINDOW (?a, ?b, 3s)"


def check(rng: Random, base: Catalog, statements: Sequence[str], cut: Batches) -> int:
    """Let the statements of a document come one after the other, and some go; how many rows there are."""
    with TemporaryDirectory() as folder:
        ahead = list(statements)
        both = BothHostings(Path(folder), base, ahead.pop(0), rng, shards=rng.choice((1, 2, 3)))
        for batch in cut:
            both.take(batch)
            while ahead and rng.random() < 0.6:
                with suppress(QueryTypeError):  # what it reads is gone, or has not come
                    both.submit(ahead.pop(0))
            if rng.random() < 0.3:
                _withdraw(both, rng)
        both.end()
        return both.rows


def _withdraw(both: BothHostings, rng: Random) -> None:
    """Let a query go that nobody reads."""
    labels = [one.label for one in both.engines[0].registrations]
    for label in rng.sample(labels, len(labels)):
        try:
            both.withdraw(label)
        except PipelineError:  # somebody reads it
            continue
        return


def in_contexts(family: str, seed: int) -> int:
    """What changes contexts, and what speaks of them, in any order that the language allows."""
    past, rng = context_past(family, seed), Random(f"changing {family} {seed}")
    case = past.case
    every = case.text.split(";\n")
    sets = [one for one in every if one.startswith("CREATE CONTEXTS")]
    others = [one for one in every if one not in sets]
    statements = [";\n".join([*sets, one]) for one in others]
    base = context_families.contexts_project(case.lateness)
    return check(rng, base, statements, cut_anywhere(case.streams, rng))


def keyed(seed: int) -> int:
    """Queries that may be in shards, some with a past, and some that read others which have been answered."""
    rng = Random(f"changing {seed}")
    statements = [f"CREATE QUERY q{place} AS {_with_past(keyed_question(rng), rng)}" for place in range(3)]
    for place in range(2):
        one, other = rng.choice("012"), rng.choice("012")
        asked = rng.choice(
            (
                f"SELECT COUNT(?r) AS n FROM (?r, q{one}) WHERE {{ WINDOW (?r, batch, 3s) }}",
                f"SELECT ?a AS a, ?b AS b FROM (?a, q{one}), (?b, q{other}) WHERE {{ {_PAIR} }}",
                f"SELECT ?a AS a, ?b.id AS b FROM (?a, q{one}), (?b, P) WHERE {{ {_PAIR} }}",
            )
        )
        statements.append(f"CREATE QUERY reads{place} AS {_with_past(asked, rng)}")
    statements = [statements[0], *rng.sample(statements[1:], 4)]
    return check(rng, KEYED, statements, keyed_batches(rng))


def _with_past(text: str, rng: Random) -> str:
    """The query, which now and then asks for what was before it."""
    bounds = rng.choice(("", "", "", "[now - 8s, )", "[now - 1h, now + 9s]"))
    return text.replace(" WHERE ", f" WITHIN {bounds} WHERE ", 1) if bounds else text


def with_rules(family: str, seed: int) -> int:
    """Rules, and what they act on, one after the other."""
    rng = Random(f"changing {family} {seed}")
    every = rule_queries.rules(family, rng).split(";\n")
    sets = [one for one in every if one.startswith("CREATE CONTEXTS")]
    statements = [";\n".join([*sets, one]) for one in every if one not in sets]
    return check(rng, RULES, statements, cut_anywhere(rule_queries.events(rng), rng))


@pytest.mark.parametrize("seed", some_of([3, 36], 1))
def test_queries_in_shards_come_and_go(seed: int) -> None:
    assert keyed(seed)


@pytest.mark.parametrize("family", some_of([*context_families.FAMILIES][::6], 1))
def test_queries_in_contexts_come_and_go(family: str) -> None:
    in_contexts(family, 2)


def test_who_reads_the_changes_of_a_set_may_be_the_first_to_speak_of_it() -> None:
    """Nobody knew where these come from, and the batch failed, on the driver as well."""
    assert in_contexts("changes", 3)


@pytest.mark.parametrize("family", [*rule_queries.FAMILIES][::4])
def test_rules_come_and_go(family: str) -> None:
    with_rules(family, 1)


@pytest.mark.long
def test_queries_come_and_go_in_the_long_run() -> None:
    assert sum(keyed(seed) for seed in range(100)) > 3_000
    assert sum(in_contexts(family, seed) for family in context_families.FAMILIES for seed in range(15)) > 500
    assert sum(with_rules(family, seed) for family in rule_queries.FAMILIES for seed in range(15)) > 300
