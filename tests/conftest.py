"""What every test may ask for, and how tests are spread over processes."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest

pytest_plugins = ["support.spark"]

TESTS = Path(__file__).parent
# Whole projects, and properties over many random cases: each test of these folders takes seconds.
SECONDS = {"examples", "hostile", "properties", "reliability"}

# A process of tests per core: threads of their own would wait for each other. Before any of these libraries is loaded.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Closures are kept for as long as the tests run, and not among those of whoever runs them.
CACHE = tempfile.mkdtemp(prefix="kaicep-tests-")
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)
os.environ["KAICEP_CACHE"] = CACHE

# For every Spark that a test starts, in a process of its own as well. Java's second compiler makes code that pays off
# after minutes, and takes half of the processor's time until then.
os.environ["SPARK_SUBMIT_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that need Spark, since they take longest, and keep those that share a session together."""
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)
    for item in items:
        if SECONDS & set(item.path.relative_to(TESTS).parts):
            item.add_marker(pytest.mark.slow)
        if isinstance(item, pytest.Function) and "spark" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("spark"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have measured and noted with `record_property`, as a Markdown table by test."""
    figures = [
        (report.nodeid.rpartition("::")[2], name, value)
        for report in terminalreporter.getreports("passed")
        for name, value in getattr(report, "user_properties", ())
    ]
    if figures:
        terminalreporter.section("figures")
        terminalreporter.write_line("| test | what | figure |\n|---|---|---|")
        for test, name, value in figures:
            terminalreporter.write_line(f"| {test.removeprefix('test_').replace('_', ' ')} | {name} | {value} |")
