"""Calls of rules: how many a second go from batches through the outbox to a web server that takes a millisecond.

    python -m benchmarks.rules [--rows 1000000]

Batches of 50,000 calls are put into the outbox durably, and released, as an engine does; a web server in a process of
its own answers each request after a millisecond. Beside the bar: smaller requests, four rules at once, and a receiver
that is away while another one is there. Then an engine's data flow takes raw batches, and a rule makes the calls.
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pyarrow as pa
from kaicep import Project
from kaicep.archive import Archive
from kaicep.config import Settings
from kaicep.pipeline.actions import CallDelivery, receivers_of
from kaicep.pipeline.durability import CheckpointedFlow
from kaicep.pipeline.flow.rules import CALLS
from kaicep.pipeline.sources import RawBatch

from .report import at_least, end, keep, machine_with

RULE = "CREATE RULE tell ON air IF (?row.co2 > 0) DO CALL ops(?row.room AS room, ?row.co2 AS co2)"
BATCH = 50_000
WANTED = 50_000
_ANSWER_S = 0.001
_DEAD = "http://127.0.0.1:9/"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(_ANSWER_S)
        self.send_response_only(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _serve(ready: Connection) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    ready.send(server.server_port)
    server.serve_forever()


@contextmanager
def receiver() -> Iterator[str]:
    """A web server in a process of its own; its address."""
    context = mp.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/"
    finally:
        process.kill()
        process.join()


def batch_of(number: int, size: int, rules: int, action: str = "ops") -> pa.Table:
    """The calls of a batch, by so many rules in turn."""
    row = pl.int_range(size)
    frame = pl.select(
        rule=pl.format("rule-{}", row % rules),
        _id=pl.format("{}-{}-0123456789abcdef0123456789abcdef", pl.lit(number), row),
        action=pl.lit(action),
        _time=pl.lit(datetime(2026, 1, 1, tzinfo=UTC)).cast(pl.Datetime("us", "UTC")) + pl.duration(milliseconds=row),
        arguments=pl.concat_str(pl.lit('{"room":"B'), row % 242, pl.lit('","co2":'), 400 + row % 1000, pl.lit("}")),
    )
    return frame.to_arrow().cast(CALLS)


def rate(rows: int, *, size: int, rules: int, dead: bool = False) -> float:
    """Calls a second, from the first batch until the last call is acknowledged.

    Args:
        rows: how many calls.
        size: of each request, in calls.
        rules: how many make them.
        dead: whether each batch calls as often for a receiver that is away.
    """
    sizes = [min(BATCH, rows - first) for first in range(0, rows, BATCH)]
    with receiver() as url, tempfile.TemporaryDirectory() as folder:
        actions = {"ops": {"webhook": {"url": url, "batch": size}}}
        actions |= {"away": {"webhook": {"url": _DEAD, "batch": size}}} if dead else {}
        settings = Settings.parse({"actions": actions}, root=Path(folder))
        calls = CallDelivery(Path(folder) / "outbox", receivers_of(settings), CALLS)
        tables = [
            pa.concat_tables([batch_of(number, many, rules, action) for action in actions])
            for number, many in enumerate(sizes, 1)
        ]
        began = time.perf_counter()
        for number, table in enumerate(tables, 1):
            calls.put(number, table)
            calls.release(number)
        while calls.counts()["ops"].waiting:
            time.sleep(0.001)
        seconds = time.perf_counter() - began
        calls.close(0)
    return rows / seconds


class Driven(NamedTuple):
    """What a run of an engine gave.

    Attributes:
        handed: rows a second until the receiver had the last call.
        processed: rows a second until the last batch was durable.
        cpu: microseconds of processor time for each row, of all threads.
    """

    handed: float
    processed: float
    cpu: float


def batch_rows(number: int, size: int) -> pa.Table:
    """Readings as a source gives them: a millisecond apart, batch after batch."""
    row = pl.int_range(size) + number * size
    moment = pl.lit(datetime(2026, 1, 1, tzinfo=UTC)) + pl.duration(milliseconds=row)
    frame = pl.select(
        t=moment.dt.strftime("%Y-%m-%dT%H:%M:%S%.fZ"), room=pl.format("B{}", row % 242), co2=400 + row % 1000
    )
    return frame.to_arrow()


def driven(rows: int, *, archive: bool) -> Driven:
    """Rows a second from raw batches through an engine's data flow, a rule and the outbox to the receiver.

    Args:
        rows: how many, each of which the rule calls for.
        archive: whether the engine logs events, as it does if it is not told otherwise.
    """
    with receiver() as url, ExitStack() as opened:
        root = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        attributes = {"room": {"datatype": "xsd:string"}, "co2": {"datatype": "xsd:integer"}}
        stream = {
            "event_type": "<urn:R>",
            "time": {"attribute": "t"},
            "identity": ["room", "t"],
            "attributes": attributes,
        }
        content = {
            "streams": {"air": stream},
            "archive": {"enabled": archive, "store": False},
            "actions": {"ops": {"webhook": {"url": url, "batch": 500}}},
        }
        project = Project.parse(content, root=root)
        calls = CallDelivery(root / "outbox", receivers_of(project.settings), CALLS)
        kept = opened.enter_context(Archive(project.settings, project.knowledge, project.shapes)) if archive else None
        flow = CheckpointedFlow(project, root / "state", (), kept, say=lambda _: None, outbox=calls)
        opened.callback(flow.close)
        flow.queries.submit(project.registrations(RULE, "tell"))
        tables = [batch_rows(number, BATCH) for number in range(rows // BATCH + 1)]
        began, spent = time.perf_counter(), time.process_time()
        for number, table in enumerate(tables, 1):
            flow.run(number, {"air": RawBatch(table)})
        processed = time.perf_counter() - began
        while calls.counts()["ops"].waiting:
            time.sleep(0.001)
        seconds, cpu = time.perf_counter() - began, time.process_time() - spent
        sent = calls.counts()["ops"].sent
        calls.close(0)
    return Driven(sent / seconds, sent / processed, 1e6 * cpu / sent)


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows: int = parser.parse_args().rows
    machine = machine_with("kaicep", "urllib3", "pyarrow")
    figures: Mapping[str, float] = {
        "1 rule, requests of 500 calls": rate(rows, size=500, rules=1),
        "4 rules, requests of 500 calls": rate(rows, size=500, rules=4),
        "1 rule, requests of 50 calls": rate(rows // 10, size=50, rules=1),
        "1 rule, a request for each call": rate(rows // 200, size=1, rules=1),
        "1 rule, requests of 500 calls, as many for one that is away": rate(rows, size=500, rules=1, dead=True),
    }
    for what, found in figures.items():
        print(f"  {found:>10,.0f} calls/s  {what}")
    engines = {"an engine with its archive": driven(rows, archive=True), "without": driven(rows, archive=False)}
    for what, run in engines.items():
        print(f"  {run.handed:>10,.0f} rows/s  {what}: {run.processed:,.0f} processed, {run.cpu:.1f} us of CPU a row")
    bars = [at_least(f"calls/s: {what}", found, WANTED) for what, found in figures.items() if " 500 " in what]
    bars += [at_least(f"rows/s by a rule, {what}", run.handed, WANTED) for what, run in engines.items()]
    print("\n".join(bar.line for bar in bars))
    keep(
        "rules",
        {"machine": machine, "calls/s": figures, "engine": {what: run._asdict() for what, run in engines.items()}},
        bars,
    )
    end(bars)


if __name__ == "__main__":
    main()
