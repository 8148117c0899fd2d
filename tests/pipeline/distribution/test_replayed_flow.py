"""A data flow that divides its queries: the shards together give what each would as a whole."""

from __future__ import annotations

import pyarrow as pa
from kaicep.pipeline.distribution.replayed_flow import ReplayedFlow
from kaicep.pipeline.flow.batch import live_batch
from support.shards import FOLLOWS, PROJECT, reading

COUNT = "CREATE QUERY busy AS SELECT COUNT(?e) AS n FROM (?e, P) WINDOW (?e, batch, 3s) GROUP BY ?e.car"
FAST = "CREATE QUERY fast AS SELECT ?e.id AS id, ?e.v AS v FROM (?e, P) FILTER (?e.v > 3)"
READS = "CREATE QUERY reads AS SELECT ?f.id AS id FROM (?f, fast)"
LAST = "CREATE QUERY last AS SELECT ?e.id AS id FROM (?e, P) LIMIT 3"
RUNS = (
    "CREATE QUERY runs AS SELECT ?a.id AS a, COUNT(?b) AS n FROM (?a, P), (?b, P) "
    "WHERE { SEQ (?a, ?b+) WINDOW (?a, ?b, 3s) } PARTITION BY car"
)

MAYBE = RUNS.replace("runs", "maybe").replace("?a, ?b+", "?a -> ?b{0,1; ->}")


def flow_of(*statements: str) -> ReplayedFlow:
    dataflow = ReplayedFlow(PROJECT, 3)
    for registration in PROJECT.registrations(";\n".join(statements), "q"):
        dataflow.register(registration)
    return dataflow


def test_shards_together_give_the_rows_of_the_whole() -> None:
    whole, divided = flow_of(FOLLOWS, COUNT), flow_of(FOLLOWS, COUNT)
    divided.divide()
    assert [registration.label for registration, _ in divided.made] == ["follows", "busy"]
    assert [len(flows) for _, flows in divided.made] == [3, 3]
    for batch in range(3):
        rows = [reading(f"r{n}", 4 * batch + n / 10, car=n % 5, v=n % 9) for n in range(40)]
        given = live_batch(PROJECT.annotators, {"P": pa.Table.from_pylist(rows)})
        expected, found = whole.process(given).matches, divided.process(given).matches
        for label, own in expected.items():
            parts = [found[part] for part in found if part.startswith(f"{label}#")]
            assert sorted(one for part in parts for one in part["_id"].to_pylist()) == sorted(own["_id"].to_pylist())
    assert sum(map(len, expected.values()))


def test_what_has_one_shard_stays_whole() -> None:
    """So does what others read, and what waits for other shards."""
    dataflow = flow_of(FAST, READS, LAST, RUNS, MAYBE, COUNT)
    dataflow.divide()
    assert [label for label in dataflow.flows if "#" not in label] == ["fast", "reads", "last", "runs", "maybe"]
    assert dataflow.is_divided("busy")
    assert not dataflow.is_divided("fast")
