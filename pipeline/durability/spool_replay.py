"""Outages: what an archiver kept while no engine ran is taken before what comes live (paper §6.3).

Operators go on from the last snapshot, so a match that spans either border of the outage needs no query of its own: the
missed events are replayed between what was seen and what comes. Whatever is both in the spool and live, or in the log
already, is recognised by its identity.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ...annotator import Annotated, exclude_ids, ids_of
from ...archive import Archive
from ...archive.log import Position, earlier_ids
from ...archive.sync import Spool
from ...planner import ROWS_AT_ONCE
from ...storage import write_atomically
from ..flow import Dataflow, StreamResult, joined, together

__all__ = ["Brought", "SpoolReplay", "admit"]

_TAKING = "taking.json"
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Taken:
    """What a batch takes from the spool.

    Attributes:
        upto: by stream, the last position.
        missed: whether no engine ran when it was kept; otherwise an archiver was just quicker than the engine.
    """

    upto: Mapping[str, int]
    missed: bool


@dataclass(frozen=True, slots=True)
class Brought:
    """What a batch brings.

    Attributes:
        live: what it brings by itself, to be answered still.
        streams: that and what the spool gave before: what the log gets.
        recovered: by query label, the rows of what was missed.
        ahead: the same of what an archiver was quicker with.
    """

    live: Mapping[str, StreamResult]
    streams: Mapping[str, StreamResult]
    recovered: Mapping[str, Sequence[pa.Table]] = field(default_factory=dict)
    ahead: Mapping[str, Sequence[pa.Table]] = field(default_factory=dict)

    def answered(self, dataflow: Dataflow) -> Iterator[tuple[str, pa.Table]]:
        """Label and rows of each query, of what comes live; to be taken to the end."""
        for label, rows in dataflow.answer(self.live):
            yield label, pa.concat_tables([*self.ahead.get(label, ()), rows])


def admit(
    outage: SpoolReplay | None, dataflow: Dataflow, batch: int, annotated: Mapping[str, Annotated], *, again: bool
) -> Brought:
    """Tell the events that count in a batch, after those that the spool gives, which are answered here.

    Args:
        outage: knows what was missed; `None`: nobody does.
        dataflow: answers.
        batch: its number.
        annotated: what it brings by itself.
        again: it was begun before, perhaps by another process.
    """
    if outage is None:
        live = dataflow.accept(annotated)
        return Brought(live, live)
    taken = outage.taken_again(batch) if again else outage.taken(batch, annotated)
    kept: list[Mapping[str, StreamResult]] = []
    rows: dict[str, list[pa.Table]] = {}
    for piece in outage.pieces(taken.upto):
        kept.append(dataflow.accept(piece))
        for label, found in dataflow.answer(kept[-1]):
            rows.setdefault(label, []).append(found)
    if again:
        annotated = outage.completed(batch, annotated, kept)
    steps = outage.told_apart(batch, [*kept, dataflow.accept(annotated)])
    if not taken.missed:
        return Brought(steps[-1], together(steps), ahead=rows)
    outage.tell(steps[:-1])
    return Brought(steps[-1], together(steps), recovered=rows)


class SpoolReplay:
    """Brings each batch what its streams missed.

    Args:
        archive: whose spool is taken; its log tells what is known.
        state: folder in which it is noted what a batch takes, so that it takes the same when it is delivered again.
        patience: how long the first batch waits for an archiver that is behind the live stream.
        say: takes a line of the log.
        rows: how many events of a stream are taken at once, about.
    """

    def __init__(
        self,
        archive: Archive,
        state: Path,
        patience: timedelta,
        say: Callable[[str], None],
        rows: int = ROWS_AT_ONCE,
    ) -> None:
        self._archive, self._note, self._patience, self._say, self._rows = archive, state / _TAKING, patience, say, rows
        self._spool = Spool(archive.path)
        self._taken: dict[str, int] = self._spool.taken()
        self._waited = self._over = False

    @property
    def waiting(self) -> bool:
        """Whether there is something that no batch has taken."""
        return bool(self._spool.waiting(self._taken))

    def begin(self) -> None:
        """Wait until an archiver that stands by has noticed that an engine runs, and reads no more."""
        reading = self._spool.reading
        if reading.path.exists() and not reading.acquire(self._patience.total_seconds()):
            self._say(f"recovery: {reading.holder()} reads the streams still; going on beside it")
        reading.release()

    def taken(self, batch: int, live: Mapping[str, Annotated]) -> Taken:
        """What a batch takes: everything that is there.

        What was missed ends when an archiver has come up to the live stream, or none runs.

        Args:
            batch: its number.
            live: what it brings by itself.
        """
        before = self._spool.taken()
        self._wait(live, before)
        taken = Taken(self._spool.newest(before), missed=not self._over)
        self._over = any(a.events.num_rows for a in live.values()) or not self._spool.archiver_runs
        if taken.upto:
            self._keep_note(batch, taken)
        return taken

    def taken_again(self, batch: int) -> Taken:
        """What a batch took when it was begun."""
        try:
            content: dict[str, Any] = json.loads(self._note.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Taken({}, missed=False)
        if content["batch"] != batch:
            return Taken({}, missed=False)
        return Taken({s: int(k) for s, k in content["upto"].items()}, missed=content.get("missed", True))

    def pieces(self, upto: Mapping[str, int]) -> Iterator[dict[str, Annotated]]:
        """The events up to some positions, in order of arrival; to be taken to the end."""
        before = self._spool.taken()
        for events in self._spool.pieces(before, upto, self._rows):
            yield {stream: _annotated(table) for stream, table in events.items()}
        self._taken = {**before, **upto}

    def completed(
        self, batch: int, live: Mapping[str, Annotated], kept: Sequence[Mapping[str, StreamResult]]
    ) -> Mapping[str, Annotated]:
        """A batch that is delivered again, with what the log has of it and the source gives no more.

        Args:
            batch: its number.
            live: what it brings by itself.
            kept: what it took from the spool.
        """
        found = dict(live)
        for stream, logged in self._archive.log.read_batch(Position(self._archive.log.generation, batch)).items():
            rest = _without(logged, [t for step in kept if stream in step for t in step[stream].tables])
            here = live.get(stream)
            lost = rest if here is None else _without(rest, [here.events])
            if not lost.num_rows:
                continue
            if here is None:
                found[stream] = _annotated(rest)
            else:
                both = joined([rest, _without(here.events, [rest])])
                found[stream] = replace(here, events=_with_rows(both))
        return found

    def told_apart(self, batch: int, steps: Sequence[Mapping[str, StreamResult]]) -> list[dict[str, StreamResult]]:
        """The steps of a batch, those late events taken for duplicates that are known from before.

        Admission forgets what lies below the watermark: there, the log remembers.
        """
        if not self._spool.path.is_dir():
            return [dict(step) for step in steps]
        found: list[dict[str, StreamResult]] = []
        for step in steps:
            told = {}
            for stream, of_stream in step.items():
                earlier = [table for done in found if stream in done for table in done[stream].tables]
                told[stream] = self._without_known(stream, batch, of_stream, earlier)
            found.append(told)
        return found

    def tell(self, missed: Sequence[Mapping[str, StreamResult]]) -> None:
        """Say what was missed, if it was not known already."""
        for stream in sorted({stream for step in missed for stream in step}):
            events = [step[stream].events for step in missed if stream in step]
            times = [pc.min_max(table["_time"]).as_py() for table in events if table.num_rows]
            if times:
                first, last = min(t["min"] for t in times), max(t["max"] for t in times)
                count = sum(table.num_rows for table in events)
                self._say(f"recovery: {count:,} events of {stream}, {first:%FT%TZ} to {last:%FT%TZ}, from the intake")

    def settle(self) -> None:
        """Note that what was taken is in the log, and its rows with the sinks."""
        self._spool.settle(self._taken)

    def _without_known(self, stream: str, batch: int, step: StreamResult, earlier: Sequence[pa.Table]) -> StreamResult:
        if not step.late.num_rows:
            return step
        log = self._archive.log
        known = earlier_ids(log, stream, Position(log.generation, batch), step.late["_time"])
        late = _without(exclude_ids(step.late, known), earlier)
        gone = step.late.num_rows - late.num_rows
        return replace(step, late=late, duplicates=step.duplicates + gone)

    def _wait(self, live: Mapping[str, Annotated], taken: Mapping[str, int]) -> None:
        """Let an archiver come up to the live stream, once: what it has in hand lies before what comes live.

        One that stands by has nothing in hand: `begin` has waited for it.
        """
        last = {s: pc.max(a.events["_time"]).as_py() for s, a in live.items() if a.events.num_rows}
        if self._waited or not last or self._spool.reading.path.exists():
            return
        self._waited = True
        deadline = monotonic() + self._patience.total_seconds()
        while behind := self._behind(last, taken):
            if not self._spool.archiver_runs:
                return
            if monotonic() > deadline:
                gaps = ", ".join(f"{stream} by {gap}" for stream, gap in behind.items())
                self._say(f"recovery: the archiver is behind the live stream ({gaps}); going on without it")
                return
            sleep(_POLL_S)

    def _behind(self, last: Mapping[str, datetime], taken: Mapping[str, int]) -> dict[str, timedelta]:
        """By stream, how far the archive is behind the live stream; those left out where it is not."""
        found = {}
        for stream, moment in last.items():
            marks = [self._spool.mark(stream, taken), (self._archive.log.time_range(stream) or (None, None))[1]]
            mark = max((m for m in marks if m is not None), default=None)
            if mark is not None and mark < moment:
                found[stream] = moment - mark
        return found

    def _keep_note(self, batch: int, taken: Taken) -> None:
        content = {"batch": batch, "upto": dict(taken.upto), "missed": taken.missed}
        with write_atomically(self._note) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")


def _annotated(events: pa.Table) -> Annotated:
    return Annotated.again(_with_rows(events))


def _with_rows(events: pa.Table) -> pa.Table:
    kept = events.drop_columns([name for name in ("_late", "_row") if name in events.column_names])
    return kept.append_column("_row", pa.nulls(events.num_rows, pa.int64()))


def _without(events: pa.Table, others: Sequence[pa.Table]) -> pa.Table:
    """The events whose identity none of the others has."""
    return exclude_ids(events, pl.concat([pl.Series(dtype=pl.String), *map(ids_of, others)]))
