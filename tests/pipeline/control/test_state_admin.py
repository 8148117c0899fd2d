"""A running engine is asked for the states of its queries between its batches."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from kaicep.errors import QueryTypeError
from kaicep.pipeline.asking import ask_stopped
from kaicep.pipeline.control import Requests, asking_folder, rows_told
from support.asked_engine import ASKED, TEXT, AskedEngine, batches


@pytest.mark.long
def test_states_between_batches_are_those_of_recorded_streams(tmp_path: Path) -> None:
    """Each after some batches, of a stopped engine, and of one that has just begun again."""
    engine, seen = AskedEngine(tmp_path, TEXT), dict[str, list[dict[str, Any]]](S=[], P=[])
    found = 0
    for number, batch in enumerate(batches()):
        for name, rows in batch.items():
            seen[name] += rows
        engine.deliver(**batch)
        if number == 2:
            engine.stop()
            engine.start()
        for asked in ASKED:
            rows, at = _answer(asked, engine.states.ask)
            if at is not None:
                assert rows == list(engine.project.evaluate(f"{TEXT};{asked}", seen, ask_at=at)), (asked, at)
                found += 1
    expected = {asked: list(engine.states.ask(asked)) for asked in ASKED}
    engine.stop()
    for asked, rows in expected.items():
        assert rows == list(ask_stopped(engine.project, asked, "query", engine.queries, print))
    assert found > 20


def _answer(asked: str, ask: Any) -> tuple[list[dict[str, Any]], datetime | None]:
    rows = list(ask(asked))
    return rows, rows[0]["_asked"] if rows else None


def test_another_process_asks_and_hears_what_is_wrong(tmp_path: Path) -> None:
    engine = AskedEngine(tmp_path, TEXT)
    engine.deliver(**next(batches()))
    requests = Requests(asking_folder(engine.project.settings))
    told = rows_told(requests.ask({"ask": ASKED[2], "source": "asked.chi"}), {})
    assert list(told) == list(engine.states.ask(ASKED[2]))
    with pytest.raises(QueryTypeError, match=r"asked\.chi:1:"):
        requests.ask({"ask": "SELECT ?x.id FROM (?x, STATE(pears))", "source": "asked.chi"})
    engine.stop()
