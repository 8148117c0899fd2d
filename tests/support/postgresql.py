"""A real PostgreSQL, one that is installed or that `make setup` has unpacked below `.cache`."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from .brokers import free_port
from .receivers import eventually

__all__ = ["PostgreSQL", "postgresql"]

UNPACKED = Path(__file__).parents[2] / ".cache" / "postgresql"
DEBIANS = Path("/usr/lib/postgresql").glob("*/bin")
INITDB = shutil.which("initdb", path=os.pathsep.join([str(UNPACKED), os.environ["PATH"], *map(str, DEBIANS)]))
USER = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
"""Who runs it: root may not."""


@dataclass
class PostgreSQL:
    """A server with a cluster of its own, which begins and ends as often as a test likes.

    Attributes:
        data: folder of the cluster.
        port: that it listens to while it is there.
    """

    data: Path
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """As SQLAlchemy writes it."""
        return f"postgresql+psycopg://me@127.0.0.1:{self.port}/postgres"

    def begin(self) -> None:
        """Let it be there, with what it had."""
        words = ["-D", str(self.data), "-p", str(self.port), "-h", "127.0.0.1", "-k", "", "-F"]
        self._process = _run("postgres", *words, stderr=subprocess.DEVNULL)
        assert eventually(self._answers)

    def kill(self) -> None:
        """Let it end amid its work: the next time it begins by recovering."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.communicate()
            self._process = None

    def asked(self, text: str) -> list[tuple[Any, ...]]:
        """What it answers; nothing where that is no table."""
        with psycopg.connect(f"postgresql://me@127.0.0.1:{self.port}/postgres", autocommit=True) as connection:
            cursor = connection.execute(text.encode())
            return cursor.fetchall() if cursor.description else []

    def _answers(self) -> bool:
        try:
            return self.asked("SELECT 1") == [(1,)]
        except psycopg.OperationalError:
            return False


@contextmanager
def postgresql() -> Iterator[PostgreSQL]:
    """A server that is not there yet; it ends with the block."""
    with tempfile.TemporaryDirectory() as folder:  # those of pytest are closed to others than their owner
        shutil.chown(folder, USER)
        data = Path(folder) / "data"
        own = ["-D", str(data), "-U", "me", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
        with _run("initdb", *own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as initdb:
            said, _ = initdb.communicate()
        assert initdb.returncode == 0, said.decode()
        server = PostgreSQL(data)
        try:
            yield server
        finally:
            server.kill()


def _run(program: str, *words: str, stderr: int, stdout: int | None = None) -> subprocess.Popen[bytes]:
    assert INITDB is not None, "tests of SQL need PostgreSQL: `make setup`, or else apt-get install postgresql"
    as_user = [] if os.geteuid() else ["setpriv", f"--reuid={USER}", "--clear-groups"]
    if as_user and Path(INITDB).is_relative_to(UNPACKED):  # root's checkout may be closed to others
        as_user += [f"--{which}-caps=+dac_override" for which in ("inh", "ambient")]
    command = [*as_user, str(Path(INITDB).with_name(program)), *words]
    return subprocess.Popen(command, cwd="/", stdout=stdout, stderr=stderr)
