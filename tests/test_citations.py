"""What is cited exists: sections of the contract, decision records, pages, files of the repository."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SEMANTICS = ROOT / "docs" / "semantics.md"
SKIPPED = {"node_modules", ".git", ".venv", ".cache", "var", "build", "data", "results"}
SECTION = r"\d+(?:\.\d+)?"
CITED_SECTIONS = re.compile(rf"docs/semantics\.md §?({SECTION}(?:,? (?:and )?§?{SECTION}\b(?!\s*[a-z]))*)")
CITED_DECISIONS = re.compile(r"docs/decisions/(\d{3}(?:, \d{3})*)\b(?!-)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH_OF_FILE = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|md|ttl|chi|lark))`")
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()} - SKIPPED
ORACLE = ROOT / "tests" / "oracle"


@cache
def tracked() -> tuple[Path, ...]:
    """Every text file of ours."""
    return tuple(sorted(path for path in _files() if path.suffix in {".py", ".md", ".lark", ".toml"}))


def _files() -> Iterator[Path]:
    """What lies below the root; what is installed there is not even looked at."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED and not name.startswith(".")]
        yield from (Path(folder, name) for name in files)


@cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def sections() -> frozenset[str]:
    """The numbers of the headings of the contract."""
    return frozenset(re.findall(rf"^##+ ({SECTION}) ", text(SEMANTICS), re.MULTILINE))


@cache
def decisions() -> frozenset[str]:
    return frozenset(path.name[:3] for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md"))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)", text(page), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in titles)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in plain}


def cited(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    for path in tracked():
        for match in pattern.finditer(text(path)):
            yield str(path.relative_to(ROOT)), match.group(1)


def test_sections_of_the_contract_are_numbered_without_gaps() -> None:
    numbers = re.findall(rf"^##+ ({SECTION}) ", text(SEMANTICS), re.MULTILINE)
    assert len(numbers) == len(set(numbers)) > 30
    assert numbers == sorted(numbers, key=lambda n: [int(part) for part in n.split(".")])
    for number in numbers:
        head, _, tail = number.rpartition(".")
        before = [head] if tail == "1" and head else [f"{head}.{int(tail) - 1}"] if head else []
        assert set(before) <= set(numbers), f"what comes before {number}?"


def test_cited_sections_of_the_contract_exist() -> None:
    wrong = [
        f"{file}: {number}"
        for file, numbers in cited(CITED_SECTIONS)
        for number in re.findall(SECTION, numbers)
        if number not in sections()
    ]
    assert wrong == []


def test_the_contract_is_cited_from_code_and_tests() -> None:
    files = {file.split("/")[0] for file, _ in cited(CITED_SECTIONS)}
    assert {"language", "cep", "planner", "tests"} <= files


def test_cited_decisions_exist() -> None:
    wrong = [
        f"{file}: {number}"
        for file, numbers in cited(CITED_DECISIONS)
        for number in re.findall(r"\d{3}", numbers)
        if number not in decisions()
    ]
    assert wrong == []


def test_decisions_cite_decisions_that_exist() -> None:
    """A record names another by its number in parentheses."""
    wrong = [
        f"{path.name}: {number}"
        for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")
        for numbers in re.findall(r"\((0\d{2}(?:[,–] ?0\d{2})*)\)", text(path))
        for number in re.findall(r"\d{3}", numbers)
        if number not in decisions()
    ]
    assert wrong == []


def test_nothing_cites_pages_that_are_not_here() -> None:
    """The oracle alone calls the contract LANGUAGE: its sections are those of docs/semantics.md."""
    pattern = re.compile(r"\b(LANGUAGE|DESIGN)\b(?=[ ,§)])")
    wrong = [
        str(path.relative_to(ROOT))
        for path in tracked()
        if pattern.search(text(path)) and ORACLE not in path.parents and path not in (SEMANTICS, Path(__file__))
    ]
    assert wrong == []
    numbers = [n for path in ORACLE.glob("*.py") for n in re.findall(r"LANGUAGE §(\d)", text(path))]
    assert numbers
    assert set(numbers) <= sections()


@pytest.mark.parametrize("page", [p for p in tracked() if p.suffix == ".md"], ids=lambda p: str(p.relative_to(ROOT)))
def test_links_of_pages_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", text(page), flags=re.DOTALL)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        aim = (page.parent / file).resolve() if file else page
        assert aim.exists(), f"{target}: there is no such file"
        assert not anchor or anchor in anchors(aim), f"{target}: there is no such heading"


def test_files_that_docstrings_and_pages_name_exist() -> None:
    """`cep/joins/pattern_dnf.py` is a path from the root."""
    wrong = [
        f"{file}: {named}"
        for file, named in cited(PATH_OF_FILE)
        if named.split("/")[0] in FOLDERS and not (ROOT / named).exists()
    ]
    assert wrong == []


REFERENCE = re.compile(r"`([a-z_]+(?:\.[a-z_]+)*)\.([A-Za-z_]+)(?:\(\))?`")
FILE_SUFFIXES = {"py", "md", "toml", "json", "ttl", "chi", "csv", "parquet", "txt", "nt", "gz", "db", "lark", "lock"}


@cache
def modules() -> Mapping[tuple[str, ...], Path]:
    """Path of each module and package of the product, by its place."""
    found = {}
    for path in tracked():
        relative = path.relative_to(ROOT).with_suffix("").parts
        if path.suffix == ".py" and relative[0] not in {"tests", "benchmarks"}:
            found[relative[:-1] if relative[-1] == "__init__" else relative] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path))


@cache
def names_in(path: Path) -> frozenset[str]:
    """The names that stand in a module."""
    return frozenset(name for node in ast.walk(tree(path)) for name in names_of(node))


def names_of(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.Import(names=taken) | ast.ImportFrom(names=taken):
            yield from (alias.asname or alias.name for alias in taken)


def docstrings(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (found := ast.get_docstring(node)):
        yield found
    for below in ast.iter_child_nodes(node):
        if isinstance(below, ast.stmt | ast.excepthandler | ast.match_case):
            yield from docstrings(below)


@cache
def named(place: tuple[str, ...]) -> tuple[Path, ...]:
    """Every module of that place."""
    return tuple(path for of, path in modules().items() if of[-len(place) :] == place)


@cache
def parts() -> frozenset[str]:
    """What any module, or a folder above one, is called."""
    return frozenset(part for place in modules() for part in place)


def is_there(place: tuple[str, ...], name: str, citing: Path) -> bool:
    """Whether a module of that place has that name; of a place that is no module nobody knows."""
    if not named(place):
        return place[0] not in parts()
    return any(name in names_in(path) for path in named(place)) or {place[0], name} <= names_in(citing)


def test_modules_and_names_that_docstrings_cite_exist() -> None:
    """`join_keys.encode` is a name of a module, `ontology.modules.Module` of a package."""
    wrong = [
        f"{'/'.join(module)}: {place}.{name}"
        for module, path in modules().items()
        if REFERENCE.search(text(path))
        for docstring in docstrings(tree(path))
        for place, name in REFERENCE.findall(docstring)
        if name not in FILE_SUFFIXES and not is_there(tuple(place.split(".")), name, path)
    ]
    assert wrong == []
