"""Rows are not written a second time behind those of an engine whose state is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from kaicep import PipelineError
from kaicep.commands.jobs import existing_output
from kaicep.commands.jobs.existing_output import settle_existing_output
from kaicep.config import Settings

REFUSED = (
    "{out} has rows already, and the project begins anew: its state, {state}, knows nothing of them. "
    "All sources would be read from their start, and rows written a second time: "
    "move it away, restore the state, or write behind its rows with --append"
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.parse({}, root=tmp_path)


def lines(folder: Path) -> Path:
    path = folder / "rows.jsonl"
    path.write_text('{"x": 1}\n')
    return path


def batches(folder: Path) -> Path:
    (folder / "rows" / "high").mkdir(parents=True)
    (folder / "rows" / "high" / "000000000001.parquet").write_text("PAR1")
    return folder / "rows"


@pytest.mark.parametrize("make", [lines, batches])
def test_what_has_rows_is_refused_where_nobody_can_be_asked(tmp_path: Path, settings: Settings, make: object) -> None:
    assert callable(make)
    out = make(tmp_path)
    with pytest.raises(PipelineError) as caught:
        settle_existing_output(str(out), settings, append=False)
    assert str(caught.value) == REFUSED.format(out=out, state=tmp_path / "var/state")
    settle_existing_output(str(out), settings, append=True)
    assert existing_output._with_rows(out)


@pytest.mark.parametrize(
    "trace",
    ["state/queries/position.json", "state/snapshots/000000000003.snapshot", "archive/log/a/1.parquet"],
)
def test_an_engine_that_goes_on_knows_its_rows(tmp_path: Path, settings: Settings, trace: str) -> None:
    left = tmp_path / "var" / trace
    left.parent.mkdir(parents=True)
    left.touch()
    settle_existing_output(str(lines(tmp_path)), settings, append=False)


def test_what_has_no_rows_is_written_without_a_word(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "folder").mkdir()
    for out in (None, "-", str(tmp_path / "empty.jsonl"), str(tmp_path / "folder"), str(tmp_path / "new.jsonl")):
        settle_existing_output(out, settings, append=False)


@pytest.mark.parametrize(("answers", "kept"), [((True,), False), ((False, True), True)])
def test_on_a_terminal_it_is_asked(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch, answers: tuple[bool, ...], kept: bool
) -> None:
    given, asked = iter(answers), []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return next(given)

    _on_a_terminal(monkeypatch, confirm)
    out = lines(tmp_path)
    settle_existing_output(str(out), settings, append=False)
    assert (asked, out.exists()) == (["Remove what it has first?", "Write behind it?"][: len(answers)], kept)


def test_on_a_terminal_it_may_be_left(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    _on_a_terminal(monkeypatch, lambda *_, **__: False)
    out = lines(tmp_path)
    with pytest.raises(PipelineError, match=r"rows\.jsonl was left as it is: name another place with --out"):
        settle_existing_output(str(out), settings, append=False)
    assert out.read_text() == '{"x": 1}\n'


def _on_a_terminal(monkeypatch: pytest.MonkeyPatch, confirm: object) -> None:
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)
    monkeypatch.setattr(typer, "confirm", confirm)
