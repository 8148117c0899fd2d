"""Closing modules in a process of its own, so that a running engine keeps its processor and its interpreter lock.

Brick with a building closes in seconds; `reasonable` holds the interpreter lock for up to half a second of them. The
modules go in and the closure comes out as N-Triples, so blank nodes keep their names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice

from pyoxigraph import Quad, RdfFormat, Store, parse, serialize

from ...errors import OntologyError, Place
from ...settings import ReasonerName
from ..consistency import read_violations, violation_texts
from ..modules import Module, ntriples, parse_ntriples
from .hierarchy import ClosureLimits
from .reasoner import Closure
from .reasoner_table import close

__all__ = ["close_in_process", "copy_quads"]

_NICE = 10
# Python's interpreter lock is given up between two steps.
_STEP = 5_000


def close_in_process(
    modules: Sequence[Module],
    reasoner: ReasonerName,
    prefixes: Mapping[str, str],
    limits: ClosureLimits,
    seconds: float | None = None,
) -> Closure:
    """As `close`, in another process; `seconds`: it is ended after so many.

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
    request = _line(head) + b"".join(texts)
    path = os.pathsep.join(folder for folder in sys.path if folder)
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            input=request,
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONPATH": path},
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise OntologyError(
            f"what follows from the modules was not found in {seconds:g} s",
            hint="let them say less, or take the project's reasoner 'rl'; kaicep ontology add has no such limit",
        ) from error
    first, _, closure = done.stdout.partition(b"\n")
    if done.returncode or not first:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise OntologyError(f"the reasoner's process ended without an answer: {last[0]}", hint="try it again")
    said = json.loads(first)
    if "error" in said:
        place = None if said["source"] is None else Place(said["source"])
        raise OntologyError(said["error"], place=place, hint=said["hint"])
    inferred, everything = closure[: said["inferred"]], closure[said["inferred"] :]
    store = copy_quads(parse(everything, format=RdfFormat.N_TRIPLES))
    return Closure(store, frozenset(parse_ntriples(inferred)), read_violations(said["contradictions"]))


def copy_quads(quads: Iterable[Quad]) -> Store:
    """A store with these quads, filled in steps between which other threads may run."""
    store = Store()
    waiting = iter(quads)
    while step := list(islice(waiting, _STEP)):
        store.bulk_extend(step)
    return store


def _answer(request: bytes) -> Iterator[bytes]:
    first, _, rest = request.partition(b"\n")
    head = json.loads(first)
    try:
        modules, limits = list(_modules(head["modules"], rest)), ClosureLimits(**head["limits"])
        closure = close(modules, head["reasoner"], head["prefixes"], limits)
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
    os.nice(_NICE)
    for part in _answer(sys.stdin.buffer.read()):
        sys.stdout.buffer.write(part)
