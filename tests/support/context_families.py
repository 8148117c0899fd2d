"""Random documents with contexts, and streams about them, by family and number; most of them have rows.

Streams: `P`, cars that pass with a speed; `C`, what is said of crashes; `D`, readings of places that the knowledge
base knows, each upstream of the next. Times are whole units, so that many are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pprint import pformat
from random import Random
from typing import Any

from kaicep import Project
from oracle.evaluate import Oracle

from .campus import file_of
from .tuples import Tuples

__all__ = ["FAMILIES", "ContextCase", "case", "contexts_content", "contexts_oracle", "contexts_project"]

TURTLE = """
@prefix x: <http://x/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
x:at a owl:ObjectProperty . x:upstream a owl:ObjectProperty . x:zone a owl:DatatypeProperty ; rdfs:range xsd:integer .
x:p0 x:zone 1 . x:p1 x:zone 1 ; x:upstream x:p0 . x:p2 x:zone 2 ; x:upstream x:p0 , x:p1 .
"""
BEGIN = datetime(2024, 3, 30, 20, 0, tzinfo=UTC)
"""The evening before clocks go forward in Europe."""


@dataclass(frozen=True)
class ContextCase:
    """A question: a document, the lateness of its streams in units, and what came."""

    family: str
    seed: int
    text: str
    lateness: int
    streams: dict[str, Tuples]

    def __repr__(self) -> str:
        return (
            f"\n{self.family} {self.seed}, lateness {self.lateness}\n{self.text}\n{pformat(self.streams, width=150)}\n"
        )


def contexts_content(lateness: int) -> dict[str, Any]:
    """The content of the project file."""
    attributes = {
        "P": {"seg": "integer", "lane": "string", "v": "integer", "car": "integer"},
        "C": {"seg": "integer", "lane": "string", "k": "string"},
        "D": {"v": "integer"},
    }
    streams = {
        name: {
            "event_type": f"x:{name}",
            "time": {"attribute": "t"},
            "identity": ["id"],
            "lateness": f"{lateness}s",
            "attributes": {"id": {"datatype": "xsd:string"}, **{a: {"datatype": f"xsd:{d}"} for a, d in own.items()}},
        }
        for name, own in attributes.items()
    }
    streams["D"]["attributes"]["place"] = {"property": "x:at", "individual": "x:{}"}  # type: ignore[index]
    return {"prefixes": {"x": "http://x/"}, "knowledge": {"modules": [file_of(TURTLE)]}, "streams": streams}


@cache
def contexts_project(lateness: int, off: str | None = None) -> Project:
    """The engine's project; `off` is a part of the optimiser that is switched off."""
    engine = {} if off is None else {"engine": {"contexts": {off: False}}}
    return Project.parse({**contexts_content(lateness), **engine})


@cache
def contexts_oracle(lateness: int) -> Oracle:
    """The oracle's."""
    return Oracle(contexts_content(lateness))


class Writer:
    """Writes one document; every choice comes from its numbers."""

    def __init__(self, family: str, seed: int) -> None:
        self.family = family
        self.rng = Random(f"{family} {seed}")
        self.lines: list[str] = []

    def pick(self, *options: str) -> str:
        """One of these."""
        return self.rng.choice(options)

    def maybe(self, chance: float, text: str) -> str:
        """A text, or nothing."""
        return text if self.rng.random() < chance else ""

    def some(self, options: Sequence[str], least: int = 1) -> list[str]:
        """Some of these in their order."""
        chosen = self.rng.sample(range(len(options)), self.rng.randint(min(least, len(options)), len(options)))
        return [options[i] for i in sorted(chosen)]

    def speeds(self, variable: str = "e", width: int = 3) -> str:
        """A condition that so many of ten speeds satisfy."""
        low = self.rng.randrange(0, 10 - width + 1)
        return f"?{variable}.v >= {low} AND ?{variable}.v < {low + width}"

    def contexts(self, name: str, contexts: Sequence[str], keys: str, between: str = "") -> None:
        """CREATE CONTEXTS."""
        default, *others = contexts
        every = [f"{default} DEFAULT", *others]
        self.lines.append(f"CREATE CONTEXTS {name} ({', '.join(every)}){keys} {between}".rstrip())

    def changes(self, contexts: Sequence[str], items: str = "", among: Sequence[str] = ()) -> None:
        """For each context but the default something that begins it, and something that ends it or switches to it."""
        default, *others = contexts
        for context in others:
            inside = self.maybe(0.4, f" IN CONTEXT {', '.join(self.some(among or contexts))}")
            kind = "SWITCH" if inside and not among and self.rng.random() < 0.4 else "INITIATE"
            self.lines.append(
                f"{kind} CONTEXT {context}{items} FROM (?e, P){inside} WHERE {{ FILTER ({self.speeds(width=4)}) }}"
            )
            inside = self.maybe(0.5, f" IN CONTEXT {context}")
            if inside and self.rng.random() < 0.4:
                change = f"SWITCH CONTEXT {self.pick(*(c for c in contexts if c != context), default)}"
            else:
                change = f"TERMINATE CONTEXT {context}"
            self.lines.append(f"{change} FROM (?e, P){inside} WHERE {{ FILTER ({self.speeds(width=2)}) }}")

    def crash(self, context: str = "crash") -> None:
        """An accident that one stream begins and ends."""
        self.lines += [
            f"INITIATE CONTEXT {context} FROM (?c, C) WHERE {{ FILTER (?c.k = 'crash') }}",
            f"TERMINATE CONTEXT {context} FROM (?c, C) WHERE {{ FILTER (?c.k = 'clear') }}",
        ]

    def road(self, *, keys: str | None = None, items: str = "") -> list[str]:
        """A set with its changes; its contexts."""
        contexts = ["free", *self.some(("jam", "crash", "storm"), 1)]
        own = keys if keys is not None else self.pick(" BY seg", " BY seg", " BY seg, lane", "")
        self.contexts("road", contexts, own)
        self.changes([c for c in contexts if c != "crash"] if "jam" in contexts else contexts, items)
        if "crash" in contexts and "jam" in contexts:
            self.crash()
        return contexts

    def inside(self, contexts: Sequence[str], least: int = 1) -> str:
        """IN CONTEXT."""
        chosen = self.some(contexts, least)
        self.rng.shuffle(chosen)
        return f" IN CONTEXT {', '.join(chosen)}"

    def ask(self, text: str) -> None:
        """The last query."""
        self.lines.append(text)

    def text(self) -> str:
        """The document."""
        return ";\n".join(self.lines)


def chain(w: Writer) -> None:
    """Contexts that follow each other."""
    w.ask(f"SELECT ?e.id, ?e.v FROM (?e, P){w.inside(w.road())}{_filter(w)}{w.maybe(0.1, ' LIMIT 5')}")


def overlaps(w: Writer) -> None:
    """Matches that lie in several windows."""
    contexts = w.road(keys=" BY seg")
    distinct = w.maybe(0.2, "DISTINCT ")
    after = w.maybe(0.4, f" AFTER MATCH {w.pick('SKIP PAST LAST EVENT', 'SKIP TO NEXT EVENT', 'CONSUME')}")
    second = w.pick("P", "P", "C")
    w.ask(
        f"SELECT {distinct}?a.v AS a, ?b.seg AS b FROM (?a, P), (?b, {second}){w.inside(contexts, 2)} "
        f"WHERE {{ SEQ (?a, ?b) WINDOW (?a, ?b, {w.rng.randint(3, 20)}s) }}{after}{w.maybe(0.2, ' LIMIT 4')}"
    )


def changes(w: Writer) -> None:
    """The stream of changes, in order."""
    contexts = w.road()
    by = "seg" if any("BY seg" in line for line in w.lines) else "since"
    if w.rng.random() < 0.5:
        w.ask(f"SELECT ?c.context, ?c.change, ?c.since, ?c.{by} AS by FROM (?c, CONTEXTS(road))")
    else:
        w.ask(
            f"SELECT ?c.context, ?e.id FROM (?c, CONTEXTS(road)), (?e, P) WHERE {{ FILTER (?c.context = "
            f"'{w.pick(*contexts)}') SEQ ({w.pick('?c, ?e', '?e, ?c')}) WINDOW (?c, ?e, 5s) }}"
        )


def derived(w: Writer) -> None:
    """Deriving queries with patterns, negations and aggregates, and what they say of their windows."""
    w.contexts("road", ("free", "jam", "crash"), " BY seg")
    within = w.maybe(0.5, " IN CONTEXT free, crash")
    same = " AND ?a.seg = ?b.seg" if not within else ""
    alone, told = " PARTITION BY seg", f"FILTER ({w.speeds('a', 7)}) FILTER ({w.speeds('b', 3)})"
    last = w.pick(
        f"SEQ (?a, ?b) JOIN (?a.v >= ?b.v{same}) WINDOW (?a, ?b, 9s) }}",
        f"SEQ (?a, NOT ?b FOR {w.rng.randint(1, 4)}s) {told} }}{alone}",
        f"SEQ (?a, NOT ?b) WINDOW (?a, ?b, 3s) {told} }}{alone}",
        f"SEQ (NOT ?b, ?a) WINDOW (?a, ?b, 3s) {told} }}{alone}",
    )
    said = "?a.v AS v, ?a.car AS car"
    w.ask(f"INITIATE CONTEXT jam ({said}) FROM (?a, P), (?b, P){within} WHERE {{ {last}")
    window = w.pick(
        "batch, 5s", "sliding, 6s", "hopping, 6s, 3s", "sliding, 3 events", "session, 3s", "batch, 2 events"
    )
    group = "" if (inside := w.maybe(0.5, " IN CONTEXT jam")) else " GROUP BY ?e.seg"
    w.ask(
        f"TERMINATE CONTEXT jam FROM (?e, P){inside} WHERE {{ WINDOW (?e, {window}) }}{group} "
        f"HAVING AVG(?e.v) {w.pick('<', '>')} {w.rng.randint(2, 6)}"
    )
    w.crash()
    of_window = w.pick("", "", "", " FILTER (?e.v > ?w.v)", " FILTER (?e.car != ?w.car)")
    w.ask(f"SELECT ?e.id, ?w.v AS of, ?w._since AS since FROM (?e, P) IN CONTEXT jam AS ?w, crash{_where(of_window)}")


def nested(w: Writer) -> None:
    """Contexts of contexts: queries that change a set are in contexts of another, or read its changes."""
    inner = ["quiet", *w.some(("busy", "wild"))]
    w.contexts("road", ("free", "jam"), " BY seg")
    w.changes(("free", "jam"))
    first, w.lines = w.lines, []
    w.contexts("mood", inner, " BY seg")
    for context in inner[1:]:
        w.ask(
            w.pick(
                f"INITIATE CONTEXT {context} FROM (?c, CONTEXTS(road)) WHERE {{ FILTER (?c.change = 'started') }}",
                f"INITIATE CONTEXT {context} FROM (?e, P) IN CONTEXT jam WHERE {{ FILTER ({w.speeds(width=6)}) }}",
                f"INITIATE CONTEXT {context} FROM (?e, seen)",
            )
        )
        w.ask(f"TERMINATE CONTEXT {context} FROM (?e, P) {w.maybe(0.5, 'IN CONTEXT free ')}"
              f"WHERE {{ FILTER ({w.speeds(width=2)}) }}")  # fmt: skip
    named = f"CREATE QUERY seen AS SELECT ?e.seg, ?e.v FROM (?e, P){w.inside(('free', 'jam'))}{_filter(w)}"
    w.lines = [*first, named, *w.lines]
    contexts = [*inner, "jam"] if w.rng.random() < 0.4 else inner
    w.ask(
        w.pick(
            f"SELECT ?e.id FROM (?e, P){w.inside(contexts)}",
            f"SELECT ?e.v FROM (?e, seen){w.inside(contexts)}",
            "SELECT ?c.context, ?c.change FROM (?c, CONTEXTS(mood))",
            f"SELECT ?a.v AS a, ?b.id AS b FROM (?a, seen), (?b, P){w.inside(inner, 2)} "
            "WHERE { SEQ (?a, ?b) WINDOW (?a, ?b, 6s) }",
        )
    )


def unbound(w: Writer) -> None:
    """Events without keys: they are in no context."""
    chain(w) if w.rng.random() < 0.5 else overlaps(w)


def calendars(w: Writer) -> None:
    """Contexts that hold by the clock, over a night in which it goes forward or back."""
    zone = w.pick("", " TIMEZONE 'Europe/Rome'", " TIMEZONE 'Europe/Rome'", " TIMEZONE 'America/New_York'")
    days = w.pick("", "", "Sun ", "Sat-Sun ", "Sat,Mon ", "Mon-Fri ")
    begin, length = (
        w.rng.randrange(20, 30) * 60 + w.rng.choice((0, 0, 15, 30)),
        w.rng.choice((30, 60, 90, 240, 720, 1440)),
    )
    hours = [f"{m // 60 % 24:02}:{m % 60:02}" for m in (begin, begin + length)]
    more = w.maybe(0.3, f", '{hours[1]}-{(begin + length) // 60 % 24:02}:50'") if int(hours[1][3:]) < 50 else ""
    w.lines.append(
        f"CREATE CONTEXTS hours (off DEFAULT, shift DURING '{days}{hours[0]}-{hours[1]}'{more}{zone}, jam)"
        f"{w.pick(' BY seg', '')}"
    )
    w.lines += [
        f"INITIATE CONTEXT jam FROM (?e, P){w.maybe(0.5, ' IN CONTEXT off')} WHERE {{ FILTER ({w.speeds(width=3)}) }}",
        f"TERMINATE CONTEXT jam FROM (?e, P) WHERE {{ FILTER ({w.speeds(width=3)}) }}",
    ]
    inside = w.inside(("off", "shift", "jam"), 2)
    w.ask(
        w.pick(
            f"SELECT ?e.id FROM (?e, P){inside}",
            f"SELECT ?e.id, ?w._since AS since FROM (?e, P) IN CONTEXT off AS ?w{w.maybe(0.5, ', shift')}",
            f"SELECT COUNT(?e) AS n FROM (?e, P){inside} WHERE {{ WINDOW (?e, CONTEXT) }}",
            f"SELECT COUNT(?e) AS n FROM (?e, P){inside} WHERE {{ WINDOW (?e, batch, {w.pick('1h', '30min')}) }}",
            f"SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P){inside} "
            "WHERE { SEQ (?a, ?b) JOIN (?a.car = ?b.car) WINDOW (?a, ?b, 3h) }",
            "SELECT ?c.context, ?c.change, ?c.since FROM (?c, CONTEXTS(hours))",
        )
    )


def required(w: Writer) -> None:
    """FOR: only the events of some variables lie in contexts, which ON may place otherwise."""
    keys = w.pick(" BY seg", " BY seg", " BY seg, lane")
    contexts = w.road(keys=keys)
    who = w.pick("?a", "?b", "?a, ?b")
    where = {v: f"{v}.{w.pick('car', 'seg')}" for v in who.split(", ")}
    placed = ", ".join(f"{v}: ({at}, {v}.lane)" if "lane" in keys else f"{v}: {at}" for v, at in where.items())
    on = w.maybe(0.4, f" ON ({placed})")
    inside = f"{w.inside(contexts, 2)} FOR {who}{on}"
    after = w.maybe(0.3, f" AFTER MATCH {w.pick('SKIP PAST LAST EVENT', 'CONSUME')}")
    pattern = w.pick("?a, ?b", "?a -> ?b", "?a, NOT ?n, ?b", "?a, ?b, NOT ?n FOR 2s", "?a OR ?b", "NOT ?n, ?a, ?b")
    negated = ", (?n, P)" if "?n" in pattern else ""
    said = f" FILTER ({w.speeds('n', 2)})" if negated else ""
    w.ask(
        f"SELECT COALESCE(?a.id, '') AS a, ?b.id AS b FROM (?a, P), (?b, P){negated}{inside} WHERE {{ SEQ ({pattern}) "
        f"FILTER ({w.speeds('a', 6)}){said} WINDOW (?a, ?b, 7s) }}{after}"
    )


def aggregates(w: Writer) -> None:
    """Windows of aggregates inside windows of contexts."""
    contexts = w.road()
    window = w.pick(
        "CONTEXT", "CONTEXT", "CONTEXT", "batch, 4s", "sliding, 5s", "hopping, 6s, 2s", "cumulate, 6s, 2s",
        "session, 3s", "batch, 2 events", "sliding, 2 events", "hopping, 3 events, 1 events", "batch, 4s, START first",
    )  # fmt: skip
    group = w.pick("", "", " GROUP BY ?e.car", " GROUP BY ?e.seg", " GROUP BY ?e.lane, ?e.seg")
    having = w.maybe(0.2, " HAVING COUNT(?e) > 1")
    w.ask(
        f"SELECT {w.pick('COUNT(?e) AS n, ?e.id', 'SUM(?e.v) AS s', 'LIST(?e.id) AS ids')} "
        f"FROM (?e, P){w.inside(contexts, 2)} WHERE {{ WINDOW (?e, {window}) }}{group}{having}"
    )


def runs(w: Writer) -> None:
    """Links and quantifiers, whose contiguity is that of the window."""
    contexts = w.road(keys=w.pick(" BY seg", ""))
    pattern = w.pick("?a -> ?b", "?a => ?b", "?a -> ?b+", "?a -> ?b+ -> ?c", "?a -> ?b{1,3}~", "?a => ?b* => ?c",
                     "(?a -> ?b)+", "?a -> (?b OR ?c)", "?a+ -> ?b", "?a, ?b+~", "?a AND ?b -> ?c")  # fmt: skip
    names = [v for v in "abc" if f"?{v}" in pattern]
    filters = "".join(f" FILTER ({w.speeds(v, 6)})" for v in names)
    items = ", ".join(f"LIST(?{v}.id) AS {v}" for v in names)
    after = w.maybe(0.3, f" AFTER MATCH {w.pick('SKIP PAST LAST EVENT', 'SKIP TO NEXT EVENT', 'CONSUME')}")
    named, lanes = ", ".join(f"?{v}" for v in names), w.maybe(0.2, " PARTITION BY lane")
    w.ask(
        f"SELECT {items} FROM {', '.join(f'(?{v}, P)' for v in names)}{w.inside(contexts, 2)} WHERE {{ "
        f"SEQ ({pattern}){filters} WINDOW ({named}, {w.rng.randint(6, 15)}s) }}{lanes}{after}"
    )


def negations(w: Writer) -> None:
    """NOT looks at the window of the context only."""
    contexts = w.road(keys=" BY seg")
    pattern = w.pick("NOT ?n, ?a, ?b", "?a, ?b, NOT ?n", "?a, NOT ?n, ?b", "?a, ?b, NOT ?n FOR 2s", "?a, ?b => NOT ?n",
                     "?a, NOT ?n FOR 1s, ?b", "NOT ?n FOR 2s, ?a, ?b", "?a, ?b -> NOT ?n")  # fmt: skip
    w.ask(
        f"SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P), (?n, {w.pick('P', 'C')}){w.inside(contexts, 2)} "
        f"WHERE {{ SEQ ({pattern}) FILTER ({w.speeds('a', 7)}){w.maybe(0.5, ' JOIN (?n.seg = ?a.seg)')} "
        f"FILTER (?n.lane = 'l') WINDOW (?a, ?b, {w.rng.randint(3, 8)}s) }}"
    )


def semantics(w: Writer) -> None:
    """Individuals as keys, and partitions that the knowledge base tells."""
    zoned = w.rng.random() < 0.3
    w.contexts("place", ("calm", "alarm", "ahead"), " BY zone" if zoned else w.pick(" BY x:at", " BY place"))
    path, at = ("PATH { ?e x:at ?p . ?p x:zone ?z } ", " AT (?z)") if zoned else ("", "")
    w.ask(f"INITIATE CONTEXT alarm (?e.v AS v){at} FROM (?e, D) WHERE {{ {path}FILTER ({w.speeds(width=4)}) }}")
    w.ask(f"TERMINATE CONTEXT alarm{at} FROM (?e, D) WHERE {{ {path}FILTER ({w.speeds(width=3)}) }}")
    upstream = "PATH { ?e x:at ?p . ?p x:upstream ?u . ?u x:zone ?z } "
    ahead = "?z" if zoned else "?u"
    at = f"AT ({ahead}) FROM (?e, D) WHERE {{ {upstream}"
    w.ask(f"INITIATE CONTEXT ahead (?e.v AS v) {at}FILTER ({w.speeds(width=5)}) }}")
    w.ask(f"TERMINATE CONTEXT ahead {at}FILTER ({w.speeds(width=2)}) }}")
    on = w.maybe(0.4, "u")
    if zoned or on:
        path = (
            f"WHERE {{ PATH {{ ?e x:at ?p . {'?p x:upstream ?q . ?q x:zone ?z' if zoned else '?p x:upstream ?z'} }} }}"
        )
        inside, said = f"{w.inside(('calm', 'alarm', 'ahead'))} ON (?e: ?z)", w.maybe(0.5, ", ?z")
    else:
        path, inside, said = "", " IN CONTEXT calm, alarm AS ?w, ahead", ", ?w.v AS of"
    w.ask(f"SELECT ?e.id{said} FROM (?e, D){inside} {path}".rstrip())


def _filter(w: Writer) -> str:
    return w.maybe(0.4, f" WHERE {{ FILTER ({w.speeds(width=7)}) }}")


def _where(clause: str) -> str:
    return f" WHERE {{{clause} }}" if clause else ""


FAMILIES: dict[str, Callable[[Writer], None]] = {
    f.__name__: f
    for f in (chain, overlaps, changes, derived, nested, unbound, calendars, required, aggregates, runs, negations,
              semantics)
}  # fmt: skip


def case(family: str, seed: int) -> ContextCase:
    """The case of a family that has this number."""
    writer = Writer(family, seed)
    FAMILIES[family](writer)
    lateness = writer.rng.choice((0, 0, 2))
    unit = timedelta(minutes=writer.rng.choice((10, 15, 30))) if family == "calendars" else timedelta(seconds=1)
    begin = BEGIN + timedelta(days=7 * 30) if family == "calendars" and writer.rng.random() < 0.5 else BEGIN
    gaps = 0.25 if family == "unbound" else 0.03
    streams = _streams(writer, lateness, gaps)
    for rows in streams.values():
        for row in rows:
            row["t"] = (begin + row["t"] * unit).isoformat().replace("+00:00", "Z")
    return ContextCase(family, seed, writer.text(), lateness, streams)


def _streams(w: Writer, lateness: int, gaps: float) -> dict[str, Tuples]:
    """10 to 40 tuples, many at the same time."""
    front, found = 0, {name: Tuples() for name in "PCD"}
    names = "D" if w.family == "semantics" else "PPPC"
    partitions = w.rng.choice((1, 2, 2, 3))
    for number in range(w.rng.randint(10, 40)):
        name = w.pick(*names)
        front += w.rng.choice((0, 0, 1, 1, 1, 2, 3))
        back = w.rng.choice((0, 0, 0, 1, lateness)) if lateness else 0
        row: dict[str, Any] = {"id": f"{name}{number:02}", "t": max(0, front - back)}
        if name == "D":
            row |= {"place": f"p{w.rng.randrange(4)}", "v": w.rng.randrange(10)}
        else:
            row |= {"seg": w.rng.randrange(partitions), "lane": w.pick("l", "r")}
        if name == "P":
            row |= {"v": w.rng.randrange(10), "car": w.rng.randrange(3)}
        if name == "C":
            row["k"] = w.pick("crash", "crash", "clear", "report")
        found[name].append({a: v for a, v in row.items() if a in ("id", "t") or w.rng.random() >= gaps})
    return found
