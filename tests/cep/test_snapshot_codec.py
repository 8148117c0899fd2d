"""The state of operators as bytes."""

from __future__ import annotations

import polars as pl
import pytest
from kaicep.cep.snapshot_codec import OperatorState, read_snapshot, write_snapshot
from kaicep.errors import OperatorError
from support.operators import compiled

QUERY = compiled("SELECT ?e.n FROM (?e, readings)")


def test_what_was_written_is_read() -> None:
    tables = {"kept": pl.DataFrame({"n": [1, None], "s": ["ü", ""]}), "none": pl.DataFrame({"x": []}, {"x": pl.Int64})}
    read = read_snapshot(QUERY, write_snapshot(QUERY, OperatorState(tables, {"first": None, "next": 2**62})))
    assert read.numbers == {"first": None, "next": 2**62}
    assert all(
        read.tables[name].equals(table) and read.tables[name].schema == table.schema for name, table in tables.items()
    )


def test_a_table_takes_as_many_bytes_in_pieces_as_whole() -> None:
    """A row comes with each small batch; until an operator put them together, its state was several times as large."""
    whole = pl.DataFrame({"n": range(50), "s": [str(n) for n in range(50)]})
    pieces = pl.concat([whole[n : n + 1] for n in range(50)], rechunk=False)
    assert pieces.n_chunks() == 50
    assert write_snapshot(QUERY, OperatorState({"kept": pieces}, {})) == write_snapshot(
        QUERY, OperatorState({"kept": whole}, {})
    )


def test_a_snapshot_belongs_to_its_query() -> None:
    data = write_snapshot(QUERY, OperatorState({}, {}))
    assert read_snapshot(compiled("SELECT   ?e.n FROM (?e, readings) # the same"), data).tables == {}
    with pytest.raises(OperatorError, match="the snapshot is of another query"):
        read_snapshot(compiled("SELECT ?e.x FROM (?e, readings)"), data)


@pytest.mark.parametrize("data", [b"", b"12345678", b"\x02" + bytes(7) + b"{}"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(OperatorError, match="these bytes are no snapshot of an operator"):
        read_snapshot(QUERY, data)
