"""Random queries as text, one strategy per family of constructs, weighted so that many have matches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import strategies as st

from .campus import Campus
from .expressions import Words, conditions, items, numbers, words_of
from .paths import Path, paths

__all__ = ["FAMILIES", "aggregations", "documents", "joins", "selections", "semantics", "sequences"]

_TERM_TESTS = ("= 3", "!= 3", "> 2", "= 'blue'", "!= bd:r0", "= bd:r0", "< 'z'", "IN (3, 4)", "NOT IN ('blue', 3)")
_WIDE = ("1s", "2.5s", "5s", "5s", "10s", "1min")
_HOPS = ("1s, 1s", "2s, 1s", "3s, 2s", "2.5s, 1s", "1s, 2s", "5s, 500ms", "1min, 20s",
         "1 events, 1 events", "2 events, 1 events", "3 events, 2 events", "1 events, 2 events",
         "2 events, 5 events")  # fmt: skip
_DURATIONS = ("1s", "2s", "3s", "2.5s", "5s", "0.1min", "1500ms", "1h")


def _from(campus: Campus, variables: Sequence[str], streams: Sequence[str]) -> str:
    """FROM, which may be missing where a project has one stream."""
    sources = ", ".join(f"(?{v}, {s})" for v, s in zip(variables, streams, strict=True))
    return f"FROM {sources}"


@st.composite
def _heads(draw: st.DrawFn, campus: Campus, variables: Sequence[str]) -> tuple[str, list[Words]]:
    """FROM and what may be said of each variable."""
    streams = [draw(st.sampled_from(campus.streams)) for _ in variables]
    words = [words_of(campus, s, v) for s, v in zip(streams, variables, strict=True)]
    left_out = len(campus.streams) == 1 and draw(st.booleans())
    return "" if left_out else _from(campus, variables, streams), words


def _with(words: Words, path: Path | None) -> Words:
    """What may be said of a variable and what its PATHs bind."""
    if path is None:
        return words
    return {
        **words,
        "number": [*words["number"], *path.numbers],
        "string": [*words["string"], *path.strings],
        "iri": [*words["iri"], *path.iris],
    }


def _query(select: str, *clauses: str) -> str:
    return "\n".join([f"SELECT {select}", *(clause for clause in clauses if clause)])


@st.composite
def _filters(draw: st.DrawFn, words: Words, most: int = 2) -> str:
    count = draw(st.integers(0, most))
    return "\n".join(f"FILTER ({draw(conditions(words))})" for _ in range(count))


@st.composite
def _limits(draw: st.DrawFn) -> str:
    return f"LIMIT {draw(st.integers(1, 4))}" if draw(st.integers(0, 5)) == 0 else ""


@st.composite
def _selected(draw: st.DrawFn, words: Words, first: str = "") -> str:
    """One to three items, all with names of their own."""
    chosen = [draw(items(words, f"x{i}")) for i in range(draw(st.integers(1, 3)))]
    if first and draw(st.booleans()):
        chosen[0] = first
    text = ", ".join(chosen)
    return text if "?" in text else f"{text}, {words['number'][0]} AS x"


@st.composite
def _distinct(draw: st.DrawFn) -> str:
    return "DISTINCT " if draw(st.integers(0, 5)) == 0 else ""


@st.composite
def _rates(draw: st.DrawFn, groups: Sequence[str] = ()) -> tuple[str, str]:
    """GROUP BY for OUTPUT, and OUTPUT; mostly neither."""
    if draw(st.integers(0, 4)):
        return "", ""
    every = draw(st.sampled_from(("1s", "2s", "2.5s", "5s", "1 matches", "2 matches", "3 matches")))
    group = draw(st.sampled_from(("", *groups)))
    grouped = f"GROUP BY {group}" if group else ""
    return grouped, f"OUTPUT {draw(st.sampled_from(('ALL', 'FIRST', 'LAST')))} EVERY {every}"


@st.composite
def selections(draw: st.DrawFn, campus: Campus) -> str:
    """FILTER on one variable."""
    head, (words,) = draw(_heads(campus, ["e"]))
    first = draw(st.sampled_from(("?e.sensorID", "?e", "?e.*", "?e._time AS at", "?e._id AS id")))
    select = draw(_distinct()) + draw(_selected(words, first))
    group, rate = draw(_rates((*words["string"], *words["boolean"])))
    return _query(select, head, draw(_filters(words)), group, draw(_limits()), rate)


@st.composite
def _binding_filters(draw: st.DrawFn, path: Path) -> str:
    """Perhaps a FILTER on what PATHs bind."""
    tests = [f"FILTER ({n} >= 5)" for n in path.numbers] + [f"FILTER (CONTAINS(STR({i}), 'r'))" for i in path.iris]
    tests += [f"FILTER ({t} {draw(st.sampled_from(_TERM_TESTS))})" for t in path.terms]
    return draw(st.sampled_from(("", "", *tests)))


@st.composite
def semantics(draw: st.DrawFn, campus: Campus) -> str:
    """PATHs with AND, OR and semantic variables on one variable."""
    head, (words,) = draw(_heads(campus, ["e"]))
    path = draw(paths("e", most=3))
    used = _with(words, path)
    bindings = [*path.numbers, *path.strings, *path.iris, *path.terms]
    first = f"{draw(st.sampled_from(bindings))} AS bound" if bindings else "?e.sensorID"
    extra = draw(_binding_filters(path))
    select = draw(_distinct()) + draw(_selected(used, first))
    group, rate = draw(_rates([*used["string"], *bindings]))
    return _query(select, head, path.text, extra, draw(_filters(used, 1)), group, draw(_limits()), rate)


_OF_NUMBERS = ("AVG({n})", "SUM({n})", "COUNT({n})", "COUNT(?e)", "MIN({n})", "MAX({n})", "STDDEV({n})",
               "MAX({n}) - MIN({n})", "MEDIAN({n})", "PERCENTILE({n}, 90)", "PERCENTILE({n}, 12.5)", "MODE({n})",
               "COUNT({s})", "COUNT(DISTINCT {s})")  # fmt: skip
_OF_ANYTHING = (*("FIRST({s})", "LAST({s})", "FIRST({s}, 1)", "LAST({s}, 2)", "MIN({s})", "MAX({s})", "MODE({s})"),)


@st.composite
def _aggregates(
    draw: st.DrawFn, words: Words, forms: Sequence[str] = (*_OF_NUMBERS, *_OF_ANYTHING, *_OF_ANYTHING)
) -> str:
    number = draw(st.sampled_from((words["number"][0], words["number"][0], f"{draw(numbers(words))} + ?e.level")))
    kinds = ("number", "string", "dateTime")
    some = draw(st.sampled_from([w for kind in kinds for w in words[kind]] + [words[kind][-1] for kind in kinds]))
    return draw(st.sampled_from(forms)).format(n=number, s=some)


@st.composite
def _aggregate_items(draw: st.DrawFn, words: Words) -> str:
    chosen = [f"{draw(_aggregates(words))} AS x{i}" for i in range(draw(st.integers(1, 3)))]
    form = draw(st.integers(0, 5))
    if form == 0:
        chosen.append(f"{words['string'][0]}")
    elif form == 1:
        chosen.append(f"AVG({words['number'][0]}) > {draw(st.sampled_from((490, 500)))} AS short")
    elif form == 2:
        chosen = ["AVG(?e.flowrate)"]
    return ", ".join(chosen)


@st.composite
def windows(draw: st.DrawFn, kind: str) -> str:
    """A window of aggregates."""
    extent = draw(st.sampled_from((*_DURATIONS, "1 events", "2 events", "3 events", "2 events")))
    match kind:
        case "batch" if "events" not in extent:
            starts = ("", "", ", START first", ", START 2012-05-04T09:30:01Z", ", START 2012-05-05")
            extent += draw(st.sampled_from(starts))
        case "hopping":
            extent = draw(st.sampled_from(_HOPS))
        case "cumulate":
            extent = draw(st.sampled_from(("1s, 1s", "2s, 1s", "3s, 1.5s", "5s, 1s", "10s, 2.5s", "1min, 15s")))
        case "session":
            extent = draw(st.sampled_from(("500ms", "1s", "1.5s", "2s", "2s", "3.5s", "1min")))
    return f"WINDOW (?e, {kind}, {extent})"


@st.composite
def aggregations(draw: st.DrawFn, campus: Campus, kind: str) -> str:
    """Aggregates over a window of one kind, grouped or not."""
    head, (words,) = draw(_heads(campus, ["e"]))
    path = draw(paths("e", most=1)) if draw(st.integers(0, 2)) == 0 else None
    used = _with(words, path)
    keys = [*used["string"], *used["boolean"], *used["iri"], used["number"][-1], "?e.level % 2"]
    group = f"GROUP BY {', '.join(draw(st.sets(st.sampled_from(keys), min_size=1, max_size=2)))}"
    having = f"HAVING {draw(_aggregates(used, _OF_NUMBERS))} {draw(st.sampled_from(('>= 1', '> 495', '!= 2')))}"
    return _query(
        draw(_distinct()) + draw(_aggregate_items(used)),
        head,
        path.text if path else "",
        draw(_binding_filters(path)) if path else "",
        draw(_filters(used, 1)),
        draw(windows(kind)),
        draw(st.sampled_from(("", group, group))),
        having if draw(st.integers(0, 3)) == 0 else "",
        draw(_limits()),
        draw(_rates())[1],
    )


@st.composite
def _joins(draw: st.DrawFn, words: Sequence[Words]) -> str:
    """JOINs between neighbours, mostly ones that hold often."""
    found: list[str] = []
    for one, other in pairwise(words):
        a, b = one["number"][0], other["number"][0]
        forms = (
            f"{one['string'][0]} = {other['string'][0]}",
            f"{b} - {a} > 5",
            f"{b} + 100 > {a}",
            f"{one['string'][0]} != {other['string'][1]}",
            f"{b} > {a}",
            f"{one['boolean'][0]} = {other['boolean'][0]}",
            f"{one['dateTime'][2]} <= {other['dateTime'][2]}",
            f"{one['number'][-1]} % 2 = {other['number'][-1]} % 2 OR {a} != {b}",
            f"{one['iri'][0]} = {other['iri'][0]}",
            f"{other['dateTime'][2]} - {one['dateTime'][2]} >= 1s",
        )
        found += draw(st.lists(st.sampled_from(forms), max_size=draw(st.sampled_from((0, 1, 1, 2))), unique=True))
        found += [f"{i} = {j}" for i in one["iri"][1:2] for j in other["iri"][1:2] if draw(st.booleans())]
    return "\n".join(f"JOIN ({condition})" for condition in found)


@st.composite
def _correlations(draw: st.DrawFn, variables: Sequence[str]) -> str:
    """One multi-variable window, or one per pair of neighbours."""
    if len(variables) > 2 and draw(st.booleans()):
        pairs = pairwise(variables)
        return "\n".join(f"WINDOW (?{a}, ?{b}, {draw(st.sampled_from(_WIDE))})" for a, b in pairs)
    named = ", ".join(f"?{v}" for v in variables)
    return f"WINDOW ({named}, {draw(st.sampled_from(_WIDE))})"


@st.composite
def _paths_of_two(draw: st.DrawFn, a: str, b: str) -> str:
    """A PATH of two event variables, whose parts share a variable or none."""
    sensors = f"?{a} evt:hasSource ?first . ?{b} evt:hasSource ?second ."
    rooms = "?first bd:hasLocation ?there . ?second bd:hasLocation"
    shared = f"{rooms} ?there ."
    apart = f"{rooms} ?elsewhere . ?elsewhere bd:belongsTo org:EE ."
    return f"PATH {{ {sensors} {draw(st.sampled_from((shared, apart, '?first a ee:AirflowSensor .')))} }}"


@st.composite
def _several(draw: st.DrawFn, campus: Campus) -> tuple[str, list[str], list[Words], list[str]]:
    """FROM, variables, what may be said of each, and PATHs and FILTERs."""
    variables = ["a", "b", "c"][: draw(st.sampled_from((2, 2, 3)))]
    head, words = draw(_heads(campus, variables))
    clauses: list[str] = []
    for position, variable in enumerate(variables):
        if draw(st.integers(0, 6)) == 0:
            path = draw(paths(variable, most=1))
            clauses.append(path.text)
            words[position] = _with(words[position], path)
        if draw(st.integers(0, 3)) == 0:
            clauses.append(f"FILTER ({draw(conditions(words[position], 0))})")
    if draw(st.integers(0, 7)) == 0:
        clauses.append(draw(_paths_of_two(variables[0], variables[1])))
    head = head or (_from(campus, variables, [campus.streams[0]] * len(variables)) if draw(st.booleans()) else "")
    return head, variables, words, clauses


@st.composite
def _several_items(draw: st.DrawFn, words: Sequence[Words]) -> str:
    chosen = [draw(items(draw(st.sampled_from(words)), f"x{i}")) for i in range(draw(st.integers(1, 3)))]
    difference = f"{words[-1]['number'][0]} - {words[0]['number'][0]} AS difference"
    return ", ".join([*chosen, difference] if draw(st.booleans()) else chosen)


@st.composite
def _after_match(draw: st.DrawFn, variables: Sequence[str]) -> str:
    variable = draw(st.sampled_from(variables))
    skips = ("SKIP PAST LAST EVENT", "SKIP TO NEXT EVENT", f"SKIP TO FIRST ?{variable}", f"SKIP TO LAST ?{variable}")
    after = draw(st.sampled_from(("", "", "", "", "KEEP ALL", *skips, "CONSUME")))
    return after and f"AFTER MATCH {after}"


@st.composite
def sequences(draw: st.DrawFn, campus: Campus) -> str:
    """SEQ of two or three variables."""
    head, variables, words, clauses = draw(_several(campus))
    order = draw(st.permutations(variables))
    partitions = ("PARTITION BY sensorID", "PARTITION BY open", "PARTITION BY open, sensorID")
    partition = draw(st.sampled_from(("", "", "", "", *partitions)))
    group, rate = draw(_rates([*words[0]["string"], *words[1]["boolean"]]))
    return _query(
        draw(_distinct()) + draw(_several_items(words)),
        head,
        *clauses,
        draw(_joins(words)),
        f"SEQ ({', '.join(f'?{v}' for v in order)})",
        draw(_correlations(variables)),
        partition,
        group,
        draw(st.sampled_from(("", "", "POLICY any"))),
        draw(_after_match(variables)),
        draw(_limits()),
        rate,
    )


@st.composite
def joins(draw: st.DrawFn, campus: Campus) -> str:
    """JOIN of several variables without SEQ, in multi-variable or sliding windows."""
    head, variables, words, clauses = draw(_several(campus))
    extents = (*_DURATIONS, "1 events", "2 events", "3 events")
    sliding = "\n".join(f"WINDOW (?{v}, sliding, {draw(st.sampled_from(extents))})" for v in variables)
    join = draw(_joins(words)) or f"JOIN ({words[0]['number'][0]} <= {words[1]['number'][0]} + 100)"
    return _query(
        draw(_several_items(words)),
        head,
        *clauses,
        join,
        draw(st.sampled_from((sliding, draw(_correlations(variables))))),
        draw(st.sampled_from(("", "", "PARTITION BY sensorID"))),
        draw(_after_match(variables)),
        draw(_limits()),
    )


@st.composite
def documents(draw: st.DrawFn, campus: Campus) -> str:
    """Queries over the output of queries."""
    head, (words,) = draw(_heads(campus, ["e"]))
    first = draw(
        st.sampled_from(
            (
                _query("?e.sensorID AS sensor, ?e.flowrate AS flow", head, draw(_filters(words, 1))),
                _query(
                    "?e.sensorID AS sensor, ?e.flowrate AS flow",
                    head,
                    "GROUP BY ?e.sensorID",
                    f"OUTPUT {draw(st.sampled_from(('ALL', 'FIRST', 'LAST')))} EVERY",
                    draw(st.sampled_from(("2 matches", "3 matches", "2s", "5s"))),
                ),
                _query(
                    "?e.sensorID AS sensor, AVG(?e.flowrate) AS flow",
                    head,
                    draw(windows(draw(st.sampled_from(("sliding", "batch", "session"))))),
                    "GROUP BY ?e.sensorID",
                ),
                _query(
                    "?a.sensorID AS sensor, ?b.flowrate AS flow",
                    _from(campus, ["a", "b"], [campus.streams[0]] * 2),
                    "SEQ (?a, ?b)\nWINDOW (?a, ?b, 3s)",
                ),
            )
        )
    )
    last = draw(
        st.sampled_from(
            (
                _query("?d.sensor, ?d.flow * 2 AS twice", "FROM (?d, busy)", "FILTER (?d.flow > 495)"),
                _query("?d", "FROM (?d, busy)", "FILTER (?d.sensor != 's2')"),
                _query("COUNT(?d) AS n, MAX(?d.flow) AS top", "FROM (?d, busy)", "WINDOW (?d, sliding, 2s)"),
                _query("COUNT(?d) AS n, ?d.sensor", "FROM (?d, busy)", "WINDOW (?d, batch, 3s)", "GROUP BY ?d.sensor"),
                _query("SUM(?d.flow) AS s", "FROM (?d, busy)", "WINDOW (?d, batch, 2 events)", draw(_limits())),
                _query("SUM(?d.flow) AS s", "FROM (?d, busy)", "WINDOW (?d, hopping, 3s, 1s)"),
                _query(
                    "?d.sensor AS s, ?f.flow AS f",
                    f"FROM (?d, busy), (?f, {draw(st.sampled_from(('busy', 'busy')))})",
                    "JOIN (?d.sensor = ?f.sensor)",
                    "SEQ (?d, ?f)\nWINDOW (?d, ?f, 4s)",
                ),
                _query(
                    "?d.flow, ?e.flowrate AS raw",
                    f"FROM (?d, busy), (?e, {campus.streams[-1]})",
                    "JOIN (?d.sensor = ?e.sensorID)",
                    "SEQ (?d, ?e)\nWINDOW (?d, ?e, 3s)",
                ),
            )
        )
    )
    return f"CREATE QUERY busy AS {first};\n\n{last}"


FAMILIES = {
    "selections": selections,
    "semantics": semantics,
    "sliding windows": lambda campus: aggregations(campus, "sliding"),
    "batch windows": lambda campus: aggregations(campus, "batch"),
    "hopping windows": lambda campus: aggregations(campus, "hopping"),
    "cumulate windows": lambda campus: aggregations(campus, "cumulate"),
    "session windows": lambda campus: aggregations(campus, "session"),
    "sequences": sequences,
    "joins": joins,
    "documents": documents,
}
"""Name → strategy of texts for a campus."""
