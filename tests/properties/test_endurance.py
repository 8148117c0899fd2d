"""Nothing grows with the number of batches: not memory, nor files, nor what is remembered of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from kaicep.benchmarks.endurance import BAR, Endurance, growth, simulation


@pytest.mark.long
def test_files_and_entries_are_as_many_after_many_batches_as_after_a_few(tmp_path: Path) -> None:
    """Counts only: a sample of the run below. The log keeps the last fifteenth of its time."""
    with simulation():
        engine = Endurance(tmp_path, batches=240)
        samples = list(engine.samples(20))
    found = growth(samples)
    assert max(sample.files for sample in samples[-8:]) <= 1.2 * max(sample.files for sample in samples[4:12])
    assert found["objects"] < 0.01
    assert found["state"] < 0.01
    folders = Counter(path.relative_to(tmp_path).parts[:3] for path in tmp_path.rglob("*") if path.is_file())
    assert folders["state", "dead-letters", "air"] <= 6  # a record in fifty batches is none
    assert folders["var", "archive", "advances"] < 70
    assert engine.flow.progress.batches == 240
    assert {label for label, rows in engine.flow.progress.matches.items() if rows} >= {
        "selection",
        "pairs",
        "rises",
        "spells",
    }
    for log in (engine.archive.log, engine.archive.matches.log, engine.archive.idle_watermarks.log):
        for stream in log.streams():
            manifest = log.manifest(stream)
            assert set(manifest._facts) <= set(manifest.folder.iterdir())
            assert sum(rows for _, rows in manifest.rows_by_batch()) <= 80


@pytest.mark.long
@pytest.mark.reliability
def test_a_simulated_year_of_100_000_batches_is_flat_behind_its_first_tenth(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with simulation():
        found = growth(list(Endurance(tmp_path, batches=100_000).samples()))
    for name, more in found.items():
        record_property(f"{name}, last four tenths over those behind the first", f"{more:+.1%}")
    assert {name: more for name, more in found.items() if more > BAR} == {}
