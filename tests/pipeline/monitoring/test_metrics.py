"""Metrics in the Prometheus text format, read back by its own parser."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from kaicep.pipeline.monitoring import ArchiveStatus, EngineStatus, write_metrics
from prometheus_client.parser import text_string_to_metric_families
from support.statuses import busy_engine

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def samples(text: bytes) -> dict[tuple[str, str], float]:
    """By name and values of labels."""
    return {
        (sample.name, "/".join(sample.labels[key] for key in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def of(status: EngineStatus) -> dict[tuple[str, str], float]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kaicep.prom"
        write_metrics(path, status)
        return samples(path.read_bytes())


def test_everything_that_can_be_counted_is_there() -> None:
    found = of(busy_engine(NOW))
    assert found["kaicep_up", ""] == 1
    assert found["kaicep_status_timestamp_seconds", ""] == NOW.timestamp()
    assert found["kaicep_batches_total", ""] == 12
    assert found["kaicep_batch_at_work_seconds", ""] == 2.5
    outcomes = ("events", "late", "duplicates", "rejected", "malformed")
    assert [found["kaicep_calls", f"ops/{state}"] for state in ("waiting", "failed")] == [3, 1]
    assert found["kaicep_calls_sent_total", "ops"] == 1_500
    counts = [found["kaicep_records_total", f"{outcome}/air"] for outcome in outcomes]
    assert counts == [1_200, 3, 2, 1, 4]
    assert found["kaicep_unlinked_values_total", "air"] == 5
    assert found["kaicep_stream_lag_seconds", "air"] == 90
    assert found["kaicep_watermark_timestamp_seconds", "air"] == NOW.timestamp() - 95
    assert found["kaicep_stage_seconds_total", "queries"] == 3
    assert found["kaicep_matches_total", "high"] == 42
    assert found["kaicep_query_state", "all/parked"] == 1
    assert found["kaicep_context_events_total", "given/high"] == 500
    assert found["kaicep_shed_events_total", "some"] == 897
    assert found["kaicep_open_windows", "accident/road"] == 2
    assert found["kaicep_thread_up", "kaicep-heartbeat"] == 0
    assert found["kaicep_streams_wait", ""] == 0
    assert found["kaicep_archive_bytes", ""] == 5_000_000
    assert found["kaicep_store_lag_rows", "events"] == 17
    assert [found["kaicep_delta_lag_rows", kind] for kind in ("events", "matches")] == [250, 4]


def test_without_tables_of_delta_lake_nothing_is_said_of_them() -> None:
    found = of(replace(busy_engine(NOW), archive=ArchiveStatus(5, 17, 3)))
    assert ("kaicep_delta_lag_rows", "events") not in found
    assert found["kaicep_store_lag_rows", "matches"] == 3


def test_what_is_not_known_is_left_out() -> None:
    found = of(replace(busy_engine(NOW), archive=None, state="stopped"))
    assert found["kaicep_up", ""] == 0
    assert ("kaicep_archive_bytes", "") not in found
    assert ("kaicep_stream_lag_seconds", "water") not in found


def test_names_of_queries_may_hold_anything() -> None:
    status = busy_engine(NOW)
    odd = replace(status, queries={'a "b"\n\\c': status.queries["high"]})
    assert of(odd)["kaicep_matches_total", 'a "b"\n\\c'] == 42


def test_the_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "metrics" / "kaicep.prom"
    write_metrics(path, busy_engine(NOW))
    write_metrics(path, replace(busy_engine(NOW), batches=13))
    assert samples(path.read_bytes())["kaicep_batches_total", ""] == 13
    assert [file.name for file in path.parent.iterdir()] == ["kaicep.prom"]
