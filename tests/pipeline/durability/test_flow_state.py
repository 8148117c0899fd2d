"""What a snapshot holds of a flow: all of it, or only what no replay of the log gives again."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from kaicep.pipeline.durability.flow_state import MOMENTS, moments_of, moments_part
from support.station import COUNT, START, Station


def test_what_a_replay_gives_again_is_left_out(tmp_path: Path, opened: list[Station]) -> None:
    station = Station(tmp_path, COUNT)
    opened.append(station)
    station.deliver(air=[1])
    flow = station.flow._flow
    brief, whole = flow.state(None), flow.state(flow.dataflow.snapshot())
    moments = moments_part({"air": (START + timedelta(seconds=1), None)})
    assert brief.operators is None
    assert brief.noted == whole.noted == {"progress": flow.progress.to_bytes(), "moments": moments}
    assert whole.operators is not None
    assert {"stream/air", "stream/door", "query/q0"} <= whole.operators.keys()


def test_where_streams_were_is_known_if_it_was_noted() -> None:
    moments = {"air": (START, None), "door": (None, START), "water": (START, START + timedelta(microseconds=1))}
    assert moments_of({MOMENTS: moments_part(moments)}) == moments
    assert moments_of({"progress": b"{}"}) is None
