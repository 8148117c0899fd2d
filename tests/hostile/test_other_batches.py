"""The same records give the same rows, however they are cut into batches and wherever the engine was killed."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from kaicep.errors import KaicepError
from support.cut_engine import Remains, drop_files, remains, run_engine
from support.disk_faults import faulty_disk

FILES = range(7)
Kill = tuple[int, int, bool]
"""Files of a stream that a batch has, the operation of the file system at which the engine ends, and whether what Spark
remembers is lost then."""
kills = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 120), st.booleans()), min_size=1, max_size=4)
SETTINGS = settings(
    deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate], suppress_health_check=list(HealthCheck)
)


@cache
def undisturbed() -> Remains:
    with TemporaryDirectory() as folder:
        drop_files(Path(folder), FILES)
        run_engine(Path(folder))
        left = remains(Path(folder))
    assert len(left.rows["pairs"]) > 10
    return left


def killed_again_and_again(ends: list[Kill]) -> Remains:
    """What is left when each run but the last was killed, and cut its batches otherwise than the one before."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        drop_files(root, FILES)
        for most, at, forgets in ends:
            with faulty_disk(root) as disk:
                disk.fail(errno.EIO, at, onwards=True)
                with suppress(OSError, KaicepError):
                    run_engine(root, most)
            for generation in root.glob("var/state/generation-*") if forgets else ():
                shutil.rmtree(generation / "checkpoint", ignore_errors=True)
        run_engine(root)
        return remains(root)


@settings(SETTINGS, max_examples=6)
@given(kills)
@example([(4, 0, True), (4, 94, True), (1, 0, True), (4, 17, False)])
@example([(4, 43, False), (4, 43, False), (4, 111, True), (4, 111, True)])
@pytest.mark.long
def test_batches_that_compose_otherwise_after_each_kill(ends: list[Kill]) -> None:
    assert killed_again_and_again(ends) == undisturbed()


@pytest.mark.long
@pytest.mark.reliability
def test_many_batches_that_compose_otherwise_after_each_kill(record_property: Callable[[str, object], None]) -> None:
    tried = []

    @settings(SETTINGS, max_examples=500)
    @given(kills)
    def each(ends: list[Kill]) -> None:
        tried.append(len(ends))
        assert killed_again_and_again(ends) == undisturbed()

    each()
    record_property("runs that were killed up to four times, cut otherwise each time", len(tried))
    record_property("kills", sum(tried))
