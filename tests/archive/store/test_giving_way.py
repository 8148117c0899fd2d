"""Loads of the store, and threads that put its files together, give way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from kaicep.archive.store.giving_way import GivingWay

_LOADS = """
import os, sys, threading
from functools import partial
from pathlib import Path
import pyoxigraph as ox
from kaicep.archive.store.giving_way import COMPACTING, GivingWay
loads, loader = GivingWay(), []
loads.run(lambda: loader.append(threading.get_native_id()))
store = ox.Store(sys.argv[1])
for load in range(12):
    quads = b"".join(b"<urn:s:%d> <urn:p> <urn:o> <urn:g> .\\n" % (load * 1000 + number) for number in range(1000))
    loads.run(partial(store.bulk_load, quads, format=ox.RdfFormat.N_QUADS))
for thread in Path("/proc/self/task").iterdir():
    name, number = (thread / "comm").read_text().strip(), int(thread.name)
    what = name if name == COMPACTING else "loader" if number in loader else "other"
    print(what, os.getpriority(os.PRIO_PROCESS, number) - os.getpriority(os.PRIO_PROCESS, os.getpid()))
"""

_ENDS = """
import atexit, threading, time
from kaicep.archive.store.giving_way import GivingWay
loads, ending = GivingWay(), threading.Event()
def load():
    ending.wait()
    loads.run(lambda: print("done", flush=True))
thread = threading.Thread(target=load, daemon=True)
thread.start()
atexit.register(lambda: (ending.set(), thread.join(10)))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="Linux alone has a priority for each thread")
@pytest.mark.parametrize(("nice", "less"), [(0, "10"), (14, "5")], ids=["as others", "the whole process gives way"])
def test_they_have_what_others_leave(tmp_path: Path, nice: int, less: str) -> None:
    """And no other thread has another priority than before."""
    command = ["nice", "-n", str(nice), sys.executable, "-c", _LOADS, str(tmp_path / "store")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {tuple(line.split()) for line in told.splitlines()}
    assert found == {("rocksdb:low", less), ("loader", less), ("other", "0")}


def test_what_is_raised_there_is_raised_here() -> None:
    """And the next call is done."""
    loads, done = GivingWay(), []
    with pytest.raises(ZeroDivisionError):
        loads.run(lambda: done.append(1 // 0))
    loads.run(lambda: done.append(2))
    loads.close()
    assert done == [2]


def test_what_a_program_does_at_its_end_is_done() -> None:
    """Pools take no more then; a store whose load is refused would be taken for a damaged one, and set aside."""
    told = subprocess.run([sys.executable, "-c", _ENDS], capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == ("done\n", "")
