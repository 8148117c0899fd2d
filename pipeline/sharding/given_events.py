"""What the shards of a task are given of the splits of a batch, without the events that count for nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import polars as pl
import pyarrow as pa

from ...expressions import Bools, frame_of
from ...storage import SharedFolder
from .deals import EVENTS_OF, PLACE, EventDeal
from .hosted_queries import HostedQueries, StatePlace
from .identity_part import DROPPED, ReadSplit
from .part_file import PartFile, PartName
from .query_unit import QueryUnit

__all__ = ["GivenEvents"]

_NONE = pl.Series([], dtype=pl.String)


class _Events(NamedTuple):
    """The events of a shard of a split; which of them count, `None`: all."""

    frame: pl.DataFrame
    counting: Bools | None


class GivenEvents:
    """Reads what the shards of a task are given; each split's file is opened once.

    Args:
        queries: compiled.
        shards: of the task.
        splits: of the batch.
        dropped: the files that say which events count for nothing, by stream.
        folder: with all these files.
    """

    def __init__(
        self,
        queries: HostedQueries,
        shards: Sequence[StatePlace],
        splits: Sequence[ReadSplit],
        dropped: Mapping[str, Sequence[str]],
        folder: SharedFolder,
    ) -> None:
        self._queries, self.splits, self._folder = queries, splits, folder
        self._wanted = {name for place in shards for name in self._names(queries.unit(place.unit), place.shard)}
        names = [split.file for split in splits]
        self._files: dict[str, PartFile] = dict(zip(names, folder.each(self._opened, names), strict=True))
        self._events: dict[tuple[str, str, int], _Events] = {}
        self._gone: dict[tuple[str, int], pl.Series] = {}
        for stream, files in dropped.items():
            for found in folder.each(partial(self._dropped, stream), files):
                self._note(stream, found)

    def _opened(self, name: str) -> PartFile:
        """The parts of a split, of which those of the task's shards are read together."""
        file = PartFile(self._folder, name)
        file.hold(part for part in file if part in self._wanted)
        return file

    def _dropped(self, stream: str, name: str) -> dict[int, pl.Series]:
        """By split, identities that count for nothing."""
        with PartFile(self._folder, name) as file:
            parts = [part for part in file if part[:2] == (DROPPED, stream)]
            tables = file.tables(parts)
        ids = (_NONE if table is None else frame_of(table, ["_id"])["_id"] for table in tables)
        return dict(zip((int(part[2]) for part in parts), ids, strict=True))

    def _note(self, stream: str, dropped: Mapping[int, pl.Series]) -> None:
        for place, ids in dropped.items():
            known = self._gone.get((stream, place))
            self._gone[stream, place] = ids if known is None else pl.concat([known, ids])

    def _names(self, unit: QueryUnit, shard: int) -> Iterator[PartName]:
        """The parts that may be asked for."""
        if not self._queries.is_lean(unit):
            names = self._queries.flow(unit).input.names if unit.single else sorted(unit.streams)
            yield from ((unit.name, name, shard) for name in names)
            return
        for source in unit.registrations[0].query.sources:
            deal = self._queries.deal_of(unit, source.variable)
            for dealt in self._dealt(unit, deal, shard):
                yield unit.name, source.variable, dealt
                yield EVENTS_OF, deal.stream, deal.column, dealt

    def _dealt(self, unit: QueryUnit, deal: EventDeal, shard: int) -> Sequence[int]:
        """In which shards of a deal the events of a shard of a unit are."""
        whole = unit.key is None or unit.by_event
        return range(deal.shards(self._queries.plan.shards)) if whole else [shard]

    def candidates(self, unit: QueryUnit, shard: int) -> dict[str, pl.DataFrame]:
        """What the operator of a single unit is given, by name."""
        lean = self._queries.is_lean(unit)
        found = {}
        for name in self._queries.flow(unit).input.names:
            if lean:
                frames = list(self._taken(unit, name, shard))
            else:
                tables = self.tables(unit, name, shard, unit.streams)
                frames = [frame_of(table, table.column_names) for table in tables]
            if frames:
                alike = all(frame.schema == frames[0].schema for frame in frames)
                found[name] = pl.concat(frames, how="vertical" if alike else "vertical_relaxed")
        return found

    def _taken(self, unit: QueryUnit, variable: str, shard: int) -> Iterator[pl.DataFrame]:
        """The candidates of a variable of a lean unit."""
        deal = self._queries.deal_of(unit, variable)
        source = next(s for s in unit.registrations[0].query.sources if s.variable == variable)
        names = list(dict.fromkeys(["_time", "_id", *(n for n in source.columns if not n.startswith("?"))]))
        shards = unit.shards(self._queries.plan.shards)
        for split in self.splits:
            apart = unit.by_event and split.place % shards != shard
            if split.stream == deal.stream and not apart:
                for dealt in self._dealt(unit, deal, shard):
                    frame = self._found(split, deal, dealt, (unit.name, variable, dealt), names)
                    if frame is not None:
                        yield frame

    def _found(
        self, split: ReadSplit, deal: EventDeal, shard: int, name: PartName, columns: Sequence[str]
    ) -> pl.DataFrame | None:
        file = self._files[split.file]
        if name not in file:
            return None
        events, counting = self._of_shard(split, deal, shard)
        if file.is_empty(name):
            own = events.select(columns)
            return own if counting is None else own.filter(pl.Series(counting))
        places = frame_of(table := file.table(name) or pa.table({}), table.column_names)
        if counting is not None:
            places = places.filter(pl.Series(counting[places[PLACE].to_numpy()]))
        own = events.select(columns)[places[PLACE]]
        return own if places.width == 1 else own.hstack(places.drop(PLACE))

    def _of_shard(self, split: ReadSplit, deal: EventDeal, shard: int) -> _Events:
        """The events of a shard of a split, for all queries that take some of them."""
        known = (split.file, deal.column, shard)
        if known not in self._events:
            table = self._files[split.file].table((EVENTS_OF, deal.stream, deal.column, shard))
            frame = frame_of(table, deal.columns) if table is not None else pl.DataFrame()
            gone = self._gone.get((split.stream, split.place))
            counting = None if gone is None else (~frame["_id"].is_in(gone.implode())).to_numpy()
            self._events[known] = _Events(frame, None if counting is None or counting.all() else counting)
        return self._events[known]

    def tables(self, unit: QueryUnit, name: str, shard: int, streams: frozenset[str]) -> Iterator[pa.Table]:
        """The parts of a name in all splits."""
        for split in self.splits:
            if split.stream not in streams:
                continue
            table = self._files[split.file].table((unit.name, name, shard))
            if table is not None:
                gone = self._gone.get((split.stream, split.place))
                if gone is not None:  # in a split each identity stands once
                    table = table.filter((~frame_of(table, ["_id"])["_id"].is_in(gone.implode())).to_arrow())
                yield table
