"""Which context windows matches lie in (LANGUAGE-2 §6)."""

from __future__ import annotations

import numpy as np
from kaicep.cep.match.match_contexts import MatchContexts, windows_of_matches
from kaicep.cep.order import Candidates
from kaicep.cep.output import MatchTable
from kaicep.cep.partitions import PartitionWindows, partitioned_by_window
from support.context_queries import ContextSpan, in_contexts, partition_of, told
from support.frames import frame_at
from support.operators import compiled

PAIR = "SELECT ?a FROM (?a, readings), (?b, readings) SEQ (?a, ?b) WINDOW (?a, ?b, 3s)"
S, T = partition_of("s"), partition_of("t")


def candidates(times: list[int], **columns: list[int | None]) -> Candidates:
    frame = frame_at(times, columns={name.replace("hash_", "#"): of for name, of in columns.items()})
    return Candidates(frame, np.arange(len(times)), 0)


def table(a: list[int], b: list[int]) -> MatchTable:
    rows = {"a": np.array(a), "b": np.array(b)}
    return MatchTable(np.zeros(len(a), dtype=np.int64), rows, np.zeros(len(a), dtype=np.int64))


def test_a_match_lies_in_the_window_of_any_of_its_events() -> None:
    of = {"a": candidates([1, 2], hash_window=[5, 6]), "b": candidates([3], hash_window=[6])}
    rows = {"a": np.array([0, 1, -1]), "b": np.array([-1, 0, 0])}
    assert windows_of_matches(rows, {}, of).tolist() == [5, 6, 6]


def test_for_asks_for_one_window_that_holds_all_named_events() -> None:
    """Of one partition, of one context; a match in two windows stands twice, one without an event in none."""
    windows = PartitionWindows()
    spans = [
        ContextSpan(1, "jam", "s", 0, 5),
        ContextSpan(2, "accident", "s", 1, 9),
        ContextSpan(3, "jam", "t", 0, 9),
        ContextSpan(4, "jam", "s", 5, 9),
    ]
    windows.update(told(spans))
    query = partitioned_by_window(in_contexts(compiled(PAIR), required=["a", "b"]))
    of = {
        "a": candidates([2, 4, 4, 4], hash_key=[S, S, T, None]),
        "b": candidates([5, 6, 6], hash_key=[S, S, None]),
    }
    found = MatchContexts(query, windows).placed(table([0, 1, 2, 3, 1], [0, 1, 0, 2, 2]), of)
    assert found.windows is not None
    assert list(zip(found.rows["a"].tolist(), found.windows.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2)]


def test_for_lets_other_events_lie_anywhere() -> None:
    windows = PartitionWindows()
    windows.update(told([ContextSpan(1, "jam", "s", 0, 5)]))
    query = partitioned_by_window(in_contexts(compiled(PAIR), required=["a"]))
    of = {"a": candidates([2], hash_key=[S]), "b": candidates([50])}
    found = MatchContexts(query, windows).placed(table([0], [0]), of)
    assert found.windows is not None
    assert found.windows.tolist() == [1]
