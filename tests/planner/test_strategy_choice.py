"""Which strategy answers the past, and the reason that is given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kaicep.archive import ReadView
from kaicep.errors import PlanError
from kaicep.planner import BackfillRequest, Choice, Strategy, choose
from kaicep.planner.backfill_chunks import TimeRange
from support import doors
from support.archives import NINE, SECOND
from support.doors import PATTERN, SELECTION


def chosen(folder: Path, text: str, strategy: Strategy | None = None, **archive: object) -> Choice:
    project = doors.project(folder, **archive)
    query = doors.compiled(project, text)
    with doors.filled(project) as archived:
        view: ReadView = archived
        columns, border = {"door": frozenset({"seconds"})}, NINE + 150 * SECOND
        return choose(view, BackfillRequest((query,), TimeRange(None, None), columns, {"door": border}), strategy)


@pytest.mark.parametrize("strategy", Strategy)
def test_what_is_asked_for_is_chosen(tmp_path: Path, strategy: Strategy) -> None:
    choice = chosen(tmp_path, SELECTION, strategy)
    assert str(choice) == f"{strategy}: it was asked for"


def test_a_short_past_is_replayed(tmp_path: Path) -> None:
    assert str(chosen(tmp_path, SELECTION)) == "replay: about 0.00056 s (200 events in 1 segment)"


def test_the_cheapest_is_chosen_and_all_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.planner.strategy_choice._QUICK", 0.0)
    choice = chosen(tmp_path, SELECTION)
    assert choice.strategy is Strategy.REPLAY
    compared = [part.split(" about ")[0] for part in choice.reason.split("; ")]
    assert compared[0] == "replay"
    assert set(compared) == set(Strategy)


@pytest.mark.slow
def test_why_a_strategy_cannot_is_a_part_of_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.planner.strategy_choice._QUICK", 0.0)
    text = f"{PATTERN} AFTER MATCH SKIP PAST LAST EVENT"
    assert chosen(tmp_path, text).reason.endswith(
        "; rewrite cannot: AFTER MATCH chooses among matches one after the other"
    )
    no_store = chosen(tmp_path / "log", text, store=False)
    assert no_store.reason.endswith("; hybrid cannot: the archive has no store")
    with pytest.raises(PlanError) as refused:
        chosen(tmp_path / "asked", text, Strategy.REWRITE)
    assert str(refused.value) == (
        "strategy 'rewrite' cannot answer this query: AFTER MATCH chooses among matches one after the other: "
        "leave the choice to the planner, or ask for replay"
    )


@pytest.mark.slow
def test_rewriting_that_would_take_minutes_is_refused_also_when_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chosen(tmp_path / "short", PATTERN, Strategy.REWRITE).strategy is Strategy.REWRITE
    monkeypatch.setattr("kaicep.planner.cost._PAIR", 1.0)
    with pytest.raises(PlanError) as refused:
        chosen(tmp_path / "long", PATTERN, Strategy.REWRITE)
    begin = r"strategy 'rewrite' cannot answer this query: SPARQL would take about [\d,]+ s for it, "
    end = "and 60 s is the most: leave the choice to the planner, or ask for replay"
    assert re.fullmatch(begin + end, str(refused.value))
