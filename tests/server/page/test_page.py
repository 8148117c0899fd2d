"""The page in a real Chromium: what it shows, by keyboard, on laptop and phone, light and dark, for screen readers.

Pictures of each view are left in `build/page/`.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect
from support.browsers import PATIENCE_MS, Complaints, browser, fake_server
from support.building_answers import ANSWERS
from support.building_rows import QUERIES, chart, matches
from support.fake_api import fake_api

_PICTURES = Path(__file__).resolve().parents[3] / "build" / "page"
_SIZES = {"laptop": (1440, 900), "phone": (390, 844)}
_TOKEN = "0123456789abcdef"  # noqa: S105 - of a fake server
_ROOM = "https%3A%2F%2Fexample.org%2Frobod%23room1"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("chromium")]
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture
def url() -> Iterator[str]:
    with fake_server(fake_api(pace_s=0.3)) as found:
        yield found


def _opened(
    chromium: Browser, url: str, size: str = "laptop", theme: Literal["light", "dark"] = "light", path: str = "/"
) -> tuple[Page, Complaints]:
    width, height = _SIZES[size]
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, timezone_id="Europe/Berlin"
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    complaints = Complaints(page, url)
    page.goto(url + path)
    return page, complaints


def _barriers(page: Page) -> list[str]:
    """What axe finds and calls serious, or worse."""
    found = Axe().run(page).response["violations"]
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    return [f"{one['id']}: {[node['target'] for node in one['nodes']]}" for one in grave]


def _start_from_example(page: Page) -> None:
    page.get_by_label("Start from an example").select_option("Stale air")
    expect(page.locator(".verdict.good")).to_contain_text("No errors")


def test_matches_flow_in_and_a_typo_is_underlined_with_its_way_out(chromium: Browser, url: str) -> None:
    """From opening the page to a query that is registered; nothing is asked of any other server."""
    page, complaints = _opened(chromium, url)
    expect(page.get_by_role("heading", name="lightingPerHour")).to_be_visible()
    rows = page.locator(".feed tbody tr")
    expect(rows.nth(51)).to_be_attached()  # 50 were there, the others came
    expect(page.locator(".feed thead th")).to_have_text(["time", "room", "kwh", "more"])  # as the query has them
    expect(page.locator(".chart canvas")).to_be_visible()
    assert _barriers(page) == []

    page.get_by_role("link", name="Query", exact=True).click()
    page.locator(".cm-content").click()
    page.keyboard.type("CREATE QUERY warm AS SELECT ABS(?e.valeu) AS v FROM (?e, reading)", delay=5)
    expect(page.locator(".cm-lintRange-error")).to_have_text("valeu")
    expect(page.locator(".verdict.bad")).to_contain_text("did you mean 'value' (= sosa:hasSimpleResult)?")
    expect(page.get_by_role("button", name="Register")).to_be_disabled()
    page.locator(".cm-lintRange-error").hover()
    page.get_by_role("button", name="Write value").click()
    expect(page.locator(".verdict.good")).to_be_visible()
    assert _barriers(page) == []
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type(" PATH { ?e sosa:madeBySensor ?s . ?s a brick:CO2_Senser", delay=5)
    expect(page.locator(".cm-lintRange-warning")).to_have_text("brick:CO2_Senser")
    said = "unknown class brick:CO2_Senser – did you mean 'brick:CO2_Sensor'?"
    expect(page.locator(".verdict.warn")).to_contain_text(said)
    page.keyboard.press("Escape")
    page.locator(".cm-lintRange-warning").hover()
    page.get_by_role("button", name="Write brick:CO2_Sensor").click()
    expect(page.locator(".verdict.good")).to_be_visible()
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("heading", name="warm")).to_be_visible()

    page.get_by_role("link", name="Knowledge", exact=True).click()
    expect(page.get_by_role("link", name="Equipment", exact=True)).to_be_visible()
    assert _barriers(page) == []
    page.get_by_role("link", name="Archive", exact=True).click()
    expect(page.locator(".cm-content")).to_be_visible()
    assert _barriers(page) == []
    assert complaints == []


@pytest.mark.long
def test_streams_tell_their_rates_how_far_behind_they_are_and_what_was_not_taken(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url)
    streams = page.locator(".streams > li")
    expect(streams).to_have_count(3)
    reading, desk, weather = streams.all()
    expect(reading.locator(".figure")).to_have_text(["21 /s", "2.1 s lag"])
    expect(reading.locator(".note")).to_have_text("609,316 events · 41 late, 12 repeated, 3 dead letters")
    expect(desk.locator(".figure")).to_have_text(["0.02 /s", "6 min lag"])
    expect(desk.locator(".figure.warn")).to_have_count(1)
    expect(weather.locator(".figure.warn")).to_have_count(0)


@pytest.mark.long
def test_a_chart_is_told_as_a_table_too(chromium: Browser, url: str) -> None:
    """Its extremes and all of its matches stand there, in no more rows than somebody listens to."""
    told = chart("staleAir")
    page, _ = _opened(chromium, url, path="/#/live/staleAir")
    page.get_by_text("The chart as a table", exact=True).click()
    table = page.get_by_role("region", name="The chart as a table")
    expect(table.locator("th")).to_have_text(["since", *(f"{one['name']} [ppm]" for one in told["series"]), "matches"])
    rows = [row.split("\t") for row in table.locator("tbody").inner_text().splitlines()]
    assert 20 < len(rows) <= 50
    assert rows[0][0] == "2026-05-31 16:30:00"  # Berlin
    assert sum(int(row[-1]) for row in rows) == len(told["matches"])
    for column, series in enumerate(told["series"], start=1):
        values = [float(value) for row in rows for value in row[column].split(" to ") if value]
        drawn = [value for _, value in series["points"]]
        assert (min(values), max(values)) == (min(drawn), max(drawn))


@pytest.mark.long
def test_the_archive_shows_what_is_covered_and_its_gaps_and_saves_answers(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/archive")
    bands = page.get_by_role("figure").first
    expect(bands.locator(".track .band.covered")).to_have_count(4)
    gaps = [one.get_attribute("title") or "" for one in bands.locator(".track .band.gap").all()]
    assert [gap.partition("\n")[0] for gap in gaps] == ["a gap", "segments are in quarantine: kaicep repair"]
    bands.get_by_text("as a table").click()
    expect(bands.locator("tbody tr")).to_have_count(6)
    expect(bands.locator("tbody tr", has_text="quarantine")).to_contain_text("reading")
    with page.expect_request("**/sparql") as asked:
        page.get_by_role("button", name="Ask", exact=True).click()
    assert asked.value.headers["accept"] == "application/sparql-results+json, application/problem+json"
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    assert saved.value.suggested_filename == "answer.csv"
    assert saved.value.path().read_bytes() == b"room,ppm\r\nroom1,612\r\n"
    with page.expect_download() as saved:
        page.get_by_role("button", name="JSON").click()
    assert len(json.loads(saved.value.path().read_text())["results"]["bindings"]) == 48


@pytest.mark.long
def test_what_is_wrong_with_sparql_is_underlined_when_it_is_asked(chromium: Browser, url: str) -> None:
    """Until it is mended and asked again."""
    page, _ = _opened(chromium, url, path="/#/archive")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("SELEC ?room {}")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".cm-lintRange-error")).to_have_text("SELEC")
    expect(page.locator(".problem")).to_contain_text("expected here: SELECT")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("SELECT ?room {}")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)


@pytest.mark.long
def test_classes_are_counted_and_individuals_found_by_their_label(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/knowledge")
    expect(page.locator(".tree-row", has_text="Equipment").locator(".number")).to_have_text("24")
    expect(page.locator(".tree-row a", has_text="Agent")).to_have_text(["Agent prov:Agent", "Agent foaf:Agent"])
    page.get_by_role("button", name="Subclasses of Equipment").click()
    expect(page.locator(".tree-row", has_text="VAV").locator(".number")).to_have_text("3")
    page.get_by_role("searchbox").fill("lecture room")
    with page.expect_request("**/individuals?search=lecture+room&*"):
        page.keyboard.press("Enter")
    page.get_by_role("link", name="Lecture room 1").click()
    expect(page.get_by_role("heading", name="Lecture room 1")).to_be_visible()
    expect(page.locator(".neighbourhood svg")).to_contain_text("VAV box 1")
    expect(page.locator("dl")).to_contain_text("151.5")


@pytest.mark.long
def test_a_query_is_tried_on_the_last_hour(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/query")
    _start_from_example(page)
    with page.expect_request("**/try") as sent:
        page.get_by_role("button", name="the last hour").click()
    assert json.loads(sent.value.post_data or "")["last"] == "1h"
    expect(page.locator(".result-count")).to_have_text("12 matches in the last hour")
    expect(page.locator(".result-card tbody tr")).to_have_count(12)
    expect(page.locator(".mapping")).to_contain_text("2 of 73 ids name no individual")
    expect(page.locator(".mapping")).to_contain_text("room4_co2 (like room1_co2), lobby")


@pytest.mark.long
def test_what_is_refused_is_told_of_its_text_and_nobody_is_led_away(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/query")
    _start_from_example(page)
    taken = {"detail": "there is a stream 'staleAir' already", "hint": "call the query something else"}
    page.route("**/queries", lambda route: route.fulfill(status=422, json=taken), times=1)
    page.get_by_role("button", name="Register").click()
    expect(page.locator(".editor-card .problem")).to_contain_text("call the query something else")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# mine")
    expect(page.locator(".editor-card .problem")).to_have_count(0)
    held: list[Route] = []
    page.route("**/queries", lambda route: held.append(route))  # noqa: PLW0108 - Playwright takes no built-in one
    expect(page.get_by_role("button", name="Register")).to_be_enabled()
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("button", name="Being registered …")).to_be_visible()
    page.get_by_role("link", name="Knowledge", exact=True).click()
    held[0].fulfill(status=201, json={"labels": ["staleAir2"], "warnings": []})
    expect(page.locator(".notices")).to_contain_text("staleAir2 is registered.")
    expect(page.get_by_role("searchbox")).to_be_visible()


@pytest.mark.long
def test_a_match_is_told_by_its_events_down_to_file_and_axiom(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path=f"/#/match/staleAir/{matches('staleAir')[0]['_id']}")
    expect(page.locator(".timeline .event")).to_have_count(2)
    first, second = page.locator(".timeline .event").all()
    assert (first.bounding_box() or {"x": 0})["x"] < (second.bounding_box() or {"x": 0})["x"]
    expect(page.locator(".events li").first).to_contain_text("?co2 reading")
    derived = page.locator(".proof", has_text="follows by").first
    expect(derived).to_contain_text("room1 a Lecture_Room follows by subclass (cax-sco), from")
    expect(derived.locator("> ul > .proof")).to_have_text(
        [
            "room1 a Lecture_Hall file: rooms.ttl",
            "Lecture_Hall rdfs:subClassOf Lecture_Room file: vocabulary.ttl",
        ]
    )
    page.route("**/why?*", lambda route: route.fulfill(json=_at_once(route.fetch().json())))
    page.reload()
    expect(page.locator(".match-row")).to_contain_text("2026-06-01 08:00:00 – 2026-06-01 09:00:00")  # Berlin
    expect(page.locator(".timeline .axis span")).to_have_text(["", re.compile(r"\d\d:\d\d:\d\d$"), ""])


def _at_once(told: dict[str, Any]) -> dict[str, Any]:
    """The reasons of a match of a window whose events are of one moment."""
    events = [event | {"time": told["match"]["_time"]} for event in told["events"]]
    window = {"start": "2026-06-01T06:00:00Z", "end": "2026-06-01T07:00:00Z"}
    return told | {"events": events, "match": told["match"] | {"_window": window}}


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", sorted(_SIZES))
def test_every_view_is_for_everybody(chromium: Browser, url: str, size: str, theme: Literal["light", "dark"]) -> None:
    """No serious issue by axe, no word on the console; a picture of each is left."""
    page, complaints = _opened(chromium, url, size, theme)
    found = {}

    def seen(name: str) -> None:
        page.wait_for_timeout(400)  # what is drawn on a canvas has no sign of its own
        page.screenshot(path=_PICTURES / f"{name}-{size}-{theme}.png", full_page=size == "phone")
        found[name] = _barriers(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= _SIZES[size][0], name

    expect(page.locator(".chart canvas")).to_be_visible()
    expect(page.locator(".bands").first).to_be_visible()
    seen("live")
    page.get_by_role("button", name=re.compile("^reading")).click()
    expect(page.get_by_text("Newest events", exact=True)).to_be_visible()
    seen("stream")
    page.goto(f"{url}/#/query")
    _start_from_example(page)
    seen("query")
    page.get_by_role("button", name="the last day").click()
    expect(page.locator(".result-count")).to_contain_text("12 matches")
    seen("trial")
    page.get_by_role("tab", name="How it is answered").click()
    expect(page.locator(".plan-step").first).to_be_visible()
    seen("plan")
    page.goto(f"{url}/#/knowledge?iri={_ROOM}")
    expect(page.locator(".neighbourhood svg")).to_be_visible()
    page.get_by_role("button", name="Subclasses of Equipment").click()
    expect(page.get_by_role("link", name="AHU")).to_be_visible()
    seen("knowledge")
    page.goto(f"{url}/#/archive")
    expect(page.locator(".cm-content")).to_be_visible()
    seen("archive")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="Chart").click()
    expect(page.locator(".chart canvas")).to_be_visible()
    seen("answer")
    page.goto(f"{url}/#/live/staleAir")
    page.locator("td.more a").last.click()
    expect(page.locator(".reasons").first).to_be_visible()
    seen("match")
    assert found == {name: [] for name in found}
    assert complaints == []


@pytest.mark.long
def test_a_token_is_typed_once_and_stands_in_no_address(chromium: Browser) -> None:
    with fake_server(fake_api(_TOKEN)) as url:
        page, complaints = _opened(chromium, url)
        sent: list[str] = []
        page.on("request", lambda one: sent.append(one.url))
        dialog = page.get_by_role("dialog", name="Sign in")
        expect(dialog).to_contain_text("a token is needed")
        assert _barriers(page) == []
        page.get_by_label("Token").fill("a-wrong-one")
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("alert")).to_be_visible()
        page.get_by_label("Token").fill(_TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".feed tbody tr").nth(50)).to_be_attached()  # the stream of rows shows the token, too
        page.reload()
        expect(page.locator(".feed tbody tr").nth(5)).to_be_attached()
        assert sent
        assert not [one for one in sent if _TOKEN in one]
        assert page.evaluate("Object.keys(localStorage)") == []
        page.get_by_role("button", name="Sign out").click()
        expect(dialog).to_be_visible()
        assert [said for said in complaints if "401" not in said] == []


@pytest.mark.long
def test_all_is_done_by_keyboard(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url)
    expect(page.locator(".feed tbody tr").nth(5)).to_be_attached()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.get_by_role("link", name="staleAir").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="staleAir")).to_be_visible()
    page.get_by_role("tab", name="Matches").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="How it is answered")).to_be_focused()
    expect(page.locator(".plan-step").first).to_be_visible()
    page.keyboard.press("End")
    expect(page.get_by_role("tabpanel")).to_contain_text("CREATE QUERY staleAir")


@pytest.mark.long
def test_names_are_completed_by_their_label_too(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/query")
    page.locator(".cm-content").click()
    for typed, offered in {
        "SELECT ?e.va": "value",
        " FROM (?e, rea": "reading",
        ") PATH { ?e made": "sosa:madeBySensor",
        " ?s . ?s a humid": "brick:Humidity_Sensor",
        " . ?e made": "sosa:madeBySensor",
        " ?t . ?t a präsenz": "brick:Occupancy_Sensor",
    }.items():
        page.keyboard.type(typed, delay=20)
        expect(page.locator(".cm-tooltip-autocomplete li[aria-selected]")).to_contain_text(offered)
        page.wait_for_timeout(200)  # CodeMirror takes no key at once, for those who type on
        page.keyboard.press("Enter")
        expect(page.locator(".cm-tooltip-autocomplete")).to_have_count(0)
    expect(page.locator(".cm-content")).to_contain_text("?s a brick:Humidity_Sensor")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_twelve_series_are_told_apart_and_their_last_values_stand_below(
    chromium: Browser, url: str, theme: Literal["light", "dark"]
) -> None:
    """No two have the same colour; three that follow one another have a line of their own."""
    page, _ = _opened(chromium, url, theme=theme)
    told = chart("staleAir")
    points = [[["2026-06-01T08:00:00Z", n], ["2026-06-01T09:00:00Z", n + 0.5]] for n in range(12)]
    told["series"] = [{"name": f"of {n}", "unit": "ppm", "points": each} for n, each in enumerate(points)]
    page.route("**/chart*", lambda route: route.fulfill(json=told))
    page.reload()
    rows = page.locator(".chart .u-legend tr")
    expect(rows).to_have_text(
        [re.compile(r"time \(.*2026-06-01 11:00:00"), *(re.compile(f"of {n}.*{n}\\.5 ppm") for n in range(12))]
    )
    drawn = rows.locator(".u-marker").evaluate_all(
        "all => all.map(one => getComputedStyle(one)).map(one => [one.borderTopColor, one.borderTopStyle])"
    )
    assert len({colour for colour, _ in drawn[-12:]}) == 12
    assert [line for _, line in drawn[-12::3]] == ["solid", "dashed", "dotted", "double"]


@pytest.mark.parametrize("size", _SIZES)
def test_nothing_of_a_card_lies_beyond_its_edge(chromium: Browser, url: str, size: str) -> None:
    """The last moment of an axis, and columns of a stream whose values have long names."""
    page, _ = _opened(chromium, url, size)
    long = {"_id": "a", "_time": "2026-06-01T08:00:00Z", "point": "room3_supply_air_temperature", "value": 1204.25}
    page.route("**/streams/*/events*", lambda route: route.fulfill(json=[long]))
    page.locator(".streams > li button").first.click()
    tables = page.locator(".stream-detail .table-box")
    expect(tables.nth(1)).to_contain_text("1,204.3")
    assert tables.evaluate_all("all => all.map(one => one.scrollWidth - one.clientWidth)") == [0, 0]
    covered = {"name": "reading", "events": 9, "from": "2021-12-12T16:00:00Z", "to": "2021-12-16T11:15:00Z"}
    archive = {
        **covered,
        "bytes": 9,
        "streams": [{**covered, "covered": [[covered["from"], covered["to"]]], "gaps": []}],
    }
    page.route("**/archive", lambda route: route.fulfill(json=archive))
    page.goto(f"{url}/#/archive")
    labels = page.locator(".track.axis > span")
    expect(labels.first).to_be_attached()
    right = "one => one.getBoundingClientRect().right"
    ends = labels.evaluate_all(f"all => all.map({right})")
    assert ends
    assert max(ends) <= page.locator("figure.bands").evaluate(right)


def _upload(page: Page, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "text/turtle", "buffer": content}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type] # its type is that of the module


@pytest.mark.long
def test_a_contradiction_is_listed_and_a_parked_query_goes_on(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/knowledge")
    _upload(page, "rooms.ttl", b"# Contradiction")
    expect(page.get_by_role("alert")).to_contain_text("robod:room1 is both brick:Room and brick:Sensor")
    expect(page.get_by_role("alert").locator("li")).to_contain_text(["robod:room2 is both"])
    expect(page.get_by_role("alert").locator("p")).to_contain_text(["room1 is both", "see rooms.ttl", "Nothing"])
    page.goto(f"{url}/#/live/dampRoom")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Resume")).to_have_count(0)
    page.get_by_role("button", name="Park").click()
    expect(page.get_by_role("alert")).to_contain_text("'dampRoom' was parked on request")
    expect(page.get_by_role("button", name="Resume")).to_have_count(1)
    expect(page.get_by_role("button", name="Park")).to_have_count(0)


@pytest.mark.long
def test_an_upload_tells_what_it_is_at_and_is_cancelled(chromium: Browser, url: str) -> None:
    """A page that was closed has not lost it: the next one finds it."""
    page, _ = _opened(chromium, url, path="/#/knowledge")
    _upload(page, "rooms.ttl", b"# Small")
    expect(page.locator(".notices")).to_contain_text("rooms.ttl is part of the knowledge.")
    at_work = page.locator(".progress-box")
    expect(at_work).to_have_count(0)
    _upload(page, "campus.ttl", b"# Large")
    expect(at_work).to_contain_text("campus.ttl: finding out what follows, 5 %")
    assert at_work.locator("progress").get_attribute("value") is None, "nobody knows how long that takes"
    assert _barriers(page) == []
    page.close()
    page, _ = _opened(chromium, url, path="/#/knowledge")
    at_work = page.locator(".progress-box")
    expect(at_work).to_contain_text("campus.ttl: finding out what follows, 5 %")
    expect(page.locator("input[type=file]")).to_be_disabled()
    page.get_by_role("button", name="Cancel campus.ttl").click()
    expect(page.locator(".notices")).to_contain_text("campus.ttl: cancelled, nothing was changed.")
    expect(at_work).to_have_count(0)
    expect(page.locator("input[type=file]")).to_be_enabled()


@pytest.mark.long
def test_a_file_that_is_uploaded_again_takes_the_place_of_the_one_before(chromium: Browser, url: str) -> None:
    """A module is known by the name of its file, whatever characters that has; and by that it is listed."""
    page, _ = _opened(chromium, url, path="/#/knowledge")
    named = {"name": f"{url}/graphs/50%25%20%C3%BC%23.ttl", "triples": 3}
    others = [{"name": name, "triples": 4} for name in ("rooms/lab.ttl", "/home/ada/campus/site.ttl")]
    page.route("**/ontologies", lambda route: route.fulfill(json={"modules": [named, *others], "contradictions": []}))
    with page.expect_request("**/graphs/50%25%20%C3%BC%23.ttl") as asked:
        _upload(page, "50% ü#.ttl", b"# Again")
    assert asked.value.method == "PUT"
    expect(page.locator(".notices")).to_contain_text(
        "50% ü#.ttl is part of the knowledge instead of what it said before."
    )
    expect(page.locator(".modules .name")).to_have_text(["50% ü#.ttl", "rooms/lab.ttl", "site.ttl"])
    expect(page.locator(".modules .name").last).to_have_attribute("title", "/home/ada/campus/site.ttl")


@pytest.mark.long
def test_an_alarm_is_acknowledged_with_the_name_of_who_has_seen_it(chromium: Browser) -> None:
    app = fake_api()
    with fake_server(app) as url:
        page, _ = _opened(chromium, url)
        page.get_by_label("Your name").fill("Grace")
        page.get_by_role("button", name="Acknowledge the alarm of room1").click()
        expect(page.locator(".notices")).to_contain_text("room1: acknowledged")
        expect(page.locator(".alarm.acknowledged").first).to_contain_text("seen by Grace")
        assert [who for _, who in app.state.seen] == ["Grace"]
        page.get_by_text("Alarms that are over").click()
        expect(page.locator(".alarm.cleared")).to_contain_text("room3")


@pytest.mark.long
def test_a_server_that_is_away_is_waited_for(chromium: Browser) -> None:
    app = fake_api(pace_s=0.2)
    with fake_server(app) as url:
        page, _ = _opened(chromium, url)
        expect(page.locator(".feed tbody tr").nth(5)).to_be_attached()
        page.context.set_offline(True)
        expect(page.locator(".connection")).to_contain_text("cannot be reached")
        page.context.set_offline(False)
        expect(page.locator(".connection")).to_contain_text("connected")
        app.state.queries = [*QUERIES, {**QUERIES[0], "label": "another"}]
        expect(page.get_by_role("link", name="another")).to_be_visible()


@pytest.mark.long
def test_rows_are_found_by_a_page_that_was_opened_while_the_server_was_away(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/query")
    page.route("**/matches?last=50", lambda route: route.abort(), times=2)
    page.goto(f"{url}/#/live/staleAir")
    expect(page.locator(".card", has_text="staleAir").get_by_role("alert")).to_contain_text("cannot be reached")
    expect(page.locator(".feed tbody tr").nth(50)).to_be_attached()  # the oldest ones, too
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.long
def test_who_hears_nothing_for_long_asks_again(chromium: Browser) -> None:
    """As a laptop that slept does, whose connection nobody has closed."""
    with fake_server(fake_api(pace_s=3600)) as url:
        page, _ = _opened(chromium, url, path="/#/query")
        page.clock.install()
        with page.expect_request("**/staleAir/rows"):
            page.goto(f"{url}/#/live/staleAir")
        expect(page.locator(".live-mark.on")).to_be_visible()
        with page.expect_request("**/staleAir/rows"):
            page.clock.run_for(50_000)


@pytest.mark.long
def test_a_table_that_is_held_still_counts_what_comes(chromium: Browser) -> None:
    with fake_server(fake_api(pace_s=0.01)) as url:
        page, _ = _opened(chromium, url, path="/#/live/staleAir")
        expect(page.locator(".feed tbody tr").nth(51)).to_be_attached()
        page.get_by_role("button", name="Pause").click()
        expect(page.locator(".live-mark")).to_have_text(re.compile(r"paused, (2[5-9]\d|[3-9]\d\d|\d+,[\d,]+) new"))
        page.get_by_role("button", name="Go on").click()
        expect(page.locator(".live-mark")).to_have_text("live")
        expect(page.locator(".feed tbody tr")).to_have_count(200)


@pytest.mark.long
def test_an_editor_that_cannot_be_loaded_says_so(chromium: Browser, url: str) -> None:
    """The files of the page have other names when the server has another version."""
    page, _ = _opened(chromium, url)
    page.route("**/assets/editor-*", lambda route: route.fulfill(status=404), times=1)
    page.get_by_role("link", name="Query", exact=True).click()
    expect(page.locator("main")).to_contain_text("The editor could not be loaded")
    page.get_by_role("button", name="Load the page again").click()
    expect(page.locator(".cm-content")).to_be_visible()


@pytest.mark.long
def test_times_say_of_which_zone_they_are_and_contexts_hold_until_it_was_asked(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url)
    expect(page.locator(".zone")).to_contain_text("Europe/Berlin")
    expect(page.locator(".chart")).to_contain_text("time (Europe/Berlin)")
    newest = {"name": "reading", "class": "e:R", "rate": 1, "lag_s": 0, "records": 9, "newest": "2026-06-01T19:00:00Z"}
    asked = {"from": "2026-06-01T08:15:00Z", "to": "2026-06-01T12:00:00Z"}
    windows = [
        {"context": "vacant", "key": {"room": "a"}, "from": None, "to": "2026-06-01T09:00:00Z"},
        {"context": "occupied", "key": {"room": "a"}, "from": "2026-06-01T09:00:00Z", "to": "2026-06-01T10:00:00Z"},
        {"context": "vacant", "key": {"room": "a"}, "from": "2026-06-01T10:00:00Z", "to": None},
    ]
    contexts = [{"name": "vacant", "default": True}, {"name": "occupied", "default": False}]
    page.route("**/streams", lambda route: route.fulfill(json=[newest]))
    told = [
        {"set": name, "contexts": contexts, "key": ["room"], **asked, "windows": windows[:number]}
        for name, number in (("room", 3), ("hall", 1))
    ]
    page.route("**/contexts", lambda route: route.fulfill(json=told))
    page.reload()
    expect(page.locator(".streams .name")).to_have_text("reading")
    card = page.locator(".card", has_text="Contexts: room")
    expect(card.locator(".track .band")).to_have_count(3)
    expect(card.locator(".axis span").last).to_have_text("13:30")  # the end is 14:00, Berlin
    before, there, since = card.locator(".track .band").all()
    widths = [(one.bounding_box() or {"width": 0})["width"] for one in (before, there, since)]
    assert 0 < widths[0] < widths[1] < widths[2]
    # Another set has the same time, whenever its contexts have changed.
    hall = page.locator(".card", has_text="Contexts: hall")
    assert hall.locator(".axis span").all_inner_texts() == card.locator(".axis span").all_inner_texts()
    assert "before – 11:00" in re.sub(r"2026-06-01 |:00(?=$| )", "", before.get_attribute("title") or "")


@pytest.mark.long
def test_contexts_are_asked_anew_when_something_has_changed_them(chromium: Browser, url: str) -> None:
    """Soon, and once for changes that come together: nobody waits for half a minute."""
    page, _ = _opened(chromium, url)
    page.goto("about:blank")
    asked: list[float] = []
    page.on("request", lambda sent: asked.append(time.monotonic()) if sent.url.endswith("/contexts") else None)
    matches = [7]

    def queries(route: Route) -> None:
        known = {"label": "alarm.raised.switch", "kind": "contexts", "state": "running", "matches": matches[0]}
        told = {"text": "", "submitted": False, "named": False, "columns": [], "reads": [], "reason": None}
        route.fulfill(json=[known | told | {"latency": None, "priority": 0}])

    page.route("**/queries", queries)
    page.goto(url)
    expect(page.locator(".queries")).to_contain_text("7")
    page.wait_for_timeout(5000)
    assert len(asked) == 1, "without a change it is asked but once in a while"
    for number in (8, 9, 10):
        matches[0] = number
        expect(page.locator(".queries")).to_contain_text(str(number))
    page.wait_for_timeout(4000)
    assert 2 <= len(asked) <= 4
    assert all(later - earlier > 1.5 for earlier, later in pairwise(asked))


@pytest.mark.long
def test_classes_stand_in_the_order_of_the_names_that_are_read(chromium: Browser, url: str) -> None:
    def told(name: str, label: str | None, individuals: int) -> dict[str, object]:
        iri = f"https://example.org/{name}"
        return {"iri": iri, "prefixed": f"<{iri}>", "label": label, "individuals": individuals, "subclasses": False}

    classes = [told("z", "Kind 10", 1), told("Beam", None, 1), told("y", "Kind 9", 1), told("a", "Anchor", 0)]
    page, _ = _opened(chromium, url, path="/#/query")
    page.route("**/classes", lambda route: route.fulfill(json=classes))
    page.goto(f"{url}/#/knowledge")
    expect(page.locator(".tree-row a")).to_have_text(["Beam", "Kind 9", "Kind 10", "Anchor"])


@pytest.mark.long
def test_a_trial_without_matches_says_why_once_and_in_short_names(chromium: Browser, url: str) -> None:
    said = "<https://brickschema.org/schema/Brick#Humidifier> is a class of the knowledge, but nothing belongs to it"
    path = {"text": "PATH { … }", "unpopulated": [said]}
    variable = {"variable": "e", "clauses": [{"kind": "stream", "text": "reading", "left": 5}], "paths": [path]}
    mapping = {"streams": [], "queries": [{"query": "humid", "reasons": [said], "variables": [variable]}]}
    result = {"query": "humid", "columns": [], "rows": [], "count": 0, "mapping": mapping}
    page, _ = _opened(chromium, url, path="/#/query")
    page.route("**/jobs/1", lambda route: route.fulfill(json={"state": "done", "result": result}))
    _start_from_example(page)
    page.get_by_role("button", name="the last hour").click()
    expect(page.locator(".mapping")).to_contain_text("brick:Humidifier is a class")
    assert page.locator(".mapping").inner_text().count("Humidifier") == 1


@pytest.mark.long
def test_on_a_phone_why_is_in_reach_of_a_wide_table(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, size="phone", path="/#/live/staleAir")
    page.set_viewport_size({"width": 320, "height": 700})
    link = page.locator("td.more a").first
    link.scroll_into_view_if_needed()
    box = link.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 320
    assert page.locator(".feed .table-box").evaluate("box => box.scrollLeft") == 0


@pytest.mark.long
def test_the_server_answers_what_the_page_asks(chromium: Browser, plain_url: str) -> None:
    """The real one, over a project that nothing has happened to yet: no view has a problem to tell."""
    page, _ = _opened(chromium, plain_url)
    expect(page.locator(".streams .name").first).to_have_text("air")
    page.goto(f"{plain_url}/#/query")
    page.locator(".cm-content").click()
    page.keyboard.type("SELECT ?e.flwo FROM (?e, air)", delay=5)
    expect(page.locator(".cm-lintRange-error")).to_have_text("flwo")
    expect(page.locator(".verdict.bad")).to_contain_text("did you mean")
    page.goto(f"{plain_url}/#/knowledge")
    expect(page.get_by_text("The project knows no classes")).to_be_visible()
    assert page.locator(".problem").count() == 0
    page.goto(f"{plain_url}/#/archive")
    expect(page.get_by_text("The archive is empty")).to_be_visible()
    assert _barriers(page) == []


@pytest.mark.long
def test_an_address_that_leads_nowhere_is_told_and_back_leads_past_it(chromium: Browser, url: str) -> None:
    """Also one that somebody typed, whose `%` encodes nothing."""
    page, complaints = _opened(chromium, url, path="/#/knowledge")
    expect(page).to_have_title("Knowledge · kaicep")
    page.goto(f"{url}/#/live/50%")
    expect(page.locator(".notices")).to_contain_text("50% is not registered.")
    expect(page.get_by_role("heading", name="lightingPerHour")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("searchbox")).to_be_visible()
    page.goto(f"{url}/#/query?of=gone")
    expect(page.locator(".notices")).to_contain_text("gone: there is no query 'gone'")
    page.goto(f"{url}/#/knowledge?iri={_ROOM}")
    expect(page).to_have_title("room1 · Knowledge · kaicep")
    assert [said for said in complaints if "404" not in said] == []


@pytest.mark.long
@pytest.mark.parametrize(("width", "height"), [(800, 700), (1440, 700)])
def test_what_is_chosen_is_seen_wherever_its_link_stood(chromium: Browser, url: str, width: int, height: int) -> None:
    """Below a long tree, or far above the last of many; and the keyboard goes on there when the link is gone."""
    page, _ = _opened(chromium, url, path="/#/query")
    page.set_viewport_size({"width": width, "height": height})
    names = [f"Kind {n}" for n in range(80)]
    told = [{"iri": f"urn:{name}", "label": name, "individuals": 1, "subclasses": False} for name in names]
    page.route("**/classes", lambda route: route.fulfill(json=told))
    page.goto(f"{url}/#/knowledge")
    page.get_by_role("link", name="Kind 79").click()
    expect(page.get_by_role("heading", name="Individuals of Kind 79")).to_be_in_viewport()
    page.locator(".found a").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Lecture room 1")).to_be_visible()
    expect(page.locator(".knowledge .column.wide")).to_be_focused()
    many = [QUERIES[0] | {"label": f"q{n}"} for n in range(60)]
    page.route("**/queries", lambda route: route.fulfill(json=many))
    page.goto(f"{url}/#/live")
    page.get_by_role("link", name="q59").click()
    expect(page.get_by_role("heading", name="q59")).to_be_in_viewport()


@pytest.mark.long
def test_a_rule_of_hashes_above_a_query_holds_nobody_up(chromium: Browser, url: str) -> None:
    """Whether triples are asked for is found out without reading comments in every way that there is."""
    page, _ = _opened(chromium, url, path="/#/archive")
    page.locator(".cm-content").click()
    for above in ("#" * 80, " " * 80):
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(f"{above}\nSELECT ?room {{}}")
        with page.expect_request("**/sparql") as asked:
            page.keyboard.press("Control+Enter")
        assert asked.value.headers["accept"].startswith("application/sparql-results+json")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("# ##\nPREFIX : <urn:a#>\nPREFIX b:<urn:b> construct {} {}")
    with page.expect_request("**/sparql") as asked:
        page.keyboard.press("Control+Enter")
    assert asked.value.headers["accept"].startswith("text/turtle")


@pytest.mark.long
def test_a_text_is_checked_as_soon_as_the_server_answers_again(chromium: Browser) -> None:
    """Also one that was opened before anybody had signed in."""
    with fake_server(fake_api(_TOKEN)) as url:
        page, _ = _opened(chromium, url, path="/#/query?of=staleAir")
        page.get_by_label("Token").fill(_TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".cm-content")).to_contain_text("CREATE QUERY staleAir")
        expect(page.get_by_role("button", name="Register")).to_be_enabled()
        page.context.set_offline(True)
        page.locator(".cm-content").click()
        page.keyboard.press("Control+End")
        page.keyboard.type("# mine")
        expect(page.locator(".verdict.bad")).to_contain_text("cannot be reached")
        page.context.set_offline(False)
        expect(page.get_by_role("button", name="Register")).to_be_enabled()


@pytest.mark.long
def test_what_is_underlined_is_what_is_meant_behind_characters_of_two_halves(chromium: Browser, url: str) -> None:
    """Columns count characters, and an editor their halves: the way out is written in the right place."""
    page, _ = _opened(chromium, url, path="/#/query")
    page.locator(".cm-content").click()
    page.keyboard.insert_text('CREATE QUERY warm AS SELECT "🌡🌡🌡" AS t, ABS(?e.valeu) AS v FROM (?e, reading)')
    expect(page.locator(".cm-lintRange-error")).to_have_text("valeu")
    page.keyboard.press("Escape")
    page.locator(".cm-lintRange-error").hover()
    page.get_by_role("button", name="Write value").click()
    expect(page.locator(".cm-content")).to_contain_text('"🌡🌡🌡" AS t, ABS(?e.value) AS v')


@pytest.mark.long
def test_who_looks_at_a_part_of_a_chart_goes_on_seeing_it(chromium: Browser, url: str) -> None:
    """When newer values come, as well; until all of it is asked for."""
    told = chart("staleAir")
    values = [0]

    def newer(route: Route) -> None:
        values[0] += 1
        told["series"][0]["points"][0][1] = values[0]
        route.fulfill(json=told)

    page, _ = _opened(chromium, url, path="/#/query")
    page.clock.install()
    page.route("**/chart*", newer)
    page.goto(f"{url}/#/live/staleAir")
    canvas = page.locator(".chart canvas")
    expect(canvas).to_be_visible()
    first = page.locator(".chart .u-legend tr").nth(1)
    first.locator("th").click()  # the other series are hidden
    box = page.locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + 90)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 90, steps=5)
    page.mouse.up()
    whole = page.get_by_role("button", name="Show all of the time")
    expect(whole).to_be_visible()
    before = canvas.element_handle()
    page.clock.run_for(16_000)
    expect(canvas).to_be_visible()
    page.wait_for_function("one => !one.isConnected", arg=before)
    page.clock.run_for(1000)
    expect(whole).to_be_visible()
    assert page.locator(".chart .u-legend .u-off").count() == len(told["series"]) - 1
    assert _barriers(page) == []
    whole.click()
    expect(whole).to_have_count(0)


@pytest.mark.long
def test_how_far_back_charts_go_is_chosen_once(chromium: Browser, url: str) -> None:
    """Whoever compares queries, or comes back from a match, does not choose it again."""
    page, _ = _opened(chromium, url, path="/#/live/staleAir")
    page.get_by_role("button", name="6 h").click()
    with page.expect_request("**/lightingPerHour/chart?from=now%20-%206h"):
        page.get_by_role("link", name="lightingPerHour").click()
    page.locator(".feed").get_by_role("link", name=re.compile("^Why")).first.click()
    expect(page.get_by_role("heading", name="Why this match")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("button", name="6 h")).to_have_attribute("aria-pressed", "true")


@pytest.mark.long
def test_days_stand_at_midnight_also_where_the_clock_is_put_back(chromium: Browser, url: str) -> None:
    """In Berlin that was on 25 October 2026."""
    page, _ = _opened(chromium, url, path="/#/query")
    first, last = "2026-10-22T10:00:00Z", "2026-10-28T10:00:00Z"
    covered = {"name": "reading", "events": 9, "covered": [[first, last]]}
    about = {"from": first, "to": last, "events": 9, "bytes": 9}
    page.route("**/archive", lambda route: route.fulfill(json=about | {"streams": [covered]}))
    page.goto(f"{url}/#/archive")
    axis = page.locator(".bands .axis span")
    expect(axis).to_have_text(["10-23", "10-24", "10-25", "10-26", "10-27", "10-28"])
    places = [float((one.get_attribute("style") or "").split("left:")[1].split("%")[0]) for one in axis.all()]
    days = [later - earlier for earlier, later in pairwise(places)]
    assert days[2] == pytest.approx(days[0] * 25 / 24, rel=1e-3)


@pytest.mark.long
def test_colours_of_the_system_hide_nothing_that_is_told_by_colour(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/archive")
    page.emulate_media(forced_colors="active")
    colours = "all => new Set(all.map(one => getComputedStyle(one).background)).size"
    expect(page.locator(".band.covered").first).to_be_visible()
    assert page.locator(".track:not(.axis), .track .band").evaluate_all(colours) >= 3, "track, covered, a gap"
    outlined = "one => getComputedStyle(one).outlineStyle"
    assert page.get_by_role("link", name="Archive", exact=True).evaluate(outlined) == "solid"
    assert page.get_by_role("link", name="Live", exact=True).evaluate(outlined) == "none"
    page.goto(f"{url}/#/live/staleAir")
    expect(page.locator(".chart canvas")).to_be_visible()
    pressed, other = page.locator(".choice button[aria-pressed=true]"), page.locator(".choice button").first
    assert [one.evaluate(outlined) for one in (pressed, other)] == ["solid", "none"]


@pytest.mark.long
def test_classes_are_counted_anew_when_a_module_has_come(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/query")
    counts = [1]
    one = {"iri": "urn:Kind", "label": "Kind", "subclasses": False}
    page.route("**/classes", lambda route: route.fulfill(json=[one | {"individuals": counts[0]}]))
    page.goto(f"{url}/#/knowledge")
    expect(page.locator(".tree-row .number")).to_have_text("1")
    counts[0] = 2
    _upload(page, "rooms.ttl", b"# Small")
    expect(page.locator(".tree-row .number")).to_have_text("2")


@pytest.mark.long
def test_a_file_of_another_encoding_is_refused_and_never_garbled(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/knowledge")
    expect(page.locator(".tree-row").first).to_be_visible()
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.url) if one.method == "PUT" else None)
    _upload(page, "cafe.ttl", '<urn:a> <urn:b> "Café" .'.encode("latin-1"))
    expect(page.locator(".problem")).to_contain_text("cafe.ttl is not encoded in UTF-8")
    assert sent == []
    with page.expect_request("**/graphs/cafe.ttl") as asked:
        _upload(page, "cafe.ttl", b"\xef\xbb\xbf" + '<urn:a> <urn:b> "Café" .'.encode())
    assert asked.value.post_data == '<urn:a> <urn:b> "Café" .'


@pytest.mark.long
def test_the_keyboard_stays_where_a_query_was_parked(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/live/staleAir")
    page.get_by_role("button", name="Park").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Resume")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Park")).to_be_focused()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator(".notices")).to_contain_text("staleAir is withdrawn.")
    expect(page.locator("main")).to_be_focused()
    expect(page.get_by_role("heading", name="lightingPerHour")).to_be_visible()


@pytest.mark.long
def test_answers_that_appear_are_told_to_those_who_do_not_see_them(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/archive")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="Answered below: 48 rows")).to_be_attached()
    page.goto(f"{url}/#/query")
    _start_from_example(page)
    page.get_by_role("button", name="the last hour").click()
    expect(page.get_by_role("status").filter(has_text="12 matches in the last hour")).to_be_attached()


@pytest.mark.long
def test_a_problem_without_a_place_names_none(chromium: Browser, url: str) -> None:
    """The server counts lines from 1, and says 0 where there is none; an address without a match says so, too."""
    page, _ = _opened(chromium, url, path="/#/archive")
    nowhere = {"detail": "there is no store", "place": {"source": "query", "line": 0, "column": 1, "length": 1}}
    page.route("**/sparql", lambda route: route.fulfill(status=400, json=nowhere))
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".problem")).to_have_text("there is no store")
    page.goto(f"{url}/#/knowledge")
    page.route("**/graphs/*", lambda route: route.fulfill(status=400, json=nowhere))
    _upload(page, "rooms.ttl", b"# Small")
    expect(page.locator(".problem")).to_have_text("there is no storeNothing was changed.")
    page.goto(f"{url}/#/match/staleAir")
    expect(page.locator("main")).to_contain_text("The address names no match.")
    expect(page.get_by_role("link", name="Choose one by its")).to_have_attribute("href", "#/live/staleAir")


@pytest.mark.long
def test_who_is_asked_for_a_token_amid_something_goes_on_there(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/archive")
    page.locator(".cm-content").click()
    gone = {"detail": "nobody has this token"}
    page.route("**/sparql", lambda route: route.fulfill(status=401, json=gone), times=1)
    page.keyboard.press("Control+Enter")
    page.get_by_label("Token").fill("another")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".cm-content")).to_be_focused()


@pytest.mark.long
def test_on_a_phone_what_was_asked_for_comes_into_sight(chromium: Browser, url: str) -> None:
    """Trials and answers appear below the editor, where the bar of the views would hide them."""
    page, _ = _opened(chromium, url, size="phone", path="/#/query")
    with page.expect_request("**/vocabulary"):  # before the first letter is typed
        page.reload()
    _start_from_example(page)
    page.get_by_role("button", name="the last day").click()
    count = page.locator(".result-count")
    expect(count).to_contain_text("12 matches")
    assert (count.bounding_box() or {"y": 9999})["y"] < _SIZES["phone"][1] * 0.75
    page.goto(f"{url}/#/archive")
    page.get_by_role("button", name="Ask", exact=True).click()
    answer = page.get_by_role("heading", name="Answer")
    expect(answer).to_be_visible()
    page.wait_for_function("top => scrollY > top", arg=100)
    assert (answer.bounding_box() or {"y": 9999})["y"] < _SIZES["phone"][1] * 0.75
    page.goto(f"{url}/#/live/staleAir")
    expect(page.locator(".chart canvas")).to_be_visible()
    page.wait_for_timeout(1000)  # until all above it has come, too
    assert (page.locator("#detail").bounding_box() or {"y": 9999})["y"] < _SIZES["phone"][1] / 4


def _solutions(**terms: tuple[str, str]) -> dict[str, Any]:
    """An answer of SPARQL of one row: of each column the kind of its literal, or "uri", and its text."""
    xsd = "http://www.w3.org/2001/XMLSchema#"
    row = {
        name: {"type": "uri", "value": text}
        if kind == "uri"
        else {"type": "literal", "datatype": xsd + kind, "value": text}
        for name, (kind, text) in terms.items()
    }
    return {"head": {"vars": list(row)}, "results": {"bindings": [row]}}


@pytest.mark.long
def test_numbers_beyond_all_measure_are_told_by_their_power_and_great_integers_whole(
    chromium: Browser, url: str
) -> None:
    """A cut off 1,000,000,… looked like a million; an event is called by its stream, and leads nowhere."""
    answer = _solutions(
        great=("double", "1.5e300"),
        small=("double", "-2e-300"),
        million=("integer", "1000000"),
        whole=("integer", "123456789012345678901234567890"),
        none=("double", "NaN"),
        event=("uri", "urn:kaicep:event:reading/room1_co2/1639348500000000"),
    )
    page, _ = _opened(chromium, url, path="/#/archive")
    page.route("**/sparql", lambda route: route.fulfill(json=answer))
    page.get_by_role("button", name="Ask", exact=True).click()
    cells = page.locator(".result tbody td")
    great, whole = "1.5e300", "123456789012345678901234567890"
    expect(cells).to_have_text([great, "-2e-300", "1,000,000", whole, "NaN", "reading/room1_co2/1639348500000000"])
    expect(cells.get_by_role("link")).to_have_count(0)


@pytest.mark.long
def test_answers_and_trials_are_there_again_after_a_look_at_what_they_name(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/archive")
    page.route(
        "**/sparql", lambda route: route.fulfill(json=_solutions(room=("uri", "https://example.org/robod#room1")))
    )
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".result").get_by_role("link", name="room1").click()
    expect(page.locator(".neighbourhood")).to_be_visible()
    page.go_back()
    expect(page.locator(".result").get_by_role("link", name="room1")).to_be_visible()
    page.get_by_role("link", name="Query", exact=True).click()
    _start_from_example(page)
    page.get_by_role("button", name="the last hour").click()
    page.locator(".result").get_by_role("link", name="room1").first.click()
    expect(page.locator(".neighbourhood")).to_be_visible()
    page.go_back()
    expect(page.locator(".result-count")).to_contain_text("12 matches in the last hour")


@pytest.mark.long
def test_what_somebody_was_writing_is_brought_back_when_another_text_took_its_place(
    chromium: Browser, url: str
) -> None:
    """Also after a look at the live view; nothing is kept of what came from an example as it was."""
    page, _ = _opened(chromium, url, path="/#/query")
    back = page.get_by_role("button", name="Bring it back")
    _start_from_example(page)
    page.goto(f"{url}/#/live/staleAir")
    page.get_by_role("link", name="Edit a copy").click()
    expect(page.locator(".cm-content")).to_contain_text("CREATE QUERY staleAir")
    expect(back).to_have_count(0)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("CREATE QUERY half AS SELECT ?e")
    page.goto(f"{url}/#/live/lightingPerHour")
    page.get_by_role("link", name="Edit a copy").click()
    expect(page.locator(".cm-content")).to_contain_text("CREATE QUERY lightingPerHour")
    back.click()
    expect(page.locator(".cm-content")).to_have_text("CREATE QUERY half AS SELECT ?e")
    expect(back).to_have_count(0)


@pytest.mark.long
def test_a_text_that_nobody_has_checked_yet_is_said_to_be_checked(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/query")
    expect(page.locator(".verdict")).to_contain_text("Write a query")
    page.route("**/check", lambda _: None)  # that takes its time
    page.locator(".cm-content").click()
    page.keyboard.insert_text("CREATE")
    expect(page.locator(".verdict")).to_contain_text("Being checked")


@pytest.mark.long
def test_a_module_that_was_uploaded_is_removed_and_no_other_is(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url, path="/#/knowledge")
    modules = page.locator(".modules li")
    expect(modules).to_have_count(2)
    _upload(page, "annexe é.ttl", b"# Small")
    expect(page.locator(".notices")).to_contain_text("annexe é.ttl is part of the knowledge")
    expect(modules).to_have_count(3)
    remove = page.get_by_role("button", name=re.compile("^Remove"))
    expect(remove).to_have_count(1)
    assert _barriers(page) == []
    page.once("dialog", lambda dialog: dialog.dismiss())
    remove.click()
    page.once("dialog", lambda dialog: dialog.accept())
    with page.expect_request(lambda one: one.method == "DELETE") as asked:
        remove.click()
    assert asked.value.url.endswith("/graphs?graph=http%3A%2F%2F127.0.0.1%2Fgraphs%2Fannexe%20%C3%A9.ttl")
    expect(page.locator(".notices")).to_contain_text("annexe é.ttl is no part of the knowledge any more.")
    expect(modules).to_have_count(2)
    expect(page.locator(".modules")).to_be_focused()


@pytest.mark.long
def test_buttons_that_a_token_does_not_allow_say_so(chromium: Browser) -> None:
    """One may look at all, and try queries, with the role `read`."""
    with fake_server(fake_api(_TOKEN, role="read")) as url:
        page, _ = _opened(chromium, url, path="/#/live/staleAir")
        page.get_by_label("Token").fill(_TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".signed-in")).to_have_text("operator")
        said = "Parking or withdrawing a query takes a token of the role submit; yours has read."
        expect(page.locator("#detail .lacking")).to_have_text(said)
        for name in ("Park", "Withdraw", re.compile("^Acknowledge")):
            expect(page.get_by_role("button", name=name).first).to_be_disabled()
        expect(page.locator(".alarms .lacking")).to_contain_text("Acknowledging takes a token of the role submit")
        assert _barriers(page) == []
        page.get_by_role("link", name="Query", exact=True).click()
        _start_from_example(page)
        expect(page.get_by_role("button", name="Register")).to_be_disabled()
        expect(page.locator(".lacking")).to_contain_text("Registering takes a token of the role submit")
        expect(page.get_by_role("button", name="the last hour")).to_be_enabled()
        page.get_by_role("link", name="Knowledge", exact=True).click()
        expect(page.locator(".lacking")).to_contain_text("Adding or removing modules takes a token of the role admin")
        expect(page.locator("input[type=file]")).to_be_disabled()
    with fake_server(fake_api(_TOKEN, role="submit")) as url:
        page, _ = _opened(chromium, url, path="/#/live/staleAir")
        page.get_by_label("Token").fill(_TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".signed-in")).to_have_text("operator")
        expect(page.get_by_role("button", name="Park")).to_be_enabled()
        expect(page.locator(".lacking")).to_have_count(0)


@pytest.mark.long
def test_who_has_signed_in_is_not_told_any_more_that_a_token_is_needed(chromium: Browser) -> None:
    """Nor how programs send one: what takes its time, such as counting, says what it does."""
    with fake_server(fake_api(_TOKEN)) as url:
        page, _ = _opened(chromium, url, path="/#/knowledge")
        page.get_by_label("Token").fill(_TOKEN)
        page.route("**/classes", lambda _: None)
        page.keyboard.press("Enter")
        expect(page.locator(".modules li")).to_have_count(2)
        expect(page.locator("main")).to_contain_text("Classes are being counted")
        expect(page.locator(".problem")).to_have_count(0)


@pytest.mark.long
def test_a_token_that_no_header_can_carry_is_not_sent(chromium: Browser) -> None:
    """It was said that the server could not be reached."""
    with fake_server(fake_api(_TOKEN)) as url:
        page, _ = _opened(chromium, url)
        page.get_by_label("Token").fill(f"“{_TOKEN}”")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("than those of ASCII: copy it anew")
        expect(page.locator(".connection")).to_have_text("connected")
        page.get_by_label("Token").fill(_TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".feed tbody tr").nth(5)).to_be_attached()


@pytest.mark.long
def test_a_browser_that_keeps_nothing_shows_the_page_all_the_same(chromium: Browser) -> None:
    """Chromium refuses its storage where somebody blocks all cookies: the page stayed blank."""
    refused = "{ get() { throw new DOMException('denied', 'SecurityError') } }"
    stores = "['localStorage', 'sessionStorage']"
    with fake_server(fake_api(_TOKEN)) as url:
        context = chromium.new_context()
        context.add_init_script(f"for (const name of {stores}) Object.defineProperty(window, name, {refused})")
        page = context.new_page()
        complaints = Complaints(page, url)
        page.goto(url)
        page.get_by_label("Token").fill(_TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".feed tbody tr").nth(5)).to_be_attached()
        page.get_by_role("button", name="Colours: system").click()
        expect(page.locator("html")).to_have_attribute("data-theme", "light")
        page.get_by_role("link", name="Query", exact=True).click()
        page.locator(".cm-content").click()
        page.keyboard.insert_text("CREATE QUERY kept")
        page.get_by_role("link", name="Archive", exact=True).click()
        page.get_by_role("link", name="Query", exact=True).click()
        expect(page.locator(".cm-content")).to_contain_text("CREATE QUERY kept")
        assert [said for said in complaints if "401" not in said] == []


@pytest.mark.long
@pytest.mark.parametrize("width", [1440, 320])
def test_among_hundreds_of_queries_streams_and_alarms_all_stays_in_reach(
    chromium: Browser, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    alarms = [one | {"id": f"{n}"} for n, one in enumerate(60 * [ANSWERS["/alarms"][0]])]
    monkeypatch.setitem(ANSWERS, "/alarms", alarms)
    monkeypatch.setitem(ANSWERS, "/streams", [ANSWERS["/streams"][0] | {"name": f"stream{n}"} for n in range(100)])
    reason = "the table is gone: " + "https://example.org/long/" * 8
    app = fake_api()
    app.state.queries += [
        QUERIES[0] | {"label": f"query{n}", "state": "parked", "reason": reason, "matches": n} for n in range(300)
    ]
    with fake_server(app) as url:
        page, _ = _opened(chromium, url)
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.locator(".queries > li")).to_have_count(300 + len(QUERIES))
        expect(page.locator(".alarms > .note")).to_have_text("60 alarms, 60 of which nobody has seen")
        assert page.locator("#detail").evaluate("it => it.getBoundingClientRect().top + scrollY") < 3 * 800
        for box in (".queries", ".streams", "html"):
            assert page.locator(box).evaluate("it => it.scrollWidth - it.clientWidth") == 0, box
        page.get_by_label("Find a stream").fill("stream9")
        expect(page.locator(".streams > li")).to_have_count(11)
        page.get_by_label("Find a query").fill("Query29")
        expect(page.locator(".queries > li")).to_have_count(11)
        page.get_by_role("link", name="query299").click()
        expect(page.get_by_role("heading", name="query299")).to_be_visible()
        page.get_by_label("Find a query").press("Escape")
        expect(page.locator(".queries > li")).to_have_count(300 + len(QUERIES))
        own, item = page.locator(".queries").bounding_box(), page.locator(".queries [aria-current]").bounding_box()
        assert own is not None
        assert item is not None
        assert own["y"] <= item["y"] < own["y"] + own["height"]  # what is chosen is seen in the list, too
        assert _barriers(page) == []


@pytest.mark.long
def test_on_a_narrow_phone_names_are_not_broken(chromium: Browser, url: str) -> None:
    page, _ = _opened(chromium, url)
    page.set_viewport_size({"width": 320, "height": 700})
    long = [QUERIES[0] | {"label": "supplyAirTemperature", "matches": 1234567}]
    page.route("**/queries", lambda route: route.fulfill(json=long))
    page.route("**/streams", lambda route: route.fulfill(json=[ANSWERS["/streams"][0] | {"lag_s": 9e8}]))
    for label in ("supplyAirTemperature", "reading"):
        name = page.locator(".row-button .name").filter(has_text=label)
        expect(name).to_be_visible()
        assert (name.bounding_box() or {"height": 99})["height"] < 30, label


@pytest.mark.long
def test_what_could_not_be_asked_is_asked_again_soon_and_is_not_said_to_be_nothing(chromium: Browser, url: str) -> None:
    """Charts are drawn every 15 seconds; one that could not be is tried again after 5."""
    page, _ = _opened(chromium, url, path="/#/query")
    page.clock.install()
    page.route("**/chart?*", lambda route: route.abort(), times=1)
    page.route("**/matches?last=50", lambda route: route.abort())
    page.goto(f"{url}/#/live/staleAir")
    expect(page.locator("#detail")).to_contain_text("the server cannot be reached")
    expect(page.locator("#detail .problem")).to_be_visible()
    assert "No match yet" not in page.locator("#detail").inner_text()
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))
    with page.expect_request("**/chart?*"):
        page.clock.run_for(6000)
    page.clock.resume()
    expect(page.locator(".chart canvas")).to_be_visible()


@pytest.mark.long
def test_matches_are_asked_for_in_the_archive_by_an_example(chromium: Browser, url: str) -> None:
    """What they are called in RDF nobody guesses."""
    page, _ = _opened(chromium, url, path="/#/archive")
    expect(page.locator(".cm-content")).to_contain_text("# Of which classes")
    page.get_by_label("Start from an example").select_option("Matches of staleAir")
    expect(page.locator(".cm-content")).to_contain_text("# Matches of staleAir, the newest first")
    with page.expect_request("**/sparql") as asked:
        page.get_by_role("button", name="Ask", exact=True).click()
    (query,) = parse_qs(asked.value.post_data or "")["query"]
    assert 'rdfs:label "staleAir" ; prov:generatedAtTime ?found' in query
    assert "{ ?match kaicep:attribute:staleAir:room ?room }" in query
    assert _barriers(page) == []
