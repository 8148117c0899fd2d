"""When contexts held, as the archive lets it be found out."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
from kaicep.config import Settings
from kaicep.server.streams.context_windows import context_windows
from support.archives import archived_project

CONTEXTS = """CREATE CONTEXTS air (calm DEFAULT, windy);
INITIATE CONTEXT windy FROM (?e, airflowReport) FILTER (?e.flowrate = 20);
TERMINATE CONTEXT windy FROM (?e, airflowReport) FILTER (?e.flowrate = 30)"""


def test_windows_of_contexts(tmp_path: Path) -> None:
    archived_project(tmp_path)
    (tmp_path / "air.chi").write_text(CONTEXTS)
    file = tmp_path / "kaicep.toml"
    attributes = '[streams.airflowReport.attributes]\nflowrate = { datatype = "xsd:double" }\n'
    file.write_text('[queries]\nfiles = ["air.chi"]\n' + file.read_text() + attributes)
    (found,) = context_windows(ox.Store(), Settings.load(tmp_path), "1h")
    assert (found["set"], found["key"]) == ("air", [])
    assert found["contexts"] == [{"name": "calm", "default": True}, {"name": "windy", "default": False}]
    windy = [window for window in found["windows"] if window["context"] == "windy"]
    assert windy == [
        {"context": "windy", "key": {}, "from": "2012-05-07T09:00:40Z", "to": "2012-05-07T09:01:00Z"},
    ]
    # As it has been for ever.
    assert {"context": "calm", "key": {}, "from": None, "to": "2012-05-07T09:00:40Z"} in found["windows"]
    assert any(window["context"] == "calm" and window["to"] is None for window in found["windows"])


def test_without_contexts_there_are_none(plain: Settings) -> None:
    assert context_windows(ox.Store(), plain, "1h") == []
