"""What a snapshot holds of a flow: all of it, or only what no replay of the log gives again."""

from __future__ import annotations

from pathlib import Path

from kaicep.pipeline.durability.flow_state import FlowState
from support.station import COUNT, Station


def test_what_a_replay_gives_again_is_left_out(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, COUNT)
    opened.append(station)
    station.deliver(air=[1])
    flow = station.flow._flow
    brief, whole = flow.state(None), flow.state(flow.dataflow.snapshot())
    assert brief == FlowState(None, {"progress": flow.progress.to_bytes()})
    assert whole.operators is not None
    assert {"stream/air", "stream/door", "query/q0", "progress"} <= whole.operators.keys()
    assert whole.backfilled == {}
