"""A killed writer: what was acknowledged is there, and nothing by half."""

from __future__ import annotations

import random
import time
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive.log import EventLog
from kaicep.archive.sparql import Solutions, SparqlRequest
from kaicep.archive.store import OxigraphStore
from kaicep.archive.store.store_metadata import CommittedOffset
from support.archive_writer import EVENTS, MATCHES
from support.archives import NINE, SECOND, STREAM, opened
from support.processes import process
from support.sampling import some_of

COUNT = "SELECT (COUNT(?e) AS ?n) { ?e a e:AirflowReport }"


def _events_of(progress: CommittedOffset | None) -> int:
    """How many readings a store with this progress holds; in each batch they come before the event of `other`."""
    return 0 if progress is None else EVENTS * progress.position.batch + min(progress.rows, EVENTS)


@pytest.mark.parametrize("seed", some_of(range(4), 1))
def test_kill_9_loses_no_acknowledged_batch_and_leaves_none_half_written(tmp_path: Path, seed: int) -> None:
    moment = random.Random(seed)
    with process("archive_writer", tmp_path) as writer:
        assert writer.stdout is not None
        acknowledged = int(writer.stdout.readline())
        time.sleep(moment.uniform(0, 0.4))
        writer.kill()
        acknowledged = max([acknowledged, *map(int, writer.stdout.read().split())])
    log = EventLog(tmp_path / "var/archive/log")
    sizes = [log.read_batch(position)[STREAM].num_rows for position in log.positions()]
    assert sizes == [EVENTS] * len(sizes)
    assert len(sizes) in (acknowledged + 1, acknowledged + 2)
    store = OxigraphStore(tmp_path / "var/archive/store", timedelta(minutes=1))
    held, progress = store.answer(SparqlRequest(COUNT), {"e": "http://e/"}), store.committed()
    store.close()
    assert isinstance(held, Solutions)
    assert held.rows == [(_events_of(progress),)]
    with opened(tmp_path) as archive:
        archive.flush()
        whole = archive.query("SELECT (COUNT(?t) AS ?n) (MAX(?t) AS ?last) { ?e a e:AirflowReport ; e:time ?t }")
        assert isinstance(whole, Solutions)
        assert whole.rows == [(EVENTS * len(sizes), NINE + (EVENTS * len(sizes) - 1) * SECOND)]
        matches = archive.matches.log
        kept = [matches.batch_rows(position) for position in matches.positions()]
        assert kept == [MATCHES] * len(kept)
        assert acknowledged + 1 <= len(kept) <= len(sizes)
        found = archive.query("SELECT (COUNT(?m) AS ?n) { ?m a kaicep:Match }")
        assert isinstance(found, Solutions)
        assert found.rows == [(MATCHES * len(kept),)]
