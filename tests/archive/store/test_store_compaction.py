"""Threads that put files of the store together give way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_LOADS = """
import os, sys
from pathlib import Path
import pyoxigraph as ox
from kaicep.archive.store.store_compaction import COMPACTING, let_compaction_give_way
store = ox.Store(sys.argv[1])
for load in range(12):
    quads = b"".join(b"<urn:s:%d> <urn:p> <urn:o> <urn:g> .\\n" % (load * 1000 + number) for number in range(1000))
    store.bulk_load(quads, format=ox.RdfFormat.N_QUADS)
let_compaction_give_way()
for thread in Path("/proc/self/task").iterdir():
    name = (thread / "comm").read_text().strip()
    print(name if name == COMPACTING else "other", os.getpriority(os.PRIO_PROCESS, int(thread.name)))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="Linux alone has a priority for each thread")
def test_they_have_what_others_leave(tmp_path: Path) -> None:
    """And no other thread has another priority than before."""
    command = [sys.executable, "-c", _LOADS, str(tmp_path / "store")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert {tuple(line.split()) for line in told.splitlines()} == {("rocksdb:low", "10"), ("other", str(own))}
