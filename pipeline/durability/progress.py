"""What the engine has done so far, counted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from types import MappingProxyType

from ...semfilter.runtime import SubqueryStatistics
from ..flow import StreamResult, StreamTally

PROGRESS = "progress"
"""What a snapshot calls it."""


@dataclass(frozen=True, slots=True)
class StreamCount:
    """Tuples of one stream by what became of them; `malformed` are records that could not even be parsed."""

    events: int = 0
    late: int = 0
    duplicates: int = 0
    rejected: int = 0
    malformed: int = 0
    unlinked: int = 0

    @property
    def records(self) -> int:
        """All records that came in."""
        return self.events + self.late + self.duplicates + self.rejected + self.malformed


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts since the first batch ever, over restarts.

    Attributes:
        batches: how many batches are done.
        streams: by stream name.
        matches: by query label.
        rules: by rule, how much it has done, by what it does.
        time: the greatest time stamp so far.
        clock: the latest wall clock of a batch so far.
        seconds: time spent in the data path, Spark's part not included.
        subqueries: by query label, what each of its PATHs has cost, in the order of the query's text; unlike the
            counts these begin anew with the engine, as the caches do.
        own: the same of this engine alone, since it took up its work; `None`: there was nothing before it.
    """

    batches: int = 0
    streams: Mapping[str, StreamCount] = field(default_factory=dict)
    matches: Mapping[str, int] = field(default_factory=dict)
    rules: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    time: datetime | None = None
    seconds: float = 0.0
    subqueries: Mapping[str, tuple[SubqueryStatistics, ...]] = field(default_factory=dict)
    own: Progress | None = None
    clock: datetime | None = None

    @property
    def records(self) -> int:
        """All records of all streams."""
        return sum(count.records for count in self.streams.values())

    @property
    def total_matches(self) -> int:
        """The rows of all queries."""
        return sum(self.matches.values())

    def given(self, label: str) -> int:
        """How many rows a query has given; of a rule how often it has acted."""
        return self.matches.get(label, 0) + sum(self.rules.get(label, {}).values())

    def after(
        self,
        results: Mapping[str, StreamResult],
        rows: Mapping[str, int],
        malformed: Mapping[str, int],
        seconds: float,
        subqueries: Mapping[str, tuple[SubqueryStatistics, ...]],
        *,
        done: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
    ) -> Progress:
        """The counts after one more batch.

        Args:
            results: what it brought, by stream.
            rows: how many queries have given, by label.
            malformed: records that could not be parsed, by stream.
            seconds: that it took.
            subqueries: what PATHs have cost so far, by query label.
            done: what rules have done, by rule and what it does.
        """
        streams = dict(self.streams)
        tallies = {name: result.tally for name, result in results.items()}
        for name, tally in tallies.items():
            streams[name] = _add(streams.get(name, StreamCount()), tally, malformed.get(name, 0))
        matches = dict(self.matches)
        for label, count in rows.items():
            matches[label] = matches.get(label, 0) + count
        rules = dict(self.rules)
        for rule, counts in done.items():
            before = rules.get(rule, {})
            rules[rule] = {**before, **{what: before.get(what, 0) + count for what, count in counts.items()}}
        own = None if self.own is None else self.own.after(results, rows, malformed, seconds, subqueries, done=done)
        time, spent = _later(self.time, tallies.values()), self.seconds + seconds
        return Progress(self.batches + 1, streams, matches, rules, time, spent, subqueries, own, self.clock)

    def at(self, clock: datetime) -> Progress:
        """The same counts, with the wall clock of a batch."""
        return replace(self, clock=clock if self.clock is None else max(self.clock, clock))

    def resumed(self) -> Progress:
        """The same counts, with what an engine does from here on counted by itself as well."""
        return replace(self, own=Progress())

    def to_bytes(self) -> bytes:
        """For the snapshot."""
        kept = asdict(replace(self, subqueries={}, own=None))
        del kept["subqueries"], kept["own"]
        return json.dumps(kept, default=lambda moment: moment.isoformat()).encode()

    @classmethod
    def from_bytes(cls, state: bytes) -> Progress:
        """From a snapshot."""
        content = json.loads(state)
        content["streams"] = {name: StreamCount(**count) for name, count in content["streams"].items()}
        for name in ("time", "clock"):
            content[name] = None if content.get(name) is None else datetime.fromisoformat(content[name])
        return cls(**content)


def _add(count: StreamCount, tally: StreamTally, malformed: int) -> StreamCount:
    return replace(
        count,
        events=count.events + tally.events,
        late=count.late + tally.late,
        duplicates=count.duplicates + tally.duplicates,
        rejected=count.rejected + tally.rejected,
        malformed=count.malformed + malformed,
        unlinked=count.unlinked + tally.unlinked,
    )


def _later(time: datetime | None, tallies: Iterable[StreamTally]) -> datetime | None:
    moments = [tally.time for tally in tallies if tally.time is not None]
    return max([*moments, *([] if time is None else [time])], default=None)
