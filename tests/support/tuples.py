"""Random streams of raw tuples, and random ways to cut them into batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from .campus import SENSORS, Campus

__all__ = ["BEGIN", "Batch", "batches", "moment", "streams"]

BEGIN = datetime(2012, 5, 4, 9, 30, tzinfo=UTC)
Tuples = list[dict[str, Any]]
Batch = Mapping[str, Tuples]

_FLOWS = (480.0, 500.0, 500.5, 510.0, 555.5, 560.25, 499.9, 0.1)
_NOTES = ("low", "High", "leak 1", "ünder", "")


def moment(seconds: float) -> datetime:
    """So many seconds after the streams begin."""
    return BEGIN + timedelta(seconds=seconds)


@st.composite
def streams(draw: st.DrawFn, campus: Campus, longest: int = 12) -> dict[str, Tuples]:
    """Raw tuples of every stream of a project, in order of arrival."""
    share = longest // len(campus.streams)
    return {name: draw(tuples(campus, share)) for name in campus.streams}


@st.composite
def tuples(draw: st.DrawFn, campus: Campus, longest: int) -> Tuples:
    """Tuples of one stream: equal time stamps, out of order within lateness and beyond it, duplicates, gaps."""
    front, found = 0.0, Tuples()
    spelling = draw(st.sampled_from(campus.spellings))
    for _ in range(draw(st.sampled_from((0, 1, *range(2, longest + 1), *[longest] * longest)))):
        front += draw(st.sampled_from((0, 0, 1, 1, 1, 2, 3.5)))
        if found and draw(st.integers(0, 11)) == 0:
            found.append(draw(_repeated(found)))
        else:
            back = draw(st.sampled_from((0, 0, 0, 0, 1, campus.lateness_s, campus.lateness_s + 1)))
            found.append(draw(_tuples(front - back, spelling)))
    return found


@st.composite
def _repeated(draw: st.DrawFn, found: Tuples) -> dict[str, Any]:
    again = dict(draw(st.sampled_from(found)))
    if draw(st.booleans()):
        again["note"] = "again"
    return again


@st.composite
def _tuples(draw: st.DrawFn, seconds: float, spelling: str) -> dict[str, Any]:
    row: dict[str, Any] = {"sensorID": draw(st.sampled_from(SENSORS)), "timestamp": draw(_moments(seconds))}
    row[spelling] = draw(st.sampled_from(_FLOWS))
    row["level"] = draw(st.integers(-1, 4))
    row["note"] = draw(st.sampled_from(_NOTES))
    row["open"] = draw(st.booleans())
    row["since"] = moment(draw(st.integers(-3, 3))).isoformat()
    row["seq"] = draw(st.integers(0, 30))
    if draw(st.integers(0, 5)) == 0:
        row["undeclared"] = draw(st.sampled_from(("x", "y")))
    for name in draw(st.sets(st.sampled_from((*row, *["nothing"] * 9)), max_size=2)):
        if name != "timestamp" and name in row:
            row[name] = None
    return {name: value for name, value in row.items() if value is not None or draw(st.booleans())}


@st.composite
def _moments(draw: st.DrawFn, seconds: float) -> str:
    at = moment(seconds)
    form = draw(st.integers(0, 5))
    if form == 0:
        return at.astimezone(tz=_EAST).isoformat()
    return at.replace(tzinfo=None).isoformat() if form == 1 else at.isoformat().replace("+00:00", "Z")


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
