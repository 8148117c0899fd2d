"""Columns of events as triples, and back."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from kaicep.archive.rewrite import RefusedError
from kaicep.archive.rewrite.stored_columns import stored_columns
from support import doors, linked_archives
from support.archives import STREAM


def test_a_property_of_its_own_is_a_triple_of_the_event(tmp_path: Path) -> None:
    columns = stored_columns(doors.project(tmp_path).shapes["door"])
    assert set(columns) >= {"room", "seconds", "_time"}
    room = columns["room"]
    assert (room.form, room.properties, room.comparable) == ("value", ("http://x/room",), True)
    assert room.patterns("?e", "v", required=True) == "?e <http://x/room> ?v_0 ."
    assert room.patterns("?e", "v") == "OPTIONAL { ?e <http://x/room> ?v_0 . }"
    assert room.value("v") == "?v_0"
    assert columns["seconds"].properties == ("urn:kaicep:attribute:door:seconds",)


def test_a_raw_value_that_is_a_part_of_an_iri_is_read_back_and_not_compared(tmp_path: Path) -> None:
    with linked_archives.filled(tmp_path, store=False) as archive:
        sensor = stored_columns(archive.shapes[STREAM])["sensorID"]
    assert (sensor.form, str(sensor.template), sensor.comparable) == ("raw", "http://e/{}", False)
    with pytest.raises(RefusedError, match="the value of sensorID is a part of an IRI in the archive"):
        sensor.value("v")
    terms = pl.DataFrame({"v_0": ["<http://e/s%201>", '"loose"', None]})
    assert sensor.read(terms, "v").to_list() == ["s 1", "loose", None]
