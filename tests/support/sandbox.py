"""A process in which hostile input is tried: what it takes is measured, and what ends it ends nothing else.

One process tries case after case, for starting one takes as long as a hundred cases; whatever ends it is a defect of
the case that it was at, and the next case gets a new one. Its processor time and memory are limited, so that a case
that takes all there is harms nobody.
"""

from __future__ import annotations

import atexit
import os
import pickle
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, cast

from kaicep import KaicepError

from .processes import TESTS

__all__ = ["Outcome", "try_in_sandbox"]

CPU_SECONDS = 2.0
MEGABYTES = 500
_KILLED_AFTER_CPU_S = 20
_KILLED_AFTER_S = 120.0
_ADDRESS_SPACE = 6 << 30


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case.

    Attributes:
        answer: what the target gave, or the refusal, in words.
        refused: whether kaicep refused it, as it should refuse what it cannot use.
        defect: a traceback, or how the process ended; `None`: neither.
        cpu: seconds of processor time, those of other processes that it started included.
        memory: megabytes that it took at most, beyond what the process had.
    """

    answer: str = ""
    refused: bool = False
    defect: str | None = None
    cpu: float = 0.0
    memory: float = 0.0

    @property
    def complaint(self) -> str | None:
        """What is wrong with it; `None`: nothing."""
        if self.defect is not None:
            return self.defect
        if self.cpu > CPU_SECONDS:
            return f"it took {self.cpu:.1f} s: {self.answer}"
        return f"it took {self.memory:.0f} MB: {self.answer}" if self.memory > MEGABYTES else None


def try_in_sandbox(target: Callable[[bytes], object], content: bytes) -> Outcome:
    """Give a function of a module some content, in another process."""
    return _sandbox().run(f"{target.__module__}:{target.__name__}", content)


class _Sandbox:
    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: str | None = None
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process

    def run(self, target: str, content: bytes) -> Outcome:
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _send(process.stdin, (target, content))
            if select.select([process.stdout], [], [], _KILLED_AFTER_S)[0]:
                return cast("Outcome", _receive(process.stdout))
            process.kill()
        except (EOFError, BrokenPipeError):
            pass
        return Outcome(defect=self._end(process))

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._clean()

    def _start(self) -> subprocess.Popen[bytes]:
        folders = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._folder = tempfile.mkdtemp(prefix="kaicep-sandbox-")
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(folders),
            "PYTHONFAULTHANDLER": "1",
            "TMPDIR": self._folder,
        }
        self._errors.seek(0)
        self._errors.truncate()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.sandbox"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
        )
        return self._process

    def _end(self, process: subprocess.Popen[bytes]) -> str:
        code = process.wait()
        self._process = None
        self._clean()
        self._errors.seek(0)
        told = [
            line
            for line in self._errors.read().decode(errors="replace").splitlines()
            if not line.startswith("Extension")
        ]
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return "\n".join([f"it ended the process: {how}", *told[-30:]])

    def _clean(self) -> None:
        """Remove the temporary files of the process, which cannot do so itself when it is killed."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


@cache
def _sandbox() -> _Sandbox:
    sandbox = _Sandbox()
    atexit.register(sandbox.close)
    return sandbox


def _send(pipe: IO[bytes], content: object) -> None:
    packed = pickle.dumps(content)
    pipe.write(struct.pack("<Q", len(packed)) + packed)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> object:
    head = pipe.read(8)
    if len(head) < 8:
        raise EOFError
    return pickle.loads(pipe.read(struct.unpack("<Q", head)[0]))  # noqa: S301 - our own


def _cpu() -> float:
    own, children = (resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _memory(field: str) -> float:
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[field].split()[0]) / 1000


def _tried(target: Callable[[bytes], object], content: bytes) -> Outcome:
    Path("/proc/self/clear_refs").write_text("5")  # the highest memory so far is forgotten
    memory, began = _memory("VmRSS"), _cpu()
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + _KILLED_AFTER_CPU_S, resource.RLIM_INFINITY))
    answer, refused, defect = "", False, None
    try:
        answer = str(target(content))
    except KaicepError as error:
        answer, refused = str(error), True
    except BaseException:  # noqa: BLE001 - whatever else comes is a defect, and is told
        defect = traceback.format_exc(limit=-12)
    return Outcome(answer[:500], refused, defect, _cpu() - began, _memory("VmHWM") - memory)


def _serve() -> None:
    """Try what comes, in this process, until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed is no answer
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    warm = set()
    while True:
        try:
            asked = _receive(sys.stdin.buffer)
        except EOFError:
            return
        assert isinstance(asked, tuple)
        module, _, name = asked[0].partition(":")
        target = getattr(import_module(module), name)
        if asked[0] not in warm:
            _tried(target, b"")  # what is loaded once is not the case's
            warm.add(asked[0])
        _send(answers, _tried(target, asked[1]))


if __name__ == "__main__":
    sys.modules["support.sandbox"] = sys.modules["__main__"]  # what is sent is of the module that asked
    Outcome.__module__ = "support.sandbox"
    _serve()
