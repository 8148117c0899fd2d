"""When contexts held lately is a cut of when they ever held, which is what the oracle says of them.

Streams come in pieces, one of them behind the others at times, and what is known is asked after each piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pyoxigraph as ox
import pytest
from kaicep import Project
from kaicep.archive import Archive
from kaicep.config import Settings
from kaicep.expressions import micros
from kaicep.language.checks.query_compiler import check_document
from kaicep.pipeline.sinks import iso
from kaicep.pipeline.sources.memory_source import raw_table
from kaicep.server.streams import context_follower
from kaicep.server.streams.context_windows import context_windows
from oracle.asked import States
from oracle.contexts import History, Window
from oracle.values import EPOCH
from support.context_families import FAMILIES, case, contexts_content, contexts_oracle
from support.quick_archives import quick_archives
from support.tuples import Tuples

MICROSECOND = timedelta(microseconds=1)
FOR_EVER = "30000d"
families = pytest.mark.parametrize("family", FAMILIES)


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(context_follower, "_AT_ONCE", 7)
    with quick_archives():
        yield


def test_changes_are_told_of_random_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among a few of each family are windows that began before the time that is asked for."""
    monkeypatch.setattr(context_follower, "_AHEAD", timedelta(seconds=3))
    told = [count for family in [*FAMILIES][::2] for count in agreed(family, 0, tmp_path)]
    assert sum(told) > 10, "few windows began before the time that was asked for"


def test_keys_may_be_properties(tmp_path: Path) -> None:
    """What random documents have found: the name of such a key is an IRI."""
    assert all(agreed("semantics", 7, tmp_path))


@pytest.mark.long
@families
def test_changes_are_told_in_the_long_run(family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much of the log is answered once."""
    for seed in range(1, 60):
        monkeypatch.setattr(context_follower, "_AHEAD", timedelta(seconds=Random(seed).choice((0, 1, 5, 1200, 3600))))
        list(agreed(family, seed, tmp_path))


def agreed(family: str, seed: int, folder: Path) -> Iterator[int]:
    """How many windows began before each time that was asked for; the oracle has the same."""
    one, rng = case(family, seed), Random(f"lately {family} {seed}")
    root = folder / f"{family}{seed}"
    root.mkdir()
    (root / "all.chi").write_text(one.text)
    settings = Settings.parse(contexts_content(one.lateness) | {"queries": {"files": ["all.chi"]}}, root=root)
    project = Project.of(settings)
    oracle = contexts_oracle(one.lateness)
    queries = [query for _, query in check_document(one.text, oracle.vocabulary)]
    came: dict[str, Tuples] = {name: [] for name in one.streams}
    for number, piece in enumerate(_pieces(one.streams, rng), start=1):
        with Archive(settings, project.knowledge, project.shapes) as archive:
            events = {name: project.annotators[name].annotate(raw_table(rows)).events for name, rows in piece.items()}
            archive.append(number, events)
            archive.flush()
        for name, rows in piece.items():
            came[name] += rows
        newest = max(_time(row) for rows in came.values() for row in rows)
        histories = States(oracle, queries, came, newest).histories
        whole = context_windows(ox.Store(), settings, FOR_EVER)
        for last in (FOR_EVER, f"{rng.choice((1, 2, 5, 10, 600, 7200))}s"):
            found = context_windows(ox.Store(), settings, last)
            assert [of["set"] for of in found] == list(histories)
            for of, all_of in zip(found, whole, strict=True):
                first = datetime.fromisoformat(of["from"])
                assert of["to"] == iso(newest)
                near = [w for w in all_of["windows"] if w["to"] is None or datetime.fromisoformat(w["to"]) >= first]
                moments = {*map(_time, (row for rows in came.values() for row in rows)), first, newest}
                moments |= {datetime.fromisoformat(m) for w in near for m in (w["from"], w["to"]) if m is not None}
                expected = _windows(histories[of["set"]], moments, first, newest)
                # At its end a window that an event ends holds yet, and one of a calendar no more.
                cut = [w for w in near if w["to"] != of["from"] or _comparable(w) in expected]
                assert of["windows"] == cut, (one, last)
                assert sorted(map(_comparable, cut)) == sorted(expected), (one, last, number)
                yield sum(w["from"] is None or datetime.fromisoformat(w["from"]) < first for w in cut)


def _pieces(streams: Mapping[str, Tuples], rng: Random) -> Iterator[Mapping[str, Tuples]]:
    """What came, in order of time; one stream is some pieces behind at times."""
    rows = [(name, row) for name, of in streams.items() for row in of if row.get("t")]
    rows.sort(key=lambda one: str(one[1]["t"]))
    borders = sorted({0, len(rows), *(rng.randrange(len(rows)) for _ in range(rng.choice((0, 2, 4))))})
    late = rng.choice([*streams, None])
    held: list[tuple[str, dict[str, Any]]] = []
    for start, end in pairwise(borders):
        piece, keeps = rows[start:end], end < len(rows) and rng.random() < 0.5
        given = [one for one in [*held, *piece] if not keeps or one[0] != late]
        held = [one for one in [*held, *piece] if keeps and one[0] == late]
        if given:
            yield {name: [row for of, row in given if of == name] for name in dict(given)}


def _time(row: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(row["t"])


_Told = tuple[str, str, str, str]


def _windows(history: History, around: set[datetime], first: datetime, last: datetime) -> set[_Told]:
    """The windows of the oracle that hold at some moment of a time, of partitions that have changed."""
    times = {micros(moment) for moment in around} | {turn.time for turn in history.turns}
    low, high = micros(first), micros(last)
    moments = {m for time in times for m in (time - 1, time, time + 1) if low <= m <= high + 1}
    keys = dict.fromkeys(turn.key for turn in history.turns)
    names = [context.name for context in history.set.contexts]
    held = (history.window(name, key, moment) for name in names for key in keys for moment in moments)
    return {_of_oracle(history, window, high) for window in held if window is not None}


def _of_oracle(history: History, window: Window, last: int) -> _Told:
    key = {of.name: value for of, value in zip(history.set.keys, window.key, strict=True)}
    ended = window.end is not None and window.until is not None and window.until <= last
    return window.context, _shown(key), _iso(window.start), _iso(window.end if ended else None)


def _comparable(window: Mapping[str, Any]) -> _Told:
    return window["context"], _shown(window["key"]), str(window["from"]), str(window["to"])


def _shown(key: Mapping[str, Any]) -> str:
    return repr(sorted(key.items()))


def _iso(moment: int | None) -> str:
    return str(None if moment is None else iso(EPOCH + moment * MICROSECOND))
