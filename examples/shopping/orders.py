"""Orders of a web shop, generated: what happens to each, step by step (H2O, section II.A).

An order is created, the stock is checked, it is paid and delivered, and the customer is told. Most of this
is done within two hours; one order in ten stops on its way.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl

from ..project import write_parts

__all__ = ["SEED", "STEPS", "tasks", "write_tasks"]

SEED = 2013
STEPS = ("order", "stock", "payment", "delivery", "notice")
PRODUCTS = ("bread", "milk", "pear", "novel", "atlas", "lamp", "radio")
BEGIN = datetime(2026, 3, 2, 8, tzinfo=UTC)

_MEAN_MINUTES = {"stock": 2.0, "payment": 10.0, "delivery": 55.0, "notice": 4.0}
_BETWEEN_ORDERS_S = 20.0
_STOPS = 0.025
"""How likely an order goes no further, at each step."""


def tasks(hours: int = 5, seed: int = SEED) -> pl.DataFrame:
    """The tasks in order of time.

    Args:
        hours: for so long orders come; what is not done then is not there.
        seed: equal seeds give equal tasks.

    Returns:
        Columns: at (moments in UTC, whole seconds), order (its number), task (of `STEPS`), customer, product.
    """
    rows = sorted(_tasks(random.Random(seed), BEGIN + timedelta(hours=hours)))
    return pl.DataFrame(rows, schema=["at", "order", "task", "customer", "product"], orient="row")


def _tasks(source: random.Random, end: datetime) -> Iterator[tuple[datetime, int, str, str, str]]:
    at, number = BEGIN, 0
    while (at := at + timedelta(seconds=source.expovariate(1 / _BETWEEN_ORDERS_S))) < end:
        number += 1
        customer, product = f"c{source.randrange(200)}", source.choice(PRODUCTS)
        moment = at.replace(microsecond=0)
        for step in STEPS:
            if step != "order":
                minutes = source.gammavariate(3.0, _MEAN_MINUTES[step] / 3.0)
                moment += timedelta(seconds=1 + round(60 * minutes))
            if moment >= end or (step != "order" and source.random() < _STOPS):
                break
            yield moment, number, step, customer, product


def write_tasks(folder: Path, files: int, *, hours: int = 5, seed: int = SEED) -> None:
    """Write the tasks as JSON lines, each file with those of one stretch of time.

    Args:
        folder: where they go, made if it is not there.
        files: their number.
        hours: for so long orders come.
        seed: equal seeds give equal tasks.
    """
    frame = tasks(hours, seed).with_columns(pl.col("at").dt.strftime("%Y-%m-%dT%H:%M:%SZ"))
    write_parts(frame, folder, files, "json")
