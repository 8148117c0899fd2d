"""When a hot key limits what more cores bring: a simulation with Zipf keys, dealt by the engine's own hash.

    python -m benchmarks.shard_skew [--keys 100000] [--events 1000000] [--seeds 7]

A batch takes as long as the core that has most to do. What is done where records are read goes evenly to all cores;
what is done in shards goes with the events of their keys. How much is which, `benchmarks/results/shards.json` says: it
is measured.
Keys have frequencies of rank^-s (Zipf): s = 0 is even, 1 that of words, cities, or sensors that report when something
happens. *Ceiling* is what the hottest key allows with any number of cores, since its events are one core's.

One check is no simulation: a keyed query is answered in four shards, and the CPU that the busiest of them takes is
held beside what the events of its keys let expect.

Writes `shard_skew.json` and `.png` to `benchmarks/results/`, and ends with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from kaicep.expressions import Floats, Ints
from kaicep.pipeline.sharding import shard_of

from .report import RESULTS, Bar, at_least, at_most, end, keep, machine_with
from .shard_skew_plot import draw
from .shard_skew_query import busiest

EXPONENTS = (0.0, 0.6, 0.8, 1.0, 1.2, 1.5)
CORES = (2, 4, 8, 16, 32, 64, 128, 256)
QUERIES = 7
HALF = 0.5
FOUR = 4
"""Shards of the query that is measured."""


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """What so many cores bring.

    Attributes:
        exponent: of the keys' frequencies.
        hottest: the share of events that the hottest key has.
        remedy: what is done about it.
        cores: how many.
        times: how many times as fast as one core.
    """

    exponent: float
    hottest: float
    remedy: str
    cores: int
    times: float


def frequencies(exponent: float, keys: int) -> Floats:
    """The share of each key."""
    weights = np.arange(1, keys + 1, dtype=np.float64) ** -exponent
    shares: Floats = weights / weights.sum()
    return shares


def shards_of_keys(keys: int, shards: int, seed: int) -> Ints:
    """In which shard each key lies; another seed has other keys."""
    return shard_of([pl.Series([f"key {seed} {number}" for number in range(keys)])], shards)


def _most(loads: npt.NDArray[Any], cores: int) -> float:
    """What the busiest core has to do, each shard going to the one that has least so far, the largest first."""
    if len(loads) == cores:
        return float(loads.max())
    found = np.zeros(cores)
    for load in np.sort(loads)[::-1]:
        found[found.argmin()] += load
    return float(found.max())


def busiest_share(shares: Floats, cores: int, seed: int, remedy: str) -> float:
    """The part of what is done in shards that the busiest core has."""
    match remedy:
        case "one query":
            return _most(np.bincount(shards_of_keys(len(shares), cores, seed), shares, cores), cores)
        case "four shards a core":
            shards = FOUR * cores
            return _most(np.bincount(shards_of_keys(len(shares), shards, seed), shares, shards), cores)
        case "a second key of eight values":
            finer = np.repeat(shares / 8, 8)
            return _most(np.bincount(shards_of_keys(len(finer), cores, seed), finer, cores), cores)
        case "seven queries, each beginning at another core":
            own = np.bincount(shards_of_keys(len(shares), cores, seed), shares, cores)
            return float(np.mean([np.roll(own, place) for place in range(QUERIES)], axis=0).max())
        case _:
            raise ValueError(remedy)


REMEDIES = (
    "one query",
    "four shards a core",
    "seven queries, each beginning at another core",
    "a second key of eight values",
)


def speed_ups(keys: int, seeds: int, even: float) -> list[SpeedUp]:
    """All of them.

    Args:
        keys: how many there are.
        seeds: over how many sets of keys the median is taken.
        even: the part of all work that goes evenly to all cores.
    """
    found = []
    for exponent in EXPONENTS:
        shares = frequencies(exponent, keys)
        for cores in CORES:
            for remedy in REMEDIES:
                most = statistics.median(busiest_share(shares, cores, seed, remedy) for seed in range(seeds))
                times = 1 / (even / cores + (1 - even) * most)
                found.append(SpeedUp(exponent, float(shares[0]), remedy, cores, times))
    return found


def even_part() -> float:
    """The part of the tasks' CPU that goes evenly to all cores, from the measured figures."""
    results = json.loads((RESULTS / "shards.json").read_text(encoding="utf-8"))["results"]
    tasks: Mapping[str, float] = max(results, key=lambda one: one["rows"])["tasks"]
    return 1 - tasks["shard_part"] / sum(tasks.values())


def half_idle(found: Sequence[SpeedUp], remedy: str) -> dict[float, int | None]:
    """By the hottest key's share, the first number of cores of which half are idle."""
    own = [one for one in found if one.remedy == remedy]
    return {
        hottest: next((one.cores for one in own if one.hottest == hottest and one.times < HALF * one.cores), None)
        for hottest in dict.fromkeys(one.hottest for one in own)
    }


def main() -> None:
    """Print a table for each remedy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=7)
    arguments = parser.parse_args()
    machine, even = machine_with("polars", "pyarrow"), even_part()
    print(f"{even:.0%} of the work of tasks goes evenly to all cores")
    found = speed_ups(arguments.keys, arguments.seeds, even)
    for remedy in REMEDIES:
        print(f"\n{remedy}: times as fast with {', '.join(map(str, CORES))} cores")
        for exponent in EXPONENTS:
            own = [one for one in found if (one.exponent, one.remedy) == (exponent, remedy)]
            print(f"  s {exponent:3.1f}, hottest key {own[0].hottest:7.3%}: ", *(f"{one.times:6.1f}" for one in own))
    checked = [busiest(frequencies(s, 1_000), arguments.events, FOUR) for s in (0.0, 1.0, 1.5)]
    for one in checked:
        print(f"busiest of {FOUR} shards: {one.expected:.0%} of the events, {one.measured:.0%} of the CPU")
    draw([asdict(one) for one in found], even, RESULTS / "shard_skew.png")
    bars = bars_of(found, [one.measured / one.expected for one in checked])
    print("\nbars:", *(bar.line for bar in bars), sep="\n")
    sections = {
        "machine": machine,
        "keys": arguments.keys,
        "even": even,
        "half idle from": {remedy: half_idle(found, remedy) for remedy in REMEDIES},
        "checked": [asdict(one) for one in checked],
        "results": [asdict(one) for one in found],
    }
    keep("shard_skew", sections, bars)
    end(bars)


def bars_of(found: Sequence[SpeedUp], checked: Sequence[float]) -> list[Bar]:
    """What is to hold: even keys scale, and CPU goes with events."""
    even = next(one for one in found if (one.exponent, one.remedy, one.cores) == (0.0, "one query", 64))
    return [
        at_least("times as fast with 64 cores, even keys", even.times, 0.85 * 64),
        at_least("busiest shard, CPU as a part of what its events let expect", min(checked), 0.7),
        at_most("busiest shard, CPU as a part of what its events let expect", max(checked), 1.3),
    ]


if __name__ == "__main__":
    main()
