"""STATE({ … }): by what it is answered, what it may not say, and that the answer is that of the query itself."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from kaicep import Project
from kaicep.errors import KaicepError, QueryTypeError
from oracle.asked import ask
from oracle.evaluate import Oracle
from support.cover_pairs import content, random_query, random_streams, tightened

WIDE = "CREATE QUERY wide AS SELECT ?a.id FROM (?a, S), (?b, S) SEQ (?a, ?b) WINDOW (?a, ?b, 9s);\n"
WAITS = "CREATE QUERY waits AS SELECT ?a.id FROM (?a, S), (?b, S), (?n, S) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 9s);\n"
BODY = "SELECT ?x.id FROM (?x, S), (?y, S) FILTER (?x.v > 1) SEQ (?x, ?y) WINDOW (?x, ?y, 5s)"
SAME = "SELECT ?b.v FROM (?a, S), (?b, S), (?n, S) SEQ (?a, NOT ?n, ?b) WINDOW (?a, ?b, 9s)"


def asking(body: str) -> str:
    return f"{WIDE}{WAITS}SELECT ?e.id FROM (?e, STATE({{ {body} }}))"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.parse(content(tmp_path_factory.mktemp("devices")))


def test_what_covers_a_body_is_found(project: Project) -> None:
    (reference,) = project.compile(asking(BODY), asked=True)[-1].asked
    assert reference.query == "wide"
    assert reference.body is not None
    assert reference.cover == "?x is a ?a, ?y is a ?b, and all that is asked of these follows"
    (reference,) = project.compile(asking(SAME), asked=True)[-1].asked
    assert (reference.query, reference.body) == ("waits", None), "it differs in what it reports alone"


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        (BODY.replace("5s", "10s"), "'wide': its window over ?a, ?b may be over sooner; 'waits': ", "register it"),
        (SAME.replace("9s", "8s"), "what this one passes over, counts or forbids is not in its state", "register it"),
        (BODY.replace("FILTER", "WITHIN (now, ) FILTER"), "has no WITHIN", "leave WITHIN out"),
        (f"{BODY} LIMIT 1", "a state has no LIMIT", "leave LIMIT out"),
        (BODY.replace("(?x, S)", "(?x, STATE(wide))"), "STATE is as it is at one moment", "ask it by itself"),
        (BODY.replace("?x.v >", "?x.w >"), "unknown attribute 'w' of stream 'S'", ""),
    ],
)
def test_a_body_is_refused_with_its_place(project: Project, body: str, message: str, hint: str) -> None:
    with pytest.raises(QueryTypeError) as raised:
        project.compile(asking(body), asked=True)
    assert message in str(raised.value)
    assert hint in str(raised.value)
    assert raised.value.place is not None


def agree(project: Project, oracle: Oracle, seed: int) -> int:
    """How many answers had rows, of a query that asks for more than a registered one, at every moment."""
    source = Random(seed)
    wide = random_query(source)
    narrow = tightened(source, wide).text(dict(zip("abcd", source.sample("pqrs", 4), strict=True)))
    text = f"CREATE QUERY wide AS {wide.text()};\nSELECT ?e.id FROM (?e, STATE({{ {narrow} }}))"
    try:
        project.compile(text, asked=True)
    except KaicepError:
        return 0
    streams, said = random_streams(source), 0
    for moment in sorted({datetime.fromisoformat(raw["t"]) for own in streams.values() for raw in own}):
        rows = [(row["id"], row["_time"]) for row in project.evaluate(text, streams, ask_at=moment)]
        assert rows == [(row["id"], row["_time"]) for row in ask(oracle, text, streams, moment)], (seed, moment)
        said += bool(rows)
    return said


def test_the_answer_is_that_of_the_query_itself(project: Project, tmp_path: Path) -> None:
    oracle = Oracle(content(tmp_path))
    assert sum(agree(project, oracle, seed) for seed in range(6)) > 10


@pytest.mark.long
def test_the_answer_is_that_of_the_query_itself_in_the_long_run(project: Project, tmp_path: Path) -> None:
    oracle = Oracle(content(tmp_path))
    assert sum(agree(project, oracle, seed) for seed in range(2000)) > 4000
