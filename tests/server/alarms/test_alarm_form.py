"""Which contexts are alarms, and how one is acknowledged, found in queries as docs/alarms.md writes them."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest
from kaicep.config import Settings
from kaicep.server.alarms.alarm_form import AlarmForm, SeenEvent, alarm_forms, key_values
from support.alarming import alarming_project, write_queries


def test_the_pattern_of_the_docs_is_one(tmp_path: Path) -> None:
    settings = alarming_project(tmp_path)
    said = SeenEvent("desk", "at", {"says": "seen"}, ("room",), "who", "acknowledged")
    assert alarm_forms(ox.Store(), settings) == [AlarmForm("alarm", ("room",), "alarms", said)]


def test_nobody_has_to_say_who_it_was(tmp_path: Path) -> None:
    settings = alarming_project(tmp_path, people="")
    (form,) = alarm_forms(ox.Store(), settings)
    assert form.seen == SeenEvent("desk", "at", {"says": "seen"}, ("room",))


@pytest.mark.parametrize(
    ("of", "becomes", "left"),
    [
        ("SWITCH CONTEXT seen FROM (?d, desk) IN CONTEXT raised FILTER (?d.says = 'seen');", "", [None]),
        ("raised", "loud", []),
        ("CREATE QUERY alarms AS\n", "", []),
        ("?c.change ", "?c.change AS what ", []),
    ],
)
def test_what_is_missing(tmp_path: Path, of: str, becomes: str, left: list[None]) -> None:
    """Without an event nobody can acknowledge; without its names, or a named query, there is no alarm at all."""
    settings = alarming_project(tmp_path)
    write_queries(tmp_path, of, becomes)
    assert [form.seen for form in alarm_forms(ox.Store(), settings)] == left


def test_keys_that_are_individuals_are_said_as_the_stream_says_them(tmp_path: Path) -> None:
    settings = alarming_project(tmp_path, room='{ property = "ex:room", individual = "ex:{}" }')
    (form,) = alarm_forms(ox.Store(), settings)
    assert key_values(ox.Store(), settings, form, {"room": "urn:ex:B1"}) == {"room": "B1"}
    plain = alarming_project(tmp_path / "plain")
    assert key_values(ox.Store(), plain, form, {"room": "B1"}) == {"room": "B1"}


def test_a_project_without_contexts_has_none(plain: Settings) -> None:
    assert alarm_forms(ox.Store(), plain) == []
