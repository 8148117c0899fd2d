"""Without an engine, changes of the ontology modules are kept for the next start."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import KaicepError, Project
from kaicep.api.clients.ontology_client import MODULE_COLUMNS, add_module, list_modules, remove_module
from kaicep.config import Settings
from support.command_line import PROPERTIES


@pytest.fixture
def settings(project: Path) -> Settings:
    return Settings.load(project)


@pytest.fixture
def module(project: Path) -> Path:
    path = project / "rooms.ttl"
    path.write_text(PROPERTIES)
    return path


def test_a_module_that_was_added_is_listed_and_loaded(settings: Settings, module: Path) -> None:
    told = add_module(settings, module, None)
    assert told[0] == "takes over when the engine starts"
    assert told[1].startswith("adds rooms.ttl: ")
    rows, (said,) = list_modules(settings)
    assert [tuple(row) for row in rows] == [MODULE_COLUMNS]
    assert (rows[0]["module"], rows[0]["triples"], rows[0]["from"]) == ("rooms.ttl", 3, "added")
    assert said.endswith("; takes over when the engine starts")
    assert len(Project.of(settings).knowledge.modules) == 1


def test_a_module_that_was_removed_is_gone(settings: Settings, module: Path) -> None:
    add_module(settings, module, None)
    assert remove_module(settings, "rooms.ttl")[1].startswith("removes rooms.ttl")
    assert list_modules(settings)[0] == []
    assert module.exists()


def test_a_change_that_is_refused_changes_nothing(settings: Settings, module: Path) -> None:
    module.write_text("no turtle")
    with pytest.raises(KaicepError, match=r"rooms\.ttl"):
        add_module(settings, module, None)
    with pytest.raises(KaicepError, match=r"other\.ttl"):
        remove_module(settings, "other.ttl")
    assert list_modules(settings)[0] == []
