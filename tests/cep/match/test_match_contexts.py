"""Which context windows matches lie in (LANGUAGE-2 §6)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from kaicep.cep.match.match_contexts import GroupedWindows, MatchContexts, windows_of_matches
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


def test_windows_that_hold_matches_together_are_a_group() -> None:
    """From the same bounds to the same bounds, unless something forbids a match in those that began before it."""
    windows = PartitionWindows()
    spans = [
        ContextSpan(1, "jam", "s", 0, 5),
        ContextSpan(2, "accident", "s", 1, 9),
        ContextSpan(3, "jam", "t", 0, 9),
        ContextSpan(4, "jam", "s", 5, 9),
    ]
    windows.update(told(spans))
    # partition, first event, last event, what forbids it in older windows
    asked = [(S, 2, 4, -9), (S, 3, 5, -9), (S, 2, 6, -9), (S, 2, 4, 1), (S, 6, 7, 5), (S, 1, 9, -9), (T, 1, 9, -9)]
    asked += [(S, 2, 4, 2), (S + T, 2, 4, -9), (S, 0, 1, -9)]
    partition, first, last, barrier = (np.array(column) for column in zip(*asked, strict=True))
    matches = replace(table([*range(len(asked))], [0] * len(asked)), time=last)
    found = GroupedWindows(windows).placed(matches, partition, first, barrier)
    assert found.windows is not None
    groups = [sorted(windows.groups[number].tolist()) for number in found.windows.tolist()]
    wanted = {0: [1, 2], 1: [1, 2], 2: [2], 3: [2], 4: [4], 6: [3]}
    assert dict(zip(found.rows["a"].tolist(), groups, strict=True)) == wanted
    assert found.windows[0] == found.windows[1]
    assert windows.names_of_groups()[found.windows[0]] == ["accident", "jam"]


def test_before_a_window_nothing_lies_in_a_group() -> None:
    found = GroupedWindows(PartitionWindows()).placed(table([0], [0]), *(np.array([1]),) * 3)
    assert found.windows is not None
    assert not len(found.windows)
