"""Dead letters: as they came, with reason and place, once per batch."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from kaicep.pipeline.durability.dead_letters import DeadLetters
from kaicep.pipeline.sources.json_source import parse_json_lines
from kaicep.pipeline.sources.records import RecordOrigin, without_unreadable
from kaicep.pipeline.sources.unreadable import UnreadableFile

REJECTED = pa.schema([("row", pa.int64()), ("reason", pa.string())])


def test_malformed_and_rejected_records_are_kept_as_they_came(tmp_path: Path) -> None:
    lines = ["{", ' {"a":"ü"}', '{"a":2}']
    raw = parse_json_lines(pa.array(lines), RecordOrigin.of("in", "{name}:{number}"), "t")
    rejected = pa.Table.from_pylist([{"row": 0, "reason": "no time"}], REJECTED)
    letters = DeadLetters(tmp_path)
    for _ in range(2):
        assert letters.write("air", 7, raw, rejected) == 2
    (path,) = tmp_path.rglob("*.*")
    assert path == tmp_path / "air" / "000000000007.jsonl"
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == [
        {
            "record": "{",
            "reason": "no JSON: Expecting property name enclosed in double quotes at character 2",
            "place": "in:1",
            "batch": 7,
        },
        {"record": ' {"a":"ü"}', "reason": "no time", "place": "in:2", "batch": 7},
    ]


def test_a_batch_without_dead_letters_leaves_no_file(tmp_path: Path) -> None:
    raw = parse_json_lines(pa.array(["{}"]), RecordOrigin.of("in"), "t")
    assert DeadLetters(tmp_path).write("air", 0, raw, REJECTED.empty_table()) == 0
    assert not list(tmp_path.iterdir())


def test_what_goes_beyond_the_limit_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    letters = DeadLetters(tmp_path, most=300)
    raw = parse_json_lines(pa.array(["{"]), RecordOrigin.of("in", "{name}:{number}"), "t")
    for batch in range(20):
        letters.write("air", batch, raw, REJECTED.empty_table())
    said = "the dead letters of 'air' would take more than 300 bytes: the oldest are removed from now on; see in "
    hint = f"{tmp_path}/air what is wrong with its records, or raise dead_letter_size under [engine]"
    assert [record.message for record in caplog.records] == [said + hint]
    assert sum(path.stat().st_size for path in (tmp_path / "air").iterdir()) <= 300


def test_a_file_that_its_source_removes_is_kept(tmp_path: Path) -> None:
    """Once, under the limit; one that stays where it is needs no copy."""
    letters = DeadLetters(tmp_path / "letters", most=20)
    for batch, name in enumerate(("a.gz", "b.gz", "c.gz")):
        (tmp_path / name).write_bytes(b"broken " * 2)
        of = [UnreadableFile(str(tmp_path / name), "no gzip", (14, 1), fleeting=fleeting) for fleeting in (True, False)]
        for _ in range(2):
            letters.write("air", batch, without_unreadable(None, of[: 1 + batch]), REJECTED.empty_table())
        assert letters.write("air", 7, without_unreadable(None, of[1:]), REJECTED.empty_table()) == 1
    (kept,) = (tmp_path / "letters/air/files").iterdir()
    assert (kept.name, kept.read_bytes()) == ("000000000002-c.gz", b"broken broken ")
    lines = (tmp_path / "letters/air/000000000007.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["reason"] for line in lines] == [
        "the file cannot be read: no gzip; mend it in its place, and it is read"
    ]
