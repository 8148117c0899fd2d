"""Text pairs: what a query is in normal form, or the whole message that refuses it.

A case in `cases/*.chi` is a title, a text, `---` and what must come of it. `@two` behind the title: the project has two
source streams, otherwise one, so that FROM may be left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kaicep.errors import KaicepError, QuerySyntaxError, QueryTypeError
from kaicep.expressions import SIGNATURES
from kaicep.language.checks import compile_document
from kaicep.language.checks.compiler import check_document
from kaicep.language.nodes import Query, Vocabulary
from support.vocabulary import CAMPUS, TWO_STREAMS

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True, slots=True)
class Case:
    title: str
    text: str
    expected: str
    vocabulary: Vocabulary


def cases(name: str) -> list[Case]:
    return list(_read((CASES / f"{name}.chi").read_text(encoding="utf-8")))


def _read(content: str) -> Iterator[Case]:
    for block in ("\n" + content).split("\n=== ")[1:]:
        head, _, expected = block.partition("\n---\n")
        title, _, text = head.partition("\n")
        vocabulary = TWO_STREAMS if title.endswith(" @two") else CAMPUS
        yield Case(title.removesuffix(" @two"), text, expected.strip("\n"), vocabulary)


def outcome(queries: tuple[Query, ...]) -> str:
    return "\n".join([*(q.normal for q in queries), *(warning for q in queries for warning in q.warnings)])


def titled(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases(name), ids=lambda case: case.title)


@titled("paper")
def test_the_papers_queries(case: Case) -> None:
    """They compile as they stand in the paper, without FROM and WHERE."""
    assert outcome(compile_document(case.text, case.vocabulary, "query.chi")) == case.expected


@titled("normal")
def test_normal_form(case: Case) -> None:
    assert outcome(compile_document(case.text, case.vocabulary, "query.chi")) == case.expected


@titled("warnings")
def test_warnings(case: Case) -> None:
    assert outcome(compile_document(case.text, case.vocabulary, "query.chi")) == case.expected


@pytest.mark.parametrize("case", [*cases("paper"), *cases("normal")], ids=lambda case: case.title)
def test_normal_form_is_normal(case: Case) -> None:
    """The normal form is χ-CEP, means the same query, and is its own normal form."""
    before = check_document(case.text, case.vocabulary)
    for position, (_, query) in enumerate(before):
        streams = {**case.vocabulary.streams, **{q.name: q.output for _, q in before[:position] if q.name}}
        vocabulary = Vocabulary(streams, SIGNATURES, {}, case.vocabulary.terms, case.vocabulary.sources)
        [(_, again)] = check_document(query.normal, vocabulary)
        assert again.normal == query.normal
        if query.name is None:  # a named one carries more than its text says
            assert [s.columns for s in again.sources] == [s.columns for s in query.sources]
        assert [sorted(s.bindings) for s in again.sources] == [sorted(s.bindings) for s in query.sources]
        assert [i.type for i in again.items] == [i.type for i in query.items if not i.hidden]


def message(case: Case) -> KaicepError:
    with pytest.raises(KaicepError) as caught:
        compile_document(case.text, case.vocabulary, "query.chi")
    return caught.value


@titled("syntax_errors")
def test_syntax_errors(case: Case) -> None:
    error = message(case)
    assert str(error) == case.expected
    assert isinstance(error, QuerySyntaxError)


@titled("type_errors")
def test_type_errors(case: Case) -> None:
    error = message(case)
    assert str(error) == case.expected
    assert isinstance(error, QueryTypeError)


def test_there_are_enough_wrong_queries() -> None:
    assert len(cases("syntax_errors")) + len(cases("type_errors")) >= 45
