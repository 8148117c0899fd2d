"""Queries that ask for as much as anybody can write in a line, by what they exhaust."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["PATHS", "hostile_queries"]

PATHS = (
    "?e <urn:src> ?s . ?a ?p ?b . ?c ?q ?d . ?f ?r ?g . FILTER (STR(?a) = CONCAT(STR(?d), STR(?g)))",
    "?e <urn:src> ?s . ?s ?p ?b . ?c ?q ?b . ?c ?r ?g . ?h ?i ?g . ?h ?j ?k . FILTER (STR(?k) = CONCAT(STR(?b), 'x'))",
    "?e <urn:src> ?s . ?s (<urn:p>|^<urn:p>)* ?a . ?a (<urn:p>|^<urn:p>)* ?b FILTER (STR(?b) = CONCAT(STR(?a), 'x'))",
)
"""Products over the knowledge: unconnected, connected by variables in the place of properties, and by paths."""


@st.composite
def _products(draw: st.DrawFn) -> str:
    """Several events of one stream, most combinations of which match."""
    names = [f"?v{i}" for i in range(draw(st.integers(2, 7)))]
    sources = ", ".join(f"({name}, air)" for name in names)
    pattern = draw(st.sampled_from([", ", " -> ", " ->> ", " AND "])).join(names)
    closing = draw(st.sampled_from(["", "LIMIT 3", "AFTER MATCH CONSUME", "JOIN (?v0.x * ?v1.x > 1)"]))
    join = closing if closing.startswith("JOIN") else ""
    end = "" if join else closing
    return f"SELECT ?v0.x AS x FROM {sources} {join} SEQ ({pattern}) WINDOW ({', '.join(names)}, 1d) {end}"


@st.composite
def _repetitions(draw: st.DrawFn) -> str:
    """Sequences of every length."""
    link = draw(st.sampled_from(["->>", "->", ","]))
    times = draw(st.sampled_from(["{1,; ->>}", "{2,9; ->>}", "+", "+~"]))
    items = draw(st.sampled_from(["COUNT(?b) AS n", "?a.x AS x", "LIST(?b.x) AS all"]))
    return f"SELECT {items} FROM (?a, air), (?b, air) SEQ (?a {link} ?b{times}) WINDOW (?a, ?b, 1d)"


@st.composite
def _windows(draw: st.DrawFn) -> str:
    """Windows that hold each event again and again."""
    kind = draw(st.sampled_from(["hopping", "cumulate"]))
    size, step = draw(st.sampled_from([("1d", "20ms"), ("1000d", "1s"), ("1h", "1s"), ("1min", "10ms")]))
    return f"SELECT COUNT(?e) AS n FROM (?e, air) WINDOW (?e, {kind}, {size}, {step})"


def hostile_queries() -> st.SearchStrategy[str]:
    """Products, repetitions and windows."""
    return st.one_of(_products(), _repetitions(), _windows())
