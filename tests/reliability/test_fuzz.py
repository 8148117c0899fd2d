"""The fuzzer keeps what it finds, once for each place, and nothing that is refused as it should be."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import KaicepError
from support.hostile_seeds import SEEDS

from reliability.fuzz import PARSERS, fuzz, judge


@pytest.mark.slow
def test_every_parser_has_seeds_and_takes_them(tmp_path: Path) -> None:
    assert set(SEEDS) == set(PARSERS)
    for parser, seeds in SEEDS.items():
        for seed in seeds[:3]:
            judge(parser, seed, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_refusal_is_kept_once_for_each_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(content: bytes) -> None:
        if content == b"refused":
            raise KaicepError("no", hint="way out")
        if content == b"other":
            raise ValueError
        raise RecursionError

    monkeypatch.setattr("reliability.fuzz.PARSERS", {"query_text": broken})
    for content in (b"refused", b"first", b"second", b"other"):
        judge("query_text", content, tmp_path)
    kept = sorted(path.read_bytes() for path in tmp_path.iterdir() if not path.suffix)
    assert kept == [b"first", b"other"]
    told = sorted(path.read_text().splitlines()[-1] for path in tmp_path.glob("*.txt"))
    assert told == ["RecursionError", "ValueError"]


@pytest.mark.long
@pytest.mark.reliability
@pytest.mark.parametrize("parser", PARSERS)
def test_atheris_finds_nothing_in_a_minute(tmp_path: Path, parser: str) -> None:
    pytest.importorskip("atheris", reason="the fuzzer is an extra, which make test-long installs")
    said = fuzz(parser, 1, tmp_path)
    assert "Done" in said
    assert [path.name for path in tmp_path.iterdir()] == []
