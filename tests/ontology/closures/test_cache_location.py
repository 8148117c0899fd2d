"""Where closures are kept: the environment goes before the project file, and that before the user's cache folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep.config import Settings
from kaicep.ontology.closures import CACHE_VARIABLE, cache_folder
from platformdirs import user_cache_path


def settings(folder: Path, cache: str | None) -> Settings:
    return Settings.parse({"knowledge": {} if cache is None else {"cache": cache}}, root=folder)


def test_the_project_file_says_it_else_it_is_that_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CACHE_VARIABLE)
    assert cache_folder(settings(tmp_path, "var/cache")) == tmp_path / "var" / "cache"
    assert cache_folder(settings(tmp_path, "never")) is None
    assert cache_folder(settings(tmp_path, None)) == user_cache_path("kaicep")


def test_the_environment_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "mine"))
    assert cache_folder(settings(tmp_path, "never")) == tmp_path / "mine"
    monkeypatch.setenv(CACHE_VARIABLE, "never")
    assert cache_folder(settings(tmp_path, "var/cache")) is None
