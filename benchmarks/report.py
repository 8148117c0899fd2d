"""What every benchmark reports: the machine, the bars that kaicep sets itself, figures in files."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True)
class Bar:
    """Something that has to be reached."""

    what: str
    measured: float
    wanted: str
    passed: bool

    @property
    def line(self) -> str:
        """A line of the report."""
        return f"  {'pass' if self.passed else 'FAIL'}  {self.what}: {self.measured:,.2f} ({self.wanted})"


def at_most(what: str, measured: float, most: float) -> Bar:
    """A bar that is an upper bound."""
    return Bar(what, measured, f"at most {most:g}", measured <= most)


def at_least(what: str, measured: float, least: float) -> Bar:
    """A bar that is a lower bound."""
    return Bar(what, measured, f"at least {least:g}", measured >= least)


def machine_with(*libraries: str) -> dict[str, object]:
    """The machine, how busy it is, and the versions of what is measured; prints it."""
    found: dict[str, object] = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }
    print(", ".join(f"{key} {value}" for key, value in found.items()))
    return found


def keep(name: str, sections: Mapping[str, object], bars: Iterable[Bar]) -> None:
    """Write figures and bars to `benchmarks/results/`."""
    RESULTS.mkdir(exist_ok=True)
    content = {
        "measured": datetime.now(UTC).isoformat(timespec="minutes"),
        **sections,
        "bars": [asdict(bar) for bar in bars],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def end(bars: Iterable[Bar]) -> NoReturn:
    """End the program, with 1 when a bar is missed."""
    sys.exit(0 if all(bar.passed for bar in bars) else 1)
