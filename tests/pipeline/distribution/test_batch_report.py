"""What tasks tell of a batch, in numbers, and as rows of queries."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from kaicep.errors import PipelineError
from kaicep.pipeline.distribution.batch_report import counted_stream, query_rows
from kaicep.pipeline.flow.answering import WrittenRows
from kaicep.pipeline.flow.batch_result import StreamTally
from kaicep.pipeline.sharding.identity_part import EarlierEvents
from kaicep.pipeline.sharding.log_part import LogReport
from kaicep.pipeline.sharding.sharded_flow import HostedBatch, StreamCounts
from kaicep.pipeline.sharding.split_part import SplitReport, split_part
from kaicep.pipeline.sources.unreadable import UnreadableFile
from kaicep.storage import LocalFolder
from support.shards import PROJECT, hosted_of, reading, split_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FAST = "CREATE QUERY fast AS SELECT ?e.id AS id FROM (?e, P); CREATE QUERY slow AS SELECT ?e.v AS v FROM (?e, P)"


def test_numbers_of_a_stream(tmp_path: Path) -> None:
    """Of files that could not be read somebody says so, but for those of which the driver has said it already."""
    folder, said = LocalFolder(tmp_path), list[str]()
    report = split_part(hosted_of(), split_of(tmp_path, 0, [reading("a", 1)]), folder, "0.parts")
    torn = UnreadableFile("/in/2.json", "is torn", (3, 4))
    told = UnreadableFile("/in/3.json", "is torn", (3, 4))
    reports = {"P": [_with(report, torn, "source"), _with(report, told, "collected")]}
    counts, segment = StreamCounts(9, 4, 1, 2, 2, 3, ()), LogReport("P", tmp_path / "s", 5, 1)
    found = HostedBatch({"P": counts}, {}, {}, (), {}, {}, reports, {"P": segment}, {}, EarlierEvents())
    stream = counted_stream("P", found, {"P": (NOW, None)}, folder, said.append)
    assert stream.tally == StreamTally(4, 1, 2, 2, 3, NOW)
    assert (stream.archived.num_rows, stream.archived.late) == (5, 1)
    assert said == [f"streams.P: /in/2.json {torn.complaint}; see its dead letters"]
    nothing = counted_stream("Q", found, {}, folder, said.append)
    assert nothing.tally == StreamTally(0, 0, 0, 0, 0, None)
    assert nothing.archived.path is None


def _with(report: SplitReport | None, file: UnreadableFile, form: Literal["source", "collected"]) -> SplitReport:
    assert report is not None
    return replace(report, unreadable=(file,), split=replace(report.split, form=form))


def test_rows_of_queries() -> None:
    """None of one that has failed; of one that has none its columns."""
    dataflow = PROJECT.dataflow(isolated=True)
    for registration in PROJECT.registrations(FAST, "q"):
        dataflow.register(registration)
    rows = dataflow.flows["fast"].rows.none
    written = {"slow": WrittenRows(3, (), None)}
    found = HostedBatch({}, {"fast": rows}, written, (), {}, {}, {}, {}, {}, EarlierEvents())
    answers = {answer.label: answer for answer in query_rows(dataflow.flows, found)}
    assert answers["slow"].written == written["slow"]
    assert answers["fast"].rows.schema == rows.schema
    assert [answer.calls for answer in answers.values()] == [None, None]
    dataflow.flows["slow"].fail(PipelineError("why"))
    assert next(a for a in query_rows(dataflow.flows, found) if a.label == "slow").written is None
