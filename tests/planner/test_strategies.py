"""Which strategies can answer which queries, and what they say when they cannot."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import sleep
from typing import Any, Literal

import pyarrow as pa
import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.archive.log import Position
from kaicep.archive.rewrite import find_candidates
from kaicep.errors import PlanError
from kaicep.ontology import KnowledgeBase
from kaicep.pipeline.flow.batch import Batch
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.planner.backfill_chunks import BackfillRequest, TimeRange
from kaicep.planner.strategies import Hybrid
from support.sampling import some_of

ROOT = Path(__file__).resolve().parents[2] / "examples" / "campus"
QUERIES = sorted((ROOT / "queries").glob("*.chi"))
FIRST = Position(0, -1)
NINE = datetime(2012, 5, 7, 9, tzinfo=UTC)
PAST = NINE + timedelta(minutes=3)


@pytest.fixture(scope="module")
def project() -> Project:
    return Project.load(ROOT / "kaicep.toml")


def in_the_past(text: str) -> str:
    """The query over all of time."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    head, rest = lines[0], lines[1:]
    for word in (" FILTER", " WINDOW"):
        if word in head:
            before, _, after = head.partition(word)
            return "\n".join([f"{before} WITHIN (, ){word}{after}", *rest])
    return "\n".join([f"{head} WITHIN (, )", *rest])


def readings(project: Project) -> list[dict[str, object]]:
    """Two readings a second of some sensors, up and down."""
    sensors = sorted(project.knowledge.keys("http://cei.usc.edu/Equipment.owl#sensorID").individuals)
    chosen = sensors[::29]
    return [
        {
            "sensorID": chosen[n % len(chosen)],
            "timestamp": (NINE + n * timedelta(milliseconds=500)).isoformat(),
            "flowrate": 480.0 + 7.5 * (n * n % 29),
        }
        for n in range(300)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", some_of(QUERIES, 1), ids=lambda path: path.stem)
def test_the_papers_queries_can_be_answered_by_every_strategy(project: Project, path: Path) -> None:
    text, events = in_the_past(path.read_text(encoding="utf-8")), {"airflowReport": readings(project)}
    live = project.evaluate(text, events, registered_at=PAST)
    strategies: tuple[Literal["replay", "rewrite", "hybrid"] | None, ...] = ("replay", "rewrite", "hybrid", None)
    for strategy in strategies:
        assert project.evaluate(text, events, registered_at=PAST, strategy=strategy) == live
    assert live


def refusal(project: Project, text: str, strategy: Literal["rewrite", "hybrid"]) -> str:
    with pytest.raises(PlanError) as refused:
        project.evaluate(text, {"airflowReport": readings(project)}, registered_at=PAST, strategy=strategy)
    return str(refused.value)


def sentence(strategy: str, reason: str) -> str:
    return (
        f"strategy '{strategy}' cannot answer this query: {reason}: leave the choice to the planner, or ask for replay"
    )


TWO = "SELECT ?a.sensorID FROM (?a, airflowReport), (?b, airflowReport) WITHIN (, ) SEQ"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT COUNT(?e) AS n WITHIN (, ) WINDOW (?e, sliding, 3 events)",
         "a window of so many events: SPARQL counts none"),
        ("SELECT COUNT(?e) AS n WITHIN (, ) WINDOW (?e, session, 1s)",
         "the ends of such windows follow from the events before them"),
        ("SELECT COUNT(?e) AS n WITHIN (, ) WINDOW (?e, batch, 1s, START first)",
         "windows that begin with the first event have to know it"),
        ("SELECT ?e.sensorID WITHIN (, ) FILTER (REGEX(?e.sensorID, '^A'))",
         "a FILTER of ?e: the function REGEX differs between engines of SPARQL"),
        (f"{TWO} (?a, ?b) WINDOW (?a, ?b, 1s) AFTER MATCH SKIP PAST LAST EVENT",
         "AFTER MATCH chooses among matches one after the other"),
        (f"{TWO} (?a -> ?b) WINDOW (?a, ?b, 1s)",
         "links other than ->> look at events that are passed over"),
    ],
)  # fmt: skip
def test_what_sparql_cannot_say_is_refused_with_the_reason(project: Project, text: str, reason: str) -> None:
    assert refusal(project, text, "rewrite") == sentence("rewrite", reason)


def test_what_looks_at_more_than_candidates_is_no_hybrid(project: Project) -> None:
    text = f"{TWO} (?a => ?b) WINDOW (?a, ?b, 1s)"
    assert refusal(project, text, "hybrid") == sentence(
        "hybrid", "strict contiguity looks at every event, candidate or not"
    )


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["replay", "rewrite", "hybrid"])
def test_a_window_may_end_long_after_within(project: Project, strategy: Literal["replay", "rewrite", "hybrid"]) -> None:
    text = f"SELECT AVG(?e.flowrate) AS mean WITHIN ({NINE:%FT%TZ}, {NINE:%FT%H:00:03Z}) WINDOW (?e, batch, 1h)"
    events = {"airflowReport": readings(project)[:120]}
    live = project.evaluate(text, events, registered_at=NINE + timedelta(seconds=30))
    assert project.evaluate(text, events, registered_at=NINE + timedelta(seconds=30), strategy=strategy) == live != []


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["replay", "rewrite", "hybrid"])
def test_windows_that_within_cuts_are_over_when_time_passes_their_end(
    project: Project, strategy: Literal["replay", "rewrite", "hybrid"]
) -> None:
    """They hold what lies within, and end between the end of WITHIN and the registration."""
    text = f"SELECT COUNT(?e) AS n WITHIN (, {NINE:%FT%H:00:03Z}) WINDOW (?e, hopping, 5s, 500ms)"
    events = {"airflowReport": readings(project)[:120]}
    live = project.evaluate(text, events, registered_at=NINE + timedelta(seconds=30))
    assert live[-1]["_window"]["end"] == NINE + timedelta(seconds=8)
    assert project.evaluate(text, events, registered_at=NINE + timedelta(seconds=30), strategy=strategy) == live


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["replay", "rewrite", "hybrid"])
def test_matches_of_the_same_events_come_in_one_order(
    project: Project, strategy: Literal["replay", "rewrite", "hybrid"]
) -> None:
    """Two variables whose events, of one moment, may change places."""
    text = f"{TWO[:-4]} JOIN (?a.flowrate != ?b.flowrate) WINDOW (?a, sliding, 1s) WINDOW (?b, sliding, 1s)"
    rows = readings(project)[:60]
    events = {"airflowReport": [row | {"timestamp": rows[n - n % 4]["timestamp"]} for n, row in enumerate(rows)]}
    live = project.evaluate(text, events, registered_at=NINE + timedelta(seconds=20))
    assert project.evaluate(text, events, registered_at=NINE + timedelta(seconds=20), strategy=strategy) == live != []


@pytest.mark.slow
def test_what_the_store_gets_meanwhile_is_seen_by_no_variable(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each variable has a SPARQL query of its own, and between two of them the store goes on."""
    batches = iter([readings(project)[n : n + 20] for n in range(0, 600, 20)])
    moved = project.settings.archive.model_copy(update={"path": str(tmp_path / "archive")})
    shapes = project.shapes
    with Archive(project.settings.model_copy(update={"archive": moved}), project.knowledge, shapes) as archive:
        live = project.dataflow()

        def arrive() -> None:
            annotated = project.annotators["airflowReport"].annotate(raw_table(next(batches)))
            steps = live.process(Batch({"airflowReport": annotated})).streams
            archive.append((archive.last or FIRST).batch + 1, {s: step.archived for s, step in steps.items()})
            archive.flush()

        def ask_while_batches_come(*args: Any) -> pa.Table:
            found = find_candidates(*args)
            arrive()
            return found

        for _ in range(10):
            arrive()
        (query,) = project.compile(f"{TWO} (?a, ?b) WINDOW (?a, ?b, 1s)")
        columns = {"airflowReport": frozenset({"sensorID"})}
        asked = BackfillRequest((query,), TimeRange(None, None), columns, dict(live.watermarks), archive.last)
        monkeypatch.setattr("kaicep.planner.strategies.find_candidates", ask_while_batches_come)
        parts = list(Hybrid.of(archive, asked, 100).parts())
    found = [[ids(table) for table in part.candidates.values()] for part in parts]
    assert any(found)
    assert all(a == b for a, b in filter(None, found))
    assert len({i for p in parts for table in (*p.events.values(), *p.candidates.values()) for i in ids(table)}) == 200


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["replay", "rewrite", "hybrid"])
def test_an_event_that_comes_again_too_late_is_still_the_one_that_came_in_time(
    project: Project, strategy: Literal["replay", "rewrite", "hybrid"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store has both before it is asked: the second time is what is on the way at the registration."""

    def wait(archive: Archive, *_: object) -> None:
        while archive.last != Position(archive.log.generation, 2):
            sleep(0.001)
        archive.flush()

    monkeypatch.setattr("kaicep.pipeline.simulation.registration_simulation.wait_for_archive", wait)
    rows = readings(project)[:60]
    events = {"airflowReport": [*rows[:50], rows[0] | {"flowrate": 1.0}, *rows[50:]]}
    text, at = "SELECT ?e.sensorID, ?e.flowrate WITHIN (, )", NINE + timedelta(seconds=28)
    live = project.evaluate(text, events, registered_at=at)
    assert len(live) == len(rows)
    gap = timedelta(seconds=4)
    assert project.evaluate(text, events, registered_at=at, in_flight=gap, strategy=strategy) == live


def ids(events: pa.Table) -> list[str]:
    return list(events["_id"].to_pylist())


@pytest.mark.slow
def test_the_output_of_a_query_is_not_in_the_store(project: Project) -> None:
    text = (
        "CREATE QUERY busy AS SELECT ?e.sensorID, ?e.flowrate WITHIN (, ) FILTER (?e.flowrate > 600); "
        "SELECT ?b.sensorID FROM (?b, busy) WITHIN (, )"
    )
    strategies: tuple[Literal["hybrid", "rewrite"], ...] = ("hybrid", "rewrite")
    for strategy in strategies:
        assert refusal(project, text, strategy) == sentence(
            strategy, "it reads the output of 'busy', which is no part of the archived events"
        )


def test_an_unknown_strategy_is_named(project: Project) -> None:
    with pytest.raises(PlanError) as refused:
        project.evaluate("SELECT ?e.sensorID", {"airflowReport": []}, strategy="reply")  # type: ignore[arg-type]  # wrong on purpose
    assert str(refused.value) == "there is no strategy 'reply': did you mean 'replay'?"


LINKS: dict[str, dict[str, Any]] = {
    "as it is": {"individual": "e:{+}"},
    "percent-encoded": {"individual": "e:{}"},
    "whole IRIs": {"individual": "{}"},
    "by the key of a reference": {"key": "ref:hasTimeseriesId"},
    "by label, whatever its case": {"key": "rdfs:label", "ignore_case": True, "of_class": "e:Sensor"},
    "by template, whatever its case": {"individual": "e:{+}", "ignore_case": True},
}
LINKED_MODEL = """@prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix ref: <https://brickschema.org/schema/Brick/ref#> .
<http://e/ahu/1> a e:Sensor ; e:in e:r1 ; rdfs:label "AHU/1" ;
    ref:hasExternalReference [ ref:hasTimeseriesId "ahu/1" ] .
<http://e/AHU%2F1> a e:Sensor ; e:in e:r2 . <http://e/AHU/2> a e:Sensor ; e:in e:r1 . e:r1 rdfs:label "AHU/1" ."""


@pytest.mark.slow
@pytest.mark.parametrize("way", LINKS)
def test_however_ids_are_linked_the_past_is_as_if_it_were_live(way: str) -> None:
    """Where the individual does not tell the id, the archive keeps it beside."""
    attributes = {"s": {"property": "e:by", **LINKS[way]}, "v": {"property": "e:value", "datatype": "xsd:double"}}
    stream = {"event_type": "e:R", "time": {"attribute": "at"}, "identity": ["s", "at"], "attributes": attributes}
    prefixes = {"e": "http://e/", "ref": "https://brickschema.org/schema/Brick/ref#"}
    linked = Project.parse({"prefixes": prefixes, "streams": {"air": stream}})
    project = linked.with_knowledge(KnowledgeBase.of_turtle(LINKED_MODEL))
    ids = ["ahu/1", "AHU/1", "http://e/ahu/1", "Ahu/2", "none", "no iri <"]
    rows = [{"s": s, "at": (NINE + timedelta(seconds=n)).isoformat(), "v": n} for n, s in enumerate(ids * 3)]
    text = """SELECT ?a.s, ?a.e:by AS by, ?b.s AS t, ?place FROM (?a, air), (?b, air) WITHIN (, )
    { PATH { ?a e:by/e:in ?place } SEQ (?a ->> ?b) JOIN (?a.s = ?b.s) WINDOW (?a, ?b, 10s) }"""
    live = project.evaluate(text, {"air": rows}, registered_at=PAST)
    strategies: tuple[Literal["replay", "rewrite", "hybrid"], ...] = ("replay", "hybrid", "rewrite")
    for strategy in strategies:
        assert project.evaluate(text, {"air": rows}, registered_at=PAST, strategy=strategy) == live, strategy
    assert live
