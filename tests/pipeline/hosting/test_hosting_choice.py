"""Who hosts: what is set; `auto` asks Spark's master."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kaicep.config import Settings
from kaicep.pipeline.hosting.hosting_choice import chosen_hosting

CLUSTER = "spark://elsewhere:7077"


def settings_of(folder: Path, source: dict[str, Any] | None = None, **tables: Any) -> Settings:
    stream = {
        "event_type": "<urn:E>",
        "time": {"attribute": "t"},
        "source": source or {"format": "json", "path": "in/"},
    }
    return Settings.parse({"streams": {"air": stream}, **tables}, root=folder)


def test_auto_takes_the_driver_of_a_local_master_and_the_executors_of_another(tmp_path: Path) -> None:
    assert chosen_hosting(settings_of(tmp_path), None) == "driver"
    assert chosen_hosting(settings_of(tmp_path, engine={"master": CLUSTER}), None) == "executors"
    assert chosen_hosting(settings_of(tmp_path, engine={"master": CLUSTER}), "local[2]") == "driver"
    assert chosen_hosting(settings_of(tmp_path), CLUSTER) == "executors"
    assert chosen_hosting(settings_of(tmp_path, engine={"hosting": "driver"}), CLUSTER) == "driver"
    assert chosen_hosting(settings_of(tmp_path, engine={"hosting": "executors"}), None) == "executors"


def test_executors_read_what_is_in_a_bucket(tmp_path: Path) -> None:
    assert chosen_hosting(settings_of(tmp_path, {"format": "json", "path": "s3://bucket/in"}), CLUSTER) == "executors"


def test_what_an_archiver_has_kept_executors_take(tmp_path: Path) -> None:
    (tmp_path / "var/archive/intake").mkdir(parents=True)
    assert chosen_hosting(settings_of(tmp_path), CLUSTER) == "executors"
