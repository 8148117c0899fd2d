"""Closing modules in a process of its own, so that a running engine keeps its processor and its interpreter lock.

Brick with a building closes in seconds; `reasonable` holds the interpreter lock for up to half a second of them. The
modules go in and the closure comes out as N-Triples, so blank nodes keep their names.
"""

from __future__ import annotations

import json
import math
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from pyoxigraph import Quad, RdfFormat, Store, parse, serialize

from ...errors import OntologyError, Place
from ...settings import ReasonerName
from ...storage import Telling, serve_parent, untold
from ..consistency import read_violations, violation_texts
from ..modules import Module, ntriples, parse_ntriples
from .hierarchy import ClosureLimits
from .reasoner import Closure
from .reasoner_table import close

__all__ = ["close_in_process", "copy_quads"]

_NICE = 10
_ASKED_S = 1.0
_PART = 2**20
# Python's interpreter lock is given up between two steps.
_STEP = 5_000


def close_in_process(
    modules: Sequence[Module],
    reasoner: ReasonerName,
    prefixes: Mapping[str, str],
    limits: ClosureLimits,
    *,
    seconds: float | None = None,
    told: Telling = untold,
) -> Closure:
    """As `close`, in another process, which ends with this one.

    Args:
        modules: as there.
        reasoner: likewise.
        prefixes: likewise.
        limits: likewise.
        seconds: after so many it is ended.
        told: likewise; asked each second, so that what it raises ends the process soon.

    Raises:
        OntologyError: as `close`, or the process ended without an answer.
    """
    texts = [ntriples(module) for module in modules]
    head = {
        "reasoner": reasoner,
        "prefixes": dict(prefixes),
        "limits": asdict(limits),
        "modules": [
            {
                "source": m.source,
                "digest": m.digest,
                "imports": m.imports,
                "declares": sorted(m.declares),
                "bytes": len(t),
            }
            for m, t in zip(modules, texts, strict=True)
        ],
    }
    said, closure = _asked(_line(head) + b"".join(texts), seconds, told)
    if "error" in said:
        place = None if said["source"] is None else Place(said["source"])
        raise OntologyError(said["error"], place=place, hint=said["hint"])
    inferred, everything = closure[: said["inferred"]], closure[said["inferred"] :]
    store = copy_quads(parse(everything, format=RdfFormat.N_TRIPLES))
    return Closure(store, frozenset(parse_ntriples(inferred)), read_violations(said["contradictions"]))


def _asked(request: bytes, seconds: float | None, told: Telling) -> tuple[dict[str, Any], bytes]:
    """What the process says of a request in a line, and the bytes behind it."""
    path = os.pathsep.join(folder for folder in sys.path if folder)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as complaints:
        given.write(request)
        given.seek(0)
        with subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env={**os.environ, "PYTHONPATH": path},
        ) as process:
            try:
                said, rest = _heard(process, seconds, told)
            except BaseException:
                process.kill()
                raise
        if said is None or process.returncode:
            complaints.seek(0)
            lines = complaints.read().decode(errors="replace").strip().splitlines()
            last = lines[-1] if lines else f"exit code {process.returncode}"
            raise OntologyError(f"the reasoner's process ended without an answer: {last}", hint="try it again")
    return said, rest


def _heard(
    process: subprocess.Popen[bytes], seconds: float | None, told: Telling
) -> tuple[dict[str, Any] | None, bytes]:
    """What it tells until it has said how the answer begins, `None`: it ends before; and all that follows."""
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    until = math.inf if seconds is None else time.monotonic() + seconds
    at, head, waiting = ("reasoning", 0.0), None, bytearray()
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    while True:
        left = until - time.monotonic()
        if left <= 0:
            raise OntologyError(
                f"what follows from the modules was not found in {seconds:g} s",
                hint="let them say less, or take the project's reasoner 'rl'; kaicep ontology add has no such limit",
            )
        told(*at)
        if not poll.poll(1000 * min(left, _ASKED_S)):
            continue
        part = os.read(process.stdout.fileno(), _PART)
        if not part:
            return head, bytes(waiting)
        waiting += part
        while head is None and (end := waiting.find(b"\n")) >= 0:
            said = json.loads(waiting[:end])
            del waiting[: end + 1]
            if "told" in said:
                at = said["told"]
            else:
                head = said


def copy_quads(quads: Iterable[Quad]) -> Store:
    """A store with these quads, filled in steps between which other threads may run."""
    store = Store()
    waiting = iter(quads)
    while step := list(islice(waiting, _STEP)):
        store.bulk_extend(step)
    return store


def _answer(request: bytes, told: Telling) -> Iterator[bytes]:
    first, _, rest = request.partition(b"\n")
    head = json.loads(first)
    try:
        modules, limits = list(_modules(head["modules"], rest)), ClosureLimits(**head["limits"])
        closure = close(modules, head["reasoner"], head["prefixes"], limits, told)
    except OntologyError as error:
        source = None if error.place is None else error.place.source
        yield _line({"error": error.message, "hint": error.hint, "source": source})
        return
    inferred = serialize(closure.inferred, format=RdfFormat.N_TRIPLES) or b""
    yield _line({"inferred": len(inferred), "contradictions": violation_texts(closure.contradictions)})
    yield inferred
    yield serialize((quad.triple for quad in closure.store), format=RdfFormat.N_TRIPLES) or b""


def _line(content: Mapping[str, object]) -> bytes:
    return json.dumps(content).encode() + b"\n"


def _modules(said: Iterable[Mapping[str, object]], texts: bytes) -> Iterator[Module]:
    start = 0
    for module in said:
        end = start + int(str(module["bytes"]))
        declares, imports = module["declares"], module["imports"]
        assert isinstance(declares, list)  # noqa: S101 - we wrote it
        assert isinstance(imports, list)  # noqa: S101 - likewise
        triples = parse_ntriples(texts[start:end])
        yield Module(str(module["source"]), triples, str(module["digest"]), frozenset(declares), tuple(imports))
        start = end


def main() -> None:
    """Answer the request on the standard input; what the child process runs."""
    serve_parent(None, gives_way=False)
    os.nice(_NICE)

    def told(stage: str, share: float) -> None:
        sys.stdout.buffer.write(_line({"told": [stage, share]}))
        sys.stdout.buffer.flush()

    for part in _answer(sys.stdin.buffer.read(), told):
        sys.stdout.buffer.write(part)
