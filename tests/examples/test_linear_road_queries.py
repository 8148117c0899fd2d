"""Linear Road: tolls and alerts."""

from __future__ import annotations

from pathlib import Path

from kaicep import Project
from kaicep.examples import linear_road

EXAMPLE = Path(linear_road.__file__).parent
QUERIES = EXAMPLE / "queries"


def text(*numbers: int) -> str:
    return "\n".join(next(QUERIES.glob(f"{number}_*.chi")).read_text(encoding="utf-8") for number in numbers)


def test_the_queries_name_nothing_that_the_knowledge_lacks() -> None:
    for query in Project.load(EXAMPLE).compile(text(1, 2, 3, 4, 5, 6)):
        assert query.warnings == ()
