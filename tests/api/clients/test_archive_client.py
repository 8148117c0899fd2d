"""What the log has and the store lacks is added by whoever asks, where no engine does."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.api.clients import complete_store, store_lacks
from kaicep.archive import Archive
from kaicep.config import Settings
from kaicep.errors import ArchiveError
from kaicep.ontology import KnowledgeBase
from support.archives import PROJECT, SHAPE, STREAM, readings


@pytest.fixture
def lagging(tmp_path: Path) -> Settings:
    """A project whose last run has left all to whoever asks next."""
    (tmp_path / "kaicep.toml").write_text(PROJECT)
    settings = Settings.load(tmp_path)
    knowledge = KnowledgeBase.of_turtle("", reasoner="none")
    with Archive(settings, knowledge, {STREAM: SHAPE}) as archive:
        archive.flush()
    log = settings.model_copy(update={"archive": settings.archive.apart("var/archive", store=False)})
    with Archive(log, knowledge, {STREAM: SHAPE}) as archive:
        archive.append(0, {STREAM: readings(30)})
    return settings


def test_what_it_lacks_is_added(lagging: Settings) -> None:
    assert store_lacks(lagging) == 30
    assert complete_store(lagging)
    assert store_lacks(lagging) == 0


def test_where_there_is_no_store_it_lacks_nothing(tmp_path: Path) -> None:
    assert store_lacks(Settings.parse({"archive": {"store": False}}, root=tmp_path)) == 0
    with pytest.raises(ArchiveError):
        store_lacks(Settings.parse({}, root=tmp_path))
