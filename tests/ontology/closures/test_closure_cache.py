"""A closure is made once, and made again as soon as anything of it could be another."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.closures import ClosureCache, closure_cache
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners import Closure, ClosureLimits, close
from kaicep.settings import ReasonerName
from support.ontologies import PREAMBLE, types

TEXT = ":A rdfs:subClassOf :B . :i a :A . :p owl:equivalentProperty :q ."
GENEROUS = 10**9


class Counted:
    """Closes modules, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(
        self, modules: Sequence[Module], reasoner: ReasonerName, prefixes: Mapping[str, str], limits: ClosureLimits
    ) -> Closure:
        self.times += 1
        return close(modules, reasoner, prefixes, limits)


@pytest.fixture
def closing() -> Counted:
    return Counted()


def modules(*texts: str) -> list[Module]:
    return [Module.parse(f"{number}.ttl", (PREAMBLE + text).encode()) for number, text in enumerate(texts)]


def closed(cache: ClosureCache, closing: Counted, *texts: str, reasoner: ReasonerName = "rl") -> KnowledgeBase:
    return KnowledgeBase(modules(*texts), reasoner, closing=cache.keeping(closing))


@pytest.fixture
def cache(tmp_path: Path) -> ClosureCache:
    return ClosureCache(tmp_path / "cache", GENEROUS, fewest=0)


def entries(cache: ClosureCache) -> list[Path]:
    return sorted((cache.folder / "closures").glob("[!.]*"))


def test_the_second_time_nothing_is_closed_and_everything_is_the_same(cache: ClosureCache, closing: Counted) -> None:
    first, second = closed(cache, closing, TEXT), closed(cache, closing, TEXT)
    assert closing.times == 1
    assert set(second.store) == set(first.store)
    assert second.triples == first.triples == len(first.store)
    assert second.terms() == first.terms()
    assert second.equivalents(f"{PREAMBLE[11:34]}p") == first.equivalents(f"{PREAMBLE[11:34]}p")
    assert second.version == first.version
    assert set(second.stated) == set(first.stated)
    assert types(second, "i") == {"A", "B", "http://www.w3.org/2002/07/owl#Thing"}


@pytest.mark.parametrize("typed", [True, False])
def test_individuals_are_listed_the_second_time_and_not_looked_for(
    cache: ClosureCache, closing: Counted, typed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a building's closure that takes longer than all else that a short command does."""
    found = closed(cache, closing, TEXT).individuals_below("", typed=typed)
    assert any(iri.endswith("#i") for iri in found)
    monkeypatch.setattr("kaicep.ontology.knowledge.subjects_below", None)
    assert closed(cache, closing, TEXT).individuals_below("", typed=typed) == found


@pytest.mark.parametrize(
    "again",
    [(TEXT + " ",), (TEXT.replace(":i", ":j"),), (TEXT, ":j a :A ."), (":j a :A .", TEXT)],
    ids=["a byte more", "a byte changed", "a module more", "another before it"],
)
def test_another_text_is_closed_anew(again: tuple[str, ...], cache: ClosureCache, closing: Counted) -> None:
    closed(cache, closing, TEXT)
    fresh = KnowledgeBase(modules(*again))
    assert set(closed(cache, closing, *again).store) == set(fresh.store)
    assert closing.times == 2


def test_another_reasoner_closes_anew(cache: ClosureCache, closing: Counted) -> None:
    assert types(closed(cache, closing, TEXT), "i") > types(closed(cache, closing, TEXT, reasoner="none"), "i")
    assert closing.times == 2


def test_another_program_closes_anew(cache: ClosureCache, closing: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    closed(cache, closing, TEXT)
    monkeypatch.setattr(closure_cache, "program_version", lambda: "another")
    closed(cache, closing, TEXT)
    assert closing.times == 2


def test_relative_names_of_another_place_are_closed_anew(cache: ClosureCache, closing: Counted) -> None:
    for base in ("file:///one/m.ttl", "file:///other/m.ttl"):
        module = Module.parse("m.ttl", b"<#i> <urn:p> <#j> .", base=base)
        knowledge = KnowledgeBase([module], closing=cache.keeping(closing))
        assert knowledge.is_known(f"{base}#i")
    assert closing.times == 2


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def turned(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [truncated, turned, Path.unlink])
@pytest.mark.parametrize("file", ["manifest.json", "said.json", "closure/CURRENT", "closure/*.sst", "stated/*.sst"])
def test_a_damaged_file_is_not_believed_and_made_again(
    file: str, damage: Callable[[Path], None], cache: ClosureCache, closing: Counted
) -> None:
    whole = set(closed(cache, closing, TEXT).store)
    (entry,) = entries(cache)
    for path in entry.glob(file):
        damage(path)
    assert set(closed(cache, closing, TEXT).store) == whole
    assert closing.times == 2
    closed(cache, closing, TEXT)
    assert closing.times == 2, "what was made again is kept"


def test_the_closure_of_something_else_is_not_believed(cache: ClosureCache, closing: Counted) -> None:
    closed(cache, closing, TEXT)
    (entry,) = entries(cache)
    closed(cache, closing, ":i a :Other .")
    other = next(path for path in entries(cache) if path != entry)
    entry.rename(entry.with_name("aside"))
    other.rename(entry)
    assert types(closed(cache, closing, TEXT), "i") >= {"A", "B"}
    assert closing.times == 3


def test_small_closures_are_not_kept(tmp_path: Path, closing: Counted) -> None:
    cache = ClosureCache(tmp_path, GENEROUS)
    for _ in range(2):
        closed(cache, closing, TEXT)
    assert closing.times == 2
    assert not entries(cache)


def test_what_was_not_used_for_longest_makes_room(tmp_path: Path, closing: Counted) -> None:
    cache = ClosureCache(tmp_path, GENEROUS, fewest=0)
    closed(cache, closing, TEXT)
    (first,) = entries(cache)
    size = sum(path.stat().st_size for path in first.rglob("*") if path.is_file())
    small = ClosureCache(tmp_path, size * 5 // 2, fewest=0)
    for number in range(3):
        closed(small, closing, f":i a :C{number} .")
        closed(small, closing, TEXT)
    assert first in entries(small), "it was used between the others"
    assert len(entries(small)) == 2
    none = ClosureCache(tmp_path, size // 2, fewest=0)
    assert types(closed(none, closing, ":i a :D ."), "i") >= {"D"}
    assert len(entries(none)) <= 2, "what is larger than all the room is not kept"


def test_where_nothing_can_be_written_everything_is_still_closed(tmp_path: Path, closing: Counted) -> None:
    (tmp_path / "file").write_text("no folder")
    cache = ClosureCache(tmp_path / "file", GENEROUS, fewest=0)
    assert types(closed(cache, closing, TEXT), "i") >= {"A", "B"}
    assert closing.times == 1


def test_leftovers_of_processes_that_are_gone_are_removed(cache: ClosureCache, closing: Counted) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = [cache.folder / "closures" / f".{gone.pid}-aa", cache.folder / "copies" / f"{gone.pid}-bb"]
    for folder in left:
        folder.mkdir(parents=True)
    closed(cache, closing, TEXT)
    assert not any(folder.exists() for folder in left)


PROCESS = """
import sys, time
from pathlib import Path
from kaicep.ontology import KnowledgeBase
from kaicep.ontology.closures import ClosureCache
from kaicep.ontology.modules import Module
from kaicep.ontology.reasoners import close

folder, name, other = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

def closing(modules, *how):
    with (folder / "log").open("a") as log:
        log.write(name)
    while not (folder / other).exists():
        time.sleep(0.005)
    return close(modules, *how)

cache = ClosureCache(folder / "cache", 10**9, fewest=0)
(folder / name).touch()
module = Module.parse("m.ttl", (folder / "m.ttl").read_bytes())
print(len(set(KnowledgeBase([module], closing=cache.keeping(closing)).store)))
"""


def test_of_two_processes_at_once_one_closes_and_the_other_waits(tmp_path: Path) -> None:
    """Whichever is first closes only when the other one has begun."""
    (tmp_path / "m.ttl").write_text(PREAMBLE + TEXT)
    both = [
        subprocess.Popen([sys.executable, "-c", PROCESS, tmp_path, *names], stdout=subprocess.PIPE, text=True)
        for names in (("a", "b"), ("b", "a"))
    ]
    answers = {process.communicate()[0] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert len(answers) == 1
    assert (tmp_path / "log").read_text() in ("a", "b")
