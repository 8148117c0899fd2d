"""Spark need not be asked whether there is anything to read when its checkpoint says that there is nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from kaicep.config import Settings
from kaicep.pipeline.durability.generations.checkpoint_generation import Generation, current_generation
from kaicep.pipeline.durability.generations.spark_checkpoint import _checksums
from kaicep.pipeline.durability.generations.unread_files import is_all_read

AIR = {"format": "json", "path": "air"}


class Project:
    """Two streams whose files were read in two batches: a checkpoint as Spark 4.1 writes it."""

    def __init__(self, root: Path, **air: Any) -> None:
        self.root = root
        sources = {"air": AIR | air, "door": {"format": "csv", "path": "door"}}
        streams = {
            name: {"event_type": "<urn:R>", "time": {"attribute": "at"}, "source": source}
            for name, source in sources.items()
        }
        self.settings = Settings.parse(
            {"streams": streams | {"derived": {**streams["air"], "source": None}}}, root=root
        )
        self.generation: Generation = current_generation(self.settings, root / "state", None)
        self.checkpoint = self.generation.checkpoint
        for folder in ("air", "door"):
            (root / folder).mkdir(parents=True)
        self.checkpoint.joinpath("sources/2").mkdir(parents=True)
        self.drop("air/1.json", "air/ü 1%20.json", "door/1.csv")
        self.note(0, "0", "air/1.json")
        self.note(0, "1", "air/ü 1%20.json")
        self.note(1, "0", "door/1.csv")
        self.plan(0, 0, 0, None)
        self.plan(1, 1, 0, None)

    def drop(self, *names: str) -> None:
        for name in names:
            self.root.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            self.root.joinpath(name).touch()

    def note(self, source: int, number: str, *names: str) -> None:
        path = self.checkpoint / f"sources/{source}/{number}"
        path.parent.mkdir(exist_ok=True)
        lines = [json.dumps({"path": f"file://{quote(str(self.root / name))}", "timestamp": 1}) for name in names]
        path.write_text("\n".join(["v1", *lines]))
        path.with_name(f".{number}.crc").write_bytes(_checksums(path.read_bytes()))

    def plan(self, number: int, *offsets: int | None, done: bool = True) -> None:
        texts = ["-" if offset is None else json.dumps({"logOffset": offset}) for offset in offsets]
        for folder, text in (("offsets", "\n".join(["v1", "{}", *texts])), ("commits", "v1\n{}"))[: 1 + done]:
            self.checkpoint.joinpath(folder).mkdir(exist_ok=True)
            self.checkpoint.joinpath(folder, str(number)).write_text(text)

    @property
    def all_read(self) -> bool:
        return is_all_read(self.settings, self.generation)


def test_files_that_batches_had_are_read(tmp_path: Path) -> None:
    of = Project(tmp_path)
    assert of.all_read
    of.drop("air/.2.part", "air/_SUCCESS", "air/2.json._COPYING_", "air/.hidden/3.json")
    assert of.all_read  # Spark does not see these
    (tmp_path / "air/1.json").unlink()
    assert of.all_read


def test_a_source_may_be_a_single_file(tmp_path: Path) -> None:
    of = Project(tmp_path, path="air/1.json")
    assert of.all_read
    of.drop("air/2.json")
    assert of.all_read
    assert not Project(tmp_path / "other", path="air/2.json").all_read


def test_files_of_every_tenth_note_are_known(tmp_path: Path) -> None:
    of = Project(tmp_path)
    of.drop("air/3.json")
    of.note(0, "9.compact", "air/1.json", "air/ü 1%20.json")
    of.note(0, "10", "air/3.json")
    of.plan(2, 10, 0, None)
    of.checkpoint.joinpath("sources/0/0").unlink()
    assert of.all_read
    of.checkpoint.joinpath("sources/0/9.compact").unlink()
    assert not of.all_read  # notes are lost


UNREAD: Sequence[Callable[[Project], object]] = (
    lambda of: of.drop("air/2.json"),
    lambda of: of.drop("door/day=1/1.csv"),
    lambda of: of.drop("air/_a=1/1.json"),
    lambda of: of.drop("air/_metadata"),
    lambda of: of.plan(2, 1, 0, None, done=False),
    lambda of: of.note(0, "2", "air/3.json"),  # noted, and in no batch: Spark was stopped between the two
    lambda of: of.plan(2, 2, 0, None),
    lambda of: of.drop(str(of.generation.heartbeats / "1")),
    lambda of: of.checkpoint.joinpath("offsets/1").write_text("v2"),
    lambda of: of.checkpoint.joinpath("sources/0/1").write_text("v1\n{broken"),
    lambda of: of.checkpoint.joinpath("sources/0/.1.crc").write_bytes(b""),
    lambda of: of.checkpoint.joinpath("commits/1").unlink(),
    lambda of: of.root.joinpath("door").rename(of.root / "gone"),
)


@pytest.mark.parametrize("change", UNREAD)
def test_whatever_is_new_or_in_doubt_is_unread(tmp_path: Path, change: Callable[[Project], object]) -> None:
    of = Project(tmp_path)
    change(of)
    assert not of.all_read


@pytest.mark.parametrize("source", [{"format": "kafka"}, {"path": "hdfs://x/air"}, {"path": "air/*.json"}])
def test_what_is_no_folder_of_this_machine_may_always_have_something(tmp_path: Path, source: dict[str, str]) -> None:
    assert not Project(tmp_path, **source).all_read


def test_before_the_first_batch_all_is_unread(tmp_path: Path) -> None:
    of = Project(tmp_path)
    assert not is_all_read(of.settings, Generation(tmp_path / "none", 1, tmp_path / "beats"))
