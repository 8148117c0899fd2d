"""YASGUI as whoever asks a SPARQL endpoint has it before him: the page that Oxigraph's own server brings.

Source: YASGUI 4.5, which `oxigraph serve` shows at `/`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, Locator, Page

from .browsers import PATIENCE_MS

__all__ = ["Yasgui", "open_yasgui"]


@dataclass(frozen=True)
class Yasgui:
    """The tab of YASGUI that is before one.

    Attributes:
        page: that it is on.
    """

    page: Page

    @property
    def results(self) -> Locator:
        """What YASR shows of the last answer."""
        return self._tab.locator(".yasr_results")

    @property
    def error(self) -> Locator:
        """What it shows of an answer that is none."""
        return self.results.locator(".errorResult pre")

    def new_tab(self) -> Yasgui:
        """Open another tab, with the settings that YASGUI has by itself."""
        self.page.get_by_role("button", name="Add a new tab").click()
        return self

    def ask(self, endpoint: str, query: str, *, typed: bool = False) -> None:
        """Write an address, type or paste a query, and press the button that runs it."""
        address = self._tab.locator(".autocompleteWrapper input")
        address.fill(endpoint)
        address.press("Enter")
        self._tab.locator(".yasqe .CodeMirror").click()
        keyboard = self.page.keyboard
        keyboard.press("Control+A")
        keyboard.type(query) if typed else keyboard.insert_text(query)
        self._tab.get_by_role("button", name="Run query").click()

    def ask_by(self, method: str) -> None:
        """Choose the method of requests among the settings."""
        with self._settings() as settings:
            settings.get_by_role("button", name=method).click()

    def take_triples_as(self, form: str) -> None:
        """Choose the form of triples among the settings."""
        with self._settings() as settings:
            settings.locator(".selector", has_text="Construct / Describe").locator("select").select_option(form)

    def send_header(self, name: str, value: str) -> None:
        """Write the first header of all requests among the settings."""
        with self._settings() as settings:
            fields = settings.locator(".textSetting", has_text="Header Arguments").locator(".textRow input")
            fields.nth(0).fill(name)
            fields.nth(1).fill(value)

    @property
    def _tab(self) -> Locator:
        return self.page.locator(".tabPanel.active")

    @contextmanager
    def _settings(self) -> Iterator[Locator]:
        """The settings of the tab, open."""
        self._tab.get_by_role("button", name="Open settings").click()
        yield self._tab.locator(".tabMenu")
        self._tab.get_by_role("button", name="Close settings").click()


def open_yasgui(chromium: Browser, url: str) -> Yasgui:
    """Open the page of an Oxigraph server, as somebody who has never been there."""
    page = chromium.new_context(viewport={"width": 1000, "height": 700}).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    return Yasgui(page)
