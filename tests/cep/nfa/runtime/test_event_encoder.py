"""Released candidates become events of partitions, in total order within each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
from kaicep.cep.match import CandidateBuffer
from kaicep.cep.nfa.compiler import PatternConditions
from kaicep.cep.nfa.runtime import EventEncoder
from kaicep.cep.order import empty_candidates
from support.automata import query_of

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def test_events_are_told_apart_by_partition_and_numbered_in_total_order() -> None:
    query = query_of("?a -> ?b{1,; ->}", "PARTITION BY group")
    sources = {s.variable: s for s in query.sources}
    buffer = CandidateBuffer({v: [] for v in sources})
    encoder = EventEncoder(query, PatternConditions(query), list(sources), buffer)

    def frame(variable: str, *events: tuple[int, str]) -> pl.DataFrame:
        like = empty_candidates(sources[variable])
        columns = {
            "_time": [BEGIN + timedelta(seconds=t) for t, _ in events],
            "_id": [f"{variable}{t}" for t, _ in events],
            "group": [g for _, g in events],
        }
        return pl.DataFrame({n: columns.get(n, [None] * len(events)) for n in like.columns}, schema=like.schema)

    encoded = encoder.read({"a": frame("a", (0, "l"), (3, "r")), "b": frame("b", (1, "r"), (2, "l"))})
    found = {key[0]: (places, [event[1] for event in events]) for key, places, events in encoded.events}
    assert found == {"l": ([0, 1], [0, 2]), "r": ([1, 0], [1, 3])}
    assert not encoded.several
    assert encoder.next_number == 4
