"""Random pairs of queries, one of them often made from the other by asking for more, and random streams."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

__all__ = ["BEGIN", "Asked", "content", "random_query", "random_streams", "tightened"]

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
KNOWLEDGE = """\
@prefix x: <http://x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
x:Fan a owl:Class ; rdfs:subClassOf x:Device .
x:Pump a owl:Class ; rdfs:subClassOf x:Device .
x:Big a owl:Class ; rdfs:subClassOf x:Fan .
x:d0 a x:Device . x:d1 a x:Fan . x:d2 a x:Pump . x:d3 a x:Big .
"""
_CLASSES = {"Device": ("Fan", "Pump"), "Fan": ("Big",), "Pump": (), "Big": ()}
_SHAPES = ("chain", "chain", "chain", "joins", "next", "strict", "and", "or", "not", "repeated")


def content(folder: Path) -> dict[str, Any]:
    """The project of the pairs."""
    (folder / "devices.ttl").write_text(KNOWLEDGE, encoding="utf-8")
    numbers = {name: {"datatype": "xsd:integer"} for name in ("k", "v", "g")}
    device = {"property": "x:by", "individual": "x:{}"}
    stream = {
        "event_type": "x:Reading",
        "time": {"attribute": "t"},
        "identity": ["id"],
        "attributes": {"id": {"datatype": "xsd:string"}, **numbers, "d": device},
    }
    return {
        "prefixes": {"x": "http://x/"},
        "knowledge": {"modules": [str(folder / "devices.ttl")]},
        "streams": {"S": stream, "T": stream},
    }


def random_streams(source: Random, length: int = 9) -> dict[str, list[dict[str, Any]]]:
    """A few events of each stream."""
    streams: dict[str, list[dict[str, Any]]] = {"S": [], "T": []}
    at = BEGIN
    for number in range(length):
        at += timedelta(seconds=source.choice((0, 1, 1, 2, 4)))
        values = {name: source.randrange(4) for name in ("k", "v", "g") if source.random() < 0.95}
        raw = {"id": f"e{number}", "t": at.isoformat(), "d": f"d{source.randrange(4)}", **values}
        streams[source.choice("SST")].append(raw)
    return streams


@dataclass(frozen=True)
class Asked:
    """A query as it is written.

    Attributes:
        shape: what its SEQ is like; `window`: it is an aggregate.
        streams: variable → stream.
        filters: by variable.
        classes: variable → the class of its device.
        joins: them.
        width: the length of its window, in seconds.
        windowed: the variables in its window.
    """

    shape: str
    streams: Mapping[str, str]
    filters: Mapping[str, tuple[str, ...]]
    classes: Mapping[str, str]
    joins: tuple[str, ...]
    width: int
    windowed: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether it takes other events when more is asked of them."""
        return self.shape in ("next", "strict", "repeated", "not")

    def text(self, names: Mapping[str, str] | None = None) -> str:
        """The query, its variables called so."""
        named = {v: v for v in self.streams} if names is None else names
        clauses = [f"SELECT {'COUNT(?a) AS n' if self.shape in ('window', 'repeated') else '?a.id'}"]
        clauses.append("FROM " + ", ".join(f"(?{v}, {s})" for v, s in self.streams.items()))
        for v, name in self.classes.items():
            clauses.append(f"PATH {{ ?{v} x:by ?{v}d . ?{v}d a x:{name} }}")
        clauses += [f"FILTER ({each})" for of in self.filters.values() for each in of]
        clauses += [f"JOIN ({each})" for each in self.joins]
        pattern = self._pattern([*self.streams])
        clauses += [f"SEQ ({pattern})"] if pattern else []
        clauses += [f"WINDOW ({', '.join(f'?{v}' for v in self.windowed)}, {self._extent()})"]
        text = " ".join(clauses)
        for v, other in named.items():
            text = text.replace(f"?{v}d", f"?#{other}device").replace(f"?{v}", f"?#{other}")
        return text.replace("?#", "?")

    def _extent(self) -> str:
        return f"sliding, {self.width}s" if self.shape == "window" else f"{self.width}s"

    def _pattern(self, names: Sequence[str]) -> str:
        own = [f"?{v}" for v in names]
        match self.shape:
            case "chain" | "next" | "strict":
                return {"chain": " ->> ", "next": " -> ", "strict": " => "}[self.shape].join(own)
            case "and" | "or":
                return f"{own[0]} {self.shape.upper()} {own[1]}" + "".join(f", {v}" for v in own[2:])
            case "not":
                return ", ".join([own[0], f"NOT {own[1]}", *own[2:]])
            case "repeated":
                return ", ".join([f"{own[0]}+", *own[1:]])
            case _:
                return ""


def random_query(source: Random) -> Asked:
    """A query of up to four variables."""
    shape = source.choice((*_SHAPES, "window"))
    count = 1 if shape == "window" else source.randint(3 if shape == "not" else 2, 4)
    names = tuple("abcd"[:count])
    matched = [v for v in names if not (shape == "not" and v == "b")]
    windowed = matched if shape != "chain" or source.random() < 0.7 else [matched[0], matched[-1]]
    return Asked(
        shape,
        {v: source.choice("SST") for v in names},
        {v: tuple(_filter(source, v) for _ in range(source.randrange(3))) for v in names},
        {v: source.choice([*_CLASSES]) for v in names if source.random() < 0.3},
        tuple(_join(source, names) for _ in range(source.randrange(3))) if count > 1 else (),
        source.randint(3, 12),
        tuple(windowed),
    )


def _filter(source: Random, variable: str) -> str:
    term, c = f"?{variable}.{source.choice('kv')}", source.randrange(1, 4)
    return source.choice((
        f"{term} < {c}", f"{term} >= {c - 1}", f"{term} IN ({c}, 0, 2)", f"{term} != {c}",
        f"?{variable}.k = {c} OR ?{variable}.v > 1", f"{c} >= {term}",
    ))  # fmt: skip


def _join(source: Random, names: Sequence[str]) -> str:
    one, other = source.sample([*names], 2)
    return source.choice((f"?{one}.g = ?{other}.g", f"?{one}.v <= ?{other}.v", f"?{one}.d = ?{other}.d"))


def tightened(source: Random, query: Asked) -> Asked:
    """A query that asks for more, in up to three ways."""
    ways: list[Callable[[Random, Asked], Asked]] = [_more_filters, _narrower, _more_joins, _shorter, _below]
    ways += [_without_last] if query.shape == "chain" and len(query.streams) > 2 else []
    for way in source.sample(ways, source.randint(1, 3)):
        query = way(source, query)
    return query


def _more_filters(source: Random, query: Asked) -> Asked:
    v = source.choice([*query.streams])
    return replace(query, filters={**query.filters, v: (*query.filters[v], _filter(source, v))})


def _narrower(source: Random, query: Asked) -> Asked:
    """The first condition that there is says more; its operands may be the other way round."""
    for v, own in query.filters.items():
        for place, each in enumerate(own):
            words = each.split()
            if len(words) == 3 and words[1] in ("<", ">=") and words[2].isdigit():
                term, operator, c = words[0], words[1], int(words[2])
                narrow = source.choice((
                    f"{c - 1} > {term}" if operator == "<" else f"{c + 1} <= {term}",
                    f"{term} = {c - 1 if operator == '<' else c}",
                    f"{term} IN ({c - 1 if operator == '<' else c + 1}, {c - 2 if operator == '<' else c})",
                ))  # fmt: skip
                return replace(query, filters={**query.filters, v: (*own[:place], narrow, *own[place + 1 :])})
    return query


def _more_joins(source: Random, query: Asked) -> Asked:
    return query if len(query.streams) == 1 else replace(query, joins=(*query.joins, _join(source, [*query.streams])))


def _shorter(source: Random, query: Asked) -> Asked:
    return replace(query, width=max(1, query.width - source.randint(1, 3)))


def _below(source: Random, query: Asked) -> Asked:
    """A class below, where there is one."""
    below = {v: source.choice(_CLASSES[name]) for v, name in query.classes.items() if _CLASSES[name]}
    return replace(query, classes={**query.classes, **below})


def _without_last(_: Random, query: Asked) -> Asked:
    """A beginning of its SEQ, whose window reaches to its end."""
    *kept, last = query.streams
    joins = tuple(join for join in query.joins if f"?{last}." not in join)
    windowed = tuple(dict.fromkeys([*(v for v in query.windowed if v != last), *kept]))
    parts = {"streams": query.streams, "filters": query.filters, "classes": query.classes}
    less: dict[str, Any] = {name: {v: of for v, of in own.items() if v != last} for name, own in parts.items()}
    return replace(query, joins=joins, windowed=windowed, **less)
