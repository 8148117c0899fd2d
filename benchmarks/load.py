"""A server under load, while its broker and itself end and come again: what is lost, comes twice, takes how long.

    python -m benchmarks.load [--minutes 10] [--rate 5000] [--readers 200] [--clients 20]

Half of the events come by MQTT with QoS 1, half are posted; three queries report some of them. Readers have the rows as
server-sent events, clients ask SPARQL. At a fifth of the time the server is killed, and at three fifths with its engine
and all; at two and at four fifths the broker ends and is started again. All of it shares one machine.

Each event says when it was to be sent, and from then on a row is late, whoever was behind: its sender, the broker, the
server. Idle times of SPARQL are those of the same clients before the first event. Left out of the bars for time, and
told beside them, is what was sent while server or broker were away and some seconds after (`--grace`).
"""

from __future__ import annotations

import argparse
import itertools
import math
import multiprocessing
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from kaicep.config import Settings

from .load_checks import (
    Losses,
    Outage,
    archived,
    asked_delays,
    caught_up,
    engine_state,
    published,
    row_delays,
    rows_so_far,
    sunk,
    told,
)
from .load_feeding import Fed, feed_http, feed_mqtt
from .load_listening import Asked, Listeners, ask, listen
from .load_project import STREAMS, Workload, write_project
from .load_services import Broker, Consumption, Server, free_port
from .report import Bar, at_most, end, keep, machine_with

MOST_TIMES, MOST_DELAY_S = 20.0, 2.0
_WARM_S, _IDLE_S = 15.0, 20.0
"""All readers and clients have come, and processes have begun, before idle times are taken."""
_BROKER_AWAY_S, _SERVER_AWAY_S = 3.0, 1.0
_DRAIN_S = 300.0
_SETTLE_S = 3.0


@dataclass(frozen=True, slots=True)
class Options:
    """How much load.

    Attributes:
        minutes: how long events come.
        rate: events a second, of both streams together.
        readers: of server-sent events.
        clients: of SPARQL.
        grace: seconds behind an outage that are left out of the bars for time.
        folder: where everything lies; it stays.
    """

    minutes: float = 10.0
    rate: int = 5_000
    readers: int = 200
    clients: int = 20
    grace: float = 15.0
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """What a run gave.

    Attributes:
        workload: what was sent.
        fed: what became of it, by stream.
        listeners: what readers were sent.
        idle: what was asked before the first event.
        asked: what was asked while events came.
        outages: when what was away.
        losses: by place.
        cpu: seconds of the processor by role, while events came.
        memory: resident bytes by role, at each look.
        drained: seconds from the last acknowledgement until all rows were there.
        state: what the engine said of streams and queries then.
        starts: how often it was begun: more than the outages ask for tells of an end by itself.
    """

    workload: Workload
    fed: Mapping[str, Fed]
    listeners: Listeners
    idle: list[Asked]
    asked: list[Asked]
    outages: list[Outage]
    losses: Mapping[str, Losses]
    cpu: Mapping[str, float]
    memory: list[tuple[float, dict[str, int]]]
    drained: float
    state: Mapping[str, object]
    starts: int


def run(options: Options, say: Callable[[str], None] = print) -> Run:
    """Let events come, services end, and see what has become of them.

    Args:
        options: how much.
        say: takes a line about what happens.
    """
    with ExitStack() as opened:
        root = options.folder or Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="kaicep-load-")))
        folder, port, broker_port = root / "project", free_port(), free_port()
        write_project(folder, port=port, broker=broker_port)
        broker, server, consumption = Broker(root / "broker", broker_port), Server(folder, port), Consumption(folder)
        broker.start()
        opened.callback(broker.stop)
        server.start()
        opened.callback(server.kill, engine=True)
        server.await_ready()
        context = multiprocessing.get_context("spawn")
        readers_told, clients_told = context.Manager().Event(), context.Manager().Event()
        pool = opened.enter_context(ProcessPoolExecutor(4, mp_context=context))
        opened.callback(readers_told.set)
        opened.callback(clients_told.set)
        listening = pool.submit(listen, ("127.0.0.1", port), options.readers, readers_told)
        asking = pool.submit(ask, server.url, options.clients, clients_told)
        say(f"{time.strftime('%T')} ready; idle for {_WARM_S + _IDLE_S:g} s")
        time.sleep(_WARM_S + _IDLE_S)
        seconds = 60 * options.minutes
        workload = Workload(math.ceil(time.time()) + 1.0, options.rate // 2, seconds)
        until = workload.start + seconds + _DRAIN_S
        feeding: dict[str, Future[Fed]] = {
            STREAMS[0]: pool.submit(feed_mqtt, workload, broker_port, until),
            STREAMS[1]: pool.submit(feed_http, workload, server.url, until),
        }
        consumption.start()
        outages = list(_trouble(workload, broker, server, feeding, say))
        fed = {stream: future.result() for stream, future in feeding.items()}
        consumption.stop()
        clients_told.set()
        asked = asking.result()
        last = max(one.ended for one in fed.values())
        say(f"{time.strftime('%T')} all sent")
        expected = workload.expected()
        _await_rows(server.url, sum(map(len, expected.values())))
        drained = time.time() - last
        time.sleep(_SETTLE_S)
        readers_told.set()
        state = engine_state(server.url)
        listeners = listening.result()
        losses = {"of the pages of rows": published(server.url, expected), "of readers": told(listeners, expected)}
        server.stop()
        losses |= {
            "of the archive": archived(Settings.load(folder), workload),
            "of the sink": sunk(folder / "rows.db", expected),
        }
        idle = [one for one in asked if workload.start - _IDLE_S <= one.began < workload.start - 1.0]
        loaded = [one for one in asked if one.began >= workload.start]
        cpu, looks = dict(consumption.cpu), consumption.memory
        return Run(workload, fed, listeners, idle, loaded, outages, losses, cpu, looks, drained, state, server.starts)


def _trouble(
    workload: Workload,
    broker: Broker,
    server: Server,
    feeding: Mapping[str, Future[Fed]],
    say: Callable[[str], None],
) -> list[Outage]:
    """Let server and broker end in turn, and come again."""
    found: list[Outage] = []
    for fifth in range(1, 5):
        _sleep_until(workload.start + fifth * workload.seconds / 5, feeding)
        began = time.time()
        if fifth % 2:
            what = "server" if fifth == 1 else "server and engine"
            server.kill(engine=fifth > 1)
            time.sleep(_SERVER_AWAY_S)
            server.start()
            server.await_ready()
        else:
            what = "broker"
            broker.stop()
            time.sleep(_BROKER_AWAY_S)
            broker.start()
        found.append(Outage(what, began, time.time()))
        say(f"{time.strftime('%T')} {what}: away for {found[-1].ended - began:.1f} s")
    return found


def _sleep_until(moment: float, feeding: Mapping[str, Future[Fed]]) -> None:
    while time.time() < moment:
        time.sleep(0.1)
        for future in feeding.values():
            if future.done():
                future.result()  # raises what has ended it


def _await_rows(url: str, wanted: int) -> None:
    """Wait until there are so many rows, or no more come, also of an engine that has to begin again for them."""
    found, changed = -1, time.monotonic()
    while found < wanted and time.monotonic() < changed + _DRAIN_S:
        time.sleep(1.0)
        now = rows_so_far(url)
        if now != found:
            found, changed = now, time.monotonic()


def bars_of(found: Run, grace: float) -> list[Bar]:
    """What has to hold."""
    total = found.workload.total
    bars = [at_most(f"events that were not acknowledged, {s}", total - f.acknowledged, 0) for s, f in found.fed.items()]
    for place, losses in found.losses.items():
        bars += [
            at_most(f"lost {place}, of {losses.wanted:,}", losses.missing + losses.foreign, 0),
            at_most(f"more than once {place}", losses.twice, 0),
        ]
    idle, _ = asked_delays(found.idle, (), 0.0)
    loaded, _ = asked_delays(found.asked, found.outages, grace)
    rows, _ = row_delays(found.listeners, found.workload, found.outages, grace)
    return [
        *bars,
        at_most("answers that are wrong", sum(not one.right for one in (*found.idle, *found.asked)), 0),
        at_most("SPARQL, 99th percentile : idle 99th percentile", loaded.p99 / idle.p99, MOST_TIMES),
        at_most("event to reader, 99th percentile, s", rows.p99, MOST_DELAY_S),
    ]


def figures_of(found: Run, grace: float) -> dict[str, object]:
    """All that was measured."""
    idle, _ = asked_delays(found.idle, (), 0.0)
    loaded, asked = asked_delays(found.asked, found.outages, grace)
    calm, rows = row_delays(found.listeners, found.workload, found.outages, grace)
    lasted = found.workload.seconds
    looks = [at for at, _ in found.memory]
    gaps = [later - sooner for sooner, later in itertools.pairwise(looks)]
    begins = [one.began for one in found.outages[1:]] + [found.workload.start + lasted]
    return {
        "sent": {stream: asdict(one) for stream, one in found.fed.items()},
        "outages": [
            {
                "what": one.what,
                "away, s": one.ended - one.began,
                "then behind by more than 2 s for, s": caught_up(
                    found.listeners, found.workload, one, MOST_DELAY_S, until
                ),
            }
            for one, until in zip(found.outages, begins, strict=True)
        ],
        "starts of the engine": found.starts,
        **found.state,
        "rows": {place: asdict(one) for place, one in found.losses.items()},
        "connections of readers": sum(heard.connections for heard in found.listeners.heard),
        "strange events": found.listeners.strange[:10],
        "event to reader, s": {"outside of outages": asdict(calm), "all": asdict(rows)},
        "SPARQL, 99th percentile : idle median": loaded.p99 / idle.median,
        "SPARQL, s": {"idle": asdict(idle), "outside of outages": asdict(loaded), "all": asdict(asked)},
        "drained in, s": found.drained,
        "longest that nothing ran, s": max(gaps, default=0.0),
        "cores used": {role: used / lasted for role, used in sorted(found.cpu.items())},
        "most MB, by fifth": _most_memory(found),
    }


def _most_memory(found: Run) -> dict[str, list[int]]:
    """The most megabytes in each fifth of the time, by role."""
    most: dict[str, list[int]] = defaultdict(lambda: [0] * 5)
    for at, look in found.memory:
        fifth = max(0, min(4, int(5 * (at - found.workload.start) / found.workload.seconds)))
        for role, used in look.items():
            most[role][fifth] = max(most[role][fifth], round(used / 1e6))
    return dict(sorted(most.items()))


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, kind in (
        ("minutes", float),
        ("rate", int),
        ("readers", int),
        ("clients", int),
        ("grace", float),
        ("folder", Path),
    ):
        parser.add_argument(f"--{name}", type=kind, default=getattr(Options(), name))
    options = Options(**vars(parser.parse_args()))
    machine = machine_with("kaicep", "pyspark", "pyoxigraph", "uvicorn", "paho-mqtt")
    found = run(options)
    figures, bars = figures_of(found, options.grace), bars_of(found, options.grace)
    for what, told_ in figures.items():
        print(f"  {what}: {told_}")
    print("\n".join(bar.line for bar in bars))
    whole = Options(folder=options.folder)
    given = {name: value for name, value in asdict(options).items() if name != "folder"}
    if options == whole:
        keep("load", {"machine": machine, "given": given, **figures}, bars)
    end(bars)


if __name__ == "__main__":
    main()
