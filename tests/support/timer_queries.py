"""Random queries with AFTER and EVERY, and streams about them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

__all__ = ["CONTENT", "FAMILIES", "events"]

TYPES = {"id": "string", "k": "string", "x": "integer"}
CONTENT: dict[str, Any] = {
    "prefixes": {"x": "http://x/"},
    "streams": {
        name: {
            "event_type": f"x:{name}",
            "time": {"attribute": "t"},
            "identity": ["id"],
            "lateness": lateness,
            "attributes": {n: {"datatype": f"xsd:{of}"} for n, of in TYPES.items()},
        }
        for name, lateness in (("S", "2s"), ("P", "0s"))
    },
}
"""A project file with two streams."""
CONTEXTS = (
    "CREATE CONTEXTS road (clear DEFAULT, jam) BY x;\n"
    "INITIATE CONTEXT jam FROM (?e, P)%s WHERE { FILTER (?e.k = 'a') %s };\n"
    "TERMINATE CONTEXT jam FROM (?e, P) WHERE { FILTER (?e.k = '%s') };\n"
)
Rows = dict[str, list[dict[str, Any]]]


def timer(rng: Random, least: int = 0) -> str:
    """AFTER, longer than what stands before it."""
    return f"AFTER {least + rng.choice((0.5, 1, 2, 3, 4))}s"


def absence(rng: Random, variable: str) -> str:
    """A NOT, sometimes for so long."""
    return f"NOT ?{variable}" + rng.choice(("", "", " FOR 1s", " FOR 3s"))


def silence(rng: Random, negated: list[str], *, last: bool) -> list[str]:
    """What stands between two events: NOTs and a timer or two."""
    found = [absence(rng, negated.pop()) for _ in range(rng.choice((0, 0, 1))) if negated]
    found.append(timer(rng, 3 if any("FOR" in one for one in found) else 0))
    if rng.random() < 0.15:
        found.append(timer(rng, 8))
    elif not last and negated and rng.random() < 0.3:
        found.append(f"NOT ?{negated.pop()}" + rng.choice(("", " FOR 9s")))
    return found


def every(rng: Random, negated: list[str]) -> list[str]:
    """What stands behind the last event: NOTs, perhaps AFTER, and EVERY."""
    found = [absence(rng, negated.pop()) for _ in range(rng.choice((0, 0, 1))) if negated]
    if rng.random() < 0.2:
        found.append(timer(rng, 3))
    return [*found, f"EVERY {rng.choice(('1s', '2s', '2.5s', '3s', '7s'))} UNTIL ?o"]


def sequence(rng: Random, parts: list[str], ends: Callable[[list[str]], list[str]], negated: list[str]) -> str:
    """SEQ with these events, timers between some of them, and what stands behind the last one."""
    link = rng.choice((", ", ", ", " -> ", " ->> "))
    found = [parts[0]]
    for part in parts[1:]:
        found += silence(rng, negated, last=False) if rng.random() < 0.5 else []
        found.append(part)
    return f"SEQ ({link.join([*found, *ends(negated)])})"


def query(rng: Random, parts: list[str], *, recurs: bool, free: bool = False, window: bool = True) -> str:
    """A query of a sequence of these elements."""
    bound = sorted({letter for part in parts for letter in part if letter in "abcd"})
    negated = ["n", "m"]
    ends = (lambda left: every(rng, left)) if recurs else (
        lambda left: silence(rng, left, last=True) if rng.random() < 0.7 else [])  # fmt: skip
    text = sequence(rng, parts, ends, negated)
    names = [*bound, *(v for v in "nmo" if f"?{v}" in text), *(["f"] if free else [])]
    sources = ", ".join(f"(?{v}, {rng.choice('SSP')})" for v in names)
    filtered = [v for v in names if rng.random() < (0.25 if v in bound else 0.8)]
    filters = [f"FILTER (?{v}.k = '{rng.choice('abc')}')" for v in filtered]
    plain = [v for v in names if f"?{v}" not in "".join(p for p in parts if p[-1] in "+*?}~")]
    pairs = [(v, w) for v in plain for w in plain if v < w and not {v, w} <= set("nmo")]
    joins = [f"JOIN (?{v}.x {rng.choice(('=', '=', '<'))} ?{w}.x)" for v, w in rng.sample(pairs, min(len(pairs), 2))]
    joins = joins[: rng.choice((0, 0, 1, 2))]
    tied = [*bound, *(["f"] if free else [])]
    needs = window and len(tied) + sum(part[-1] in "+*?}~" for part in parts) > 1
    wide = f"WINDOW ({', '.join(f'?{v}' for v in tied)}, {rng.choice((12, 15, 20, 40))}s)" if needs else ""
    items = ", ".join(f"LIST(?{v}.id) AS {v}" for v in tied)
    return f"SELECT {items} FROM {sources} WHERE {{ {' '.join(filters)} {' '.join(joins)} {text} {wide} }}"


def plain(rng: Random, *, recurs: bool) -> str:
    """One to three elements, perhaps with OR and AND among them."""
    parts = ["?a", "?b", "?c"][: rng.choice((1, 1, 2, 2, 3))]
    if len(parts) == 3 and rng.random() < 0.4:
        parts = rng.choice((["?a", "(?b OR ?c)"], ["(?a AND ?b)", "?c"], ["?a", "(?b AND ?c)"]))
    return query(rng, parts, recurs=recurs)


def after(rng: Random) -> str:
    """A query with AFTER."""
    return plain(rng, recurs=False)


def recurring(rng: Random) -> str:
    """A query with EVERY."""
    return plain(rng, recurs=True)


def of_runs(rng: Random) -> str:
    """A query with timers behind repetitions."""
    run = rng.choice(("+", "{1,2}", "{1,3}~", "{2; ->}", "+", "*", "?"))
    first = "?a+" if run in "*?" else f"?a{run}"
    parts = rng.choice((["?a", f"?b{run}"], [first, "?b"], ["?a", "(?b, ?c){1,2}"]))
    return query(rng, parts, recurs=rng.random() < 0.5)


def with_others(rng: Random) -> str:
    """A query with a variable that SEQ does not name."""
    run = rng.choice(("", "", "{1,2}"))
    return query(rng, rng.choice((["?a"], ["?a", f"?b{run}"])), recurs=rng.random() < 0.5, free=True)


def chosen(rng: Random) -> str:
    """A query that chooses among matches and rows."""
    text = rng.choice((after, recurring, of_runs))(rng)
    partition = rng.choice(("", "", " PARTITION BY x"))
    skip = rng.choice(("", "SKIP PAST LAST EVENT", "SKIP TO NEXT EVENT", "CONSUME"))
    skip = skip and f" AFTER MATCH {skip}"
    limit = rng.choice(("", "", " LIMIT 3"))
    rate = rng.choice(("", "", "", " OUTPUT FIRST EVERY 5s", " OUTPUT LAST EVERY 5s", " OUTPUT ALL EVERY 2 matches"))
    return f"{text}{partition}{skip}{limit}{rate}"


def derived(rng: Random) -> str:
    """A query over the rows of another."""
    inner = rng.choice((after, recurring))(rng).replace("LIST(", "FIRST(")
    between = "SEQ (?r, AFTER 1s, ?s) WINDOW (?r, ?s, 9s)"
    outer = rng.choice(("SEQ (?r, AFTER 2s)", "SEQ (?r, EVERY 3s UNTIL ?s)", between))
    sources = "(?r, q)" + (f", (?s, {rng.choice('qS')})" if "?s" in outer else "")
    return f"CREATE QUERY q AS {inner};\nSELECT ?r._time AS at FROM {sources} WHERE {{ {outer} }}"


def in_contexts(rng: Random) -> str:
    """A query in contexts, one of which may begin at a moment."""
    text = rng.choice((after, recurring, of_runs))(rng)
    late = rng.choice(("", "SEQ (?e, AFTER 2s)", "SEQ (?e, EVERY 4s UNTIL ?u)"))
    declared = CONTEXTS % (", (?u, S)" if "?u" in late else "", late, rng.choice("bc"))
    required = rng.choice(("", "", " FOR ?a"))
    head, where = text.split(" WHERE ", 1)
    return f"{declared}{head} IN CONTEXT {rng.choice(('jam', 'clear', 'clear, jam'))}{required} WHERE {where}"


def bounded(rng: Random) -> str:
    """A query within bounds."""
    head, where = rng.choice((after, recurring, of_runs))(rng).split(" WHERE ", 1)
    end = 8 + rng.randint(0, 30)
    return f"{head} WITHIN (2024-01-01T00:00:02Z, 2024-01-01T00:00:{end:02}Z{rng.choice(')]')} WHERE {where}"


def events(rng: Random) -> Rows:
    """Events of two streams, many of equal times, some of the one late."""
    found: Rows = {"S": [], "P": []}
    now = 0
    for number in range(rng.randint(6, 20)):
        now += rng.choice((0, 0, 1, 1, 2, 3, 6))
        stream = rng.choice("SSP")
        late = 2 * (stream == "S" and rng.random() < 0.1)
        at = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=max(now - late, 0))
        values = {"k": rng.choice("abc"), "x": rng.randint(1, 2)}
        kept = {name: value for name, value in values.items() if rng.random() > 0.05}
        found[stream].append({"id": f"e{number:02d}", "t": at.isoformat(), **kept})
    return found


FAMILIES: dict[str, Callable[[Random], str]] = {
    "after": after, "every": recurring, "runs": of_runs, "others": with_others, "chosen": chosen, "derived": derived,
    "contexts": in_contexts, "bounded": bounded,
}  # fmt: skip
