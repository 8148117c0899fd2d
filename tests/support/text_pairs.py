"""Text pairs: what a query is in normal form, or the whole message that refuses it.

A case in `language/cases/*.chi` is a title, a text, `---` and what must come of it. `@two` behind the title: the
project has two source streams, otherwise one, so that FROM may be left out. Files of contexts have those of roads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from kaicep.errors import KaicepError
from kaicep.language.checks import compile_document
from kaicep.language.nodes import Query, Vocabulary

from .roads import ROADS
from .vocabulary import CAMPUS, TWO_STREAMS

_CASES = Path(__file__).parents[1] / "language" / "cases"


@dataclass(frozen=True, slots=True)
class Case:
    """A text and what must come of it."""

    title: str
    text: str
    expected: str
    vocabulary: Vocabulary

    def queries(self) -> tuple[Query, ...]:
        """What the text means."""
        return compile_document(self.text, self.vocabulary, "query.chi")

    def message(self) -> KaicepError:
        """The error that refuses the text."""
        with pytest.raises(KaicepError) as caught:
            self.queries()
        return caught.value


def cases(*names: str) -> list[Case]:
    """The cases of files."""
    return [case for name in names for case in _read(name, (_CASES / f"{name}.chi").read_text(encoding="utf-8"))]


def _read(name: str, content: str) -> Iterator[Case]:
    for block in ("\n" + content).split("\n=== ")[1:]:
        head, _, expected = block.partition("\n---\n")
        title, _, text = head.partition("\n")
        vocabulary = ROADS if "context" in name else TWO_STREAMS if title.endswith(" @two") else CAMPUS
        yield Case(title.removesuffix(" @two"), text, expected.strip("\n"), vocabulary)


def outcome(queries: tuple[Query, ...]) -> str:
    """Normal forms, then warnings."""
    return "\n".join([*(q.normal for q in queries), *(warning for q in queries for warning in q.warnings)])


def each_case(*names: str) -> pytest.MarkDecorator:
    """A test for each case of files."""
    return pytest.mark.parametrize("case", cases(*names), ids=lambda case: case.title)
