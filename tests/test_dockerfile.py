"""The container's recipe: what it copies exists, what the wheel is made of gets in, and nobody is root."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RECIPE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
IGNORED = [
    line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"
]


def gets_in(path: str) -> bool:
    """Whether a file is part of what is built from: the last line of `.dockerignore` that fits says it."""
    parts = Path(path).parts
    above = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    inside = True
    for line in IGNORED:
        pattern = line.removeprefix("!").removeprefix("**/")
        anywhere = line.removeprefix("!").startswith("**/")
        fits = pattern in parts if anywhere else any("/" not in one and fnmatch(one, pattern) for one in above)
        if fits:
            inside = line.startswith("!")
    return inside


def instructions(name: str) -> list[str]:
    whole = re.sub(r"\\\n\s*", " ", RECIPE)
    return [line.partition(" ")[2].strip() for line in whole.splitlines() if line.startswith(f"{name} ")]


def test_what_is_copied_exists_and_gets_in() -> None:
    copied = [words.split()[:-1] for words in instructions("COPY") if "--from" not in words]
    assert copied == [["pyproject.toml"], ["."]]
    assert (ROOT / "pyproject.toml").is_file()
    assert gets_in("pyproject.toml")


def test_every_package_and_all_data_get_in() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = {name.split(".")[1] for name in settings["tool"]["setuptools"]["packages"] if "." in name}
    assert [folder for folder in folders if not gets_in(f"{folder}/__init__.py")] == []
    for path in ("README.md", "LICENSE", "cli.py", "py.typed", "language/syntax/grammar.lark", "ontologies/x/y.ttl"):
        assert gets_in(path)
    assert all((ROOT / line[1:]).exists() for line in IGNORED if line.startswith("!") and "*" not in line)


@pytest.mark.parametrize(
    "path",
    [".git/config", ".venv/bin/python", "tests/test_cli.py", "benchmarks/path.py", "docs/language.md",
     "examples/campus/var/archive/x", "cep/__pycache__/x.pyc", "build/site/index.html",
     "examples/operations/var/token"],
)  # fmt: skip
def test_what_is_not_needed_stays_outside(path: str) -> None:
    assert not gets_in(path)


def test_nobody_is_root() -> None:
    """And a number says who it is, so that a cluster can see that it is not root."""
    assert instructions("USER") == ["10001"]
    assert "--uid 10001" in instructions("RUN")[-1]


def test_the_command_is_the_wheel_s() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert instructions("ENTRYPOINT") == ['["kaicep"]']
    assert "kaicep" in settings["project"]["scripts"]
    assert settings["project"]["requires-python"] == ">=3.11"
    assert {line.split()[0] for line in instructions("FROM")} == {"python:3.11-slim-bookworm"}


@pytest.mark.parametrize(("extras", "besides"), [("", None), ("serve", "uvicorn=="), ("mqtt,serve", "paho-mqtt==")])
def test_the_list_of_dependencies_is_written_by_its_program(extras: str, besides: str | None) -> None:
    """The line of Python in the recipe is run on the file that it reads."""
    (program,) = re.findall(r'python -c "(.*?)" >', RECIPE)
    here = program.replace("/source/pyproject.toml", str(ROOT / "pyproject.toml"))
    words = [sys.executable, "-c", here]
    asked = {**os.environ, "EXTRAS": extras}
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=asked)
    assert "pyarrow==" in done.stdout
    assert all("==" in line for line in done.stdout.splitlines())
    assert (besides or "pyarrow==") in done.stdout
    assert ("uvicorn==" in done.stdout) == ("serve" in extras)
