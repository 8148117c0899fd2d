"""The tables of the project file: their defaults, and what each refuses."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kaicep.settings import ArchiveSettings, AttributeSettings, EngineSettings, SourceSettings, StreamSettings
from pydantic import ValidationError


def test_options_of_a_source_are_texts() -> None:
    """Spark takes nothing else, and knows `true`, not `True`."""
    source = SourceSettings.model_validate({"format": "csv", "path": "in/", "header": True, "maxFilesPerTrigger": 5})
    assert source.options() == {"header": "true", "maxFilesPerTrigger": "5"}
    assert (source.format, source.path) == ("csv", "in/")


@pytest.mark.parametrize("template", ["ee:", "ee:{}/{}", ""])
def test_a_template_has_one_place_for_the_value(template: str) -> None:
    with pytest.raises(ValidationError, match=r"needs exactly one \{\} for the value"):
        AttributeSettings(individual=template)


def test_the_size_of_an_endpoint_is_nobodys_to_keep() -> None:
    with pytest.raises(ValidationError, match="store_size cannot be kept by an endpoint"):
        ArchiveSettings.model_validate({"endpoint": "http://localhost:7878/query", "store_size": "5 GB"})


@pytest.mark.parametrize("endpoint", ["localhost:7878", "ftp://x/query", "http://", 5])
def test_an_endpoint_is_an_address(endpoint: object) -> None:
    with pytest.raises(ValidationError, match="no address of a SPARQL endpoint"):
        ArchiveSettings.model_validate({"endpoint": endpoint})


def test_what_may_be_in_a_bucket_and_what_may_not() -> None:
    assert ArchiveSettings(log="s3://lake/kept").log == "s3://lake/kept"
    with pytest.raises(ValidationError, match="path is a folder, since the store has locks"):
        ArchiveSettings(path="s3://lake/kept")
    with pytest.raises(ValidationError, match="log is no bucket: write s3://bucket/prefix"):
        ArchiveSettings(log="var/log")
    with pytest.raises(ValidationError, match="state is a folder, in which Spark has its checkpoint"):
        EngineSettings(state="s3://lake/state")


def test_nothing_is_deleted_unless_the_file_says_so() -> None:
    archive = ArchiveSettings()
    assert (archive.log_age, archive.store_age, archive.log_size, archive.store_size) == (
        timedelta.max,
        timedelta.max,
        None,
        None,
    )


def test_counts_have_a_least_value() -> None:
    assert EngineSettings(cache_size=0).cache_size == 0
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        EngineSettings(matches_per_event=0)


def test_settings_do_not_change() -> None:
    stream = StreamSettings.model_validate({"event_type": "ex:R", "time": {"attribute": "at"}})
    with pytest.raises(ValidationError, match="frozen"):
        stream.annotation = "air.toml"


def test_a_ceiling_is_known_by_its_earlier_name() -> None:
    for name in ("partial_matches_per_partition", "runs_per_partition"):
        assert EngineSettings.model_validate({name: 7}).partial_matches_per_partition == 7
