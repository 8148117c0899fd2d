"""A real Prometheus, one that is installed or that `make setup` has unpacked below `.cache`."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3

from .brokers import free_port
from .receivers import eventually
from .servers import ask

__all__ = ["Prometheus", "prometheus"]

UNPACKED = Path(__file__).parents[2] / ".cache" / "prometheus"
PROMETHEUS = shutil.which("prometheus", path=f"{UNPACKED}:{os.environ['PATH']}")


@dataclass(frozen=True)
class Prometheus:
    """One that runs.

    Attributes:
        url: of its API.
    """

    url: str

    def ask(self, expression: str) -> list[dict[str, Any]]:
        """The series that an expression of PromQL has now; refused or warned of: an error."""
        answer = self._got("query", query=expression)
        assert (answer["status"], answer.get("warnings", [])) == ("success", []), answer
        found: list[dict[str, Any]] = answer["data"]["result"]
        return found

    def targets(self) -> list[tuple[str, str]]:
        """Of each target how it is, and what the last scrape of it lacked."""
        found = self._got("targets")["data"]["activeTargets"]
        return [(one["health"], one["lastError"]) for one in found]

    def _got(self, what: str, **parameters: str) -> Any:
        return ask(f"{self.url}/api/v1/{what}?{urlencode(parameters)}").json


@contextmanager
def prometheus(folder: Path, config: Path) -> Iterator[Prometheus]:
    """One with a configuration, which ends with the block.

    Args:
        folder: for its data.
        config: its `prometheus.yml`.
    """
    assert PROMETHEUS is not None, "tests of metrics need Prometheus: `make setup`, or else apt-get install prometheus"
    address = f"127.0.0.1:{free_port()}"
    options = {"config.file": config, "storage.tsdb.path": folder / "data", "web.listen-address": address}
    words = [PROMETHEUS, *(f"--{name}={value}" for name, value in options.items())]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        running = Prometheus(f"http://{address}")
        try:
            assert eventually(lambda: _is_ready(running.url))
            yield running
        finally:
            process.terminate()


def _is_ready(url: str) -> bool:
    try:
        return ask(f"{url}/-/ready").status == 200
    except urllib3.exceptions.HTTPError:
        return False
