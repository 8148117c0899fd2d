"""After a power cut at any moment an engine starts by itself, and leaves what an uninterrupted one leaves."""

from __future__ import annotations

import gc
import random
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path
from statistics import median
from unittest.mock import patch

import pytest
from kaicep.pipeline.durability.snapshots import snapshot_interval
from kaicep.storage import make_folder, write_atomically
from support.cut_engine import CONTEXTS, QUERIES, Remains, drop_files, remains, run_engine
from support.disk_states import DiskStates, RestoredFolder
from support.power_cuts import DiskRecorder, DiskState
from support.recorded_cuts import differences, of_spark, record
from support.sampling import some_of

pytestmark = pytest.mark.slow

SAMPLE = 8
JOURNAL, STREAM, SNAPSHOT, LINES, PARQUET, MATCHES, DEAD = 1, 2, 2, 1, 2, 2, 2
"""How often a batch waits for the disk: for itself, each stream, each sink, a query's file, rows and dead letters."""


@pytest.mark.parametrize(
    ("archive", "before", "after"), some_of([(True, 3, 1), (False, 1, None), (True, 1, None), (False, 3, 1)], 1)
)
def test_a_power_cut_loses_and_repeats_nothing(tmp_path: Path, archive: bool, before: int, after: int | None) -> None:
    """A sample of what cuts may leave of six batches; of four where a batch has fewer files after the cut."""
    recording = record(tmp_path / "disk", 6 if before == 1 else 4, archive=archive, most=before)
    assert len(recording.states) > 500
    assert sum(map(len, recording.expected[-1].rows.values())) > 20
    sample = random.Random(13).sample(list(recording.states), SAMPLE)
    assert [found for found in differences(recording, sample, after, archive=archive) if found] == []


@pytest.mark.long
def test_a_power_cut_while_a_state_is_written_beside_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every second state is, as if it were large; the log leads on from the one before."""
    for name, value in (("_LARGE", 0), ("_BATCHES", 2), ("_ROW", 0)):
        monkeypatch.setattr(snapshot_interval, name, value)
    recording = record(tmp_path / "disk", 6)
    sample = random.Random(13).sample(list(recording.states), SAMPLE)
    assert [found for found in differences(recording, sample) if found] == []


def test_a_power_cut_leaves_contexts_and_calls_as_they_would_be(tmp_path: Path) -> None:
    """A few of what cuts may leave; every call is made, none before its batch is durable, each with its key."""
    recording = record(tmp_path / "disk", 3, queries=CONTEXTS)
    assert recording.expected[-1].rows.keys() >= {"risen", "spells", "calmly", "load.tired.terminate"}
    assert recording.handed.by_rule().keys() == {"tell", "heed"}
    sample = random.Random(13).sample(list(recording.states), SAMPLE // 3)
    assert [found for found in differences(recording, sample) if found] == []


@pytest.mark.parametrize(
    "path",
    some_of(
        [
            "var/state/queries/batches.jsonl",
            "var/archive/log/*.part",
            "var/archive/log/*[!t]",
            "var/archive/matches/*",
            "var/state/snapshots*",
            "var/state/dead-letters*",
            "out/rows.jsonl",
            "out/parquet*",
        ],
        1,
    ),
)
def test_a_sync_that_is_left_out_is_found(tmp_path: Path, path: str) -> None:
    """Each of them: none is needless, and none would be missed by the tests here."""
    recording = record(tmp_path / "disk", 4, unsynced=lambda synced: fnmatch(synced, path))
    sample = random.Random(5).sample(list(recording.states), 200)
    assert any(differences(recording, sample))


@pytest.mark.long
@pytest.mark.reliability
def test_a_batch_waits_for_the_disk_as_often_as_is_said(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """As docs/recovery.md counts; in the first two batches folders are made, each of which is synced as well."""
    recording = record(tmp_path / "disk", 12)
    several = set()
    for number, (before, now) in list(enumerate(pairwise(recording.expected), 1))[1:]:
        parquet = sum(found != before.parquet.get(query) for query, found in now.parquet.items())
        matches, dead = now.matches != before.matches, now.dead != before.dead
        expected = JOURNAL + 2 * STREAM + SNAPSHOT + LINES + PARQUET * parquet + MATCHES * matches + 2 * DEAD * dead
        assert recording.syncs[number] == expected, number
        several.add(expected)
    assert len(several) > 2
    record_property("fsyncs of a batch of two streams with rows of two queries in two sinks", max(several))


@pytest.mark.reliability
@pytest.mark.long
def test_a_batch_of_one_stream_waits_six_times(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Its rows go into JSON lines, it has no dead letters, and no named query finds any."""
    drop_files(tmp_path, range(9))
    for path in (tmp_path / "door").iterdir():
        path.unlink()
    syncs = [0]
    recorder = DiskRecorder(tmp_path, lambda *_: None, of_spark)
    with recorder.recording():
        run_engine(tmp_path, 1, parquet=False, on_batch=lambda _: syncs.append(recorder.syncs))
    assert JOURNAL + STREAM + SNAPSHOT + LINES == 6
    assert [after - before for before, after in pairwise(syncs)][2:4] == [6, 6]
    record_property("fsyncs of a batch of one stream with rows in JSON lines", 6)


@pytest.mark.long
@pytest.mark.reliability
def test_what_waiting_for_the_disk_costs(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Of one run every other dozen of batches waits for nothing, so that both have met the same machine."""
    drop_files(tmp_path, range(240))
    seconds: dict[bool, list[float]] = {False: [], True: []}
    with ExitStack() as opened:
        begin, waits = time.perf_counter(), True

        def on_batch(number: int) -> None:
            nonlocal begin, waits
            seconds[waits].append(time.perf_counter() - begin)
            if number % 12 == 0:
                waits = not waits
                opened.close() if waits else opened.enter_context(patch("os.fsync"))
            begin = time.perf_counter()

        run_engine(tmp_path, 1, on_batch=on_batch)
    with_syncs, without = (median(seconds[waits]) for waits in (True, False))
    assert without < with_syncs
    record_property("milliseconds of a batch of 8 events, two queries and two sinks", round(1000 * with_syncs, 1))
    record_property("the same if nothing is synced", round(1000 * without, 1))
    record_property("the first over the second", round(with_syncs / without, 2))


@pytest.mark.long
@pytest.mark.reliability
@pytest.mark.parametrize(
    ("queries", "batches", "before", "after"),
    [(QUERIES, 50, 1, None), (QUERIES, 8, 3, 1), (CONTEXTS, 4, 1, None), (CONTEXTS, 3, 3, 1)],
    ids=["many", "otherwise", "contexts", "contexts-otherwise"],
)
def test_every_state_that_a_power_cut_may_leave(
    tmp_path: Path,
    queries: str,
    batches: int,
    before: int,
    *,
    after: int | None,
    record_property: Callable[[str, object], None],
) -> None:
    """Of fifty batches, about an hour and a half of one processor; of a few whose files are cut otherwise then.

    With contexts and rules that call, an hour each.
    """
    recording = record(tmp_path / "disk", batches, most=before, queries=queries)
    gc.freeze()  # the states stay, and need not be looked at again and again
    gc.set_threshold(50_000)
    found = [parts for parts in differences(recording, recording.states, after) if parts]
    record_property("batches", batches)
    record_property("states after a power cut that were started again", len(recording.states))
    record_property("of these, with another answer", len(found))
    assert found == []


STATE = "var/state"
CHECKPOINT = f"{STATE}/generation-000000/checkpoint"
FILES = (
    f"{STATE}/queries/batches.jsonl",
    f"{STATE}/queries/registrations.json",
    f"{STATE}/snapshots/000000000004.snapshot",
    f"{STATE}/generation-000000/generation.json",
    f"{CHECKPOINT}/metadata",
    f"{CHECKPOINT}/offsets/3",
    f"{CHECKPOINT}/offsets/2",
    f"{CHECKPOINT}/commits/3",
    f"{CHECKPOINT}/sources/0/3",
    f"{CHECKPOINT}/sources/1/1",
    f"{STATE}/snapshots/*",
    f"{CHECKPOINT}/offsets/*",
    f"{CHECKPOINT}/*/*",
    f"{STATE}/generation-000000",
)
HARMS: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "missing": lambda path: path.unlink(),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Remains:
    """What an engine leaves that nothing happens to."""
    root = tmp_path_factory.mktemp("whole")
    drop_files(root, range(6))
    run_engine(root, 1)
    return remains(root)


@pytest.mark.parametrize("harm", HARMS.values(), ids=list(HARMS))
@pytest.mark.parametrize("pattern", some_of(FILES, 5))
def test_an_engine_starts_from_what_is_whole_and_says_what_was_not(
    tmp_path: Path, whole: Remains, pattern: str, harm: Callable[[Path], object]
) -> None:
    """Whatever became of a file of its state, each by itself; and then two more files come."""
    drop_files(tmp_path, range(4))
    run_engine(tmp_path, 1)
    harmed = [path for found in tmp_path.glob(pattern) for path in [found, *found.rglob("*")] if path.is_file()]
    assert harmed
    for path in harmed:
        harm(path)
    drop_files(tmp_path, range(6))
    told = run_engine(tmp_path)
    found = remains(tmp_path)
    for part in fields(Remains):
        assert getattr(found, part.name) == getattr(whole, part.name), (part.name, told)
    silent = ("batches.jsonl", "registrations.json", *(["commits/3"] if harm is HARMS["missing"] else []))
    assert any(line.startswith("recovery: ") for line in told) or pattern.endswith(silent)


def test_a_project_that_was_moved_goes_on(tmp_path: Path, whole: Remains) -> None:
    """Its files are known by their places within it."""
    first = tmp_path / "first"
    first.mkdir()
    drop_files(first, range(4))
    run_engine(first, 1)
    second = first.rename(tmp_path / "second")
    drop_files(second, range(6))
    told = run_engine(second)
    assert any(f"the project was moved from {first}" in line for line in told)
    assert remains(second) == whole


def test_a_checkpoint_may_be_behind_by_many_batches(tmp_path: Path, whole: Remains) -> None:
    """More than there are snapshots: no segment of the log is written over, no row comes twice."""
    drop_files(tmp_path, range(1))
    run_engine(tmp_path, 1)
    shutil.copytree(tmp_path / CHECKPOINT, tmp_path / "earlier")
    drop_files(tmp_path, range(5))
    run_engine(tmp_path, 1)
    shutil.rmtree(tmp_path / CHECKPOINT)
    (tmp_path / "earlier").rename(tmp_path / CHECKPOINT)
    drop_files(tmp_path, range(6))
    told = run_engine(tmp_path)
    assert any("Spark's checkpoint ends with batch 1, and batch 5 was begun" in line for line in told)
    assert remains(tmp_path) == whole


def test_with_other_sources_nothing_is_read_again(tmp_path: Path) -> None:
    """No old event is late, no record a dead letter once more."""
    drop_files(tmp_path, range(6))
    run_engine(tmp_path, 1)
    before = remains(tmp_path)
    path = tmp_path / f"{STATE}/generation-000000/generation.json"
    path.write_text(path.read_text().replace('"door"', '"gate"'))
    assert any("the project has other sources" in line for line in run_engine(tmp_path))
    assert remains(tmp_path) == before


def test_the_recorder_tells_what_is_synced_from_what_is_not(tmp_path: Path) -> None:
    """Else the other tests could not fail."""

    def left(write: Callable[[Path], object]) -> list[DiskState]:
        root = tmp_path / write.__name__
        root.mkdir()
        (root / "old").write_bytes(b"old")
        recorder = DiskRecorder(root, lambda *_: None)
        with recorder.recording():
            write(root)
        return recorder.states()

    def careless(root: Path) -> None:
        (root / "folder").mkdir()
        (root / "folder/.new").write_bytes(b"new!")
        (root / "folder/.new").replace(root / "folder/new")

    def careful(root: Path) -> None:
        make_folder(root / "folder")
        with write_atomically(root / "folder/new") as temporary:
            temporary.write_bytes(b"new!")

    old = {"old": b"old"}
    found = left(careless)
    for content in (b"", b"ne", b"new!"):
        assert {**old, "folder/new": content} in found
    assert {**old, "folder/.new": b"new!"} in found
    assert old in found
    assert left(careful) == [{**old, "folder/new": b"new!"}]


def test_a_folder_is_put_into_one_state_after_another(tmp_path: Path) -> None:
    """As each was added, and whatever was done to the folder in between: also what has the same length."""
    states = [{"a": b"1", "b/c": b"22"}, {"a": b"2", "b/c": b"22"}, {"a": b"2", "d/e/f": b""}, {"b/c": b"22"}, {}]
    kept, folder = DiskStates(), RestoredFolder(tmp_path)
    for number, state in enumerate(states):
        kept.add(number, state)
    assert list(kept) == list(enumerate(states))
    for _, state in [*kept, *kept]:
        folder.put(state)
        files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        assert {str(path.relative_to(tmp_path)): content for path, content in files.items()} == state
        assert all(any(path.iterdir()) for path in tmp_path.rglob("*") if path.is_dir())
        for path, content in files.items():
            path.write_bytes(b"x" * len(content))
        (tmp_path / "g").mkdir(exist_ok=True)
