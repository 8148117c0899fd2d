"""Rows piece by piece: of each it is known whether others follow; time is counted over all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from kaicep import PipelineError
from kaicep.cep.time_limit import exceeded_limit
from kaicep.pipeline.flow.answering.running_answer import RunningAnswer, TimeSpent
from support.answering import READERS_OF_ONE, graph_of


def pieces(*sizes: int) -> Iterator[pa.Table]:
    return (pa.table({"x": list(range(size))}) for size in sizes)


def test_of_each_piece_it_is_known_whether_others_follow() -> None:
    answer = RunningAnswer(graph_of(READERS_OF_ONE).flows["one"], pieces(2, 1, 3))
    assert [(answer.next().num_rows, answer.goes_on) for _ in range(3)] == [(2, True), (1, True), (3, False)]


def test_who_has_no_rows_or_has_failed_has_one_empty_piece() -> None:
    flow = graph_of(READERS_OF_ONE).flows["one"]
    empty = RunningAnswer(flow, pieces())
    assert (empty.next(), empty.goes_on) == (flow.no_rows, False)
    failing = RunningAnswer(flow, pieces(2, 1))
    flow.fail(PipelineError("no more"))
    assert (failing.next(), failing.goes_on) == (flow.no_rows, False)


def test_pieces_share_the_time_of_their_batch() -> None:
    time = TimeSpent(0.02)
    turns = 0
    while turns < 1_000:
        with time.of("one"):
            sum(range(20_000))
            if exceeded_limit() is not None:
                break
        turns += 1
    assert 0 < turns < 1_000
    with time.of("two"):
        assert exceeded_limit() is None
