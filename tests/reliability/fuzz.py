"""Coverage-guided fuzzing of what reads input, by atheris: `make fuzz MINUTES=10`, for each parser.

Each parser has a process of its own, in which kaicep's code is instrumented. What it finds is kept, once for each
place: an exception that is no refusal, beside its traceback, and what ends the process or takes more than 20 s or 2 GB,
as libFuzzer names it. Mend it, and add the content to KNOWN in `tests/hostile/test_hostile_input.py`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from support.processes import TESTS

__all__ = ["PARSERS", "fuzz", "judge"]

_MOST_SECONDS, _MOST_MB, _LONGEST = 20, 2_000, 20_000


def _query_text(content: bytes) -> None:
    from support.hostile_targets import plain_project  # noqa: PLC0415 - it is instrumented as it is imported

    plain_project().compile(content.decode(errors="replace"))


def _records(name: str, content: bytes) -> None:
    """Records as a source's file has them, read and annotated."""
    from kaicep.pipeline.sources import read_file  # noqa: PLC0415 - likewise
    from support.hostile_targets import plain_project  # noqa: PLC0415

    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        raw = read_file(path, plain_project().settings.streams["air"])
        plain_project().annotators["air"].annotate(raw.table)


def _target(name: str, content: bytes) -> None:
    from support import hostile_targets  # noqa: PLC0415 - likewise

    getattr(hostile_targets, name)(content)


PARSERS: Mapping[str, Callable[[bytes], None]] = {
    "query_text": _query_text,
    "annotation_file": lambda content: _target("annotation_file", content),
    "request_file": lambda content: _target("request_file", content),
    "json_lines": lambda content: _records("events.jsonl", content),
    "json_array": lambda content: _records("events.json", content),
    "csv_file": lambda content: _records("events.csv", content),
    "parquet_file": lambda content: _records("events.parquet", content),
    "posted_records": lambda content: _target("posted_records", content),
    "uploaded_document": lambda content: _target("uploaded_document", content),
}
"""By the name of the seeds."""


def judge(parser: str, content: bytes, findings: Path) -> None:
    """Give a parser some content, and keep what it does that it should not."""
    from kaicep import KaicepError  # noqa: PLC0415 - likewise

    try:
        PARSERS[parser](content)
    except KaicepError:
        pass
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        place = traceback.extract_tb(error.__traceback__)[-1]
        known = f"{type(error).__name__} {place.filename}:{place.lineno}"
        kept = findings / f"{parser}-{hashlib.sha256(known.encode()).hexdigest()[:12]}"
        if not kept.exists():
            kept.write_bytes(content)
            kept.with_suffix(".txt").write_text(traceback.format_exc())


def fuzz(parser: str, minutes: float, findings: Path) -> str:
    """Fuzz a parser in another process; what libFuzzer says at the end.

    Args:
        parser: of `PARSERS`.
        minutes: so long.
        findings: folder of what is found.
    """
    findings.mkdir(parents=True, exist_ok=True)
    paths = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    command = [sys.executable, "-m", "reliability.fuzz", "--inside", parser, "--minutes", str(minutes)]
    # libFuzzer ends the process as it is: its temporary files are ours to remove.
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as own:  # noqa: S108
        done = subprocess.run(
            [*command, "--findings", str(findings)],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONPATH": paths, "TMPDIR": own},
            check=False,
        )
    said = [line for line in done.stderr.splitlines() if line.startswith(("Done", "SUMMARY", "==")) or "Error" in line]
    if done.returncode:
        (findings / f"{parser}-end.txt").write_text(done.stderr[-20_000:])
    return "\n".join(said[-3:]) or f"exit code {done.returncode}"


def _inside(parser: str, minutes: float, findings: Path) -> None:
    import atheris  # noqa: PLC0415 - nobody else needs it

    with atheris.instrument_imports(include=["kaicep"]):
        from support.hostile_seeds import SEEDS  # noqa: PLC0415 - instrumented as it is imported
    with TemporaryDirectory() as corpus:
        for number, seed in enumerate(SEEDS[parser]):
            (Path(corpus) / str(number)).write_bytes(seed)
        options = [f"-max_total_time={max(1, round(minutes * 60))}", f"-timeout={_MOST_SECONDS}"]
        options += [f"-rss_limit_mb={_MOST_MB}", f"-max_len={_LONGEST}", f"-artifact_prefix={findings}/{parser}-"]
        atheris.Setup([parser, *options, corpus], lambda content: judge(parser, content, findings))
        atheris.Fuzz()


def _main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("parsers", nargs="*", choices=[[], *PARSERS], help="which; all by default")
    parse.add_argument("--minutes", type=float, default=10.0, help="for each")
    parse.add_argument("--findings", type=Path, default=Path("build/fuzz"), help="folder of what is found")
    parse.add_argument("--inside", help=argparse.SUPPRESS)
    given = parse.parse_args()
    if given.inside:
        _inside(given.inside, given.minutes, given.findings)
        return
    for parser in given.parsers or PARSERS:
        sys.stdout.write(f"{parser}: {fuzz(parser, given.minutes, given.findings)}\n")
        sys.stdout.flush()
    found = sorted(path.name for path in given.findings.iterdir())
    sys.stdout.write(f"{len(found)} files in {given.findings}: {' '.join(found)}\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    _main()
