"""Queries that fail are parked alone, and resumed give the rows that they would have given (docs/decisions/170)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kaicep import PipelineError, Project
from kaicep.archive import Archive
from kaicep.cep.joins import pattern_operator
from kaicep.cep.output import row_pieces
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.durability.generations import Generation
from kaicep.pipeline.durability.snapshots import snapshot_interval
from kaicep.pipeline.flow import QueryRuntime
from kaicep.pipeline.flow.idle_streams import IdleStreams
from kaicep.pipeline.sinks.row_values import rows
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.pipeline.sources.records import RawBatch
from support.sampling import some_of

START = datetime(2026, 3, 1, tzinfo=UTC)
STREAM = {
    "event_type": "<urn:E>",
    "time": {"attribute": "t"},
    "identity": ["x", "t"],
    "attributes": {"x": {"datatype": "xsd:integer"}},
}
DOCUMENT = """
CREATE QUERY pairs AS SELECT ?a.x AS a, ?b.x AS b FROM (?a, air), (?b, air) SEQ (?a, ?b) WINDOW (?a, ?b, 3s);
CREATE QUERY quiet AS SELECT ?a.x AS x FROM (?a, air), (?n, pairs) SEQ (?a, NOT ?n FOR 2s);
CREATE QUERY mean AS SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, sliding, 5s)
"""
SECONDS = ([1, 2], [3, 4], [9], [10, 11], [13], [14, 30], [31, 40])
"""By batch, the events."""


class Engine:
    """An engine without Spark, which may be killed; what it was given is given again to none."""

    def __init__(self, folder: Path, *, archive: bool = True, **keys: object) -> None:
        content = {"streams": {"air": STREAM}, "archive": {"enabled": archive, "store": False, **keys}}
        self._folder, self._content = folder, content
        self.said: list[str] = []
        self.start()

    def start(self) -> None:
        self.project = Project.parse(self._content, root=self._folder)
        project = self.project
        enabled = project.settings.archive.enabled
        self.archive = Archive(project.settings, project.knowledge, project.shapes) if enabled else None
        self.flow = CheckpointedFlow(project, self._folder / "state", (), self.archive, say=self.said.append)
        self.flow.queries.submit(project.registrations(DOCUMENT, "document"))
        self.flow.begin(Generation(self._folder / "none", 0, self._folder / "none"))
        self.idle = IdleStreams(project.settings.idle_timeouts(), lambda: 0.0)

    def kill(self) -> None:
        self.flow.close()
        if self.archive is not None:
            self.archive.close()

    def run(self, *batches: Sequence[int]) -> dict[str, list[dict[str, Any]]]:
        """Some batches; the rows of all by query."""
        found: dict[str, list[dict[str, Any]]] = {}
        for seconds in batches:
            events = [{"t": (START + timedelta(seconds=s)).isoformat(), "x": s} for s in seconds]
            step = self.flow.run((self.flow.last or 0) + 1, {"air": RawBatch(raw_table(events))}, self.idle)
            for label, table in step.matches.items():
                found.setdefault(label, []).extend(rows(table))
        return found

    def finish(self) -> dict[str, list[dict[str, Any]]]:
        return {label: rows(table) for label, table in self.flow.finish().matches.items()}


def joined(*parts: Mapping[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    return {label: [row for part in parts for row in part.get(label, [])] for label in ("pairs", "quiet", "mean")}


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, label: str, error: BaseException) -> Iterator[None]:
    """Let a query fail after it has taken its events: its state is of no use any more."""
    pieces = QueryRuntime.pieces

    def failed(self: QueryRuntime, *args: Any, **kwargs: Any) -> Iterator[pa.Table]:
        found = list(pieces(self, *args, **kwargs))
        if self.registration.label == label:
            raise error
        yield from found

    with monkeypatch.context() as patched:
        patched.setattr(QueryRuntime, "pieces", failed)
        yield


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The rows of an engine in which nothing fails."""
    engine = Engine(tmp_path_factory.mktemp("never_parked"))
    found = joined(engine.run(*SECONDS), engine.finish())
    engine.kill()
    assert all(found.values())
    return found


@pytest.mark.parametrize("label", ["pairs", "quiet", "mean"])
@pytest.mark.parametrize("batch", some_of([3, 1], 1))
@pytest.mark.parametrize("restarts", [False, True])
def test_a_resumed_query_gives_the_rows_that_it_would_have_given(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    expected: dict[str, list[dict[str, Any]]],
    label: str,
    batch: int,
    *,
    restarts: bool,
) -> None:
    """The others go on meanwhile, but for those that read its rows; also over restarts."""
    engine = Engine(tmp_path)
    parts = [engine.run(*SECONDS[: batch - 1])]
    with failing(monkeypatch, label, MemoryError()):
        parts.append(engine.run(SECONDS[batch - 1]))
    stopped = ["pairs", "quiet"] if label == "pairs" else [label]
    assert [parked.label for parked in engine.flow.queries.parked] == stopped
    assert {parked.batch for parked in engine.flow.queries.parked} == {batch}
    parts.append(engine.run(SECONDS[batch]))
    if restarts:
        engine.kill()
        engine.start()
        parts.append(engine.run(SECONDS[batch + 1]))
    assert [parked.label for parked in engine.flow.queries.parked] == stopped
    assert sorted(engine.flow.queries.resume(stopped[-1])) == sorted(stopped)
    if restarts:
        engine.kill()
        engine.start()
    assert any(rows for other, rows in joined(*parts).items() if other not in stopped)
    parts += [engine.run(*SECONDS[batch + 1 + restarts :]), engine.finish()]
    assert not list(engine.flow.queries.parked)
    assert joined(*parts) == expected
    engine.kill()


def test_a_resumed_query_goes_on_also_from_an_older_snapshot_and_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, list[dict[str, Any]]]
) -> None:
    """A large state is not written after each batch."""
    monkeypatch.setattr(snapshot_interval, "_LARGE", 0)
    monkeypatch.setattr(snapshot_interval, "_ROW", 0)
    engine = Engine(tmp_path)
    parts = [engine.run(*SECONDS[:3])]
    with failing(monkeypatch, "mean", MemoryError()):
        parts.append(engine.run(SECONDS[3]))
    assert [path.stem for path in (tmp_path / "state/queries/parked").iterdir()] == ["000000000001"]
    parts.append(engine.run(SECONDS[4]))
    engine.flow.queries.resume("mean")
    parts += [engine.run(*SECONDS[5:]), engine.finish()]
    assert joined(*parts) == expected


def test_whatever_a_query_fails_with_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(tmp_path)
    engine.run(SECONDS[0])
    with failing(monkeypatch, "mean", ValueError("no such thing")):
        engine.run(SECONDS[1])
    (parked,) = engine.flow.queries.parked
    reason = "'mean' cannot be answered: ValueError: no such thing"
    assert str(parked) == f"parked since batch 2 (2026-03-01T00:00:04Z): {reason}"
    assert engine.said[-1].startswith(f"queries: mean is parked: {reason}")
    engine.kill()


def test_a_query_that_fails_again_is_parked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, list[dict[str, Any]]]
) -> None:
    engine = Engine(tmp_path)
    parts = [engine.run(*SECONDS[:2])]
    with failing(monkeypatch, "mean", MemoryError()):
        parts.append(engine.run(SECONDS[2]))
        engine.flow.queries.resume("mean")
        engine.run(SECONDS[3])
        engine.flow.finish()  # waits for it
    assert "queries: mean is parked again: 'mean' cannot be answered: memory ran out" in engine.said[-1]
    parts.append(engine.run(SECONDS[4]))
    assert [parked.batch for parked in engine.flow.queries.parked] == [3]
    engine.flow.queries.resume("mean")
    parts += [engine.run(*SECONDS[5:]), engine.finish()]
    assert joined(*parts)["mean"] == expected["mean"]
    engine.kill()


def test_what_the_archive_has_lost_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The query begins anew, as one that is submitted now."""
    engine = Engine(tmp_path, archive=False)
    engine.run(SECONDS[0])
    with failing(monkeypatch, "mean", MemoryError()):
        engine.run(SECONDS[1])
    engine.flow.queries.resume("mean")
    found = joined(engine.run(SECONDS[2]), engine.finish())
    assert "queries: mean begins anew: the archive has not all that it has missed since batch 2" in engine.said
    assert [row["n"] for row in found["mean"]] == [1]
    engine.kill()


def test_a_state_that_was_kept_for_it_and_is_lost_comes_from_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, list[dict[str, Any]]]
) -> None:
    engine = Engine(tmp_path)
    parts = [engine.run(*SECONDS[:3])]
    with failing(monkeypatch, "pairs", MemoryError()):
        parts.append(engine.run(SECONDS[3]))
    parts.append(engine.run(SECONDS[4]))
    shutil.rmtree(tmp_path / "state/queries/parked")
    (tmp_path / "state/queries/parked").mkdir()
    engine.flow.queries.resume("quiet")
    parts += [engine.run(*SECONDS[5:]), engine.finish()]
    assert joined(*parts) == expected
    engine.kill()


def test_a_parked_query_is_known_and_resumed_before_the_first_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, list[dict[str, Any]]]
) -> None:
    """Nothing may come for hours after a start."""
    engine = Engine(tmp_path)
    parts = [engine.run(*SECONDS[:2])]
    with failing(monkeypatch, "mean", RuntimeError("broken")):
        parts.append(engine.run(SECONDS[2]))
    engine.kill()
    engine.start()
    assert [(parked.label, parked.batch) for parked in engine.flow.queries.parked] == [("mean", 3)]
    assert engine.flow.queries.resume("mean") == ("mean",)
    assert engine.flow.overdue(engine.idle), "a batch is made for it, without records"
    parts += [engine.run(*SECONDS[3:]), engine.finish()]
    engine.kill()
    assert joined(*parts) == expected


def test_only_what_is_parked_is_resumed(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    engine.run(SECONDS[0])
    with pytest.raises(PipelineError, match="'mean' is not parked: parked: none"):
        engine.flow.queries.resume("mean")
    engine.kill()


def test_a_parked_query_may_be_withdrawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(tmp_path)
    engine.run(SECONDS[0])
    with failing(monkeypatch, "mean", MemoryError()):
        engine.run(SECONDS[1])
    engine.flow.queries.withdraw("mean", engine.flow.dataflow)
    engine.run(SECONDS[2])
    assert not list(engine.flow.queries.parked)
    assert "mean" not in engine.flow.dataflow.flows
    engine.kill()


@pytest.mark.parametrize("restarts", [False, True])
def test_what_was_handed_over_before_a_query_failed_is_not_handed_over_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, restarts: bool
) -> None:
    """Its rows of one batch go out in pieces, and it fails behind the first of them."""
    monkeypatch.setattr(row_pieces, "ROWS_AT_ONCE", 2)
    monkeypatch.setattr(pattern_operator, "_MATCHES", 3)
    batches = ([1, 2], [3, 4, 5, 6, 7], [8, 9])
    whole = Engine(tmp_path / "whole")
    expected = joined(whole.run(*batches), whole.finish())
    whole.kill()
    engine = Engine(tmp_path / "parked")
    parts = [engine.run(batches[0])]
    pieces = QueryRuntime.pieces

    def failed(self: QueryRuntime, *args: Any, **kwargs: Any) -> Iterator[pa.Table]:
        found = pieces(self, *args, **kwargs)
        if self.registration.label == "pairs":
            yield next(found)
            yield next(found)
            list(found)
            raise MemoryError
        yield from found

    with monkeypatch.context() as patched:
        patched.setattr(QueryRuntime, "pieces", failed)
        parts.append(engine.run(batches[1]))
    handed = len(parts[-1]["pairs"])
    assert 0 < handed < len([row for row in expected["pairs"] if row["b"] < 8])
    assert {parked.label: parked.handed for parked in engine.flow.queries.parked}["pairs"] == handed
    if restarts:
        engine.kill()
        engine.start()
        parts.append(engine.run([]))
    engine.flow.queries.resume("pairs")
    parts.append(engine.run(batches[2]))
    assert joined(*parts, engine.finish()) == expected
    engine.kill()


@pytest.mark.parametrize("label", ["pairs", "quiet", "mean"])
@pytest.mark.parametrize("batch", some_of([4, 1], 1))
@pytest.mark.parametrize("restarts", [False, True])
def test_a_query_that_somebody_has_parked_gives_the_rows_that_it_would_have_given(
    tmp_path: Path,
    expected: dict[str, list[dict[str, Any]]],
    label: str,
    batch: int,
    *,
    restarts: bool,
) -> None:
    """Also before its first batch, and where the engine is killed before it is parked."""
    engine = Engine(tmp_path)
    before = engine.run(*SECONDS[: batch - 1])
    engine.flow.queries.park(label, "Ada")
    assert engine.flow.overdue(engine.idle), "a batch is made for it, without records"
    if restarts:
        engine.kill()
        engine.start()
    meanwhile = engine.run(SECONDS[batch - 1])
    stopped = ["pairs", "quiet"] if label == "pairs" else [label]
    if restarts:
        engine.kill()
        engine.start()
    assert [parked.label for parked in engine.flow.queries.parked] == stopped
    assert {parked.batch for parked in engine.flow.queries.parked} == {batch}
    assert not (tmp_path / "state/queries/parkings.json").exists()
    meanwhile = joined(meanwhile, engine.run(SECONDS[batch]))
    assert not any(meanwhile[other] for other in stopped)
    assert any(meanwhile.values())
    assert sorted(engine.flow.queries.resume(stopped[-1])) == sorted(stopped)
    parts = [before, meanwhile, engine.run(*SECONDS[batch + 1 :]), engine.finish()]
    assert not list(engine.flow.queries.parked)
    assert joined(*parts) == expected
    engine.kill()


def test_who_has_parked_a_query_is_told(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    engine.run(SECONDS[0])
    engine.flow.queries.park("mean", "Ada")
    engine.flow.queries.park("quiet", None)
    engine.run(SECONDS[1])
    told = [str(parked) for parked in engine.flow.queries.parked]
    since = "parked since batch 2 (2026-03-01T00:00:02Z)"
    assert sorted(told) == [f"{since}: 'mean' was parked by Ada", f"{since}: 'quiet' was parked on request"]
    assert "queries: mean is parked: 'mean' was parked by Ada: kaicep resume mean lets it go on" in engine.said
    engine.kill()


def test_a_query_is_parked_once(tmp_path: Path, expected: dict[str, list[dict[str, Any]]]) -> None:
    engine = Engine(tmp_path)
    parts = [engine.run(SECONDS[0])]
    engine.flow.queries.park("mean", None)
    for _ in range(2):
        with pytest.raises(PipelineError, match="'mean' is parked already: kaicep resume mean lets it go on"):
            engine.flow.queries.park("mean", None)
        parts.append(engine.run([]))
    engine.flow.queries.resume("mean")
    engine.flow.queries.park("mean", None)
    parts.append(engine.run(SECONDS[1]))
    assert [parked.label for parked in engine.flow.queries.parked if parked.stands] == ["mean"]
    engine.flow.queries.resume("mean")
    parts += [engine.run(*SECONDS[2:]), engine.finish()]
    assert joined(*parts) == expected
    engine.kill()


def test_a_query_that_is_resumed_before_it_is_parked_goes_on(
    tmp_path: Path, expected: dict[str, list[dict[str, Any]]]
) -> None:
    engine = Engine(tmp_path)
    parts = [engine.run(SECONDS[0])]
    engine.flow.queries.park("pairs", None)
    assert engine.flow.queries.resume("pairs") == ("pairs",)
    engine.kill()
    engine.start()
    parts.append(engine.run(*SECONDS[1:3]))
    assert not list(engine.flow.queries.parked)
    assert joined(*parts, engine.run(*SECONDS[3:]), engine.finish()) == expected
    engine.kill()


def test_a_query_that_is_with_its_past_is_parked_and_begins_with_that_again(tmp_path: Path) -> None:
    """With what was handed over of it left out."""
    past = "CREATE QUERY past AS SELECT ?e.x AS x FROM (?e, air) WITHIN (2026-03-01, )"
    engine = Engine(tmp_path)
    engine.run(*SECONDS[:3])
    engine.flow.queries.submit(engine.project.registrations(past, "past"))
    engine.flow.queries.park("past", None)
    parts = [engine.run(SECONDS[3])]
    (parked,) = engine.flow.queries.parked
    assert (parked.label, parked.live) == ("past", False)
    parts.append(engine.run(SECONDS[4]))
    engine.flow.queries.resume("past")
    parts += [engine.run(*SECONDS[5:]), engine.finish()]
    found = [row["x"] for part in parts for row in part.get("past", ())]
    assert found == [second for batch in SECONDS for second in batch]
    engine.kill()


def test_a_parked_query_that_is_withdrawn_and_comes_again_is_another_one(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    engine.run(SECONDS[0])
    (mean,) = [one for one in engine.project.registrations(DOCUMENT, "document") if one.label == "mean"]
    engine.flow.queries.park("mean", None)
    engine.flow.queries.withdraw("mean", engine.flow.dataflow)
    engine.flow.queries.submit([mean])
    assert engine.run(*SECONDS[1:])["mean"]
    assert not list(engine.flow.queries.parked)
    engine.kill()


def test_the_rows_after_parking_are_those_of_the_project(tmp_path: Path) -> None:
    engine = Engine(tmp_path)
    parts = [engine.run(*SECONDS[:2])]
    engine.flow.queries.park("mean", None)
    parts.append(engine.run(*SECONDS[2:5]))
    engine.flow.queries.resume("mean")
    parts += [engine.run(*SECONDS[5:]), engine.finish()]
    events = [{"t": (START + timedelta(seconds=s)).isoformat(), "x": s} for batch in SECONDS for s in batch]
    assert joined(*parts)["mean"] == list(engine.project.evaluate(DOCUMENT, {"air": events}))
    engine.kill()


def test_who_begins_to_read_a_parked_query_is_parked_with_it(tmp_path: Path) -> None:
    """The others of the batch go on."""
    engine = Engine(tmp_path)
    engine.run(*SECONDS[:2])
    engine.flow.queries.park("pairs", None)
    engine.run(SECONDS[2])
    reader = "CREATE QUERY late AS SELECT ?p.b AS b FROM (?p, pairs)"
    pairs = [one.query for one in engine.project.registrations(DOCUMENT, "document") if one.label == "pairs"]
    engine.flow.queries.submit(engine.project.registrations(reader, "late", pairs))
    assert engine.run(SECONDS[3])["mean"]
    assert {parked.label: parked.cause for parked in engine.flow.queries.parked} == {
        "pairs": None, "quiet": "pairs", "late": "pairs"
    }  # fmt: skip
    assert len(engine.flow.queries.resume("late")) == 3
    found = [engine.run(*SECONDS[4:]), engine.finish()]
    whole = [row["b"] for part in found for row in part["pairs"]]
    read = [row["b"] for part in found for row in part["late"]]
    assert read == [b for b in whole if b > 9]
    engine.kill()
