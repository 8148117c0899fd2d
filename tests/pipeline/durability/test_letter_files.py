"""Files of dead letters: few, bounded, each line once, whatever was killed or comes again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kaicep.pipeline.durability import letter_files
from kaicep.pipeline.durability.letter_files import LetterFiles


def line(batch: int) -> bytes:
    return f'{{"batch": {batch}}}\n'.encode()


def batches(folder: Path) -> list[int]:
    return [json.loads(text)["batch"] for path in sorted(folder.iterdir()) for text in path.read_text().splitlines()]


def test_many_small_files_become_few(tmp_path: Path) -> None:
    files = LetterFiles(tmp_path / "air")
    for batch in range(1000):
        files.write(batch, line(batch))
    assert len(list((tmp_path / "air").iterdir())) <= 65
    assert batches(tmp_path / "air") == list(range(1000))


def test_a_large_file_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letter_files, "_LARGE", 500)
    files = LetterFiles(tmp_path)
    for batch in range(1000):
        files.write(batch, line(batch))
    sizes = [path.stat().st_size for path in tmp_path.glob("*_*.jsonl")]
    assert len(sizes) > 5
    assert max(sizes) < 500 + 64 * len(line(1000))
    assert batches(tmp_path) == list(range(1000))


def test_the_newest_batch_that_comes_again_replaces_its_lines(tmp_path: Path) -> None:
    files = LetterFiles(tmp_path)
    for batch in range(200):
        files.write(batch, line(batch))
    LetterFiles(tmp_path).write(199, line(199) * 2)
    assert batches(tmp_path)[-3:] == [198, 199, 199]
    LetterFiles(tmp_path).write(199, b"")
    assert batches(tmp_path) == list(range(199))


def test_what_a_killed_writer_left_counts_once(tmp_path: Path) -> None:
    files = LetterFiles(tmp_path)
    for batch in range(65):
        files.write(batch, line(batch))
    (tmp_path / "000000000007.jsonl").write_bytes(line(7))  # not removed any more
    (tmp_path / ".tmp-1-x.part").write_bytes(b"{")
    LetterFiles(tmp_path)
    assert batches(tmp_path) == list(range(65))


def test_the_oldest_go_beyond_the_limit_but_never_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letter_files, "_LARGE", 500)
    files = LetterFiles(tmp_path)
    for batch in range(2000):
        files.write(batch, line(batch))
        files.limit(8_000)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 8_000
    kept = batches(tmp_path)
    assert kept == list(range(kept[0], 2000))
    assert not files.limit(8_000)
    assert files.limit(1)
    assert batches(tmp_path) == [1999]
