"""The state of operators as bytes."""

from __future__ import annotations

import polars as pl
import pytest
from kaicep.cep.order import EventTable
from kaicep.cep.snapshot_codec import OperatorState, TakenState, read_snapshot
from kaicep.errors import OperatorError
from support.operators import compiled

QUERY = compiled("SELECT ?e.n FROM (?e, readings)")


def test_what_was_written_is_read() -> None:
    tables = {"kept": pl.DataFrame({"n": [1, None], "s": ["ü", ""]}), "none": pl.DataFrame({"x": []}, {"x": pl.Int64})}
    read = read_snapshot(QUERY, TakenState(QUERY, OperatorState(tables, {"first": None, "next": 2**62})).written())
    assert read.numbers == {"first": None, "next": 2**62}
    assert all(
        read.tables[name].equals(table) and read.tables[name].schema == table.schema for name, table in tables.items()
    )


def test_a_table_takes_as_many_bytes_in_pieces_as_whole() -> None:
    """A row comes with each small batch; until an operator put them together, its state was several times as large."""
    whole = pl.DataFrame({"n": range(50), "s": [str(n) for n in range(50)]})
    pieces = pl.concat([whole[n : n + 1] for n in range(50)], rechunk=False)
    assert pieces.n_chunks() == 50
    written = [TakenState(QUERY, OperatorState({"kept": table}, {})).written() for table in (pieces, whole)]
    assert written[0] == written[1]


def test_a_snapshot_belongs_to_its_query() -> None:
    data = TakenState(QUERY, OperatorState({}, {})).written()
    assert read_snapshot(compiled("SELECT   ?e.n FROM (?e, readings) # the same"), data).tables == {}
    with pytest.raises(OperatorError, match="the snapshot is of another query"):
        read_snapshot(compiled("SELECT ?e.x FROM (?e, readings)"), data)


@pytest.mark.parametrize("data", [b"", b"12345678", b"\x02" + bytes(7) + b"{}"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(OperatorError, match="these bytes are no snapshot of an operator"):
        read_snapshot(QUERY, data)


def candidates(count: int) -> pl.DataFrame:
    """Some, with a number of the query's own."""
    times = pl.Series("_time", range(count), pl.Int64).cast(pl.Datetime("us", "UTC"))
    ids = pl.Series("_id", [f"e{n}" for n in range(count)], pl.String)
    numbers = pl.Series("#number", range(7, 7 + count), pl.Int64)
    return pl.DataFrame([times, ids, pl.Series("n", range(count), pl.Int64), numbers])


def test_of_events_that_are_kept_beside_it_only_rows_are_written() -> None:
    """What is no event of a variable, or is told otherwise there, is written as it is."""
    tables = {"kept": candidates(500), "pending.e": candidates(0), "rest": candidates(3)}
    state = OperatorState(tables | {"kept.e": candidates(9).with_columns(pl.lit(-1).alias("n"))}, {"next": 1})
    taken = TakenState(QUERY, state)
    assert [stream for stream, _ in taken.candidates] == ["readings"] * 3
    events = {"readings": EventTable.of([candidates(800)])}
    data = taken.written(events)
    assert len(data) < len(taken.written()) / 4
    read = read_snapshot(QUERY, data, {"readings": EventTable.restored(events["readings"].snapshot())})
    assert read.numbers == state.numbers
    assert all(read.tables[name].equals(table) for name, table in state.tables.items())
    assert [read.tables[name].schema for name in tables] == [table.schema for table in tables.values()]
    with pytest.raises(OperatorError, match="rows of events of 'readings', which are not there"):
        read_snapshot(QUERY, data)


def test_an_earlier_version_is_read_and_a_later_one_is_refused() -> None:
    data = TakenState(QUERY, OperatorState({"kept": candidates(3)}, {})).written()
    assert read_snapshot(QUERY, data.replace(b'"version": 7', b'"version": 6')).tables["kept"].equals(candidates(3))
    with pytest.raises(OperatorError, match="has version 8, this kaicep reads version 7"):
        read_snapshot(QUERY, data.replace(b'"version": 7', b'"version": 8'))
