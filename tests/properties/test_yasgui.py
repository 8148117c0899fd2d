"""YASGUI, the real one in a real Chromium, asks the archive from a page of another origin, and shows its answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kaicep.config import Settings
from playwright.sync_api import Browser, expect
from support.archives import archived_project
from support.browsers import PATIENCE_MS, browser
from support.endpoints import free_port, oxigraph
from support.servers import serving
from support.yasgui import Yasgui, open_yasgui

TOKEN = 32 * "t"
LATEST = "SELECT ?event ?flow { ?event e:flow ?flow } ORDER BY DESC(?flow) LIMIT 2"
EVENTS = [
    ["1", "<urn:kaicep:event:airflowReport/s1/149>", '"74.5"^^<http://www.w3.org/2001/XMLSchema#double>'],
    ["2", "<urn:kaicep:event:airflowReport/s0/148>", '"74"^^<http://www.w3.org/2001/XMLSchema#double>'],
]

pytestmark = pytest.mark.xdist_group("chromium")
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    """Where YASGUI is; it is there as http://localhost, too, which is another origin."""
    with oxigraph(free_port()) as queries:
        yield queries.removesuffix("/query")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with an archive of 150 readings."""
    found = tmp_path_factory.mktemp("yasgui")
    archived_project(found)
    return found


@pytest.fixture(scope="module")
def url(folder: Path, origin: str) -> Iterator[str]:
    """Its endpoint, which pages of that origin may ask."""
    server = {"cors": [origin], "workers": 1}
    with serving(Settings.parse({"prefixes": {"e": "http://e/"}, "server": server}, root=folder)) as found:
        yield f"{found}/sparql"


@pytest.fixture(scope="module")
def opened(chromium: Browser, origin: str) -> Yasgui:
    return open_yasgui(chromium, origin)


@pytest.fixture
def yasgui(opened: Yasgui) -> Yasgui:
    return opened.new_tab()


def cells(yasgui: Yasgui) -> list[list[str]]:
    """The rows of the table."""
    return [row.locator("td").all_inner_texts() for row in yasgui.results.locator("tbody tr").all()]


def test_solutions_are_a_table_and_a_boolean_is_told(yasgui: Yasgui, url: str) -> None:
    """The prefixes of the project are known; by which method it is asked is all the same."""
    yasgui.ask(url, LATEST, typed=True)
    expect(yasgui.results.locator("tbody tr")).to_have_count(2)
    assert cells(yasgui) == EVENTS
    assert yasgui.results.locator("thead th").all_inner_texts() == ["", "event", "flow"]
    yasgui.ask(url, "ASK { ?e e:flow 74.5e0 }")
    expect(yasgui.results.locator(".booleanResult")).to_have_text("True")
    yasgui.ask_by("GET")
    with yasgui.page.expect_request(f"{url}?query=*"):
        yasgui.ask(url, "ASK { ?e e:flow 7450 }")
    expect(yasgui.results.locator(".booleanResult")).to_have_text("False")


def test_triples_are_shown_in_the_form_that_is_chosen(yasgui: Yasgui, url: str) -> None:
    """None at all are shown as such, and not the answer before."""
    shown = yasgui.results.locator(".CodeMirror-code")
    yasgui.ask(url, "CONSTRUCT { ?e a e:Last } { ?e e:flow 74.5e0 }")
    expect(shown).to_contain_text("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Last> .")
    yasgui.take_triples_as("Turtle")
    yasgui.ask(url, "CONSTRUCT { ?e a e:Last } { ?e e:flow 74.5e0 }")
    expect(shown).to_contain_text("<urn:kaicep:event:airflowReport/s1/149> a <http://e/Last> .")
    yasgui.ask(url, "CONSTRUCT { ?e a e:Last } { ?e e:flow 7450 }")
    expect(shown).not_to_contain_text("urn:")
    yasgui.take_triples_as("JSON")
    yasgui.ask(url, "DESCRIBE e:s1")
    expect(yasgui.error).to_contain_text("triples are not given in any form that Accept names: accept text/turtle, ")


def test_what_is_wrong_is_shown_with_its_place(yasgui: Yasgui, url: str) -> None:
    yasgui.ask(url, "SELECT * { ?s f:p ?o }")
    expect(yasgui.error).to_be_visible()
    assert (yasgui.error.text_content() or "").splitlines() == [
        "query:1:15: unknown prefix 'f:'",
        "  1 | SELECT * { ?s f:p ?o }",
        '    |               ^^ declare it, or add f = "…" to [prefixes]',
    ]
    yasgui.ask(url, "SELECT * WHERE ?s")
    expect(yasgui.error).to_contain_text("query:1:16: ")


def test_a_page_of_another_origin_hears_nothing(chromium: Browser, origin: str, url: str) -> None:
    """Neither of what is refused, nor of what is answered."""
    yasgui = open_yasgui(chromium, origin.replace("127.0.0.1", "localhost"))
    yasgui.ask(url, LATEST)
    expect(yasgui.error).to_have_text("Failed to fetch")
    yasgui.new_tab().ask_by("GET")
    yasgui.ask(url, LATEST)
    expect(yasgui.error).to_have_text("Failed to fetch")
    expect(yasgui.results.locator("tbody")).to_have_count(0)


def test_a_token_is_shown_by_a_header_among_the_settings(
    yasgui: Yasgui, folder: Path, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YASGUI_TOKEN", TOKEN)
    server = {"cors": [origin], "tokens": {"yasgui": {"token": "env:YASGUI_TOKEN"}}, "workers": 1}
    settings = Settings.parse({"prefixes": {"e": "http://e/"}, "server": server}, root=folder)
    with serving(settings) as found:
        yasgui.ask(f"{found}/sparql", LATEST)
        expect(yasgui.error).to_have_text("a token is needed: send the header Authorization: Bearer TOKEN")
        yasgui.send_header("Authorization", "Bearer something")
        yasgui.ask(f"{found}/sparql", LATEST)
        expect(yasgui.error).to_contain_text("nobody has this token")
        yasgui.send_header("Authorization", f"Bearer {TOKEN}")
        yasgui.ask(f"{found}/sparql", LATEST)
        expect(yasgui.results.locator("tbody tr")).to_have_count(2)
        assert cells(yasgui) == EVENTS
