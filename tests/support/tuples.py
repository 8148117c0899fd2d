"""Random streams of raw tuples, and random ways to cut them into batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from hypothesis import strategies as st

from .campus import SENSORS, Campus

__all__ = ["BEGIN", "Batch", "batches", "few_batches", "moment", "streams"]

BEGIN = datetime(2012, 5, 4, 9, 30, tzinfo=UTC)
T = TypeVar("T")
Tuples = list[dict[str, Any]]
Batch = Mapping[str, Tuples]

_FLOWS = (480.0, 500.0, 500.5, 510.0, 555.5, 560.25, 499.9, 0.1)
_NOTES = ("low", "High", "leak 1", "ünder", "")


def moment(seconds: float) -> datetime:
    """So many seconds after the streams begin."""
    return BEGIN + timedelta(seconds=seconds)


def streams(campus: Campus, longest: int = 12) -> st.SearchStrategy[dict[str, Tuples]]:
    """Raw tuples of every stream of a project, in order of arrival."""
    share = longest // len(campus.streams)
    return st.fixed_dictionaries({name: tuples(campus, share) for name in campus.streams})


def tuples(campus: Campus, longest: int) -> st.SearchStrategy[Tuples]:
    """Tuples of one stream: equal time stamps, out of order within lateness and beyond it, duplicates, gaps.

    A tuple is made of a few bytes, one for each of its choices: drawing them one by one takes longer than asking.
    """
    rows = st.lists(st.binary(min_size=_BYTES, max_size=_BYTES), max_size=longest)
    many = st.lists(st.binary(min_size=_BYTES, max_size=_BYTES), min_size=longest * 3 // 4, max_size=longest)
    return st.tuples(st.sampled_from(campus.spellings), st.one_of(rows, many, many)).map(
        lambda drawn: _stream_of(campus.lateness_s, *drawn)
    )


_BYTES = 16


def _stream_of(lateness: int, spelling: str, drawn: list[bytes]) -> Tuples:
    front, found = 0.0, Tuples()
    for row in drawn:
        choice = iter(row)
        front += _pick(choice, (0, 0, 1, 1, 1, 2, 3.5))
        again = next(choice) % 12 == 11
        back = _pick(choice, (0, 0, 0, 0, 1, lateness, lateness + 1))
        if again and found:
            repeated = dict(_pick(choice, found))
            found.append(repeated | {"note": "again"} if next(choice) % 2 else repeated)
        else:
            found.append(_tuple(choice, front - back, spelling))
    return found


def _pick(choice: Iterator[int], options: Sequence[T]) -> T:
    return options[next(choice) % len(options)]


def _tuple(choice: Iterator[int], seconds: float, spelling: str) -> dict[str, Any]:
    row: dict[str, Any] = {"sensorID": _pick(choice, SENSORS), "timestamp": _written(_pick(choice, range(6)), seconds)}
    row[spelling] = _pick(choice, _FLOWS)
    row["level"] = _pick(choice, (0, 1, 2, 3, 4, -1))
    row["note"] = _pick(choice, _NOTES)
    row["open"] = _pick(choice, (True, False))
    row["since"] = moment(_pick(choice, (0, 1, 2, 3, -1, -3))).isoformat()
    row["seq"] = _pick(choice, range(31))
    undeclared, missing, absent = next(choice), next(choice), next(choice) % 2
    if undeclared % 6 == 5:
        row["undeclared"] = "xy"[undeclared % 2]
    for name in (*(_GAPS[missing % len(_GAPS)]), spelling if missing % 11 == 10 else ""):
        if name in row:
            row[name] = None
    return {name: value for name, value in row.items() if value is not None or absent}


def _written(form: int, seconds: float) -> str:
    at = moment(seconds)
    if form == 5:
        return at.astimezone(tz=_EAST).isoformat()
    return at.replace(tzinfo=None).isoformat() if form == 4 else at.isoformat().replace("+00:00", "Z")


_GAPS: Sequence[tuple[str, ...]] = (
    *[()] * 8, ("sensorID",), ("level",), ("note",), ("open",), ("since",), ("seq",), ("sensorID", "open"),
    ("level", "note"),
)  # fmt: skip
_EAST = datetime.fromisoformat("2012-05-04T00:00:00+02:00").tzinfo


@st.composite
def batches(draw: st.DrawFn, content: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Batch]:
    """The streams cut into batches: each stream's order is kept, some batches are empty for some streams."""
    rest = {name: [dict(row) for row in rows] for name, rows in content.items()}
    cut: list[Batch] = []
    while any(rest.values()):
        sizes = {name: draw(st.integers(0, max(1, min(4, len(rows))))) for name, rows in rest.items()}
        cut.append({name: rows[: sizes[name]] for name, rows in rest.items()})
        rest = {name: rows[sizes[name] :] for name, rows in rest.items()}
    return cut


@st.composite
def few_batches(draw: st.DrawFn, content: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Batch]:
    """The streams cut into three batches at most: most of what an answer costs it costs per batch."""
    cuts = {name: sorted(draw(st.tuples(*[st.integers(0, len(rows))] * 2))) for name, rows in content.items()}
    pieces = {
        name: (rows[: cuts[name][0]], rows[cuts[name][0] : cuts[name][1]], rows[cuts[name][1] :])
        for name, rows in content.items()
    }
    every = [{name: [dict(row) for row in of[i]] for name, of in pieces.items()} for i in range(3)]
    return [batch for batch in every if any(batch.values())]
