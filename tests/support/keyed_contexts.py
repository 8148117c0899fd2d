"""Random documents whose contexts are cut by their keys, over the readings of `keyed`."""

from __future__ import annotations

from random import Random

__all__ = ["keyed_contexts"]

_RUNS = (
    "?a, ?b+", "?a, ?b+~, ?c", "?a, ?b{2}", "?a, ?b*, ?c", "?a, ?b{1,; ->}", "?a -> ?b{1,3; ->}", "?a -> ?b{1,; ->}",
    "?a => ?b{1,; =>}", "?a, ?b{0,2; ->}, ?c", "?b{1,; ->}",
)  # fmt: skip
_WINDOWS = ("CONTEXT", "batch, 5s", "sliding, 4s", "hopping, 6s, 2s", "sliding, 2 events", "session, 3s")


class _Writer:
    def __init__(self, rng: Random) -> None:
        self.rng, self.lines = rng, list[str]()
        self.several = rng.random() < 0.3
        self.of_q = "car" if self.several or rng.random() < 0.6 else "seg"

    def on(self, stream: str, variable: str = "e") -> str:
        """ON, where the key is another column."""
        return f" ON (?{variable}: ?{variable}.{self.of_q})" if stream == "Q" and self.of_q != "car" else ""

    def at(self, stream: str, variable: str = "e") -> str:
        """AT likewise."""
        return f" AT (?{variable}.{self.of_q})" if stream == "Q" and self.of_q != "car" else ""

    def within(self, most: int = 3) -> str:
        """IN CONTEXT."""
        names = self.rng.sample(["calm", "jam", "storm"], self.rng.randint(1, most))
        return f" IN CONTEXT {', '.join(names)}"

    def speeds(self, variable: str, width: int) -> str:
        low = self.rng.randrange(11 - width)
        return f"FILTER (?{variable}.v >= {low} AND ?{variable}.v < {low + width})"

    def same(self, one: str, other: str) -> str:
        return f"JOIN (?{one}.car = ?{other}.car{f' AND ?{one}.seg = ?{other}.seg' if self.several else ''})"

    def partition(self) -> str:
        return "PARTITION BY car, seg" if self.several else "PARTITION BY car"

    def change(self, what: str) -> None:
        """A query that changes a context."""
        rng, stream = self.rng, self.rng.choice("PPQ")
        inside = self.within() + self.on(stream) if rng.random() < 0.4 else ""
        forms = [f"{what}{self.at(stream)} FROM (?e, {stream}){inside} WHERE {{ {self.speeds('e', 4)} }}"] * 3
        forms += [
            (
                f"{what} FROM (?a, P), (?b, P) WHERE {{ {self.same('a', 'b')} SEQ (?a, ?b) {self.speeds('a', 5)} "
                "WINDOW (?a, ?b, 4s) }"
            ),
            (
                f"{what} FROM (?a, P), (?n, P) WHERE {{ SEQ (?a, NOT ?n FOR 2s) {self.speeds('n', 5)} }} "
                f"{self.partition()}"
            ),
            f"{what} FROM (?e, P) WHERE {{ WINDOW (?e, batch, 3s) }} GROUP BY ?e.car, ?e.seg HAVING AVG(?e.v) > 4",
            f"{what} FROM (?e, P){self.within()} WHERE {{ WINDOW (?e, sliding, 4s) }} HAVING COUNT(?e) > 2",
            f"{what} FROM (?a, P), (?b, P){self.within()} WHERE {{ SEQ (?a, ?b{{2}}) WINDOW (?a, ?b, 6s) }}",
        ]
        self.lines.append(rng.choice(forms))

    def question(self) -> str:
        """A query in contexts."""
        rng, stream = self.rng, self.rng.choice("PPQ")
        inside = self.within() + self.on(stream)
        forms = [
            f"SELECT ?e.id FROM (?e, {stream}){inside} WHERE {{ {self.speeds('e', 7)} }}",
            "SELECT ?e.id, ?w._since AS since FROM (?e, P) IN CONTEXT jam AS ?w, storm",
            (
                f"SELECT COUNT(?e) AS n, SUM(?e.v) AS s FROM (?e, {stream}){inside} "
                f"WHERE {{ WINDOW (?e, {rng.choice(_WINDOWS)}) }} "
                + rng.choice(("", "GROUP BY ?e.seg", "GROUP BY ?e.id"))
            ),
            (
                f"SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P){self.within()} WHERE {{ SEQ (?a, ?b) "
                f"WINDOW (?a, ?b, 5s) }} {rng.choice(('', 'AFTER MATCH SKIP PAST LAST EVENT', 'AFTER MATCH CONSUME'))}"
            ),
            (
                f"SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?n, P), (?b, P){self.within()} "
                "WHERE { SEQ (?a, NOT ?n, ?b) "
                f"{self.speeds('n', 3)} WINDOW (?a, ?b, 5s) }}"
            ),
            (
                f"SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P){self.within()} FOR "
                f"{rng.choice(('?a', '?b', '?a, ?b'))} "
                f"WHERE {{ {self.same('a', 'b')} SEQ (?a, ?b) WINDOW (?a, ?b, 5s) }}"
            ),
            self.run(self.within()),
        ]
        return rng.choice(forms)

    def run(self, inside: str = "") -> str:
        """A pattern that repeats events."""
        pattern = self.rng.choice(_RUNS)
        names = [name for name in "abc" if f"?{name}" in pattern]
        after = self.rng.choice(("", "", " AFTER MATCH SKIP PAST LAST EVENT", " AFTER MATCH CONSUME"))
        return (
            f"SELECT {', '.join(f'LIST(?{v}.id) AS {v}' for v in names)} FROM {', '.join(f'(?{v}, P)' for v in names)}"
            f"{inside} WHERE {{ SEQ ({pattern}) {self.speeds('b', 7)} "
            f"WINDOW ({', '.join(f'?{v}' for v in names)}, 5s) }}"
            f"{'' if inside else ' ' + self.partition()}{after}"
        )


def keyed_contexts(rng: Random) -> str:
    """A document: contexts of roads with what changes them, one more for the hours, and what is asked in them."""
    w = _Writer(rng)
    w.lines.append(f"CREATE CONTEXTS road (calm DEFAULT, jam, storm) BY car{', seg' * w.several}")
    for what in ("INITIATE CONTEXT jam", "TERMINATE CONTEXT jam", "INITIATE CONTEXT storm", "TERMINATE CONTEXT storm"):
        w.change(what)
    w.lines += [f"CREATE QUERY q{number} AS {w.question()}" for number in range(rng.randint(1, 3))]
    if rng.random() < 0.4:
        w.lines.append(f"CREATE QUERY seen AS SELECT ?e.id, ?e.car, ?e.seg, ?e.v FROM (?e, P){w.within()}")
        w.lines.append(f"CREATE QUERY again AS SELECT ?e.id, ?e.v FROM (?e, seen){w.within()}")
    if rng.random() < 0.5:
        w.lines.append("CREATE CONTEXTS hours (off DEFAULT, shift DURING '00:00-00:01')")
        w.lines.append(
            rng.choice(
                (
                    "CREATE QUERY early AS SELECT ?e.id FROM (?e, P) IN CONTEXT shift",
                    (
                        "CREATE QUERY early AS SELECT COUNT(?e) AS n FROM (?e, P) IN CONTEXT shift, off "
                        "WHERE { WINDOW (?e, CONTEXT) } GROUP BY ?e.car"
                    ),
                    (
                        "CREATE QUERY early AS SELECT ?a.id AS a, ?b.id AS b FROM (?a, P), (?b, P) IN CONTEXT off "
                        "WHERE { JOIN (?a.car = ?b.car) SEQ (?a, ?b) WINDOW (?a, ?b, 4s) }"
                    ),
                )
            )
        )
    w.lines.append(f"CREATE QUERY alone AS {w.run()}")
    return ";\n".join(w.lines)
