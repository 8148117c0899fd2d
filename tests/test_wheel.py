"""The wheel is all that a user needs: built, installed in an environment of its own, and used there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = shutil.ignore_patterns(
    ".*", "build", "dist", "__pycache__", "*.egg-info", "tests", "benchmarks", "node_modules"
)
OFFLINE = ("--quiet", "--disable-pip-version-check", "--no-index", "--no-deps")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


def run(*words: object, cwd: Path | None = None) -> str:
    """The output of a program that knows nothing of this checkout."""
    environment = {n: v for n, v in os.environ.items() if n not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, cwd=cwd, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, for what building leaves behind; examples have been run there."""
    source = shutil.copytree(ROOT, tmp_path_factory.mktemp("source") / "kaicep", ignore=LEFT_OUT)
    for example in ("operations", "greenhouse"):
        left = source / "examples" / example / "var"
        left.mkdir(exist_ok=True)
        (left / "token").write_text("a secret")
    folder = tmp_path_factory.mktemp("wheels")
    run(sys.executable, "-m", "pip", "wheel", *OFFLINE, "--no-build-isolation", "-w", folder, source)
    (built,) = folder.glob("kaicep-*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of a fresh environment with the wheel in it; what kaicep depends on is borrowed from this one."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", *OFFLINE, wheel)
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # A path that a file of paths adds is no site: the link to this checkout that lies there is not followed.
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def test_the_wheel_has_every_module_and_all_data(wheel: Path) -> None:
    """And neither tests nor what runs have left behind."""
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("ontologies", "examples"):
        files = [p for p in (ROOT / folder).rglob("*") if p.is_file() and not {"var", "__pycache__"} & set(p.parts)]
        assert {f"kaicep/{path.relative_to(ROOT)}" for path in files if not path.name.startswith(".")} <= names
    assets = {f"kaicep/{path.relative_to(ROOT)}" for path in (ROOT / "server" / "page" / "assets").iterdir()}
    assert len(assets) >= 4
    assert assets | {"kaicep/server/page/index.html", "kaicep/server/page/LICENCES.txt"} <= names
    assert not [name for name in names if name.startswith("kaicep/server/page/source")]
    assert {"kaicep/py.typed", "kaicep/language/syntax/grammar.lark", "kaicep/cli.py"} <= names
    assert not [name for name in names if "/var/" in name or name.startswith(("kaicep/tests", "kaicep/benchmarks"))]


def test_kaicep_is_that_of_the_wheel(python: Path) -> None:
    place = run(python, "-c", "import kaicep; print(kaicep.__file__)")
    assert place.startswith(str(python.parent.parent))
    assert run(python.parent / "kaicep", "--version").startswith("kaicep ")


def test_an_example_of_the_wheel_is_tried_and_checked(python: Path, tmp_path: Path) -> None:
    """Its ontologies are found, imports included, and its queries give rows."""
    place = Path(run(python, "-c", "import kaicep.examples.greenhouse as g; print(g.__path__[0])").strip())
    query, readings = place / "queries" / "1_heat.chi", place / "readings" / "2026-06-01.json"
    rows = run(python.parent / "kaicep", "try", query, "-e", readings, "-p", place, cwd=tmp_path).splitlines()
    assert {json.loads(row)["bay"] for row in rows} == {
        f"https://example.org/greenhouse#{b}" for b in ("north", "south")
    }
    assert "heat" in run(python.parent / "kaicep", "check", place, cwd=tmp_path)


def test_the_demonstration_s_project_is_made_and_read(python: Path, tmp_path: Path) -> None:
    """What `kaicep demo` does before it starts Spark."""
    program = (
        "from pathlib import Path; from kaicep import Project; from kaicep.examples.robod import prepare\n"
        f"print(repr(Project.load(prepare(Path({str(tmp_path / 'rooms')!r})))))"
    )
    assert "1 stream (reading)" in run(python, "-c", program, cwd=tmp_path)
    assert len(list((tmp_path / "rooms" / "readings").iterdir())) == 10
