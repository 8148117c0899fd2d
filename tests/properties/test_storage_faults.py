"""Whatever a storage refuses, and whenever: the batch waits, is done again, and gives what it would have given.

A bucket that is away, slows down, or is full at any request; a shared folder that is full at any operation. Nothing is
lost, and nothing is there twice: log, dead letters, rows in a file and counts are those of an undisturbed engine.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest
from kaicep.errors import KaicepError
from kaicep.storage import is_transient
from kaicep.storage.shared import bucket_client
from support.buckets import FULL, QUOTA, SLOW_DOWN, ObjectStorage, Refusal
from support.disk_faults import faulty_disk
from support.hostings import FilesEngine
from support.tried_engine import engine, noted, question, told, undisturbed


class Trouble:
    """What a storage meets, from one of its requests on.

    Args:
        storage: it.
        kind: `away`, `slow`, `full`.
        after: how many requests are answered before.
        rng: says which are refused of a storage that slows down.
    """

    def __init__(self, storage: ObjectStorage, kind: str, after: int, rng: Random) -> None:
        self._storage, self._kind, self._left, self._rng = storage, kind, after, rng
        self._full = rng.choice((FULL, QUOTA))
        storage.refuse = self._refuse

    def _refuse(self, method: str, _path: str) -> Refusal | None:
        self._left -= 1
        if self._left >= 0:
            return None
        if self._kind == "slow":
            return SLOW_DOWN if self._rng.random() < 0.3 else None
        if self._kind == "away":
            return SLOW_DOWN
        return self._full if method in ("PUT", "POST") else None

    def mend(self) -> None:
        """Let it answer again."""
        self._storage.refuse = lambda _method, _path: None


def check(folder: Path, storage: ObjectStorage, seed: int, patch: pytest.MonkeyPatch, *, tasks: bool = True) -> int:
    """Let a bucket be in trouble at seeded requests; how many batches had to wait."""
    patch.setattr(bucket_client, "PATIENCE_S", 0.0)
    patch.setattr(bucket_client, "_FIRST_PAUSE_S", 0.001)
    text, cut = question(seed)
    expected = undisturbed(folder / "undisturbed", text, cut, tasks=tasks)
    rng, own = Random(f"faults {seed}"), engine(folder / "faulty", text, storage.folder("lake"), tasks=tasks)
    waited = 0
    for number, batch in enumerate(cut, 1):
        noted(own, number, batch)
        kind = rng.choice(("away", "slow", "full"))
        patch.setattr(bucket_client, "PATIENCE_S", 5.0 if kind == "slow" else 0.0)
        trouble = Trouble(storage, kind, rng.randrange(60), rng)
        while own.next == number:
            waited += _delivered(own, number, trouble.mend, restart=rng.random() < 0.3)
        trouble.mend()
    own.flow.finish()
    assert told(own) == expected
    own.stop()
    return waited


def _delivered(own: FilesEngine, number: int, mend: Callable[[], None], *, restart: bool) -> bool:
    """Deliver a batch; whether it has to be delivered again, since something that passes was in its way."""
    try:
        own.deliver(number)
    except (KaicepError, OSError) as error:
        if not is_transient(error):
            raise
        mend()
        if restart:
            own.stop()
            own.start()
        own.flow.begin(own.generation)
        return True
    return False


@pytest.mark.long
def test_a_bucket_in_trouble_loses_and_repeats_nothing(
    tmp_path: Path, object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check(tmp_path, object_storage, 1, monkeypatch)


@pytest.mark.long
def test_nor_does_one_in_which_a_driver_logs(
    tmp_path: Path, object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(tmp_path, object_storage, 3, monkeypatch, tasks=False)


@pytest.mark.long
def test_buckets_in_trouble_in_the_long_run(
    tmp_path: Path, object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = 0
    for seed in range(4, 44):
        (tmp_path / str(seed)).mkdir()
        waited += check(tmp_path / str(seed), object_storage, seed, monkeypatch, tasks=seed % 4 > 0)
    assert waited > 50


def check_full_folder(folder: Path, seed: int) -> int:
    """Let the folder that tasks share, with log and state, be full at seeded operations; how often a batch waited."""
    text, cut = question(seed)
    expected = undisturbed(folder / "undisturbed", text, cut)
    rng, own, waited = Random(f"full {seed}"), engine(folder / "faulty", text), 0
    with ExitStack() as opened:
        disk = opened.enter_context(faulty_disk(own.folder / "var"))
        for number, batch in enumerate(cut, 1):
            noted(own, number, batch)
            disk.fail(rng.choice((errno.ENOSPC, errno.EDQUOT)), rng.randrange(40), onwards=rng.random() < 0.7)
            while own.next == number:
                waited += _delivered(own, number, disk.mend, restart=rng.random() < 0.3)
            disk.mend()
        own.flow.finish()
    assert told(own) == expected
    own.stop()
    return waited


def test_a_shared_folder_that_is_full_loses_and_repeats_nothing(tmp_path: Path) -> None:
    assert check_full_folder(tmp_path, 0)


@pytest.mark.long
def test_folders_that_are_full_in_the_long_run(tmp_path: Path) -> None:
    waited = 0
    for seed in range(2, 40):
        (tmp_path / str(seed)).mkdir()
        waited += check_full_folder(tmp_path / str(seed), seed)
    assert waited > 50
