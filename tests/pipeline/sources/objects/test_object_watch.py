"""Buckets are looked into for as long as streams are read; one that is away is told of once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from kaicep.pipeline.sources.objects.listed_objects import listings_of
from kaicep.pipeline.sources.objects.object_watch import ObjectWatch
from support.buckets import ObjectStorage
from support.object_streams import put, settings_of


def await_(said: list[str], count: int) -> None:
    for _ in range(200):
        if len(said) >= count:
            return
        time.sleep(0.05)
    pytest.fail(f"{said}")


def test_a_bucket_may_be_away(tmp_path: Path, object_storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kaicep.pipeline.sources.objects.object_watch._LEAST_OFTEN_S", 0.05)
    folder = object_storage.folder("in")
    listings = listings_of(settings_of(tmp_path, str(folder), object_storage))
    object_storage.stop()
    said: list[str] = []
    watch = ObjectWatch(listings, 0.0, said.append)
    await_(said, 1)
    object_storage.start()
    await_(said, 2)
    put(folder, "a.json")
    for _ in range(200):
        if listings["air"].folder.exists():
            break
        time.sleep(0.05)
    watch.stop()
    assert len(list(listings["air"].folder.iterdir())) == 1
    assert said[0].startswith(f"streams.air: s3://{folder.bucket} does not answer")
    assert said[0].endswith("; its objects are listed when that has passed")
    assert said[1:] == ["streams.air: its objects are listed again"]
