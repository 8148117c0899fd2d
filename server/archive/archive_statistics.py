"""How much the archive holds of each stream, of which times, and where there is nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any

from ...archive import LOG, ArchivePlace
from ...archive.log import EventLog, Manifest, quarantined, read_consistently
from ...config import Settings
from ..plain_json import plain_value

__all__ = ["ArchiveStatistics", "StreamCoverage", "archive_statistics", "covered_ranges"]

_PARTS = 200
"""A silence of more than that part of all the time is a gap, where nobody says how long one is."""

_Range = tuple[datetime, datetime]

StreamCoverage = dict[str, Any]
"""A stream: `name`, `events`, `from`, `to`; `covered`, times from a first to a last event; `gaps` between them, each
with a reason if that is known."""
ArchiveStatistics = dict[str, Any]
"""The archive: `events` of all streams, `bytes` of its folder, `from`, `to`, `streams`."""


def archive_statistics(settings: Settings, gap: timedelta | None) -> ArchiveStatistics:
    """What the archive holds, as its segments' footers tell.

    Args:
        settings: of the project.
        gap: a longer silence is one; `None`: a 200th of the time that the archive spans, at least `archive.bucket`.

    Raises:
        ArchiveError: a segment is broken.
    """
    place = ArchivePlace.of(settings)
    log = EventLog(place.log(LOG))
    extent = log.extent()
    if extent is None:
        return {"events": 0, "bytes": 0, "from": None, "to": None, "streams": []}
    longest = gap or max((extent[1] - extent[0]) / _PARTS, settings.archive.bucket)
    streams = [_coverage(log, name, longest) for name in log.streams()]
    return {
        "events": sum(one["events"] for one in streams),
        "bytes": place.size,
        "from": _text(extent[0]),
        "to": _text(extent[1]),
        "streams": streams,
    }


def covered_ranges(known: Iterable[_Range], longest: timedelta) -> list[_Range]:
    """Ranges put together where no more than so much time lies between two of them, in order of time."""
    found: list[_Range] = []
    for first, last in sorted(known):
        if found and first - found[-1][1] <= longest:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def _coverage(log: EventLog, stream: str, longest: timedelta) -> StreamCoverage:
    known = read_consistently(partial(_batches, log.manifest(stream)))
    covered = covered_ranges(known, longest)
    lost = [one.facts for one in quarantined(log.path) if one.stream == stream and one.facts is not None]
    spans = [(facts.first, facts.last) for facts in lost]
    gaps = [_gap(before[1], after[0], spans) for before, after in pairwise(covered)]
    return {
        "name": stream,
        "events": log.count(stream),
        "from": _text(covered[0][0]) if covered else None,
        "to": _text(covered[-1][1]) if covered else None,
        "covered": [[_text(first), _text(last)] for first, last in covered],
        "gaps": gaps,
    }


def _gap(begin: datetime, end: datetime, lost: Iterable[_Range]) -> list[str | None]:
    quarantine = any(first <= end and last >= begin for first, last in lost)
    return [_text(begin), _text(end), "segments are in quarantine: kaicep repair" if quarantine else None]


def _batches(manifest: Manifest) -> list[_Range]:
    """From when to when the events of each batch are; of batches that were put together, too."""
    return list(_ranges(manifest))


def _ranges(manifest: Manifest) -> Iterator[_Range]:
    for segment in manifest.segments():
        if segment.single:
            facts = manifest.facts(segment.path)
            yield facts.first, facts.last
        else:
            yield from ((batch.first, batch.last) for batch in manifest.batches(segment))


def _text(moment: datetime) -> str:
    return str(plain_value(moment))
