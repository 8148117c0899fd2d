"""How Spark is configured: what a project says wins."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kaicep.config import EngineSettings
from kaicep.errors import PipelineError
from kaicep.pipeline.hosting import spark_session
from kaicep.pipeline.hosting.spark_session import configuration, start_spark


def test_a_project_s_own_keys_win() -> None:
    settings = EngineSettings.model_validate({"spark": {"spark.ui.enabled": "true", "spark.driver.memory": "2g"}})
    found = configuration(settings, Path("/logging"))
    assert (found["spark.ui.enabled"], found["spark.driver.memory"]) == ("true", "2g")
    assert found["spark.sql.session.timeZone"] == "UTC"


def test_only_a_local_spark_stays_on_this_machine() -> None:
    local = configuration(EngineSettings.model_validate({"master": "local[2]"}), Path("/logging"))
    cluster = configuration(EngineSettings.model_validate({"master": "spark://host:7077"}), Path("/logging"))
    assert local["spark.driver.bindAddress"] == "127.0.0.1"
    assert "spark.driver.bindAddress" not in cluster
    assert (local["spark.sql.shuffle.partitions"], cluster["spark.sql.shuffle.partitions"]) == ("1", "200")
    looks_at_many_at_once = "spark.sql.sources.parallelPartitionDiscovery.threshold"
    assert int(local[looks_at_many_at_once]) > 1000
    assert looks_at_many_at_once not in cluster


def test_java_of_an_engine_on_executors_compiles_once() -> None:
    """It plans, and hands bytes to Python; a project's own options win."""

    def options(**settings: object) -> tuple[str, str | None]:
        found = configuration(EngineSettings.model_validate(settings), Path("/logging"))
        return found["spark.driver.extraJavaOptions"], found.get("spark.executor.extraJavaOptions")

    driver, executors = options(master="spark://host:7077", hosting="executors")
    assert "TieredStopAtLevel=1" in driver
    assert executors == "-XX:TieredStopAtLevel=1"
    driver, executors = options(master="local[2]", hosting="executors")
    assert "TieredStopAtLevel=1" in driver
    assert executors is None
    own = {"spark.executor.extraJavaOptions": "-Da=b"}
    assert options(master="spark://host:7077", hosting="executors", spark=own)[1] == "-Da=b"


def test_java_on_this_machine_compiles_once() -> None:
    """That of a cluster is as the cluster has it; and a project's own options of Java win."""

    def options(**settings: object) -> str:
        found = configuration(EngineSettings.model_validate(settings), Path("/logging"))
        return found["spark.driver.extraJavaOptions"]

    assert "TieredStopAtLevel=1" in options()
    assert "TieredStopAtLevel" not in options(master="spark://host:7077")
    assert options(spark={"spark.driver.extraJavaOptions": "-Xmx1g"}) == "-Xmx1g"


def test_spark_keeps_few_notes() -> None:
    """It looks at each of them in every batch; and a project's own choice wins."""
    kept, own = "spark.sql.streaming.minBatchesToRetain", {"spark.sql.streaming.minBatchesToRetain": "300"}
    assert int(configuration(EngineSettings(), Path("/logging"))[kept]) <= 20
    assert configuration(EngineSettings.model_validate({"spark": own}), Path("/logging"))[kept] == "300"


def test_a_user_without_a_name_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `docker run --user 4294967` begins it: of Hadoop's login there is no more than a trace."""

    class Refusing:
        def __getattr__(self, name: str) -> object:
            if name == "getOrCreate":
                raise RuntimeError("An error occurred while calling JavaSparkContext.")
            return lambda *_: self

    class Session:
        builder = Refusing()
        getActiveSession = staticmethod(lambda: None)  # noqa: N815 - PySpark's name

    monkeypatch.setattr(spark_session, "SparkSession", Session)
    with pytest.raises(PipelineError, match="see what Java wrote above"):
        start_spark(EngineSettings())
    monkeypatch.setattr(os, "getuid", lambda: 4294967)
    with pytest.raises(PipelineError, match="the user 4294967 has no name here"):
        start_spark(EngineSettings())
