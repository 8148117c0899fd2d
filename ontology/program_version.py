"""Which program makes knowledge of modules: what another one has made is not what this one would make."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

__all__ = ["program_version"]

_LIBRARIES = ("pyoxigraph", "reasonable", "owlready2")
_OWN = Path(__file__).parent


@cache
def program_version() -> str:
    """Digest of kaicep's own reading, rules and checks, and of the versions of the libraries that reason, in hex."""
    files = [f"{path.relative_to(_OWN)}\n".encode() + path.read_bytes() for path in sorted(_OWN.rglob("*.py"))]
    libraries = [f"{library} {version(library)}\n".encode() for library in _LIBRARIES]
    return hashlib.sha256(b"".join([*files, *libraries])).hexdigest()
