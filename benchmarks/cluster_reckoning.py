"""What larger clusters would do, reckoned from what was measured on two cores: all of it is extrapolated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import linear_regression

from .cluster_runs import Measured

CORES = (10, 100, 1_000)
ROWS_A_CORE = 500_000
"""Of a batch, as in the largest batches on two cores."""


@dataclass(frozen=True, slots=True)
class Rates:
    """CPU milliseconds, fitted to the runs on two workers.

    Attributes:
        driver_batch: of the driver, whatever the batch has.
        driver_part: likewise, for each part: a file, a task of each job, a shard of each query.
        driver_event: likewise, for each event, with the rows that it brings.
        driver_quiet_event: likewise, where no query gives rows.
        executors_batch: of executors.
        executors_part: likewise.
        executors_event: likewise.
        bytes_event: in files between tasks.
        quiet_bytes_event: likewise, where no query gives rows.
    """

    driver_batch: float
    driver_part: float
    driver_event: float
    driver_quiet_event: float
    executors_batch: float
    executors_part: float
    executors_event: float
    bytes_event: float
    quiet_bytes_event: float


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A cluster, with a part for each core and a batch that grows with it.

    Attributes:
        cores: how many.
        rows: of a batch.
        quiet: no query gives rows.
        driver: CPU milliseconds of the driver a batch.
        executors: of each core.
        share: of the driver in all CPU.
        rate: events a second, if the driver and the cores work one after the other and nothing else limits them.
        most: events a second that the driver could take if cores were for nothing.
        between: bytes a second in files between tasks, at that rate.
    """

    cores: int
    rows: int
    quiet: bool
    driver: float
    executors: float
    share: float
    rate: float
    most: float
    between: float


def fitted(small: Measured, large: Measured, quiet: tuple[Measured, Measured], parts: Sequence[Measured]) -> Rates:
    """The rates that measured batches follow.

    Args:
        small: batches of the seven queries with two parts.
        large: likewise, with more rows.
        quiet: both, where no query gives rows.
        parts: small batches with more and more parts, those with two among them.
    """
    many = [one.run.parts for one in parts]
    driver_part = max(linear_regression(many, [one.driver for one in parts]).slope, 0.0)
    executors_part = max(linear_regression(many, [one.total - one.driver for one in parts]).slope, 0.0)
    driver_event, executors_event = _slope(small, large), _slope(small, large, executors=True)
    executors = small.total - small.driver
    return Rates(
        max(small.driver - driver_event * small.run.rows - driver_part * small.run.parts, 0.0),
        driver_part,
        driver_event,
        _slope(*quiet),
        max(executors - executors_event * small.run.rows - executors_part * small.run.parts, 0.0),
        executors_part,
        executors_event,
        *(sum(one.between.values()) / one.run.rows for one in (large, quiet[1])),
    )


def reckoned(rates: Rates) -> list[Reckoned]:
    """Clusters of more cores, with rows and without."""
    return [_reckoned(rates, cores, quiet=quiet) for quiet in (False, True) for cores in CORES]


def _reckoned(rates: Rates, cores: int, *, quiet: bool) -> Reckoned:
    rows = ROWS_A_CORE * cores
    event = rates.driver_quiet_event if quiet else rates.driver_event
    left = rates.quiet_bytes_event if quiet else rates.bytes_event
    driver = rates.driver_batch + rates.driver_part * cores + event * rows
    executors = rates.executors_batch + rates.executors_part * cores + rates.executors_event * rows
    rate = 1_000 * rows / (driver + executors / cores)
    return Reckoned(
        cores, rows, quiet, driver, executors / cores, driver / (driver + executors), rate, 1_000 * rows / driver,
        rate * left,
    )  # fmt: skip


def _slope(small: Measured, large: Measured, *, executors: bool = False) -> float:
    """Milliseconds for one more event."""
    less, more = ((one.total - one.driver if executors else one.driver) for one in (small, large))
    return max((more - less) / (large.run.rows - small.run.rows), 0.0)
