"""`kaicep ontology add | remove | list`."""

from __future__ import annotations

import json
from pathlib import Path

from support.command_line import PROPERTIES, call, rights_of_others


def test_modules_are_added_listed_and_removed(project: Path) -> None:
    (project / "rooms.ttl").write_text(PROPERTIES)
    added = call("ontology", "add", project / "rooms.ttl", "-p", project)
    assert (added.exit_code, added.stdout.splitlines()[0]) == (0, "takes over when the engine starts")
    assert rights_of_others(project / "var") == set()
    listed = call("ontology", "list", "-p", project)
    assert json.loads(listed.stdout)["module"] == "rooms.ttl"
    assert listed.stderr.endswith("takes over when the engine starts\n")
    assert call("ontology", "remove", "rooms.ttl", "-p", project).exit_code == 0
    assert call("ontology", "list", project).stdout == ""


def test_a_shipped_ontology_is_listed_and_added_by_its_name(project: Path) -> None:
    names = {row["name"]: row for row in map(json.loads, call("ontology", "shipped").stdout.splitlines())}
    assert (names["brick"]["version"], names["sosa"]["licence"]) == ("1.5.0", "W3C Software and Document")
    added = call("ontology", "add", "time:2017", "-p", project)
    assert added.stdout.splitlines()[1].startswith("adds ontologies/time/time.ttl: ")
    refused = call("ontology", "add", "qudt", "-p", project)
    assert "'qudt' is several modules: list it in the project file, or add them: " in refused.stderr
    unknown = call("ontology", "add", "sosaa", "-p", project)
    assert unknown.stderr == "there is no ontology 'sosaa': did you mean 'sosa'?\n"


def test_what_is_refused_is_told(project: Path) -> None:
    refused = call("ontology", "remove", "none.ttl", "-p", project)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "none.ttl" in refused.stderr
