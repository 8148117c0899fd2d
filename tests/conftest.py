"""What every test may ask for, and how tests are spread over processes."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.main
import typer.testing
from hypothesis import settings

pytest_plugins = ["support.buckets", "support.spark"]

MINUTES = "minutes of a processor"
BEGAN = pytest.StashKey[float]()

TESTS = Path(__file__).parent
# Whole projects, and properties over many random cases: each test of these folders takes seconds.
SECONDS = {"examples", "hostile", "properties", "reliability"}

# A process of tests per core: threads of their own would wait for each other. Before any of these libraries is loaded.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Files of tests lie in memory where there is room: half of what tests take is waiting for a disk, and none needs that
# to have written what it says; power cuts are simulated.
MEMORY = Path("/dev/shm")  # noqa: S108 - files get names of their own there
ROOM = 6 * 2**30


def _in_memory() -> str | None:
    """A folder for temporary files; `None`: where they are otherwise."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return None
    runs_nothing = os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    return None if runs_nothing or shutil.disk_usage(MEMORY).free < ROOM else str(MEMORY)


if (folder := _in_memory()) is not None:
    os.environ["TMPDIR"] = tempfile.tempdir = folder

# Tests begin some hundred processes, each of which loads kaicep: what is compiled is kept, whatever the shell says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Closures are kept for as long as the tests run, and not among those of whoever runs them; its processes share them.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["KAICEP_CACHE"] = tempfile.mkdtemp(prefix="kaicep-tests-")
    atexit.register(shutil.rmtree, os.environ["KAICEP_CACHE"], ignore_errors=True)

# Commands of this process are put together once, instead of for each that a test calls.
typer.testing._get_command = cache(typer.main.get_command)  # type: ignore[attr-defined]

# For every Spark that a test starts, in a process of its own as well. Java's second compiler makes code that pays off
# after minutes, and takes half of the processor's time until then.
os.environ["SPARK_SUBMIT_OPTS"] = os.environ["SPARK_DAEMON_JAVA_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

# Where nobody names a profile: a machine that is busy is no failure.
settings.register_profile("new cases", deadline=None)
settings.load_profile("new cases")
# The same cases every time, some of those that the long runs draw.
settings.register_profile("ci", settings.get_profile("ci"), max_examples=10)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that need Spark, since they take longest, and keep those together that share what is dear.

    That is a session of Spark, and what a file makes once for its tests: each process that had some of them would make
    it anew.
    """
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)
    for item in items:
        if SECONDS & set(item.path.relative_to(TESTS).parts):
            item.add_marker(pytest.mark.slow)
        if isinstance(item, pytest.Function) and (group := _group(item)) is not None:
            item.add_marker(pytest.mark.xdist_group(group))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let garbage be looked for in what tests make, and never among all tests, which stay.

    While they are collected, that took a fifth of the time; while they run, a tenth.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def _group(item: pytest.Function) -> str | None:
    """What a test shares with others; `None`: nothing, or its file says so itself."""
    if "spark" in item.fixturenames:
        return "spark"
    made = item._fixtureinfo.name2fixturedefs.values()
    file = item.getparent(pytest.Module)
    shares = any(of.scope == "module" and file is not None and of.baseid == file.nodeid for (*_, of) in made)
    return item.path.stem if shares and item.get_closest_marker("xdist_group") is None else None


def pytest_xdist_auto_num_workers() -> int:
    """Two more processes than there are cores: tests of engines that begin and end wait for them most of their time."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Look at the clock of the processor before what a method of reliability needs is made."""
    if item.get_closest_marker("reliability") is not None:
        item.stash[BEGAN] = _seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Note how long a method of reliability has taken of a processor, with the processes that it awaited."""
    yield
    if item.get_closest_marker("reliability") is not None:
        item.user_properties.append((MINUTES, round((_seconds() - item.stash[BEGAN]) / 60, 2)))


def _seconds() -> float:
    return sum(os.times()[:4])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have measured and noted with `record_property`, as a Markdown table by method, then by test."""
    figures: dict[tuple[str, str], dict[str, object]] = {}
    for report in terminalreporter.getreports("passed"):
        if noted := dict(getattr(report, "user_properties", ())):
            file, _, test = report.nodeid.partition("::")
            figures[_words(Path(file).stem), _words(test.rpartition("::")[2])] = noted
    if figures:
        terminalreporter.section("figures")
        terminalreporter.write_line("| method | test | what | figure |\n|---|---|---|---|")
        for (method, test), noted in sorted(figures.items()):
            for name, value in noted.items():
                terminalreporter.write_line(f"| {method} | {test} | {name} | {value} |")


def _words(name: str) -> str:
    return name.removeprefix("test_").replace("_", " ")
