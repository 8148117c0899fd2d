"""The engine is begun, begun again when it ends, and told to end; never beside another one."""

from __future__ import annotations

from pathlib import Path

from kaicep.server.engine_process import EngineProcess
from support.command_line import wait_for

STEADY = "trap 'echo ended >> {0}; exit 0' TERM; echo begun >> {0}; while :; do sleep 0.05; done"
SHORT = "echo begun >> {0}; exit 3"
STUBBORN = "trap '' TERM; echo begun >> {0}; while :; do sleep 0.05; done"


def engine(script: str, note: Path, said: list[str], *, elsewhere: bool = False) -> EngineProcess:
    return EngineProcess(["sh", "-c", script.format(note)], lambda: elsewhere, said.append, first_pause=0.05)


def lines(note: Path) -> list[str]:
    return note.read_text().split() if note.exists() else []


def test_it_is_begun_and_told_to_end(tmp_path: Path) -> None:
    said: list[str] = []
    one = engine(STEADY, tmp_path / "note", said)
    one.start()
    wait_for(lambda: bool(said) and lines(tmp_path / "note") == ["begun"])
    process = one.process
    one.stop()
    assert said == [f"the engine is process {process}"]
    assert lines(tmp_path / "note") == ["begun", "ended"]
    assert one.process is None


def test_one_that_ends_is_begun_again(tmp_path: Path) -> None:
    said: list[str] = []
    one = engine(SHORT, tmp_path / "note", said)
    one.start()
    wait_for(lambda: len(lines(tmp_path / "note")) >= 3)
    one.stop()
    ends = [line for line in said if "ended" in line]
    assert ends[:2] == [
        "the engine has ended, exit code 3; it is begun again in 0.05 s",
        "the engine has ended, exit code 3; it is begun again in 0.1 s",
    ]


def test_none_is_begun_beside_another(tmp_path: Path) -> None:
    said: list[str] = []
    one = engine(STEADY, tmp_path / "note", said, elsewhere=True)
    one.start()
    wait_for(lambda: bool(said))
    one.stop()
    assert said == ["an engine of the project runs already: it goes on when this server ends"]
    assert (lines(tmp_path / "note"), one.process) == ([], None)


def test_one_that_does_not_end_is_killed(tmp_path: Path) -> None:
    said: list[str] = []
    one = engine(STUBBORN, tmp_path / "note", said)
    one.start()
    wait_for(lambda: lines(tmp_path / "note") == ["begun"])
    one.stop(patience=0.1)
    assert said[-1] == "the engine does not end; it is killed"
    assert one.process is None


def test_one_that_was_never_started_is_stopped_at_once(tmp_path: Path) -> None:
    engine(STEADY, tmp_path / "note", []).stop()
