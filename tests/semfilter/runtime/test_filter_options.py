"""The switches of the filter, as the project file sets them."""

from __future__ import annotations

from kaicep.config import EngineSettings
from kaicep.semfilter.runtime import NAIVE, FilterOptions


def test_a_project_file_that_says_nothing_gives_the_defaults() -> None:
    assert FilterOptions.of(EngineSettings()) == FilterOptions()


def test_each_key_is_a_switch() -> None:
    settings = EngineSettings(compiled=False, buffer=False, cache_size=7, table_size=9)
    assert FilterOptions.of(settings) == FilterOptions(compiled=False, buffer=False, cache_size=7, table_size=9)


def test_the_baseline_switches_everything_off() -> None:
    assert (NAIVE.compiled, NAIVE.buffer, NAIVE.cache_size, NAIVE.table_size) == (False, False, 0, 0)
