"""docs/language.md is right: its examples give what it says, and it leaves nothing of the language out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from kaicep import Project
from kaicep.errors import KaicepError
from kaicep.expressions import AGGREGATES, OPERATORS, SIGNATURES
from kaicep.expressions.aggregates import CHANGES, AggregateFunction, ChangeFunction
from kaicep.expressions.functions import WRITTEN_FUNCTIONS, ScalarFunction
from oracle.asked import ask
from oracle.evaluate import Oracle
from support.cases import difference
from support.letters import stream
from support.manual import PAGE, Example, examples, knowledge, settings, shown

PAGE_TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = list(examples(PAGE_TEXT))
GRAMMAR = PAGE.parents[1] / "language" / "syntax" / "grammar.lark"
KEYWORD = re.compile(r"^_?[A-Z]+(?:\.\d)?: /(\w+?)(?:s\?)?(?:\\b|\(\?!)", re.MULTILINE)


@dataclass(frozen=True)
class House:
    """The page's project, as the engine and as the oracle have it."""

    project: Project
    oracle: Oracle


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = tmp_path_factory.mktemp("house")
    (folder / "house.ttl").write_text(knowledge(PAGE_TEXT), encoding="utf-8")
    content = settings(PAGE_TEXT, folder)
    return House(Project.parse(content), Oracle(content))


def _unasked(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "_asked"} for row in rows]


def test_there_are_examples() -> None:
    assert sum(e.pattern for e in EXAMPLES) > 40
    assert sum(not e.pattern for e in EXAMPLES) > 30


@pytest.mark.slow
@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.events is not None], ids=lambda e: f"line {e.line}")
def test_an_example_gives_what_stands_below_it(example: Example, house: House) -> None:
    """By the meaning of the language, and by the engine."""
    tuples = stream(example.events or "")
    asked = re.search(r"\b(STATE|PARTIAL)\(", example.text) is not None
    if asked:  # once, when the last event has come
        at = max(datetime.fromisoformat(str(event["at"])) for own in tuples.values() for event in own)
        rows = house.project.evaluate(example.text, tuples, ask_at=at)
        assert shown(rows, pattern=False) == example.given
        if "PARTIAL(" not in example.text:
            assert difference(_unasked(rows), ask(house.oracle, example.text, tuples, at)) is None
        return
    found = house.project.evaluate(example.text, tuples)
    assert shown(found, pattern=example.pattern) == example.given
    if "unit:" not in example.text:  # the oracle knows no units
        left_out = ("_events",) if "CONTEXTS(" in example.text else ()  # the oracle only counts changes
        expected = house.oracle.evaluate(example.text, tuples)
        assert difference(_bound(found, left_out), _bound(expected, left_out)) is None


def _bound(rows: Sequence[Mapping[str, Any]], left_out: Sequence[str]) -> list[dict[str, Any]]:
    """Rows without the variables that bind no event."""
    bound = ({**row, "_events": {v: ids for v, ids in row["_events"].items() if ids}} for row in rows)
    return [{name: value for name, value in row.items() if name not in left_out} for row in bound]


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.events is None], ids=lambda e: f"line {e.line}")
def test_an_error_reads_as_the_page_says(example: Example, house: House) -> None:
    with pytest.raises(KaicepError) as error:
        house.project.compile(example.text)
    assert str(error.value) == example.given


def test_every_keyword_stands_in_an_example() -> None:
    texts = "\n".join(re.sub(r"<[^>]*>|'[^']*'", "", e.text) for e in EXAMPLES).upper()
    keywords = {word.upper() for word in KEYWORD.findall(GRAMMAR.read_text(encoding="utf-8"))}
    assert len(keywords) > 50
    assert sorted(k for k in keywords if not re.search(rf"\b{k}", texts)) == []


ENTRIES = [*WRITTEN_FUNCTIONS, *AGGREGATES.values(), *CHANGES]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry.name))
def test_the_tables_say_of_a_function_what_its_entry_says(
    entry: ScalarFunction | AggregateFunction | ChangeFunction,
) -> None:
    assert f"\n| `{entry.usage}` | {entry.doc} |\n" in PAGE_TEXT


def test_the_tables_say_of_operators_what_their_entries_say() -> None:
    lines = set(PAGE_TEXT.splitlines())
    assert [o.symbol for o in OPERATORS.values() if f"| `{o.symbol}` | {o.doc} |" not in lines] == []


def test_every_function_stands_in_an_example() -> None:
    texts = "\n".join(e.text for e in EXAMPLES)
    assert [name for name in sorted(SIGNATURES) if not re.search(rf"\b{name}\(", texts)] == []


@pytest.mark.parametrize(
    "sign", ["->>", "->", "=>", "+", "*", "?", "{2}", "{1,2", "{,2", ";", "~", "%", "!", "||", "&&"]
)
def test_every_sign_stands_in_an_example(sign: str) -> None:
    assert any(sign in e.text for e in EXAMPLES)


def test_every_rule_of_the_grammar_is_on_the_page() -> None:
    """The page's EBNF defines what it uses, and has a rule for each window, each AFTER MATCH and each clause."""
    (ebnf,) = re.findall(r"```ebnf\n(.*?)```", PAGE_TEXT, re.DOTALL)
    text = re.sub(r'"[^"]*"', "", ebnf)
    defined = set(re.findall(r"^(\w+)\s*=", text, re.MULTILINE))
    prose = text[text.index("expr       =") : text.index("attribute  =")]
    used = set(re.findall(r"[a-z]\w+", text.replace(prose, "")))
    given = {"name", "prefixedName", "pname", "iri", "var", "stream", "int", "number", "dateTime", "sparql", "function"}
    assert used - defined == given | {"string"}
    quoted = set(re.findall(r'"(\w+)"', ebnf))
    words = {word.upper() for word in KEYWORD.findall(GRAMMAR.read_text(encoding="utf-8"))}
    spelled = {word.upper() for word in quoted} | set(re.findall(r"[A-Z]{2,}", prose))
    assert sorted(w for w in words if w not in spelled and f"{w}S" not in spelled) == ["FALSE", "TRUE"]


def test_the_links_of_the_page_lead_somewhere() -> None:
    titles = re.findall(r"^#+ (.*)", PAGE_TEXT, re.MULTILINE)
    headings = {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}
    for target in re.findall(r"\]\(([^)]*)\)", PAGE_TEXT):
        file, _, anchor = target.partition("#")
        assert file or anchor in headings, target
        assert not file or Path(PAGE.parent / file).exists(), target
