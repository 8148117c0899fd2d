"""What a terminal shows of work that takes long, and what it never shows."""

from __future__ import annotations

import io
import re
from threading import Event

import pytest
from kaicep.commands.progress_bar import ProgressBar
from rich.console import Console
from support.command_line import wait_for


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=100)


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return re.sub(r"\x1b\[[^A-Za-z]*[A-Za-z]", "", console.file.getvalue())


def test_a_bar_says_what_is_done_and_how_much() -> None:
    console = terminal()
    with ProgressBar(console, "reading readings.csv", 200, patience=0) as bar:
        bar(50)
    assert "reading readings.csv" in shown(console)
    assert "25%" in shown(console)


def test_how_much_there_is_may_be_known_later_and_the_work_may_change() -> None:
    console = terminal()
    with ProgressBar(console, "reading", patience=0) as bar:
        bar(1, 4, "closing the knowledge")
        bar(3)
    assert "closing the knowledge" in shown(console)
    assert "75%" in shown(console)


def test_where_nobody_knows_how_much_there_is_time_is_shown() -> None:
    console = terminal()
    with ProgressBar(console, "closing", patience=0):
        pass
    assert "closing" in shown(console)
    assert "0:00:00" in shown(console)
    assert "%" not in shown(console)


def test_what_is_computed_is_measured_by_processor_time_and_ends_when_it_ends() -> None:
    console = terminal()
    with ProgressBar(console, "reading", patience=0).computing("closing 5 triples by rl", 1e-9):
        wait_for(lambda: "99%" in shown(console))
    assert "closing 5 triples by rl" in shown(console)
    assert "100%" not in shown(console)


def test_where_nobody_knows_how_long_it_is_computed_time_is_shown() -> None:
    console = terminal()
    with ProgressBar(console, "reading", patience=0).computing("closing 5 triples by pellet", None):
        pass
    assert "closing 5 triples by pellet" in shown(console)
    assert "%" not in shown(console)


def test_parts_are_counted_as_they_are_taken() -> None:
    console = terminal()
    with ProgressBar(console, "files", patience=0) as bar:
        taken = list(bar.over(["a", "b"]))
    assert taken == ["a", "b"]
    assert "50%" in shown(console)
    with ProgressBar(console, "no number", patience=0) as bar:
        assert list(bar.over(iter("ab"))) == ["a", "b"]


@pytest.mark.parametrize(
    ("console", "options"),
    [
        (Console(file=io.StringIO(), force_terminal=False), {"patience": 0}),
        (terminal(), {"patience": 0, "quiet": True}),
        (terminal(), {"patience": 3600}),
    ],
    ids=["no terminal", "quiet", "over in time"],
)
def test_nothing_is_shown(console: Console, options: dict[str, float]) -> None:
    with ProgressBar(console, "reading", 2, **options) as bar:  # type: ignore[arg-type]  # flags among numbers
        bar(1)
    assert shown(console) == ""


def test_nothing_is_left_of_a_bar() -> None:
    """An error that comes through stands on a line of its own."""
    console = terminal()
    with pytest.raises(ValueError, match="broken"), ProgressBar(console, "reading", 2, patience=0):
        raise ValueError("broken")
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().endswith("\x1b[2K")


def test_work_that_ends_while_its_bar_is_about_to_be_shown_stays_unseen() -> None:
    console = terminal()
    bar = ProgressBar(console, "reading", patience=3600)
    with bar:
        pass
    bar._show()
    assert shown(console) == ""


def test_what_nobody_reports_is_measured() -> None:
    """Until the work is over; the bar looks again and again."""
    console, looked = terminal(), Event()

    def measure() -> float:
        looked.set()
        return 30

    with ProgressBar(console, "copying", 40, patience=0).measuring(measure) as bar:
        assert looked.wait(600)
        wait_for(lambda: bar.done == 30)
    assert "75%" in shown(console)


def test_nothing_is_measured_where_nothing_is_shown() -> None:
    def measure() -> float:
        raise AssertionError

    with ProgressBar(Console(file=io.StringIO()), "copying", 40, patience=0).measuring(measure):
        pass
