"""The structure of the product's packages: what the rules of the layout are asked of.

`make structure` prints the figures as the table of `docs/architecture.md`.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STAGES = (
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
    "spark",
    "explain",
    "api",
    "server",
    "commands",
)
MOST_MODULES = 14


@dataclass(frozen=True)
class SourceFile:
    """One file of the product.

    Attributes:
        name: of the module, `kaicep` and dots; that of a face is its package's.
        path: of the file.
        tree: what it says.
    """

    name: str
    path: Path
    tree: ast.Module

    @property
    def is_face(self) -> bool:
        """Whether it is the `__init__` of a package."""
        return self.path.name == "__init__.py"

    @property
    def package(self) -> str:
        """The package that it lies in; a face lies in its own."""
        return self.name if self.is_face else self.name.rpartition(".")[0]

    @property
    def stage(self) -> str:
        """The folder of the data path; of the root's modules none."""
        return self.name.split(".")[1] if "." in self.package else ""

    @property
    def stem(self) -> str:
        """The name of the file, without its ending."""
        return self.path.stem

    @property
    def behaves(self) -> bool:
        """Whether it has a function or method with more than a docstring: declarations alone need no test."""
        return any(_does_something(node) for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef))


def _does_something(function: ast.FunctionDef) -> bool:
    body = [s for s in function.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    abstract = any("abstractmethod" in ast.dump(decorator) for decorator in function.decorator_list)
    return bool(body) and not abstract


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """All of some, those inside others too; an expression holds none."""
    for statement in body:
        yield statement
        parts = [statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
        for part in parts:
            for name in ("body", "orelse", "finalbody"):
                yield from statements(getattr(part, name, ()))


class Structure:
    """The product files of a checkout, and who imports whom."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        folders = [root / stage for stage in STAGES if (root / stage).is_dir()]
        paths = [*root.glob("*.py"), *(p for folder in folders for p in sorted(folder.rglob("*.py")))]
        self.files = {file.name: file for file in map(self._read, paths)}

    def _read(self, path: Path) -> SourceFile:
        parts = path.relative_to(self.root).with_suffix("").parts
        name = ".".join(["kaicep", *(parts[:-1] if parts[-1] == "__init__" else parts)])
        return SourceFile(name, path, ast.parse(path.read_text(encoding="utf-8")))

    @cached_property
    def imports(self) -> Mapping[str, frozenset[str]]:
        """By module, the product's modules that it imports anywhere, for types alone and in functions too."""
        return {name: frozenset(self._imported(file)) - {name} for name, file in self.files.items()}

    def _imported(self, file: SourceFile) -> Iterator[str]:
        for node in statements(file.tree.body):
            if isinstance(node, ast.ImportFrom):
                base = self._base(file, node)
                for alias in node.names:
                    whole = f"{base}.{alias.name}"
                    yield from (name for name in (whole if whole in self.files else base,) if name in self.files)
            elif isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in self.files)

    @staticmethod
    def _base(file: SourceFile, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = file.package.split(".")
        return ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])

    @property
    def upward(self) -> list[str]:
        """Imports of a later stage."""
        order = {stage: place for place, stage in enumerate(STAGES)}
        return [
            f"{name} imports {target}"
            for name, target in self._edges()
            if order.get(self.files[target].stage, -1) > order.get(self.files[name].stage, len(STAGES))
        ]

    @property
    def past_a_face(self) -> list[str]:
        """Imports of a module of another package, unless that one encloses the importer's."""
        return [
            f"{name} imports {target}"
            for name, target in self._edges()
            if not self.files[target].is_face
            and not f"{self.files[name].package}.".startswith(f"{self.files[target].package}.")
        ]

    @property
    def circles(self) -> list[list[str]]:
        """Sets of modules that all need each other."""
        found: list[list[str]] = []
        index: dict[str, int] = {}
        low: dict[str, int] = {}
        stack: list[str] = []

        def visit(name: str) -> None:
            index[name] = low[name] = len(index)
            stack.append(name)
            for target in self.imports[name]:
                if target not in index:
                    visit(target)
                    low[name] = min(low[name], low[target])
                elif target in stack:
                    low[name] = min(low[name], index[target])
            if low[name] == index[name]:
                place = stack.index(name)
                circle = sorted(stack[place:])
                del stack[place:]
                found.extend([circle] if len(circle) > 1 else [])

        for name in self.files:
            if name not in index:
                visit(name)
        return found

    @property
    def classes_twice(self) -> dict[str, list[str]]:
        """Public class names that stand in several packages."""
        packages: dict[str, set[str]] = defaultdict(set)
        for file in self.files.values():
            for node in file.tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    packages[node.name].add(file.package)
        return {name: sorted(found) for name, found in packages.items() if len(found) > 1}

    @property
    def stems_twice(self) -> dict[str, list[str]]:
        """File stems that stand in several packages."""
        packages: dict[str, set[str]] = defaultdict(set)
        for file in self._modules():
            packages[file.stem].add(file.package)
        return {stem: sorted(found) for stem, found in packages.items() if len(found) > 1}

    @property
    def crowded(self) -> dict[str, int]:
        """Packages with more modules than one takes in at a glance."""
        counts: dict[str, int] = defaultdict(int)
        for file in self._modules():
            counts[file.package] += 1
        return {package: count for package, count in counts.items() if count > MOST_MODULES}

    @property
    def shadowed(self) -> list[str]:
        """Names that a face exports and that are those of its package's modules as well."""
        return [
            f"{file.name} exports {alias.asname or alias.name}"
            for file in self.files.values()
            if file.is_face and file.name != "kaicep"
            for node in file.tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if f"{file.name}.{alias.asname or alias.name}" in self.files
            and f"{self._base(file, node)}.{alias.name}" not in self.files
        ]

    @property
    def untested(self) -> list[str]:
        """Modules with behaviour that have no test file of their name at their place."""
        return [
            file.name
            for file in self._modules()
            if file.behaves and not (self.root / "tests" / self._place(file) / f"test_{file.stem}.py").is_file()
        ]

    @property
    def strange_tests(self) -> list[str]:
        """Test files in the folders of the stages that mirror neither a module nor a package."""
        folders = [self.root / "tests" / stage for stage in STAGES]
        paths = [p for folder in folders if folder.is_dir() for p in sorted(folder.rglob("test_*.py"))]
        return [str(p.relative_to(self.root)) for p in paths if not self._mirrors(p)]

    @property
    def lines(self) -> int:
        """Of all product files."""
        return sum(len(file.path.read_text(encoding="utf-8").splitlines()) for file in self.files.values())

    def _mirrors(self, path: Path) -> bool:
        place = self.root / path.relative_to(self.root / "tests").parent
        stem = path.stem.removeprefix("test_")
        return (place / f"{stem}.py").is_file() or (place / stem / "__init__.py").is_file() or place.name == stem

    def _place(self, file: SourceFile) -> Path:
        return file.path.relative_to(self.root).parent

    def _edges(self) -> Iterator[tuple[str, str]]:
        yield from ((name, target) for name, targets in self.imports.items() for target in sorted(targets))

    def _modules(self) -> Iterator[SourceFile]:
        return (file for file in self.files.values() if not file.is_face and "." in file.package)


def figures(of: Structure) -> list[tuple[str, int]]:
    """The figures that have to be zero, in words."""
    return [
        ("imports of a later stage", len(of.upward)),
        ("import circles", len(of.circles)),
        ("imports past a face", len(of.past_a_face)),
        ("class names in two packages", len(of.classes_twice)),
        (f"packages above {MOST_MODULES} modules", len(of.crowded)),
        ("modules without a test file of their name", len(of.untested)),
        ("test files that mirror nothing", len(of.strange_tests)),
    ]


def table(of: Structure) -> str:
    """All figures as a table of Markdown."""
    rows = [("product files", len(of.files)), ("lines", of.lines), *figures(of)]
    return "\n".join(["| what | how many |", "|---|---|", *(f"| {what} | {count:,} |" for what, count in rows)])


@cache
def product() -> Structure:
    """That of this checkout, read once."""
    return Structure()


if __name__ == "__main__":
    print(table(product()))  # noqa: T201 - it is there to be read
