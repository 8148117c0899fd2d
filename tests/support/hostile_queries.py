"""Queries that ask for as much as anybody can write in a line, by what they exhaust."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

__all__ = ["FAMILIES", "PATHS", "hostile_queries"]

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


@st.composite
def _alternations(draw: st.DrawFn) -> str:
    """ANDs and ORs in one another: every order of their elements, every choice of sides."""
    names = [f"?v{i}" for i in range(draw(st.integers(4, 12)))]
    pairs = [
        f"({a} {draw(st.sampled_from(['AND', 'OR', '->>']))} {b})"
        for a, b in zip(names[::2], names[1::2], strict=False)
    ]
    pattern = draw(st.sampled_from([" AND ", ", ", " ->> "])).join(pairs)
    sources = ", ".join(f"({name}, air)" for name in names)
    return f"SELECT ?v0.x AS x FROM {sources} SEQ ({pattern}) WINDOW ({', '.join(names)}, 1d)"


@st.composite
def _aggregates(draw: st.DrawFn) -> str:
    """What keeps every value of every window."""
    item = draw(
        st.sampled_from(["MODE(?e.x)", "PERCENTILE(?e.x, 99)", "LIST(?e.x)", "MEDIAN(?e.x)", "COUNT(DISTINCT ?e.x)"])
    )
    window = draw(
        st.sampled_from(["sliding, 1000d", "sliding, 1000000 events", "hopping, 1000d, 1h", "cumulate, 1d, 1s"])
    )
    return f"SELECT {item} AS v FROM (?e, air) WINDOW (?e, {window})"


@st.composite
def _distinct(draw: st.DrawFn) -> str:
    """Rows that are remembered for ever."""
    what = draw(st.sampled_from(["?a.x AS x, ?b.x AS y", "?a._time AS t, ?b._id AS i"]))
    return f"SELECT DISTINCT {what} FROM (?a, air), (?b, air) SEQ (?a ->> ?b) WINDOW (?a, ?b, 1d)"


@st.composite
def _expressions(draw: st.DrawFn) -> str:
    """FILTERs that nest, list, and look for texts in texts."""
    times = draw(st.sampled_from([10, 60, 1_000, 20_000]))
    test = draw(
        st.sampled_from(
            [
                "(" * min(times, 60) + "?e.x > 1" + ")" * min(times, 60),
                " + ".join(["?e.x"] * min(times, 1_000)) + " > 1",
                "?e.x IN (" + ", ".join(map(str, range(times))) + ")",
                " OR ".join(f"?e.x = {n}" for n in range(min(times, 1_000))),
                f"REGEX(CONCAT('{'a' * min(times, 1_000)}', STR(?e.s)), '^(a|aa)+$')",
                f"REGEX(STR(?e.s), '(n?){{{min(times, 1_000)}}}(a+)+$')",
            ]
        )
    )
    return f"SELECT ?e.x FROM (?e, air) FILTER ({test})"


@st.composite
def _chains(draw: st.DrawFn) -> str:
    """Queries that read queries, each of which has more rows than the one before."""
    depth = draw(st.integers(1, 4))
    pair = "SELECT ?a.x AS x, ?a.s AS s FROM (?a, {0}), (?b, {0}) SEQ (?a ->> ?b) WINDOW (?a, ?b, 1d)"
    chain = [f"CREATE QUERY q{n} AS {pair.format('air' if not n else f'q{n - 1}')}" for n in range(depth)]
    return "\n".join([*chain, pair.format(f"q{depth - 1}")])


@st.composite
def _paths(draw: st.DrawFn) -> str:
    """PATHs with products in them, beside others that are none."""
    path = draw(st.sampled_from([*PATHS, "?e <urn:src> ?s . ?s <urn:p>* ?a . ?b <urn:p>* ?a . ?b <urn:p> ?c"]))
    return f"SELECT ?e.x AS x FROM (?e, air) PATH {{ {path} }}"


FAMILIES: Mapping[str, st.SearchStrategy[str]] = {
    "products": _products(),
    "repetitions": _repetitions(),
    "windows": _windows(),
    "alternations": _alternations(),
    "aggregates": _aggregates(),
    "distinct": _distinct(),
    "expressions": _expressions(),
    "chains": _chains(),
    "paths": _paths(),
}
"""By what they exhaust."""


def hostile_queries() -> st.SearchStrategy[str]:
    """Of any family."""
    return st.one_of(*FAMILIES.values())
