"""Random documents with rules: chains, unions, streams of the project, contexts, and circles that time goes through."""

from __future__ import annotations

from random import Random

from .mode_queries import CONTENT, events

__all__ = ["CONTENT", "FAMILIES", "events", "rules"]

FAMILIES = ("calls", "chains", "unions", "declared", "contexts", "circles", "ends")
_ASKS = (
    "FILTER (?row_x > 0)",
    "?row <urn:kaicep:attribute:none:k> ?y",
    "FILTER (?row_k = 'a' || ?row_p = 2)",
    "FILTER NOT EXISTS { <http://x/a> a <http://x/B> }",
)
_CONDITIONS = ("?row.x > 0", "?row.k = 'a'", "?row.x = ?row.p", "?row.p = 1 OR ?row.x = 2")


def rules(family: str, rng: Random) -> str:
    """A document of a family; its last statement is a query."""
    match family:
        case "calls":
            return _calls(rng)
        case "chains":
            return _chains(rng)
        case "unions":
            return _unions(rng)
        case "declared":
            return _declared(rng)
        case "contexts":
            return _contexts(rng)
        case "ends":
            return _ends(rng)
    return _circles(rng)


def _rule(name: str, on: str, actions: str, rng: Random) -> str:
    """A rule ON what has `k`, `p` and `x`."""
    condition = f" IF ({rng.choice(_CONDITIONS)})" if rng.random() < 0.6 else ""
    condition += f" IF ASK {{ {rng.choice(_ASKS)} }}" if rng.random() < 0.25 else ""
    end = rng.choice(("", "", " IMMEDIATE", " DEFERRED")) + rng.choice(("", "", " PRIORITY 1", " PRIORITY 2"))
    return f"CREATE RULE {name} ON {on}{condition} DO {actions}{end};\n"


def _call(name: str, rng: Random) -> str:
    said = rng.sample(("?row.k AS k", "?row.x + 1 AS y", "?row._time AS at", "?row AS id"), rng.randint(0, 3))
    return f"CALL {name}({', '.join(said)})"


def _source(name: str, rng: Random) -> str:
    """A query whose rows have `k`, `p` and `x`."""
    plain = "SELECT ?a.k, ?a.p, ?a.x FROM (?a, S)"
    pair = "SELECT ?a.k, ?b.p, ?b.x FROM (?a, S), (?b, T)"
    width = f"{rng.randint(1, 4)}s"
    query = rng.choice((
        f"{plain} WHERE {{ FILTER (?a.x > 0) }}",
        f"{pair} WHERE {{ SEQ (?a, ?b) WINDOW (?a, ?b, {width}) }}",
        f"SELECT FIRST(?a.k) AS k, COUNT(?a) AS p, MAX(?a.x) AS x FROM (?a, S) WHERE {{ WINDOW (?a, batch, {width}) }}",
        f"{plain}, (?n, T) WHERE {{ SEQ (?a, NOT ?n FOR {width}) }}",
    ))  # fmt: skip
    return f"CREATE {rng.choice(('QUERY', 'EVENT'))} {name} AS {query};\n"


def _calls(rng: Random) -> str:
    text = _source("q", rng) + _source("r", rng)
    for number in range(rng.randint(1, 4)):
        text += _rule(f"r{number}", rng.choice(("S", "q", "r")), ", ".join(_call("x", rng) for _ in range(2)), rng)
    return text + "SELECT ?h.k FROM (?h, q)"


def _chains(rng: Random) -> str:
    text = _source("q", rng)
    text += _rule("one", rng.choice(("S", "q")), "EMIT E(?row.k AS k, ?row.p AS p, ?row.x * 2 AS x)", rng)
    text += _rule("two", "E", f"EMIT F(?row.x AS x, ?row.k AS k, ?row.p AS p), {_call('y', rng)}", rng)
    text += _rule("three", "F", _call("z", rng), rng)
    if rng.random() < 0.5:
        return text + "SELECT ?a.k, ?b.x FROM (?a, E), (?b, F) WHERE { SEQ (?a, ?b) WINDOW (?a, ?b, 3s) }"
    return text + "SELECT ?f.k, ?f.x FROM (?f, F)"


def _unions(rng: Random) -> str:
    text = _source("q", rng)
    for number in range(rng.randint(2, 3)):
        items = ["?row.k AS k", *rng.sample(("?row.p AS p", "?row.x AS x", "?row.x / 2 AS half"), rng.randint(1, 3))]
        text += _rule(f"r{number}", rng.choice(("S", "T", "q")), f"EMIT E({', '.join(items)})", rng)
    text += f"CREATE RULE last ON E DO {_call('x', rng).replace('?row.x + 1', 'CONCAT(?row.k, ?row._time)')};\n"
    return text + rng.choice((
        "SELECT ?e.k FROM (?e, E)",
        "SELECT ?a.k AS a, ?b.k AS b FROM (?a, E), (?b, E) WHERE { SEQ (?a -> ?b) WINDOW (?a, ?b, 2s) }",
        "SELECT COUNT(?e) AS n FROM (?e, E) WHERE { WINDOW (?e, sliding, 3 events) }",
    ))  # fmt: skip


def _declared(rng: Random) -> str:
    text = _source("q", rng).replace(", T)", ", S)")
    for number in range(rng.randint(1, 2)):
        items = rng.sample(("?row.k AS k", "?row.p AS p", "?row.x AS x", "'a' AS k"), rng.randint(1, 2))
        names = {item.split()[-1]: item for item in items}
        text += _rule(f"r{number}", rng.choice(("S", "q")), f"EMIT T({', '.join(names.values())})", rng)
    text += _rule("last", "T", _call("x", rng), rng)
    return text + rng.choice((
        "SELECT ?e.k, ?e.p FROM (?e, T)",
        "SELECT ?a.k AS a, ?b.x AS b FROM (?a, S), (?b, T) WHERE { SEQ (?a, ?b) WINDOW (?a, ?b, 2s) }",
    ))  # fmt: skip


def _contexts(rng: Random) -> str:
    text = "CREATE CONTEXTS c (calm DEFAULT, hot, cold) BY p;\n" + _source("q", rng)
    changes = ("INITIATE CONTEXT hot (?row.x AS was)", "TERMINATE CONTEXT hot", "INITIATE CONTEXT cold")
    for number in range(rng.randint(1, 3)):
        chosen = rng.sample(changes, rng.randint(1, 2))
        text += _rule(f"r{number}", rng.choice(("S", "T", "q")), ", ".join(chosen), rng)
    text += "INITIATE CONTEXT hot (2 AS was) FROM (?e, T) FILTER (?e.x = 2);\n"
    if rng.random() < 0.5:
        text += "CREATE QUERY inside AS SELECT ?e.k, ?e.p, ?e.x FROM (?e, S) IN CONTEXT hot;\n"
        text += _rule("end", "inside", rng.choice(("TERMINATE CONTEXT hot", "INITIATE CONTEXT cold")), rng)
    return text + "SELECT ?e.id, ?h.was FROM (?e, S) IN CONTEXT hot AS ?h, cold"


def _circles(rng: Random) -> str:
    """What comes of an event after a while, so often."""
    text = _rule("one", "S", "EMIT E(?row.k AS k, ?row.p AS p, 0 AS x)", rng)
    wait = rng.choice(("(?e, AFTER 1s)", "(?e, AFTER 1500ms)", "(?e, NOT ?n FOR 1s)"))
    sources = "(?e, E), (?n, T)" if "?n" in wait else "(?e, E)"
    text += f"CREATE QUERY later AS SELECT ?e.k, ?e.p, ?e.x FROM {sources} WHERE {{ SEQ {wait} }};\n"
    target = rng.choice(("E", "E", "S"))
    count = ", ?row.x + 1 AS x" if rng.random() < 0.7 else ", 2 AS x"
    actions = f"EMIT {target}(?row.k AS k, ?row.p AS p{count}), CALL x(?row.x AS x)"
    text += f"CREATE RULE two ON later IF (?row.x < {rng.randint(1, 3)}) DO {actions};\n"
    if rng.random() < 0.4:
        text += "CREATE CONTEXTS c (calm DEFAULT, hot) BY p;\n" + _rule("ctx", "E", "INITIATE CONTEXT hot", rng)
        return text + "SELECT ?e.k, ?e.x FROM (?e, E) IN CONTEXT hot"
    return text + "SELECT ?e.k, ?e.x FROM (?e, E)"


def _ends(rng: Random) -> str:
    """Whole context windows, whose ends change contexts of the same set."""
    over = rng.choice(("hot", "cold", "calm", "hot, cold", "calm, hot"))
    text = "CREATE CONTEXTS c (calm DEFAULT, hot, cold) BY p;\n"
    text += "INITIATE CONTEXT hot (?e.x AS was) FROM (?e, T) FILTER (?e.x > 0);\n"
    text += "TERMINATE CONTEXT hot FROM (?e, S) IN CONTEXT hot FILTER (?e.x > 0);\n" if rng.random() < 0.7 else ""
    text += "SWITCH CONTEXT cold FROM (?e, S) IN CONTEXT hot FILTER (?e.k = 'b');\n" if rng.random() < 0.5 else ""
    items = "COUNT(?e) AS n, LAST(?e.p) AS p, LAST(?e.k) AS k, MAX(?e.x) AS x"
    text += f"CREATE QUERY ends AS SELECT {items} FROM (?e, S) IN CONTEXT {over} WHERE {{ WINDOW (?e, CONTEXT) }};\n"
    changes = ("INITIATE CONTEXT hot", "TERMINATE CONTEXT hot", "INITIATE CONTEXT cold", "TERMINATE CONTEXT cold")
    for number in range(rng.randint(1, 3)):
        where = rng.choice(("", "", " AT (1)"))
        actions = [change + where for change in rng.sample(changes, rng.randint(1, 2))]
        actions = [action + " (?row.x AS was)" * (action == changes[0]) for action in actions]
        text += _rule(f"r{number}", "ends", ", ".join([*actions, _call("x", rng)]), rng)
    if rng.random() < 0.4:
        text += _rule("told", "ends", "EMIT E(?row.p AS p, ?row.n AS x)", rng)
        text += rng.choice(("INITIATE", "TERMINATE")) + " CONTEXT cold FROM (?e, E) FILTER (?e.x < 3);\n"
    return text + rng.choice((
        "SELECT ?e.id, ?h.was FROM (?e, S) IN CONTEXT hot AS ?h, cold",
        "SELECT ?e.n, ?e.p FROM (?e, ends)",
        "SELECT ?e.id, ?e.p FROM (?e, S) IN CONTEXT calm, cold",
    ))  # fmt: skip
