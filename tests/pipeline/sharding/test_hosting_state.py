"""The manifest: what counts after a batch, for the driver that came first."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kaicep.errors import PipelineError
from kaicep.pipeline.sharding.hosted_queries import StatePlace
from kaicep.pipeline.sharding.hosting_state import (
    HostingState,
    QueryTold,
    SetTold,
    commit,
    read_manifest,
    require_newest,
    sets_together,
    told_together,
)
from kaicep.storage import LocalFolder, SharedFolder
from support.buckets import ObjectStorage

MOMENT = datetime(2024, 1, 1, tzinfo=UTC)
STATE = HostingState(
    "plan",
    7,
    {"P": (datetime(2024, 1, 1, 0, 0, 0, 5, tzinfo=UTC), None), "Q": (None, None)},
    (StatePlace("a.parts", "q", 0), StatePlace("b.parts", "q", 1)),
    {("P", 0): "c.parts"},
    waiting={"q": "d.parts"},
    told=(QueryTold("q", None, None, MOMENT, None), QueryTold("r", MOMENT, "LIMIT is reached", None, MOMENT)),
    sets=(SetTold("mood", "CREATE CONTEXTS mood", None, MOMENT),),
)


@pytest.fixture(params=["local", "bucket"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> SharedFolder:
    if request.param == "local":
        return LocalFolder(tmp_path)
    storage: ObjectStorage = request.getfixturevalue("object_storage")
    return storage.folder("flow")


def test_what_was_written_is_read(folder: SharedFolder) -> None:
    commit(folder, STATE, "one")
    assert read_manifest(folder, "plan") == STATE
    assert STATE.files == {"a.parts", "b.parts", "c.parts", "d.parts"}


def test_what_shards_tell_is_told_of_all_of_them() -> None:
    """A query has ended when it has everywhere; what is known is what all know."""
    later = datetime(2024, 1, 2, tzinfo=UTC)
    one, other = QueryTold("q", later, None, MOMENT, later), QueryTold("q", MOMENT, "WITHIN has passed", later, None)
    assert told_together([one, other]) == (QueryTold("q", MOMENT, None, MOMENT, later),)
    assert told_together([other, other])[0].ending == "WITHIN has passed"
    assert told_together([one, QueryTold("q", None, None)])[0].watermark is None
    known, unknown = (SetTold("mood", "text", None, moment) for moment in (MOMENT, None))
    assert sets_together([known, SetTold("mood", "text", None, later)]) == (known,)
    assert sets_together([known, unknown]) == (unknown,)


def test_without_a_manifest_nothing_has_come(folder: SharedFolder) -> None:
    assert read_manifest(folder, "plan") == HostingState("plan")
    assert HostingState("plan").files == frozenset()


def test_a_manifest_of_other_queries_is_refused(folder: SharedFolder) -> None:
    commit(folder, STATE, "one")
    with pytest.raises(
        PipelineError, match=r"manifest-000000007\.json is of other queries .*begin with an empty folder"
    ):
        read_manifest(folder, "another")


def test_of_two_drivers_the_first_one_counts(folder: SharedFolder) -> None:
    commit(folder, STATE, "one")
    with pytest.raises(PipelineError, match=r"another driver has done batch 7 in .*: let one of them run"):
        commit(folder, replace(STATE, seen={}), "two")
    assert read_manifest(folder, "plan") == STATE
    require_newest(folder, 7)


def test_a_driver_that_has_slept_does_not_count(folder: SharedFolder) -> None:
    """The manifest that it would find is removed already: those that went on have gone further."""
    for batch in (7, 8, 9):
        commit(folder, replace(STATE, batch=batch), "one")
    assert folder.names() == ["manifest-000000009.json"]
    with pytest.raises(PipelineError, match="another driver has done batch 8"):
        commit(folder, replace(STATE, batch=8, seen={}), "two")
    with pytest.raises(PipelineError, match="another driver has done batch 8"):
        require_newest(folder, 7)
    assert read_manifest(folder, "plan").batch == 9
    commit(folder, replace(STATE, batch=10), "one")
    assert folder.names() == ["manifest-000000010.json"]


def test_what_no_longer_counts_is_removed(folder: SharedFolder) -> None:
    """Of earlier batches; what others have written of this one they may be about to name."""
    named = [f"00000000{batch}-shard-0.parts" for batch in (5, 7)]
    for name in (
        *named,
        "000000006-split-1.parts",
        "000000007-split-1.parts",
        "000000008-split-1.parts",
        "knowledge.nt",
    ):
        folder.write(name, [b"1"])
    commit(folder, replace(STATE, states=tuple(StatePlace(name, "q", 0) for name in named)), "one")
    manifest = "manifest-000000007.json"
    assert sorted(folder.names()) == [
        *(named[0], named[1], "000000007-split-1.parts", "000000008-split-1.parts", "knowledge.nt", manifest)
    ]
