"""Ontology modules that change while queries run: what takes over when, what is refused, which version judges what."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import pytest
from kaicep import KaicepError, PipelineError, Project
from kaicep.api.clients.ontology_client import add_module, change_module, list_modules, remove_module
from kaicep.explain import explain_runtime, plan_text
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.modules import Module
from kaicep.pipeline.control.knowledge_admin import KnowledgeAdmin
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.knowledge.knowledge_store import Version
from kaicep.pipeline.knowledge.knowledge_swap import KnowledgeSwap
from kaicep.planner import Strategy
from kaicep.storage import Telling
from support.command_line import wait_for
from support.living import BASE, IN_OFFICES, archive_of, batch, project, rooms, sensors_of, turtle
from support.ontologies import closed_here

TRIPLES = len(
    KnowledgeBase.of_turtle(
        "@prefix ex: <urn:ex:> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
        + BASE
        + rooms(s1="r1", s2="r2", s3="r2")
        + rooms(s3="r1")
    ).store
)


@pytest.fixture(autouse=True)
def _close_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting a process takes most of a second; two tests do."""
    if not re.search("another_process|how_long", request.node.name):
        monkeypatch.setattr("kaicep.pipeline.control.knowledge_admin.close_in_process", closed_here)


@contextmanager
def running(
    given: Project, text: str = IN_OFFICES, log: list[str] | None = None
) -> Iterator[tuple[CheckpointedFlow, KnowledgeAdmin]]:
    """A data flow that answers a query called `offices`, and what changes its modules."""
    said = [] if log is None else log
    archive = archive_of(given) if given.settings.archive.enabled else None

    def tell(version: Version, swap: KnowledgeSwap) -> None:
        said.extend([f"version {version.number}", *swap.summary])

    flow = CheckpointedFlow(given, given.settings.path("var/state"), [], archive, tell)
    ontology = KnowledgeAdmin(flow, said.append)
    try:
        flow.queries.submit(given.registrations(text, "offices"))
        yield flow, ontology
    finally:
        ontology.close()
        flow.close()
        if archive is not None:
            archive.close()


def test_a_module_takes_over_at_the_next_batch_and_is_told(tmp_path: Path) -> None:
    log: list[str] = []
    more = turtle(tmp_path, "more.ttl", rooms(s3="r1"))
    with running(project(tmp_path), log=log) as (flow, ontology):
        assert sensors_of(flow, 1) == ["s1"]
        swap = ontology.add(more)
        assert swap.change == "adds more.ttl"
        assert str(flow.version).startswith("version 1 ")
        assert sensors_of(flow, 2) == ["s1", "s3"]
        explained = plan_text(explain_runtime(flow.project, flow.dataflow.flows["offices"]))
        assert explained.splitlines()[-1] == (
            f"  knowledge: {flow.version}, in force since batch 2: 2 modules, {TRIPLES} triples with what follows"
        )
        ontology.remove("more.ttl")
        assert sensors_of(flow, 3) == ["s1"]
        assert [(v.number, v.batch, v.change) for v in ontology.versions] == [
            (1, 1, "the first"),
            (2, 2, "adds more.ttl"),
            (3, 3, "removes more.ttl"),
        ]
    assert log[0] == "version 2"
    assert log[2] == "offices: answers differently for 1 individual"


def test_a_change_that_no_query_notices_says_so(tmp_path: Path) -> None:
    with running(project(tmp_path)) as (flow, ontology):
        sensors_of(flow, 1)
        swap = ontology.add(turtle(tmp_path, "more.ttl", "ex:r9 a ex:Store ."))
        assert swap.summary[1] == "all queries answer as before"


def test_an_import_that_nobody_has_is_told_and_done_without(tmp_path: Path) -> None:
    with running(project(tmp_path)) as (flow, ontology):
        swap = ontology.add(turtle(tmp_path, "more.ttl", "ex:m a owl:Ontology ; owl:imports <urn:nowhere> ."))
        assert swap.summary[1] == (
            "more.ttl: imports <urn:nowhere>, which no loaded module and no file of the catalog declares: "
            "it is done without; to bring it, put a copy into a folder of knowledge.catalog"
        )
        sensors_of(flow, 1)
        swap = ontology.add(turtle(tmp_path, "again.ttl", "ex:r9 a ex:Store ."))
        assert swap.summary[1] == "all queries answer as before", "what was told once is not told again"


REFUSED = {
    "ex:r2 a ex:Office .": """the knowledge contradicts itself: ex:r2 is both ex:Office and ex:Store, which are
        disjoint: take one of the statements back, see base.ttl (ex:r2, ex:Office, ex:Store), more.ttl (ex:r2)""",
    "ex:flow owl:equivalentProperty ex:sensor .": """project: streams.air.attributes.flow: 'sensor' and 'flow' stand for
        equivalent properties, <urn:ex:sensor> and <urn:ex:flow>: declare one attribute for both""",
    "ex:limit rdfs:range xsd:string .": """column 'limit' of query 'offices' would change from term to string: say the
        range of the property in the ontology, or stop the query first""",
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_take_over_is_refused_and_the_old_version_goes_on(case: str, tmp_path: Path) -> None:
    query = IN_OFFICES.replace(" PATH", ", ?l AS limit PATH").replace("Office}", "Office OPTIONAL {?r ex:limit ?l}}")
    with running(project(tmp_path), query) as (flow, ontology):
        assert sensors_of(flow, 1) == ["s1"]
        with pytest.raises(KaicepError) as refused:
            ontology.add(turtle(tmp_path, "more.ttl", case))
        assert str(refused.value) == " ".join(REFUSED[case].split())
        assert sensors_of(flow, 2) == ["s1"]
        assert len(ontology.versions) == 1


def test_a_change_of_an_attributes_type_is_refused(tmp_path: Path) -> None:
    """Only the knowledge says the type of `flow`."""
    base = turtle(tmp_path, "base.ttl", f"{BASE} {rooms(s1='r1')} ex:flow rdfs:range xsd:double .")
    with running(project(tmp_path, flow=None)) as (_, ontology):
        turtle(tmp_path, "base.ttl", f"{BASE} {rooms(s1='r1')} ex:flow rdfs:range xsd:integer .")
        with pytest.raises(KaicepError) as refused:
            ontology.add(base)
    assert str(refused.value) == (
        "attribute 'flow' of stream 'air' would change from double to integer: say its datatype in the annotation, and "
        "start again"
    )


def test_two_changes_before_the_next_batch_take_over_together(tmp_path: Path) -> None:
    with running(project(tmp_path)) as (flow, ontology):
        sensors_of(flow, 1)
        ontology.add(turtle(tmp_path, "two.ttl", rooms(s2="r1")))
        ontology.add(turtle(tmp_path, "three.ttl", rooms(s3="r1")))
        assert sensors_of(flow, 2) == ["s1", "s2", "s3"]


def test_a_change_on_an_idle_stream_asks_for_a_batch_and_takes_over_with_it(tmp_path: Path) -> None:
    """The heartbeat makes a batch without records when one is needed; then no other is."""
    log: list[str] = []
    idleness = IdleStreams({"air": timedelta.max})
    with running(project(tmp_path), log=log) as (flow, ontology):
        flow.run(1, batch(1), idleness)
        assert not flow.overdue(idleness)
        ontology.add(turtle(tmp_path, "more.ttl", rooms(s3="r1")))
        assert flow.overdue(idleness)
        flow.run(2, {}, idleness)
        assert not flow.overdue(idleness)
        assert str(flow.version).startswith("version 2 ")
        assert log[0] == "version 2"


def test_a_change_that_is_taken_back_before_the_next_batch_makes_no_version(tmp_path: Path) -> None:
    idleness = IdleStreams({"air": timedelta.max})
    with running(project(tmp_path)) as (flow, ontology):
        flow.run(1, batch(1), idleness)
        ontology.add(turtle(tmp_path, "more.ttl", rooms(s3="r1")))
        ontology.remove("more.ttl")
        assert sensors_of(flow, 2) == ["s1"]
        assert len(ontology.versions) == 1
        assert not flow.overdue(idleness)


def test_individuals_found_by_key_are_linked_anew(tmp_path: Path) -> None:
    """Before, s4 is no individual; after, it is one in an office: one individual is judged otherwise."""
    with running(project(tmp_path, link={"key": "ex:key"})) as (flow, ontology):
        flow.run(1, batch(1, ["s1", "s4"]))
        swap = ontology.add(turtle(tmp_path, "more.ttl", rooms(s4="r1")))
        assert swap.summary[1] == "offices: answers differently for 1 individual"
        rows = flow.run(2, batch(2, ["s4"])).matches["offices"]
        assert rows["sensor"].to_pylist() == ["s4"]


def test_a_batch_that_is_delivered_again_is_judged_by_the_version_of_the_first_time(tmp_path: Path) -> None:
    """The module is added after batch 2 was begun, and its engine died; the next one does batch 2 again."""
    given = project(tmp_path)
    with running(given) as (flow, ontology):
        sensors_of(flow, 1)
        sensors_of(flow, 2)
    (tmp_path / "var/state/snapshots/000000000002.snapshot").unlink()
    add_module(given.settings, turtle(tmp_path, "more.ttl", rooms(s3="r1")), None)
    with running(project(tmp_path)) as (flow, ontology):
        flow.versions.begun = 2
        assert sensors_of(flow, 2) == ["s1"]
        assert sensors_of(flow, 3) == ["s1", "s3"]
        assert [(v.number, v.batch) for v in ontology.versions] == [(1, 1), (2, 3)]


def test_an_older_version_judges_an_older_batch(tmp_path: Path) -> None:
    """The engine dies after version 2 was noted for batch 2, and goes on from before batch 1."""
    given = project(tmp_path)
    with running(given) as (flow, ontology):
        sensors_of(flow, 1)
        ontology.add(turtle(tmp_path, "more.ttl", rooms(s3="r1")))
        sensors_of(flow, 2)
    for snapshot in (tmp_path / "var/state/snapshots").glob("*.snapshot"):
        snapshot.unlink()
    with running(project(tmp_path)) as (flow, ontology):
        assert [sensors_of(flow, 1), sensors_of(flow, 2)] == [["s1"], ["s1", "s3"]]


def test_a_query_over_the_past_is_judged_by_the_knowledge_at_its_registration(tmp_path: Path) -> None:
    with running(project(tmp_path, archive=True)) as (flow, ontology):
        sensors_of(flow, 1)
        ontology.add(turtle(tmp_path, "more.ttl", rooms(s3="r1")))
        sensors_of(flow, 2)
        sensors_of(flow, 3)
        text = IN_OFFICES.replace(" PATH", " WITHIN (, ) PATH")
        flow.queries.submit(project(tmp_path).registrations(text, "all"))
        assert sensors_of(flow, 4, "all") == ["s1", "s3"] * 4


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        (rooms(s3="r1"), Strategy.HYBRID),
        ("ex:sensor rdfs:subPropertyOf ex:by . ex:by a owl:ObjectProperty ." + rooms(s3="r1"), Strategy.REPLAY),
    ],
)
def test_a_past_before_a_change_is_asked_of_the_store_if_its_triples_are_those_of_now(
    text: str, strategy: Strategy, tmp_path: Path
) -> None:
    """Also by the next engine; the store knows what is in force, and has each event as it was written."""
    given = project(tmp_path, archive=True)
    with running(given) as (flow, ontology):
        flow.run(1, batch(1))
        ontology.add(turtle(tmp_path, "more.ttl", text))
        flow.run(2, batch(2))
    late = IN_OFFICES.replace("PATH", "WITHIN (2026-01-01, ) PATH")
    with running(given.with_module(tmp_path / "more.ttl")) as (flow, _):
        assert flow._flow._archive is not None
        assert flow._flow._archive.flush()
        flow.queries._strategy = Strategy.HYBRID
        flow.queries.submit(given.registrations(late, "late"))
        rows = flow.run(3, batch(3)).matches["late"]["sensor"].to_pylist()
        past = flow.dataflow.flows["late"].past
    assert past is not None
    assert (past.strategy, rows) == (strategy, ["s1", "s3"] * 3)


def test_lost_snapshots_are_rebuilt_with_the_versions_of_their_batches(tmp_path: Path) -> None:
    counted = IN_OFFICES.replace("?e.sensor AS", "COUNT(?e) AS") + " WINDOW (?e, sliding, 1h)"
    with running(project(tmp_path, archive=True), counted) as (flow, ontology):
        flow.run(1, batch(1, ["s3"]))
        ontology.add(turtle(tmp_path, "more.ttl", rooms(s3="r1")))
        flow.run(2, batch(2, ["s3"]))
    for snapshot in (tmp_path / "var/state/snapshots").glob("*.snapshot"):
        snapshot.unlink()
    with running(project(tmp_path, archive=True), counted) as (flow, ontology):
        rows = flow.run(3, batch(3, ["s3"])).matches["offices"]
        assert rows["sensor"].to_pylist() == [2]


@pytest.mark.slow
def test_another_process_asks_the_running_engine(tmp_path: Path) -> None:
    """A command finds the engine, is answered by it, and the next command sees the change."""
    given, log = project(tmp_path), list[str]()
    more, bad = turtle(tmp_path, "more.ttl", rooms(s3="r1")), turtle(tmp_path, "bad.ttl", "ex:r2 a ex:Office .")
    with running(given, log=log) as (flow, _):
        sensors_of(flow, 1)
        assert elsewhere(lambda: add_module(given.settings, more, None)) == [
            "takes over with the next batch",
            f"adds more.ttl: 2 modules, {TRIPLES} triples with what follows",
            "offices: answers differently for 1 individual",
        ]
        refusal = elsewhere(lambda: add_module(given.settings, bad, None))[0]
        assert refusal.startswith("the knowledge contradicts itself")
        assert log[0].startswith("ontology: refused: the knowledge contradicts itself")
        rows, said = list_modules(given.settings)
        assert [(r["module"], r["from"], r["version"]) for r in rows] == [
            ("base.ttl", "project", 1),
            ("more.ttl", "added", None),
        ]
        assert "takes over with the next batch, after version 1" in said[0]
        assert sensors_of(flow, 2) == ["s1", "s3"]
        elsewhere(lambda: remove_module(given.settings, "more.ttl"))
        assert sensors_of(flow, 3) == ["s1"]


def test_who_asks_says_how_long_the_engine_may_reason(tmp_path: Path) -> None:
    given = project(tmp_path)
    more = Module.load(turtle(tmp_path, "more.ttl", rooms(s3="r1")), tmp_path)
    with running(given) as (flow, _):
        (refusal,) = elsewhere(lambda: change_module(given.settings, more, None, 0.01))
        assert refusal.startswith("what follows from the modules was not found in 0.01 s")
        (refusal,) = elsewhere(lambda: remove_module(given.settings, "base.ttl", 0.01))
        assert refusal.startswith("what follows from the modules was not found in 0.01 s")
        assert sensors_of(flow, 1) == ["s1"]
        elsewhere(lambda: change_module(given.settings, more, None, 600))
        assert sensors_of(flow, 2) == ["s1", "s3"]


def elsewhere(ask: Callable[[], list[str]]) -> list[str]:
    """What a command gives; `flock` tells threads apart as it does processes."""
    found: list[str] = []

    def run() -> None:
        try:
            found.extend(ask())
        except KaicepError as error:
            found.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(600)
    return found


def test_who_asks_hears_how_far_it_is_and_may_withdraw_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine has no news for who hears it no more, and goes on as before."""
    given, log = project(tmp_path), list[str]()
    module = Module.load(turtle(tmp_path, "more.ttl", rooms(s3="r1")), tmp_path)
    with running(given, log=log) as (flow, ontology):
        assert sensors_of(flow, 1) == ["s1"]

        def close_for_ever(*_: object, told: Telling, **__: object) -> NoReturn:
            while True:
                told("reasoning", 0.0)

        def interrupt(stage: str, share: float) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("kaicep.pipeline.control.knowledge_admin.close_in_process", close_for_ever)
            with pytest.raises(KeyboardInterrupt):
                change_module(given.settings, module, None, told=interrupt)
        wait_for(lambda: log == ["ontology: refused: nobody waits for it any more: nothing has changed"])
        assert sensors_of(flow, 2) == ["s1"]
        assert len(ontology.versions) == 1
        told: list[str] = []
        change_module(given.settings, module, None, told=lambda stage, _: told.append(stage))
        assert told == [stage for stage in ("reasoning", "contradictions", "comparing", "writing") if stage in told]
        assert sensors_of(flow, 3) == ["s1", "s3"]


def test_without_an_engine_all_stages_are_heard(tmp_path: Path) -> None:
    given, told = project(tmp_path), list[str]()
    module = Module.load(turtle(tmp_path, "more.ttl", rooms(s3="r1")), tmp_path)

    def withdraw(stage: str, _: float) -> None:
        if stage == "writing":
            raise PipelineError("it is not wanted")

    with pytest.raises(PipelineError, match="it is not wanted"):
        change_module(given.settings, module, None, told=withdraw)
    assert [row["module"] for row in list_modules(given.settings)[0]] == ["base.ttl"]
    change_module(given.settings, module, None, told=lambda stage, _: told.append(stage))
    assert list(dict.fromkeys(told)) == ["reasoning", "contradictions", "comparing", "writing"]
    assert [row["module"] for row in list_modules(given.settings)[0]] == ["base.ttl", "more.ttl"]


def test_without_an_engine_the_next_start_takes_over(tmp_path: Path) -> None:
    given = project(tmp_path)
    with running(given) as (flow, ontology):
        sensors_of(flow, 1)
    more = turtle(tmp_path, "more.ttl", rooms(s3="r1"))
    assert add_module(given.settings, more, None) == [
        "takes over when the engine starts",
        f"adds more.ttl: 2 modules, {TRIPLES} triples with what follows",
    ]
    more.unlink()
    with running(project(tmp_path)) as (flow, ontology):
        assert sensors_of(flow, 2) == ["s1", "s3"]
        assert ontology.versions[-1].change == "the project's modules were changed"
    remove_module(given.settings, "base.ttl")
    assert [module.source for module in project(tmp_path).knowledge.modules] == ["more.ttl"]


def test_two_engines_of_one_state_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.pipeline.control.requests._PATIENCE_S", 0.0)
    with (
        running(project(tmp_path)),
        pytest.raises(PipelineError, match="runs this project"),
        running(project(tmp_path)),
    ):
        pass
