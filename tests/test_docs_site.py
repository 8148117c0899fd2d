"""The documentation site is built without a warning, has every page, and draws the grammar that the parser reads."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
GRAMMAR = """
start: word ("," word)* _maybe{end}
_maybe{part}: part |
word: NAME | "(" start ")" -> group
?end: _END (PLUS | MINUS)?
NAME: /[a-z]+/
_END: /END\\b/i
PLUS: "+"
MINUS: /-(?!>)/
"""


def hook(name: str) -> ModuleType:
    """A module of the site, loaded as mkdocs does."""
    spec = spec_from_file_location(name, DOCS / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    # Not `--quiet`, which does not count warnings either.
    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr
    return folder


@pytest.mark.slow
def test_every_page_is_there_and_found(site: Path) -> None:
    """A link that leads nowhere, or a page that the navigation lacks, would have been a warning."""
    pages = [path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md")]
    assert [page for page in pages if page.name != "README" and not (site / page / "index.html").is_file()] == []
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    assert len({entry["location"].partition("#")[0] for entry in index}) >= len(pages)
    assert any("PERCENTILE" in entry["text"] for entry in index)


@pytest.mark.slow
def test_what_is_no_file_of_docs_is_there_as_well(site: Path) -> None:
    """README, notebook, grammar."""
    assert "staleAir" in (site / "index.html").read_text(encoding="utf-8")
    assert (site / "notebook" / "index.html").read_text(encoding="utf-8").count("data:image/png;base64,") == 3
    grammar = (site / "railroad" / "index.html").read_text(encoding="utf-8")
    assert grammar.count('class="railroad-diagram"') == len(hook("grammar_page").Rules(_read_grammar()).drawn)
    assert 'href="../railroad/"' in (site / "language" / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in ("index.html", "railroad/index.html", "notebook/index.html"):
        text = (site / page).read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="https?://[^"]*"', text) == []


def test_every_page_stands_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    assert [path.name for path in DOCS.glob("*.md") if f": {path.name}\n" not in navigation] == []


def _read_grammar() -> str:
    return (ROOT / "language" / "syntax" / "grammar.lark").read_text(encoding="utf-8")


def test_rules_are_drawn_with_words_signs_and_loops() -> None:
    rules = hook("grammar_page").Rules(GRAMMAR)
    assert rules.drawn == ["start", "word", "end"]
    assert words(rules.svg("start")) == ["word", ",", "end"]  # one loop; `_maybe` is what may be left out
    assert words(rules.svg("word")) == ["NAME", "(", "start", ")"]
    assert words(rules.svg("end")) == ["END", "+", "-"]
    assert dict(rules.patterns()) == {"NAME": "/[a-z]+/"}


def test_every_rule_of_the_language_is_drawn() -> None:
    rules = hook("grammar_page").Rules(_read_grammar())
    drawn = {name: words(rules.svg(name)) for name in rules.drawn}
    assert drawn["query"][:2] == ["SELECT", "distinct"]
    assert {"FROM", "WHERE"} <= set(drawn["query"])
    named = {word for texts in drawn.values() for word in texts if re.fullmatch(r"[a-z]+_?[a-z]+", word)}
    assert {"item", "clause", "pattern", "window"} <= named


def test_links_out_of_the_folder_are_text_or_go_to_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = hook("site_pages")

    class Page:
        """As much of mkdocs' page as is asked for."""

        class file:  # noqa: N801 - mkdocs' name
            """Its file."""

            src_uri = "architecture.md"

    text = "[`storage/`](../storage), [notes](semantics.md#x), [web](https://example.org)\n```\n[a](../b)\n```"
    monkeypatch.delenv("KAICEP_SOURCE", raising=False)
    told = pages.on_page_markdown(text, Page, None, None)
    assert told == "`storage/`, [notes](semantics.md#x), [web](https://example.org)\n```\n[a](../b)\n```"
    monkeypatch.setenv("KAICEP_SOURCE", "https://example.org/kaicep/")
    assert pages.on_page_markdown(text, Page, None, None).startswith(
        "[`storage/`](https://example.org/kaicep/storage), "
    )


def test_the_readme_s_links_stay_right_as_the_start_page() -> None:
    moved = hook("site_pages").moved(
        "[a](docs/language.md) ![b](docs/x.svg) [c](LICENSE)", "README.md", "docs/index.md"
    )
    assert moved == "[a](language.md) ![b](x.svg) [c](../LICENSE)"
