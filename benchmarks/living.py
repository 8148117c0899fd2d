"""An ontology change under load: the longest batch, and whether an event was lost.

    python -m benchmarks.living [--batches 20] [--events 20000] [--trigger 1.0]

Batches of readings of Soda Hall's 242 airflow sensors, one per trigger interval, are judged by a PATH through Brick
1.5.0 and the building's model (105,000 triples closed), twice in one run: without a change, and while a module is added
and removed, however long that takes. A batch that takes longer than the interval delays the next. Spark's own part is
not in it.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
from kaicep import Project
from kaicep.pipeline.control.knowledge_admin import KnowledgeAdmin
from kaicep.pipeline.durability.checkpointed_flow import CheckpointedFlow
from kaicep.pipeline.knowledge.knowledge_swap import KnowledgeSwap
from kaicep.pipeline.sources.records import RawBatch, RecordOrigin

ROOT = Path(__file__).resolve().parent.parent
SODA = ROOT / "examples" / "soda"
_AFTER = 2
START = datetime(2026, 3, 2, tzinfo=UTC)
QUERY = """SELECT ?e.sensor AS sensor FILTER (?e.cfm > 100) PATH {
?e sosa:madeBySensor ?s . ?vav brick:hasPoint ?s . ?ahu brick:feeds ?vav . ?ahu a brick:AHU }"""
MODULE = """@prefix brick: <https://brickschema.org/schema/Brick#> .
@prefix soda: <https://brickschema.org/schema/1.0.2/building_example#> .
soda:vav_new a brick:Variable_Air_Volume_Box ; brick:hasPoint soda:flow_sensor_new ; brick:isFedBy soda:ahu_A1 .
soda:flow_sensor_new a brick:Supply_Air_Flow_Sensor .
"""


@dataclass(frozen=True)
class Taken:
    """Seconds that a batch took: by the clock, and of all threads of this process on processors meanwhile.

    On a machine that is busy with other things only the second says anything; a thread that holds Python's interpreter
    lock up is in it.
    """

    seconds: float
    processor: float


def project(folder: Path) -> Project:
    """The building, without an archive."""
    modules = [ROOT / "ontologies" / "brick" / name for name in ("Brick-1.5.0.ttl", "imports.ttl")]
    modules += [ROOT / "ontologies" / "sosa" / "sosa.ttl", SODA / "data" / "soda_brick.ttl"]
    prefixes = {
        "brick": "https://brickschema.org/schema/Brick#",
        "soda": "https://brickschema.org/schema/1.0.2/building_example#",
        "sosa": "http://www.w3.org/ns/sosa/",
    }
    stream = {
        "event_type": "sosa:Observation",
        "time": {"attribute": "time", "property": "sosa:resultTime"},
        "identity": ["sensor", "time"],
        "attributes": {
            "sensor": {"property": "sosa:madeBySensor", "individual": "soda:{}"},
            "cfm": {"property": "sosa:hasSimpleResult", "datatype": "xsd:double"},
        },
    }
    content = {"prefixes": prefixes, "knowledge": {"modules": [str(path) for path in modules]}}
    return Project.parse({**content, "streams": {"airflow": stream}, "archive": {"enabled": False}}, root=folder)


def batch(number: int, sensors: Sequence[str], events: int) -> dict[str, RawBatch]:
    """So many readings, the sensors in turn, no two at one moment."""
    first = number * events
    names = pa.array([sensors[i % len(sensors)] for i in range(events)])
    moments = [START + timedelta(milliseconds=first + i) for i in range(events)]
    flows = pa.array([float((first + i) % 400) for i in range(events)])
    table = pa.table({"sensor": names, "time": pa.array(moments, pa.timestamp("us", "UTC")), "cfm": flows})
    return {"airflow": RawBatch(table, (), RecordOrigin.of("benchmark"))}


@dataclass(frozen=True)
class Load:
    """How many batches at least, of how many events, and how many seconds from one to the next."""

    batches: int = 20
    events: int = 20_000
    trigger: float = 1.0


@dataclass(frozen=True)
class Living:
    """What came of changes under load.

    Attributes:
        still: the batches without a change.
        moved: those while the knowledge changed.
        lost: events that were sent and not taken.
        said: what each change said, and how long it took until it was in force.
    """

    still: tuple[Taken, ...]
    moved: tuple[Taken, ...]
    lost: int
    said: tuple[str, ...]

    @property
    def longest(self) -> Taken:
        """The longest batch while the knowledge changed."""
        return max(self.moved, key=lambda taken: taken.seconds)


def run(
    flow: CheckpointedFlow, first: int, sensors: Sequence[str], load: Load, busy: Callable[[], bool]
) -> list[Taken]:
    """Each batch, from number `first` on: so many as asked for, and on while `busy`, and two more.

    A batch begins with its trigger interval, or when the one before ends.
    """
    done: list[Taken] = []
    due, after = time.perf_counter(), 0
    while len(done) < load.batches or after < _AFTER:
        after = 0 if busy() else after + 1
        records = batch(first + len(done), sensors, load.events)
        time.sleep(max(0.0, due - time.perf_counter()))
        began, worked = time.perf_counter(), time.process_time()
        flow.run(first + len(done), records)
        done.append(Taken(time.perf_counter() - began, time.process_time() - worked))
        due = max(due + load.trigger, time.perf_counter())
    return done


def change(ontology: KnowledgeAdmin, module: Path, said: list[str]) -> None:
    """Add a module, and remove it again when it is in force."""
    acts: tuple[Callable[[], KnowledgeSwap], ...] = (lambda: ontology.add(module), lambda: ontology.remove(module.name))
    for act in acts:
        began = time.perf_counter()
        takeover = act()
        taken = len(ontology.versions)
        while len(ontology.versions) == taken:
            time.sleep(0.1)
        said.append(f"  in force after {time.perf_counter() - began:.2f} s: {'; '.join(takeover.summary)}")


def report(name: str, batches: Sequence[Taken]) -> None:
    """The batches of a phase on one line."""
    seconds = [taken.seconds for taken in batches]
    middle = sorted(seconds)[len(seconds) // 2]
    worked = max(taken.processor for taken in batches)
    print(
        f"{name}: {len(batches)} batches, median {1e3 * middle:.0f} ms, longest {1e3 * max(seconds):.0f} ms; "
        f"at most {1e3 * worked:.0f} ms of processor time, that of the change included, during one batch"
    )


def measure(load: Load, log: Callable[[str], None]) -> Living:
    """Batches without a change, then batches while a module is added and removed."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        building = project(folder)
        log(f"{len(building.knowledge.store):,} triples")
        module = folder / "new.ttl"
        module.write_text(MODULE, encoding="utf-8")
        flow = CheckpointedFlow(building, folder / "var" / "state", [], None)
        ontology = KnowledgeAdmin(flow, log)
        flow.queries.submit(building.registrations(QUERY, "fed"))
        sensors = [f"flow_sensor_hvac_zone_C{number}" for number in range(1, 500)] + ["flow_sensor_new"]
        seen = len(run(flow, 1, sensors, replace(load, batches=3), lambda: False))
        still = run(flow, 1 + seen, sensors, load, lambda: False)
        said: list[str] = []
        thread = threading.Thread(target=change, args=(ontology, module, said))
        thread.start()
        moved = run(flow, 1 + seen + len(still), sensors, load, thread.is_alive)
        thread.join()
        sent = (seen + len(still) + len(moved)) * load.events
        lost = sent - flow.progress.records
        log(f"versions: {', '.join(f'{v.number} from batch {v.batch}' for v in ontology.versions)}")
        ontology.close()
        flow.close()
    return Living(tuple(still), tuple(moved), lost, tuple(said))


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=Load.batches)
    parser.add_argument("--events", type=int, default=Load.events)
    parser.add_argument("--trigger", type=float, default=Load.trigger)
    given = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    found = measure(Load(given.batches, given.events, given.trigger), print)
    report("without a change", found.still)
    report("while changing  ", found.moved)
    print("\n".join(found.said))
    print(f"events: {found.lost:,} lost")
    stalled = sum(taken.seconds > given.trigger for taken in found.moved)
    print(f"batches that took longer than one trigger interval: {stalled}")


if __name__ == "__main__":
    main()
