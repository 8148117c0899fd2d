"""On this machine, pages of other sites are kept out."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest
from kaicep.config import Settings
from support.servers import ask, serving


def test_a_name_that_is_not_this_machine_s_is_refused(plain_url: str) -> None:
    """A page may let its own name mean this machine."""
    found = ask(f"{plain_url}/health", Host="evil.example")
    assert (found.status, found.json["detail"]) == (403, "this server is not called 'evil.example'")
    assert ask(f"{plain_url}/health", Host="localhost:8080").status == 200


def test_a_page_of_another_site_changes_nothing(plain_url: str) -> None:
    found = ask(f"{plain_url}/health", "POST", Origin="https://evil.example")
    assert (found.status, found.json["detail"]) == (403, "a page of https://evil.example may change nothing here")
    assert ask(f"{plain_url}/health", "POST", Origin=plain_url).status == 405


def test_pages_that_are_named_may_ask() -> None:
    settings = Settings.parse({"server": {"cors": ["https://page.example"], "hosts": ["events.example"]}})
    with serving(settings) as url:
        found = ask(f"{url}/health", "OPTIONS", Origin="https://page.example", Access_Control_Request_Method="POST")
        assert found.headers["access-control-allow-origin"] == "https://page.example"
        assert "access-control-allow-origin" not in ask(f"{url}/health", Origin="https://other.example").headers
        assert ask(f"{url}/health", Host="events.example").status == 200


def test_who_says_no_name_asks_by_http_1_0() -> None:
    """Balancers of load do; no browser does."""
    with serving(Settings.parse({})) as url:
        address = urlsplit(url)
        with socket.create_connection((address.hostname, address.port), timeout=60) as sent:
            sent.sendall(b"GET /health HTTP/1.0\r\n\r\n")
            assert sent.makefile("rb").readline() == b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize("cors", [["https://page.example"], ["*"]])
def test_a_script_of_another_site_lets_us_work_for_what_it_may_read_alone(cors: list[str]) -> None:
    """Of any other answer it sees nothing, but asked for as many as it liked."""
    from_afar = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors"}
    with serving(Settings.parse({"server": {"cors": cors}})) as url:
        assert ask(f"{url}/health", Origin="https://page.example", **from_afar).status == 200
        found = ask(f"{url}/health", Origin="https://evil.example", **from_afar)
        assert found.status == (200 if cors == ["*"] else 403)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_site_cannot_let_us_work(plain_url: str, site: str) -> None:
    """By a picture whose address is a query; a link that somebody follows is well, and so is our own page."""
    found = ask(f"{plain_url}/sparql?query=ASK{{}}", Sec_Fetch_Site=site, Sec_Fetch_Mode="no-cors")
    assert (found.status, found.json["detail"]) == (403, "a page of another site asks")
    assert ask(f"{plain_url}/health", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate").status == 200
    assert ask(f"{plain_url}/health", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="no-cors").status == 200


@pytest.mark.parametrize("origin", ["null", "http://[", "", "https://evil.example/http://127.0.0.1"])
def test_what_is_no_origin_of_ours_is_refused(plain_url: str, origin: str) -> None:
    assert ask(f"{plain_url}/check", "POST", "SELECT", Origin=origin).status == 403
