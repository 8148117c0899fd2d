"""Every durable file, harmed in every way: the engine starts with nothing lost, or says what helps, and it helps."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import combinations, product
from pathlib import Path

import pytest
from kaicep import Project
from kaicep.archive import verify
from support.sampling import some_of

from reliability.damage import DAMAGES, KINDS, Kind, Outcome, claims, expect, make_base, outcome, renewed, table

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
BEGIN, END = "<!-- damages: made by tests/reliability/test_damage.py -->\n", "\n<!-- end of damages -->"
CASES = [(kind, damage) for kind in KINDS for damage in DAMAGES]
UNTRIED = {"archive: store, the rest", "kept closures", "quarantine"}
PAIRS = 60
SAMPLE = [
    ("archive: version of the layout", "truncated"),
    ("archive: segment of several batches", "one bit flipped"),
    ("archive: segment of one batch", "missing"),
    ("archive: matches", "empty"),
    ("archive: store, which contents count", "one bit flipped"),
    ("intake: segment", "truncated"),
    ("intake: what was taken", "empty"),
    ("engine: snapshot", "truncated"),
    ("engine: submitted query", "missing"),
    ("engine: changes of the ontology", "one bit flipped"),
    ("engine: copy of an ontology module", "empty"),
    ("engine: calls that wait", "truncated"),
]


@pytest.fixture(scope="module", name="places")
def _places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """A project as its first engine left it, and where it lay."""
    folder = tmp_path_factory.mktemp("damage")
    base, work = folder / "base", folder / "work"
    make_base(work)
    shutil.copytree(work, base)
    expect(base, work)
    yield base, work
    shutil.rmtree(folder)


def tried(places: tuple[Path, Path], kind: Kind, damage: str) -> Outcome | None:
    """The outcome, which is no fault."""
    found = outcome(*places, kind, damage)
    assert found is None or not found.fault, f"{kind.name}, {damage}: {found}"
    return found


def test_every_file_is_of_a_kind(places: tuple[Path, Path]) -> None:
    """What is written newly is harmed here as well."""
    found = claims(places[0] / "var")
    assert [path for path, kind in found.items() if kind is None] == []
    unseen = {kind.name for kind in KINDS} - {kind.name for kind in found.values() if kind is not None}
    assert unseen <= {"quarantine", "kept closures", "engine: metrics"}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "damage"), some_of(SAMPLE, 6))
def test_a_damage(places: tuple[Path, Path], name: str, damage: str) -> None:
    kind = next(kind for kind in KINDS if kind.name == name)
    found = tried(places, kind, damage)
    assert found is not None
    rows = [row for row in _page().splitlines() if row.startswith(f"| {name} |") and damage in row]
    assert rows, "the table of docs/operations.md lacks it; KAICEP_RENEW=1 makes it anew"
    assert found.happens in rows[0]


@pytest.mark.long
@pytest.mark.reliability
def test_all_damages(places: tuple[Path, Path], record_property: Callable[[str, object], None]) -> None:
    """They are the table of docs/operations.md; with KAICEP_RENEW=1 it is made anew."""
    rows = []
    for kind, damage in CASES:
        if kind.files(places[0] / "var") and kind.name not in UNTRIED and (found := tried(places, kind, damage)):
            rows.append((kind, damage, found))
    record_property("kinds of files", len({kind.name for kind, _, _ in rows}))
    record_property("cases: each kind in up to five ways", len(rows))
    made = table(rows)
    if os.environ.get("KAICEP_RENEW"):
        PAGE.write_text(PAGE.read_text().replace(_page(), made))
    assert _page() == made


@pytest.mark.long
@pytest.mark.reliability
def test_two_damages_at_once(places: tuple[Path, Path], record_property: Callable[[str, object], None]) -> None:
    """Of files that are no mirrors of each other: what is said of the first is done, then of the second."""
    kinds = [kind for kind in KINDS if kind.name.startswith("engine:") and kind.files(places[0] / "var")]
    damages = [damage for damage in DAMAGES if damage != "older version"]
    cases = [(pair, ways) for pair in combinations(kinds, 2) for ways in product(damages, repeat=2)]
    for (first, second), (one, other) in random.Random(7).sample(cases, PAIRS):
        found = outcome(*places, first, one, (second, other))
        assert found is None or not found.fault, f"{first.name}, {second.name}: {found}"
    record_property("pairs of files, both harmed", PAIRS)


@pytest.mark.slow
def test_verify_finds_every_flipped_bit(places: tuple[Path, Path]) -> None:
    """Any of them, in footers and between pages too, where checksums of pages find none."""
    base, work = places
    renewed(base, work)
    settings, chosen = Project.load(work).settings, random.Random(3)
    assert verify(settings).log_faults == ()
    folders = ("log", "matches", "advances", "intake", "origins")
    files = [path for name in folders for path in (work / "var/archive" / name).rglob("*") if path.stat().st_size]
    for path in [path for path in files if path.is_file() and "lock" not in path.name]:
        content = path.read_bytes()
        for bit in chosen.sample(range(8 * len(content)), 4):
            changed = bytearray(content)
            changed[bit // 8] ^= 1 << bit % 8
            path.write_bytes(bytes(changed))
            assert verify(settings).log_faults, f"bit {bit} of {path}"
        path.write_bytes(content)
    assert verify(settings).log_faults == ()


def _page() -> str:
    """The table as it stands."""
    found = re.search(f"{re.escape(BEGIN)}(.*?){re.escape(END)}", PAGE.read_text(), re.DOTALL)
    assert found is not None
    return found[1]


def test_what_an_engine_writes_is_for_its_user_alone(places: tuple[Path, Path]) -> None:
    """The outermost folders suffice: who may not enter them sees nothing; and all below is so, too."""
    base, _ = places
    rights = {path: path.stat().st_mode & 0o077 for path in [*(base / "var").rglob("*"), base / "var"]}
    assert {path: mode for path, mode in rights.items() if mode} == {}
