"""Examples of the language whose rows are known, by the engine and by the oracle; and documents that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import KaicepError, Project
from oracle.evaluate import Oracle
from support.context_examples import Example, examples

EXAMPLES = examples("language_examples")


@pytest.mark.parametrize("example", [e for e in EXAMPLES if not e.refused], ids=lambda e: e.name)
def test_an_example_has_its_rows(example: Example, tmp_path: Path) -> None:
    module = tmp_path / "knowledge.ttl"
    module.write_text(example.knowledge, encoding="utf-8")
    content = {**example.content, "knowledge": {"modules": [str(module)]}}
    for rows in (
        list(Project.parse(content).evaluate(example.text, example.streams)),
        Oracle(content).evaluate(example.text, example.streams),
    ):
        assert example.shown(rows)[0] == example.rows


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.refused], ids=lambda e: e.name)
def test_what_is_refused_is_told_with_its_place(example: Example) -> None:
    with pytest.raises(KaicepError) as refused:
        Project.parse(example.content).compile(example.text)
    assert refused.value.place is not None
    assert refused.value.hint
