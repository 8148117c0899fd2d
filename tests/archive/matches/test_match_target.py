"""Rows of a named query that a task has written: the log has them as if it had been given them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kaicep.archive.log import PreparedSegment
from kaicep.archive.matches import MatchLog
from support.found import ORIGIN, QUERY, matches


def prepared(log: MatchLog, batch: int, rows: Sequence[int]) -> PreparedSegment:
    target = log.target(ORIGIN)
    path = target.folder / f".tmp-segment-{batch}"
    target.write(matches(rows), path)
    return PreparedSegment(path, len(rows))


def held(log: MatchLog) -> list[list[dict[str, object]]]:
    """The rows of each batch."""
    found = (log.log.batch_of(QUERY, place) for place in log.log.positions())
    return [table.to_pylist() for table in found if table is not None]


def test_the_log_is_as_if_rows_were_given(tmp_path: Path) -> None:
    """Also where a batch comes again, or has what an earlier one had: each row once."""
    given, taken = MatchLog(tmp_path / "given"), MatchLog(tmp_path / "taken")
    batches = [(1, range(5)), (2, range(5, 9)), (2, range(5, 9)), (3, range(7, 12)), (3, range(7, 13))]
    for batch, rows in batches:
        kept = given.append(batch, [(ORIGIN, matches(rows))])
        assert taken.append(batch, [(ORIGIN, prepared(taken, batch, rows))]) == kept
        assert held(taken) == held(given)
    assert taken.append(4, [(ORIGIN, PreparedSegment(None))]) == 0
    assert not list((tmp_path / "taken").rglob(".tmp-*"))
    assert taken.provenance(ORIGIN.digest) == ORIGIN
    given.close()
    taken.close()


def test_what_nobody_took_goes_with_the_next_start(tmp_path: Path) -> None:
    log = MatchLog(tmp_path)
    path = prepared(log, 1, range(3)).path
    assert path is not None
    log.close()
    again = MatchLog(tmp_path)
    again.target(ORIGIN)
    assert not path.exists()
    again.close()
