"""What tasks go on from: a state for each shard, identities by theirs, units in one place."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
from kaicep.pipeline.distribution.replayed_flow import ReplayedFlow
from kaicep.pipeline.distribution.replayed_state import state_of_replay
from kaicep.pipeline.flow.batch import live_batch
from kaicep.pipeline.sharding.hosted_queries import HostingPlan
from kaicep.pipeline.sharding.part_file import PartFile
from kaicep.pipeline.sharding.shard_part import read_state
from kaicep.storage import LocalFolder
from support.shards import FOLLOWS, PROJECT, reading

FAST = "CREATE QUERY fast AS SELECT ?e.id AS id, ?e.v AS v FROM (?e, P) FILTER (?e.v > 3)"
READS = "CREATE QUERY reads AS SELECT ?f.id AS id FROM (?f, fast)"


def test_states_and_identities_are_where_tasks_look(tmp_path: Path) -> None:
    made, folder = ReplayedFlow(PROJECT, 2), LocalFolder(tmp_path)
    registrations = PROJECT.registrations(f"{FOLLOWS};\n{FAST};\n{READS}", "q")
    for registration in registrations:
        made.register(registration)
    made.divide()
    rows = {name: pa.Table.from_pylist([reading(f"r{n}", n / 10, car=n % 5) for n in range(40)]) for name in "PQ"}
    _ = made.process(live_batch(PROJECT.annotators, rows)).matches
    state = state_of_replay(made, HostingPlan("plan", PROJECT, registrations, 2, {}, durable=True), 4, folder)
    assert (state.batch, state.shards, state.moments) == (4, 2, made.moments)
    assert sorted((place.unit, place.shard) for place in state.states) == [("fast+", 0), ("follows", 0), ("follows", 1)]
    assert state.kept == {"fast": "fast+", "reads": "fast+"}
    assert sorted(told.label for told in state.told) == ["fast", "follows", "reads"]
    assert all(name.startswith("000000005-") for name in state.files)
    for place in state.states:
        assert read_state(folder, place)
    assert state.seen.keys() == {("P", 0), ("P", 1), ("Q", 0)}
    found: dict[str, list[pl.DataFrame]] = {}
    for (stream, shard), name in state.seen.items():
        with PartFile(folder, name) as file:
            table = file.table(("seen", stream, shard))
            assert table is not None
            found.setdefault(stream, []).append(pl.DataFrame(pl.from_arrow(table)))
    assert {stream: pl.concat(of).height for stream, of in found.items()} == {
        stream: own.height for stream, own in made.seen.items()
    }
