"""Random queries whose point is what PATHs bind: in SELECT, GROUP BY, FILTER, and in JOINs across events."""

from __future__ import annotations

from hypothesis import strategies as st

from .paths import Path, paths

__all__ = ["FAMILIES"]

_SENSORS = "?a evt:hasSource ?first . ?b evt:hasSource ?second . ?first bd:hasLocation ?there ."
_SHARED = (
    (f"{_SENSORS} ?second bd:hasLocation ?there .", ("?there", "?first")),
    (f"{_SENSORS} ?second bd:hasLocation ?elsewhere . ?there bd:code ?elsewhere .", ("?there", "?elsewhere")),
    (f"{_SENSORS} ?second bd:hasLocation ?elsewhere . ?elsewhere bd:code ?there .", ("?elsewhere",)),
    (
        f"{_SENSORS} ?second bd:hasLocation ?elsewhere . ?there bd:belongsTo ?d . ?elsewhere bd:belongsTo ?d .",
        ("?d", "?elsewhere"),
    ),
    (f"{_SENSORS} ?second bd:hasLocation ?elsewhere . ?there bd:capacity ?n . ?elsewhere bd:capacity ?n .", ("?n",)),
    ("?a evt:hasSource ?same . ?b evt:hasSource ?same . ?same bd:hasLocation ?there .", ("?same", "?there")),
    (f"{_SENSORS} ?second bd:hasLocation ?there . FILTER NOT EXISTS {{ ?there bd:capacity ?x }}", ("?second",)),
)
"""PATHs of two events whose parts share a variable, and some of what they bind."""


def _names(path: Path) -> tuple[str, ...]:
    return (*path.numbers, *path.strings, *path.iris, *path.terms)


def _items(names: tuple[str, ...], attribute: str) -> str:
    return ", ".join([*(f"{name} AS x{i}" for i, name in enumerate(names)), attribute])


@st.composite
def _selections(draw: st.DrawFn) -> str:
    """One event; several solutions, OR with unbound variables."""
    path = draw(paths("e", most=3))
    names = _names(path)
    tests = [f"FILTER ({n} >= 5)" for n in path.numbers] + [f"FILTER (BOUND ({name}))" for name in names]
    tests += [f"FILTER (!BOUND ({name}) OR ?e.level > 1)" for name in names]
    chosen = draw(st.lists(st.sampled_from(tests), max_size=2, unique=True)) if tests else []
    kept = draw(st.lists(st.sampled_from(names), max_size=3, unique=True)) if names else []
    return f"SELECT {_items(tuple(kept), '?e.seq')} FROM (?e, airflowReport)\n{path.text}\n{' '.join(chosen)}"


@st.composite
def _aggregations(draw: st.DrawFn) -> str:
    """Grouped by what a PATH binds."""
    path = draw(paths("e", most=2))
    names = _names(path)
    if not names:
        return f"SELECT COUNT(?e) AS n FROM (?e, airflowReport)\n{path.text} WINDOW (?e, batch, 5s)"
    keys = draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    window = draw(st.sampled_from(("sliding, 5s", "batch, 5s", "sliding, 3 events", "session, 2s")))
    counted = draw(st.sampled_from(names))
    return (
        f"SELECT {_items(tuple(keys), f'COUNT(DISTINCT {counted}) AS n')} FROM (?e, airflowReport)\n"
        f"{path.text} WINDOW (?e, {window}) GROUP BY {', '.join(keys)}"
    )


@st.composite
def _patterns(draw: st.DrawFn) -> str:
    """Two events that knowledge relates: by a JOIN of what their PATHs bind, or by one PATH over both."""
    head = "FROM (?a, airflowReport), (?b, airflowReport)"
    body = draw(st.sampled_from(("SEQ (?a, ?b)", "", "SEQ (?a -> ?b)", "SEQ (?b, ?a)"))) + " WINDOW (?a, ?b, 10s)"
    if draw(st.booleans()):
        text, names = draw(st.sampled_from(_SHARED))
        kept = tuple(draw(st.lists(st.sampled_from(names), max_size=2, unique=True)))
        return f"SELECT {_items(kept, '?a.seq, ?b.seq AS later')} {head}\nPATH {{ {text} }} {body}"
    one, other = draw(paths("a", most=2)), draw(paths("b", most=2))
    joins = [f"{x} {o} {y}" for x in one.numbers for y in other.numbers for o in ("<=", "=")]
    joins += [f"{x} {o} {y}" for x in one.iris for y in other.iris for o in ("=", "!=")]
    joins += [f"{x} = {y}" for x in one.strings for y in other.strings]
    joins += [f"{x} = {y}" for x in one.terms for y in (*other.terms, *other.iris, *other.numbers)]
    joins += [f"{x} >= ?b.level" for x in one.numbers] + [f"!BOUND ({x}) OR ?b.level > 1" for x in one.iris]
    chosen = draw(st.lists(st.sampled_from(joins), max_size=2, unique=True)) if joins else []
    names = (*_names(one)[:2], *_names(other)[:1])
    kept = tuple(draw(st.lists(st.sampled_from(names), max_size=2, unique=True))) if names else ()
    return (
        f"SELECT {_items(kept, '?a.seq, ?b.seq AS later')} {head}\n{one.text}\n{other.text}\n"
        f"{' '.join(f'JOIN ({join})' for join in chosen)} {body}"
    )


FAMILIES = {"selections": _selections(), "aggregations": _aggregations(), "patterns": _patterns()}
