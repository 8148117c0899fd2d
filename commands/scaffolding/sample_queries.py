"""Two first queries over somebody's own readings: made of the classes and values that are there, and tried on them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

import polars as pl
import pyarrow as pa

from ...api import Project
from ...errors import KaicepError
from .building_model import BuildingModel
from .project_file import STREAM, ProjectDraft

__all__ = ["SampleQuery", "sample_queries"]

_SOSA = "http://www.w3.org/ns/sosa/"
_NAME = re.compile(r"[^\W\d]\w*")
_QUANTILE = 0.9
_HALF = 0.5
_CLASSES = 6
_PERIODS = ((timedelta(minutes=10), "10min", "ten minutes"), (timedelta(hours=1), "1h", "an hour"))
_LONGEST = ("1d", "a day")
_READINGS = 4  # of a point in a period, at least
_PLACES = (
    ("to", "isPointOf"),
    ("from", "hasPoint"),
    ("to", "isHostedBy"),
    ("from", "hosts"),
    ("to", "hasLocation"),
    ("from", "isLocationOf"),
    ("to", "isPartOf"),
    ("from", "hasPart"),
)
"""How points are connected with what they measure; anything else is taken where nothing of these is."""


@dataclass(frozen=True, slots=True)
class SampleQuery:
    """A query that gives rows.

    Attributes:
        file: its name.
        text: χ-CEP, with a comment on what it asks.
        rows: how many rows it gives on the readings that it was tried on.
    """

    file: str
    text: str
    rows: int


def sample_queries(project: Project, draft: ProjectDraft, recording: pa.Table) -> tuple[SampleQuery, ...]:
    """Make a query of high values of a class, and one of means over time; only those that give rows.

    Args:
        project: as it was written.
        draft: what it was made of.
        recording: raw readings, one a row, all of them events; the queries are tried on them.
    """
    readings = _readings(project, draft, recording)
    classes = _classes(readings, draft.model)
    found = [_first_with_rows(project, recording, _high(draft, readings, classes), "1_high.chi")]
    found.append(_first_with_rows(project, recording, _means(draft, readings, classes), "2_mean.chi"))
    return tuple(query for query in found if query is not None)


def _first_with_rows(project: Project, recording: pa.Table, texts: Iterator[str], file: str) -> SampleQuery | None:
    for text in texts:
        try:
            rows = len(project.evaluate(text, {STREAM: recording}))
        except KaicepError:
            continue
        if rows:
            return SampleQuery(file, text, rows)
    return None


def _readings(project: Project, draft: ProjectDraft, recording: pa.Table) -> pl.DataFrame:
    """`individual`, `value` (Float64) and `time` of the readings whose id names an individual."""
    annotator = project.annotators[STREAM]
    linked = next(a for a in annotator.annotation.attributes if a.name == draft.layout.id).property or ""
    events = annotator.annotate(recording).events
    value = next(iter(draft.layout.values))
    frame = pl.DataFrame(
        {
            "individual": pl.Series(events[linked].cast(pa.string())),
            "value": pl.Series(events[value]).cast(pl.Float64, strict=False),
            "time": pl.Series(events["_time"]),
        }
    )
    return frame.drop_nulls("individual")


def _classes(readings: pl.DataFrame, model: BuildingModel) -> list[tuple[str, frozenset[str]]]:
    """The classes that most individuals with readings are stated to be of, each with these individuals."""
    members: dict[str, set[str]] = defaultdict(set)
    for individual in readings["individual"].unique():
        for of_class in model.types.get(individual, ()):
            members[of_class].add(individual)
    ranked = sorted(members.items(), key=lambda item: (-len(item[1]), item[0]))
    return [(of_class, frozenset(of)) for of_class, of in ranked[:_CLASSES]]


def _high(draft: ProjectDraft, readings: pl.DataFrame, classes: Sequence[tuple[str, frozenset[str]]]) -> Iterator[str]:
    """The highest tenth of the values of a class; where no class has one, all values above the lowest."""
    value = _value(draft)
    of_classes = [
        (of_class, members, readings.filter(pl.col("individual").is_in(sorted(members)))["value"].drop_nulls())
        for of_class, members in classes
    ]
    tenths = [(of_class, members, "the highest tenth", _limit(values)) for of_class, members, values in of_classes]
    above = [(of_class, members, "all but the lowest", _lowest(values)) for of_class, members, values in of_classes]
    for of_class, members, what, limit in (*tenths, *above):
        if limit is None:
            continue
        name = draft.short(of_class)
        yield (
            f"# {_words(name)}: {what} of what {_number(len(members))} showed.\n"
            f"SELECT ?point AS point, ?e.{value} AS value\n"
            f"FROM (?e, {STREAM})\n"
            "WHERE {\n"
            f"  PATH {{ ?e {draft.linked} ?point . ?point a {name} }}\n"
            f"  FILTER (?e.{value} > {limit})\n"
            "}\n"
        )
    for of_class, _ in classes:
        name = draft.short(of_class)
        yield (
            f"# {_words(name)}: every reading.\nSELECT ?point AS point, ?e.{value} AS value\nFROM (?e, {STREAM})\n"
            f"WHERE {{\n  PATH {{ ?e {draft.linked} ?point . ?point a {name} }}\n}}\n"
        )


def _means(draft: ProjectDraft, readings: pl.DataFrame, classes: Sequence[tuple[str, frozenset[str]]]) -> Iterator[str]:
    """The mean over time, by what the points of a class are points of; else by point."""
    value, step = _value(draft), _step(readings)
    fitting = ((period, words) for length, period, words in _PERIODS if length >= _READINGS * step)
    period, words = next(fitting, _LONGEST)
    for by_place in (True, False):
        for of_class, members in classes:
            place = _place(draft.model, members) if by_place else None
            if by_place and place is None:
                continue
            by, path, whose = ("?point", "", "each point") if place is None else ("?place", f" . {place[0]}", place[1])
            name = draft.short(of_class)
            yield (
                f"# {_words(name)}: the mean over {words}, of {whose}.\n"
                f"SELECT {by} AS {by[1:]}, AVG(?e.{value}) AS mean, COUNT(?e) AS readings\n"
                f"FROM (?e, {STREAM})\n"
                "WHERE {\n"
                f"  PATH {{ ?e {draft.linked} ?point . ?point a {name}{path} }}\n"
                f"  WINDOW (?e, batch, {period})\n"
                "}\n"
                f"GROUP BY {by}\n"
            )


def _place(model: BuildingModel, members: frozenset[str]) -> tuple[str, str] | None:
    """How most individuals are connected with something of a class: a triple pattern, and what that is in words."""
    found: Counter[tuple[str, str]] = Counter()
    classes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for member in members:
        seen = {
            (way, prop, min(of))
            for way, prop, other in model.links.get(member, ())
            if other not in members and (of := model.types.get(other))
        }
        found.update({(way, prop) for way, prop, _ in seen})
        for way, prop, of_class in seen:
            classes[way, prop][of_class] += 1
    usual = {each: number for each, number in found.items() if number >= _HALF * len(members)}
    if not usual:
        return None
    way, prop = min(usual, key=lambda each: (_preference(*each), -usual[each], each))
    name = model.short(prop)
    pattern = f"?point {name} ?place" if way == "to" else f"?place {name} ?point"
    ((of_class, _),) = classes[way, prop].most_common(1)
    return pattern, f"each {_words(model.short(of_class))}" if len(
        classes[way, prop]
    ) == 1 else "each place or equipment"


def _preference(way: str, prop: str) -> int:
    each = (way, prop.rpartition("#")[2].rpartition("/")[2])
    return _PLACES.index(each) if each in _PLACES else len(_PLACES)


def _limit(values: pl.Series) -> str | None:
    """A number of few digits that about a tenth of the values exceed; `None`: there is none."""
    quantile = values.quantile(_QUANTILE)
    if quantile is None:
        return None
    for digits in (2, 3, 4, 6, 9):
        limit = float(f"{quantile:.{digits}g}")
        share = (values > limit).mean()
        if isinstance(share, float) and 0 < share <= 2 * (1 - _QUANTILE):
            return repr(int(limit) if limit.is_integer() else limit)
    return None


def _lowest(values: pl.Series) -> str | None:
    """The lowest value; `None`: all are equal."""
    lowest = values.min()
    return repr(lowest) if isinstance(lowest, float) and (values > lowest).any() else None


def _step(readings: pl.DataFrame) -> timedelta:
    """The usual time from one reading of a point to the next."""
    steps = readings.sort("individual", "time").select(pl.col("time").diff().over("individual"))["time"].drop_nulls()
    median = steps.median()
    return median if isinstance(median, timedelta) else timedelta(0)


def _value(draft: ProjectDraft) -> str:
    name = next(iter(draft.layout.values))
    return name if _NAME.fullmatch(name) else "hasSimpleResult"


def _words(name: str) -> str:
    return name.strip("<>").rpartition("#")[2].rpartition(":")[2].rpartition("/")[2].replace("_", " ")


def _number(points: int) -> str:
    return "one point" if points == 1 else f"{points:,} points"
