"""The command line: rows on the standard output, all else on the standard error, exit codes that mean something."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import HIGH, call, write_project
from support.sampling import some_of


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_project(tmp_path)


@pytest.mark.parametrize(
    "command", ["demo", "run", "serve", "submit", "withdraw", "queries", "try", "check", "explain", "why", "sparql"]
)
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    result = call(command, "--help")
    assert result.exit_code == 0
    assert f"kaicep {command}" in result.stdout
    assert "Example" in result.stdout


def test_help_does_not_load_what_it_does_not_need() -> None:
    program = (
        "import sys; from kaicep.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'pyspark', 'pyarrow', 'polars', 'owlready2', 'pyoxigraph', 'rdflib'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


HEAVY = {"pyspark", "py4j", "owlready2", "pyarrow.dataset", "matplotlib", "urllib3", "duckdb", "fastapi", "uvicorn"}
ENGINE = {
    "kaicep.archive.archive",
    "kaicep.archive.read_view",
    "kaicep.pipeline.durability.checkpoint",
    "kaicep.pipeline.flow.backfill",
    "kaicep.pipeline.hosting",
    "kaicep.pipeline.knowledge.knowledge_swap",
    "kaicep.pipeline.simulation",
    "kaicep.planner.strategies",
}
DRAWING = {"kaicep.explain.printing.diagrams"}
RUNNING = {"kaicep.cep.query_operator", "kaicep.cep.nfa", "kaicep.cep.joins", "kaicep.pipeline.flow.dataflow"}
PROOFS = {"kaicep.explain.reasons", "kaicep.explain.event_explanation"}
AUTOMATA = {"kaicep.cep.nfa"}
PLANS = {"kaicep.explain.plans", "kaicep.explain.event_explanation"}


@pytest.mark.parametrize(
    ("command", "needless"),
    some_of(
        [
            (("check", "."), PROOFS | PLANS | AUTOMATA | {"kaicep.pipeline.sinks", "pandas"}),
            (("explain", "queries/high.chi", "-p", "."), PROOFS | AUTOMATA | {"pandas"}),
            (("try", "queries/high.chi", "-e", "events.jsonl", "-p", "."), PROOFS | PLANS | AUTOMATA),
            (("why", "queries/high.chi", "-e", '{"sensor": "s1", "at": "2026-01-01T00:00:00Z", "flow": 5}'), RUNNING),
        ],
        2,
    ),
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_looks_at_queries_loads_no_more_than_it_needs(
    project: Path, command: tuple[str, ...], needless: set[str]
) -> None:
    """Half of a short command is loading modules: what of them another command needs is loaded there."""
    arguments = [*command, "-p", "."] if command[0] == "why" else list(command)
    program = (
        "import sys; from kaicep.cli import app\n"
        f"try: app({arguments!r})\n"
        "except SystemExit as end: assert not end.code\n"
        f"print(sorted({HEAVY | ENGINE | DRAWING | needless!r} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=project)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "[]")


def test_no_garbage_is_looked_for_when_a_command_ends(project: Path) -> None:
    """Python would look through all that was loaded, twice: a quarter of a short command."""
    program = (
        "import atexit, gc, sys; from kaicep.cli import main\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 100_000, file=sys.stderr))\n"
        "sys.argv[1:] = ['check', '.']; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=project)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "True")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("try", "SELECT ?e.flw", "-e", "{events}", "-p", "{project}"),
            (
                "query:1:11: unknown attribute 'flw' of stream 'air'\n"
                "  1 | SELECT ?e.flw\n"
                "    |           ^^^ did you mean 'flow' (= ex:flow)?\n"
            ),
        ),
        (
            ("try", "{project}/none.chi", "-e", "{events}", "-p", "{project}"),
            "cannot read {project}/none.chi: No such file or directory: name a file with χ-CEP queries or SPARQL\n",
        ),
        (
            ("try", HIGH, "-e", "{project}/none.json", "-p", "{project}"),
            "cannot read {project}/none.json: No such file or directory: name a JSON, CSV or Parquet file\n",
        ),
        (
            ("try", HIGH, "-e", "ai={events}", "-p", "{project}"),
            "the project has no stream 'ai': did you mean 'air'?\n",
        ),
        (
            ("try", HIGH, "-e", "{events}", "-p", "{project}", "--stream", "water"),
            "the project has no stream 'water': its streams: air\n",
        ),
        (
            ("try", HIGH, "-e", "{events}", "-p", "{project}/none"),
            (
                "{project}/none: cannot read the project file: No such file or directory: "
                "name a kaicep.toml or the folder that holds one\n"
            ),
        ),
        (
            ("run", "{project}", "-Q", "{project}/none.chi"),
            "cannot read {project}/none.chi: No such file or directory: name a file with χ-CEP queries or SPARQL\n",
        ),
        (
            ("demo", "--folder", "{project}"),
            "{project} holds an earlier demonstration: remove it, or name another folder\n",
        ),
        (
            ("sparql", "ASK {{ ?s ?p ?o }}", "-p", "{project}"),
            "{project}/var/archive: there is no store: run the project first, with store = true under [archive]\n",
        ),
    ],
)
def test_what_kaicep_explains_is_told_without_a_trace(project: Path, arguments: tuple[str, ...], message: str) -> None:
    places = {"project": str(project), "events": str(project / "events.jsonl")}
    if "demo" in arguments:
        (project / "var").mkdir()
    result = call(*(argument.format(**places) if "{" in argument else argument for argument in arguments))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == message.format(**places)


def test_what_the_system_refuses_is_told_without_a_trace(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/data/state")

    monkeypatch.setattr("kaicep.commands.project_check.check_project", full)
    result = call("check", project)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "/data/state: No space left on device: see that it is there, and may be read and written\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fly",), "No such command 'fly'."),
        (("run",), "Missing argument 'PROJECT'."),
        (("try", HIGH, "-p", "x"), "Missing option '--events'"),
        (("run", "x", "--format", "parquet"), "parquet needs --out FOLDER"),
        (("run", "x", "--format", "console", "--out", "y"), "console writes no file; leave --out away"),
        (("run", "x", "--format", "xml"), "'xml' is not one of 'jsonl', 'parquet', 'console'"),
    ],
)
def test_a_command_that_is_not_understood_exits_with_2(arguments: tuple[str, ...], message: str) -> None:
    result = call(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_the_version_is_told() -> None:
    result = call("--version")
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.fullmatch(r"kaicep \d+\.\d+\.\d+, Python \d+\.\d+\.\d+\n", result.stdout)
