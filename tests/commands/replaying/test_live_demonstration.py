"""The live demonstration, as somebody runs it: stopped and started; each match is there once."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from kaicep import PipelineError
from kaicep.commands.replaying import run_live_demo
from kaicep.commands.replaying.live_demonstration import shortened
from kaicep.examples import control_room
from playwright.sync_api import Page, expect
from support.brokers import free_port
from support.browsers import PATIENCE_MS, browser
from support.command_line import kaicep, wait_for, write_project
from support.servers import ask

expect.set_options(timeout=PATIENCE_MS)
_PICTURES = Path(__file__).resolve().parents[3] / "build" / "page"


@contextmanager
def live(folder: Path, speed: str = "600x", port: int = 0) -> Iterator[str]:
    """The demonstration so much faster than it was, and its address; ended by Ctrl-C."""
    words = kaicep("demo", "--live", "--folder", folder, "--speed", speed, "--port", str(port))
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        found = re.search(r"http://\S+", said)
        assert found is not None, said
        try:
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            assert process.wait() == 0


def posted(folder: Path) -> str:
    file = folder / "var" / "posted.txt"
    return file.read_text() if file.exists() else ""


def matches(folder: Path) -> list[dict[str, object]]:
    file = folder / "matches.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def raised(url: str) -> bool:
    """Whether there is the alarm of that night, whatever became of it; a server that is busy is asked again."""
    answer = ask(f"{url}/alarms")
    return answer.status == 200 and any(one["raised"] > "2021-12-15T17" for one in answer.json)


def hours(rows: list[dict[str, object]]) -> Counter[tuple[object, object]]:
    """Of how many rows each room has how many of each hour."""
    return Counter((row["room"], row["_time"]) for row in rows if row["_query"] == "lightingPerHour")


def prepared(folder: Path) -> None:
    """Its project, with a day of the past, which is enough here."""
    control_room.prepare(folder)
    *earlier, _ = sorted((folder / "var" / "inbox" / "reading").iterdir())
    for file in earlier:
        file.unlink()


@pytest.mark.spark
@pytest.mark.slow
def test_it_is_stopped_and_started_without_losing_or_repeating_a_match(tmp_path: Path) -> None:
    """Of each room there is a sum for each hour, once."""
    prepared(tmp_path)
    with live(tmp_path):
        wait_for(lambda: posted(tmp_path) > "2021-12-16T01:10")
    first = posted(tmp_path)
    with live(tmp_path) as url:
        wait_for(lambda: posted(tmp_path) > "2021-12-16T02:10")
        wait_for(lambda: raised(url))
    assert first < posted(tmp_path)
    assert len({one["_id"] for one in matches(tmp_path)}) == len(matches(tmp_path))
    found = hours(matches(tmp_path))
    rooms = {room for room, _ in found}
    ends = sorted({str(end) for _, end in found})
    assert len(rooms) == 3
    assert set(found.values()) == {1}
    assert len(found) == len(rooms) * len(ends)
    every = pl.Series(ends).str.to_datetime(time_zone="UTC").diff().drop_nulls()
    assert every.n_unique() == 1, "no hour is missing"


_OWN = "energyOfMine"
_YESTERDAY = """PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
SELECT ?time ?room ?kwh
WHERE { ?match a kaicep:Match ; prov:generatedAtTime ?time ;
          kaicep:attribute:lightingPerHour:room ?room ; kaicep:attribute:lightingPerHour:kwh ?kwh
        FILTER (?time < "2021-12-16T00:00:00+08:00"^^xsd:dateTime) }
ORDER BY DESC(?time) LIMIT 50"""


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.xdist_group("chromium")
def test_a_new_user_gets_along_with_it(tmp_path: Path) -> None:
    """Sees matches come, acknowledges an alarm, writes a query from an example, makes a typo, finds yesterday's cases.

    The server is stopped and started beneath the page, which goes on by itself; of the query no row is lost or there
    twice: they are those that a trial over the archive finds.
    """
    prepared(tmp_path)
    port = free_port()
    with browser() as chromium, ExitStack() as first:
        url = first.enter_context(live(tmp_path, "120x", port))
        page = chromium.new_context(viewport={"width": 1440, "height": 900}, timezone_id="Asia/Singapore").new_page()
        page.set_default_timeout(2 * PATIENCE_MS)
        page.goto(url)
        _see_matches_come(page)
        _acknowledge(page)
        _write_a_query(page)
        _find_what_was(page)
        page.goto(f"{url}/#/live/{_OWN}")
        expect(page.locator(".feed tbody tr").first).to_be_visible()
        first.close()
        expect(page.locator(".connection")).to_contain_text("cannot be reached")
        before = {one["_id"] for one in rows(tmp_path, _OWN)}
        with live(tmp_path, "120x", port):
            expect(page.locator(".connection")).to_contain_text("connected")
            ends = len(hours_of(tmp_path))
            wait_for(lambda: len(hours_of(tmp_path)) >= ends + 2)
            fresh = rows(tmp_path, _OWN)[-1]
            expect(page.get_by_role("link", name=f"Why {fresh['_id']}")).to_be_attached()
            page.screenshot(path=_PICTURES / "walk-again.png")
            tried = _tried(url, ask(f"{url}/queries/{_OWN}").json["text"])
            who = [one["who"] for one in ask(f"{url}/alarms").json if one["who"]]
    assert who == ["Grace"]
    found = rows(tmp_path, _OWN)
    assert before < {one["_id"] for one in found}
    assert len({one["_id"] for one in matches(tmp_path)}) == len(matches(tmp_path))
    begin, *_, end = hours_of(tmp_path)  # it came amid the first hour
    assert Counter(map(_said, found)) & Counter(map(_said, tried)) == Counter(
        _said(one) for one in found if begin < one["_time"]
    )
    assert Counter(_said(one) for one in tried if begin < one["_time"] <= end) == Counter(
        _said(one) for one in found if begin < one["_time"]
    )


def rows(folder: Path, query: str) -> list[dict[str, Any]]:
    return [one for one in matches(folder) if one["_query"] == query]


def hours_of(folder: Path) -> list[str]:
    """The ends of the hours of which there are rows of the user's query, in their order."""
    return sorted({one["_time"] for one in rows(folder, _OWN)})


def _said(row: dict[str, Any]) -> tuple[object, ...]:
    return row["_time"], row["equipment"], row["readings"], round(row["kwh"], 6)


def _see_matches_come(page: Page) -> None:
    page.get_by_role("link", name=re.compile("^lightingPerHour")).click()
    expect(page.locator(".chart canvas")).to_be_visible()
    newest = page.locator(".feed tbody tr").first
    before = newest.inner_text()
    expect(newest).not_to_have_text(before)
    page.screenshot(path=_PICTURES / "walk-live.png")


def _acknowledge(page: Page) -> None:
    """The engine reads what the button has said."""
    page.get_by_label("Your name").fill("Grace")
    page.get_by_role("button", name="Acknowledge the alarm of room2").click()
    expect(page.locator(".alarm.acknowledged")).to_contain_text("seen by Grace")
    page.screenshot(path=_PICTURES / "walk-alarm.png")


def _write_a_query(page: Page) -> None:
    """From an example, whose own name is taken; with a typo on the way."""
    page.get_by_role("link", name="Query", exact=True).click()
    page.get_by_label("Start from an example").select_option("6_energy_per_hour")
    expect(page.locator(".verdict.good")).to_contain_text("No errors")
    page.get_by_role("button", name="Register").click()
    expect(page.locator(".problem")).to_contain_text("such as energyPerHour2")
    page.locator(".cm-line", has_text="CREATE QUERY").click()
    _write_line(page, f"CREATE QUERY {_OWN} AS")
    expect(page.locator(".problem")).to_have_count(0)
    page.locator(".cm-line", has_text="HAVING").click()
    _write_line(page, "HAVING SUM(?e.valeu) > 0")
    expect(page.locator(".cm-lintRange-error")).to_have_text("valeu")
    expect(page.locator(".verdict.bad")).to_contain_text("did you mean 'value'")
    page.screenshot(path=_PICTURES / "walk-typo.png")
    page.locator(".cm-lintRange-error").hover()
    page.get_by_role("button", name="Write value").click()
    expect(page.locator(".verdict.good")).to_contain_text("No errors")
    page.get_by_role("button", name="the last day").click()
    expect(page.locator(".result-count")).to_contain_text(re.compile(r"^\d\d+ matches in the last day"))
    page.screenshot(path=_PICTURES / "walk-trial.png")
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("heading", name=_OWN, level=2)).to_be_visible()


def _write_line(page: Page, text: str) -> None:
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.type(text, delay=5)
    page.keyboard.press("Escape")  # whatever is offered to complete it


def _find_what_was(page: Page) -> None:
    """Yesterday's lights in the archive, and why one of these hours is there."""
    page.get_by_role("link", name="Archive", exact=True).click()
    expect(page.locator(".band.covered").first).to_be_visible()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(_YESTERDAY)
    page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.get_by_role("region", name="Answer")
    expect(answer.locator("tbody tr").first).to_contain_text("2021-12-15")
    page.screenshot(path=_PICTURES / "walk-yesterday.png")
    page.get_by_role("link", name="Live", exact=True).click()
    page.get_by_role("link", name=re.compile("^lightingPerHour")).click()
    page.locator("td.more a").last.click()
    expect(page.locator(".reasons").first).to_contain_text("rooms.ttl")
    page.screenshot(path=_PICTURES / "walk-why.png")


def _tried(url: str, text: str) -> list[dict[str, Any]]:
    """What a trial of a query over the last day finds."""
    body = json.dumps({"text": text, "last": "1d"})
    job = ask(f"{url}/try", "POST", body, Content_Type="application/json").json["job"]
    wait_for(lambda: ask(f"{url}/jobs/{job}").json["state"] == "done")
    found = ask(f"{url}/jobs/{job}").json["result"]
    assert len(found["rows"]) == found["count"]
    return list(found["rows"])


def test_a_folder_of_another_project_is_left_alone(tmp_path: Path) -> None:
    write_project(tmp_path)
    with pytest.raises(PipelineError, match="holds another project"):
        run_live_demo(tmp_path, "60x", 0)
    assert not (tmp_path / "var").exists()


def test_a_weekend_without_readings_lasts_no_longer_than_an_hour() -> None:
    """The recording has one; all else keeps its pace, and its time stamps."""
    times = control_room.readings()["timestamp"].unique(maintain_order=True).to_list()
    steps = {later - earlier for earlier, later in pairwise(shortened(times))}
    assert steps == {timedelta(minutes=5), timedelta(hours=1)}
    assert shortened(times[:1])[0].isoformat() == times[0]
    assert shortened([]) == []
