"""Random queries of SEQ: a pattern of a family with FILTERs, JOINs, WINDOWs and what is done with its matches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import strategies as st

from .campus import Campus
from .patterns import Sketch

__all__ = ["pattern_queries"]

_FILTERS = (
    "?{v}.open", "NOT (?{v}.open)", "!(?{v}.open)", "?{v}.open != false", "?{v}.level >= 2", "?{v}.level < 3",
    "?{v}.sensorID = 's0'", "?{v}.sensorID != 's1'", "?{v}.flowrate > 499", "?{v}.level % 2 = 0", "-?{v}.level < 0",
    "?{v}.level / 2 >= 1", "?{v}.note NOT IN ('low', 'x')", "?{v}.seq < 25 unit:NUM",
    "?{v}.note != 'low'@en OR ?{v}.level > 0",
)  # fmt: skip
_PREFIX = "PREFIX area: <http://cei.usc.edu/Building.owl#> "
_WIDTHS = ("2s", "3s", "5s", "5s", "10s", "10s", "1min")
_PAIRS = ("?{a}.level + 9223372036854775806 >= ?{b}.level + 9.3e18", "?{a}.sensorID = ?{b}.sensorID",
          "?{a}.level <= ?{b}.level", "?{b}.flowrate > ?{a}.flowrate",
          "?{a}.level != ?{b}.level", "?{a}.open = ?{b}.open OR ?{a}.level = 1")  # fmt: skip
_ALONE = ("?{v}.level < 3", "?{v}.open", "?{v}.flowrate > 499")
_RUNS = (
    "COUNT(?{v}) >= 2", "SUM(?{v}.level) <= 5", "AVG(?{v}.flowrate) > 490", "MAX(?{v}.level) - MIN(?{v}.level) < 4",
    "FIRST(?{v}.level) <= LAST(?{v}.level)", "COUNT(DISTINCT ?{v}.sensorID) < 3", "MEDIAN(?{v}.level) >= 1",
    "PERCENTILE(?{v}.level, 75) < 4", "MODE(?{v}.sensorID) != 's2'", "?{v}.level <= AVG(?{v}.level) + 1",
)  # fmt: skip
_STEPS = (
    "?{v}.level >= PREV(?{v}.level)", "?{v}.level != PREV(?{v}.level) OR ?{v}.open", "RUNNING COUNT(?{v}) < 3",
    "?{v}.flowrate >= RUNNING AVG(?{v}.flowrate)", "?{v}.level <= RUNNING MAX(?{v}.level) + 1",
    "RUNNING SUM(?{v}.level) < 5", "?{v}.sensorID = RUNNING FIRST(?{v}.sensorID)",
    "?{v}.level >= RUNNING MEDIAN(?{v}.level)", "?{v}.level < RUNNING PERCENTILE(?{v}.level, 90) + 2",
    "?{v}.sensorID = RUNNING MODE(?{v}.sensorID)", "?{v}.level > COALESCE(PREV(?{v}.level), 0)",
    "?{v}.level > PREV(?{v}.level) - COUNT(?{v})", "NOT BOUND(PREV(?{v}.level)) OR ?{v}.level > 0",
    "?{v}.level + 9223372036854775806 > PREV(?{v}.level)",
)  # fmt: skip
_ITEMS = (
    "COUNT(?{v}) AS n{v}", "SUM(?{v}.level) AS s{v}", "AVG(?{v}.flowrate) AS a{v}", "MIN(?{v}.level) AS lo{v}",
    "MAX(?{v}.note) AS hi{v}", "LIST(?{v}.seq) AS all{v}", "LIST(?{v}.note) AS notes{v}", "FIRST(?{v}.seq) AS f{v}",
    "LAST(?{v}.seq) AS l{v}", "FIRST(?{v}.level, 1) AS g{v}", "LAST(?{v}.level, 2) AS k{v}",
    "COUNT(DISTINCT ?{v}.sensorID) AS d{v}", "STDDEV(?{v}.level) AS sd{v}",
    "MEDIAN(?{v}.level) AS md{v}", "PERCENTILE(?{v}.flowrate, 90) AS p{v}", "MODE(?{v}.note) AS mo{v}",
)  # fmt: skip


@st.composite
def pattern_queries(draw: st.DrawFn, campus: Campus, kind: str, sketch: Sketch) -> str:
    """A query about a pattern of a family."""
    streams = {v: draw(st.sampled_from(campus.streams)) for v in sketch.variables}
    clauses = [
        *draw(_paths(sketch)),
        *draw(_filters(sketch)),
        *draw(_joins(sketch, kind)),
        f"SEQ ({sketch.text})",
        *draw(_windows(sketch)),
    ]
    where = draw(st.sampled_from(("{}", "{}", "{}", "{}", "WHERE {{\n{}\n}}", "{{ {}\n}}", "WHERE {}")))
    lines = [
        f"{_PREFIX}SELECT {draw(_distinct(kind))}{draw(_items(sketch))}",
        f"FROM {', '.join(f'(?{v}, {s})' for v, s in streams.items())}",
        where.format("\n".join(line for line in clauses if line)),
        *draw(_endings(sketch, kind)),
    ]
    return "\n".join(line for line in lines if line)


@st.composite
def _distinct(draw: st.DrawFn, kind: str) -> str:
    return "DISTINCT " if kind in ("after match", "sides") and draw(st.integers(0, 3)) == 0 else ""


@st.composite
def _items(draw: st.DrawFn, sketch: Sketch) -> str:
    forms = [f"?{v}.{name} AS {name}{v}" for v in sketch.plain for name in ("seq", "note")]
    forms += [form.format(v=v) for v in sketch.runs for form in _ITEMS] + [f"COUNT(?{v}) AS n{v}" for v in sketch.plain]
    return ", ".join(draw(st.lists(st.sampled_from(forms), min_size=1, max_size=3, unique=True)))


@st.composite
def _paths(draw: st.DrawFn, sketch: Sketch) -> list[str]:
    """Now and then an event that stands for several solutions."""
    if draw(st.integers(0, 9)):
        return []
    v = draw(st.sampled_from(sketch.variables))
    where = f"PATH {{ ?{v} evt:hasSource ?source . ?source bd:hasLocation ?room }}"
    room = draw(st.sampled_from(("bd:r2", "area:r2", "<http://cei.usc.edu/Building.owl#r2>")))
    used = f"JOIN (?room != {room} OR ?{sketch.matched[0]}.level >= 0)" if len(sketch.matched) > 1 else ""
    return [where, used if v != sketch.matched[0] and v in sketch.matched else ""]


@st.composite
def _filters(draw: st.DrawFn, sketch: Sketch) -> list[str]:
    return [
        f"FILTER ({draw(st.sampled_from(_FILTERS)).format(v=v)})"
        for v in sketch.variables
        if draw(st.integers(0, 5)) < (4 if v in sketch.absent else 2)
    ]


@st.composite
def _joins(draw: st.DrawFn, sketch: Sketch, kind: str) -> list[str]:
    """Conditions between variables, on runs, and step by step."""
    pairs = [form.format(a=a, b=b) for a, b in pairwise(sketch.matched) for form in _PAIRS]
    pairs += [form.format(a=a, b=o) for o in sketch.beside for a in sketch.matched if a != o for form in _PAIRS]
    absent = [form.format(a=a, b=n) for n in sketch.absent for a in sketch.matched for form in _PAIRS]
    inside = [form.format(a=a, b=b) for group in sketch.groups for a, b in pairwise(group) for form in _PAIRS]
    runs = [form.format(v=v) for v in sketch.runs for form in _RUNS]
    runs += [f"?{p}.level <= {f}(?{v}.level)" for p in sketch.plain for v in sketch.runs for f in ("AVG", "MAX")]
    steps = [form.format(v=v) for v in sketch.runs for form in _STEPS]
    steps += [f"?{p}.level <= RUNNING SUM(?{v}.level) + 2" for p in sketch.plain for v in sketch.runs]
    often = kind == "runs"
    found = draw(_some(pairs + inside, 1 if kind in ("links", "beside") else 0))
    found += draw(_some(absent, 2 if kind == "negation" else 1))
    found += draw(_some(runs, 1 if often else 0)) + draw(_some(steps, 1 if often else 0))
    if len(sketch.matched) > 1 and draw(st.integers(0, 3)) == 0:
        alone = [form.format(v=v) for v in sketch.matched for form in _ALONE]
        some = draw(st.lists(st.sampled_from(alone), min_size=1, max_size=2))
        found = [*found, " AND ".join([*some, draw(st.sampled_from(pairs))])]
    return [f"JOIN ({condition})" for condition in found]


@st.composite
def _some(draw: st.DrawFn, forms: Sequence[str], usual: int) -> list[str]:
    most = draw(st.sampled_from((0, 0, usual, usual, usual, 1)))
    return draw(st.lists(st.sampled_from(forms), min_size=most, max_size=most)) if forms else []


@st.composite
def _windows(draw: st.DrawFn, sketch: Sketch) -> list[str]:
    if len(sketch.matched) == 1 and not sketch.runs and not draw(st.booleans()):
        return []
    names = sketch.matched
    if len(names) == 1 and not sketch.runs:
        return []
    windows = [f"WINDOW ({', '.join(f'?{v}' for v in names)}, {draw(st.sampled_from(_WIDTHS))})"]
    if draw(st.booleans()) and sketch.beside:
        inside = [v for v in names if v not in sketch.beside]
        windows.append(f"WINDOW ({', '.join(f'?{v}' for v in inside)}, {draw(st.sampled_from(_WIDTHS[:3]))})")
    if len(names) > 1 and draw(st.integers(0, 5)) == 0:
        windows.append(f"WINDOW (?{names[0]}, ?{names[-1]}, {draw(st.sampled_from(_WIDTHS[:3]))})")
    return windows


@st.composite
def _endings(draw: st.DrawFn, sketch: Sketch, kind: str) -> list[str]:
    """PARTITION BY, GROUP BY, HAVING, POLICY, AFTER MATCH, LIMIT, OUTPUT."""
    chosen = kind in ("after match", "sides") or (kind == "beside" and draw(st.integers(0, 2)) == 0)
    v = draw(st.sampled_from(sketch.matched))
    skips = ("SKIP PAST LAST EVENT", "SKIP TO NEXT EVENT", f"SKIP TO FIRST ?{v}", f"SKIP TO LAST ?{v}", "CONSUME")
    after = ("", *(f"AFTER MATCH {skip}" for skip in (*skips, "KEEP ALL")))
    rates = [f"OUTPUT {which} EVERY {every}" for which in ("ALL", "FIRST", "LAST") for every in ("2s", "2 matches")]
    having = [f"HAVING COUNT(?{v}) < 3", f"HAVING SUM(?{v}.level) >= 0"]
    rate = draw(st.sampled_from(("", "", *rates))) if chosen else ""
    rarely = () if kind == "next event" else ("",) * 6
    group = f"GROUP BY ?{sketch.plain[0]}.sensorID" if rate and sketch.plain and draw(st.booleans()) else ""
    return [
        draw(st.sampled_from(("PARTITION BY sensorID", "PARTITION BY open", *rarely))),
        group,
        draw(st.sampled_from(having)) if draw(st.integers(0, 9)) == 0 else "",
        f"POLICY {sketch.policy}" if sketch.policy else "",
        draw(st.sampled_from(after)) if chosen else "",
        draw(st.sampled_from(("", "", "LIMIT 2"))) if chosen else "",
        rate,
    ]
