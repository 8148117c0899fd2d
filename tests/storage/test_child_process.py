"""A process that answers for another one: bounded in memory, and not there any more when nobody asks."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kaicep.storage import ChildProcess

PATH = {**os.environ, "PYTHONPATH": os.pathsep.join(folder for folder in sys.path if folder)}
CHILD = "from kaicep.storage import serve_parent; serve_parent(%d); "
ANSWERS = """
import os
import sys
from multiprocessing.connection import Connection

import kaicep

def main(number):
    connection = Connection(number)
    print("what it prints is no row", flush=True)
    while True:
        try:
            connection.send((connection.recv(), os.getcwd(), sys.stdin.read()))
        except EOFError:
            return
"""


def answers(number: int) -> list[str]:
    return ["-c", f"import answers; answers.main({number})"]


def hangs(number: int) -> list[str]:
    return ["-c", f"from multiprocessing.connection import Connection; Connection({number}).recv()"]


def test_it_answers_in_its_folder_and_prints_no_rows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "answers.py").write_text(ANSWERS)
    child = ChildProcess(answers, tmp_path)
    for asked in ("one", "two"):
        child.connection.send(asked)
        assert child.connection.recv() == (asked, str(tmp_path), "")
    assert child.runs
    child.close()
    assert not child.runs
    assert child.connection.closed
    assert capfd.readouterr() == ("", "what it prints is no row\n")


def test_whoever_waits_for_one_that_is_killed_meets_the_end() -> None:
    child = ChildProcess(hangs)
    child.kill()
    with pytest.raises(EOFError):
        child.connection.recv()
    child.close()
    child.kill()  # it may come again


def test_it_ends_when_nobody_has_it_any_more() -> None:
    child = ChildProcess(hangs)
    process, connection = child._process, child.connection
    assert child.runs
    del child
    assert process.wait()
    with pytest.raises(EOFError):
        connection.recv()


def test_it_has_no_more_memory_than_it_may_and_gives_way() -> None:
    code = CHILD % 500_000_000 + "import os; print(os.nice(0)); bytearray(100_000_000); bytearray(900_000_000)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=PATH, check=False)
    assert int(found.stdout) >= min(19, os.nice(0) + 5)
    assert found.stderr.endswith("MemoryError\n")


@pytest.mark.slow
def test_ctrl_c_is_for_the_one_that_asks() -> None:
    """A terminal sends it to both."""
    program = f"{CHILD % 2**30}import os, signal; os.kill(os.getpid(), signal.SIGINT); print('goes on')"
    done = subprocess.run([sys.executable, "-c", program], env=PATH, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("goes on\n", "")


def test_it_ends_when_the_one_that_asked_was_killed() -> None:
    """Also while it is at work."""
    work = CHILD % 2**32 + "print(flush=True)\nwhile True: pass"
    parent = (
        "import subprocess, sys, time; "
        f"child = subprocess.Popen([sys.executable, '-c', {work!r}], stdout=subprocess.PIPE); "
        "child.stdout.read(1); print(child.pid, flush=True); time.sleep(600)"
    )
    asking = subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, env=PATH)
    with asking:
        assert asking.stdout is not None
        child = int(asking.stdout.readline())
        asking.kill()
    while _works(child):  # as long as it takes, on a busy machine
        time.sleep(0.05)


def _works(child: int) -> bool:
    try:
        return Path(f"/proc/{child}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except FileNotFoundError:
        return False
