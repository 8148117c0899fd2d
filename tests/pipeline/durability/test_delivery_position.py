"""How far the rows of an engine are, when its snapshots are lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from kaicep import PipelineError
from kaicep.pipeline.durability.delivery_position import DeliveryPosition


def test_the_last_note_is_read_again(tmp_path: Path) -> None:
    position = DeliveryPosition(tmp_path / "queries" / "position.json")
    assert position.read() is None
    position.write(3, {"sink/0": b'{"bytes": 10}'})
    position.write(4, {"sink/0": b'{"bytes": 20}', "late/past": b'{"handed": 1}'})
    assert position.read() == (4, {"sink/0": b'{"bytes": 20}', "late/past": b'{"handed": 1}'})
    assert [path.name for path in (tmp_path / "queries").iterdir()] == ["position.json"]


def test_a_broken_note_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "position.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(PipelineError) as refused:
        DeliveryPosition(path).read()
    assert str(refused.value) == (
        f"{path}: the engine's position cannot be read: "
        "restore it from a copy, or remove it: rows of the last batch may then come again"
    )
