"""The gap between archive and live stream: waited for, by position."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from kaicep.archive.log import Position
from kaicep.errors import PlanError
from kaicep.planner import wait_for_archive
from support.archives import STREAM, opened, readings


def test_a_batch_that_is_on_its_way_is_waited_for(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        writer = threading.Timer(0.01, lambda: archive.append(3, {STREAM: readings(1)}))
        writer.start()
        wait_for_archive(archive, Position(0, 3), timedelta(minutes=1))
        assert archive.last == Position(0, 3)
        writer.join()


def test_nothing_is_waited_for_where_nothing_is_on_its_way(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        wait_for_archive(archive, None, timedelta(0))


def test_a_batch_that_does_not_come_is_named(tmp_path: Path) -> None:
    with opened(tmp_path, store=False) as archive:
        for held in ("is empty", "ends with batch 000000-000000000000"):
            with pytest.raises(PlanError) as late:
                wait_for_archive(archive, Position(0, 1), timedelta(0))
            assert str(late.value) == (
                f"batch 000000-000000000001 is not in the archive, whose log {held}: "
                "see whether the archive is written, or give it more time: in_flight under [archive]"
            )
            archive.append(0, {STREAM: readings(1)})
