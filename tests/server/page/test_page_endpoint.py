"""The page comes whole: its document, what that names, and headers that let browsers run nothing else."""

from __future__ import annotations

import gzip
import re
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import kaicep
import pytest
from fastapi import FastAPI
from kaicep.server.page import page_routes
from support.browsers import fake_server
from support.servers import Answer, ask

_PAGE = Path(kaicep.__file__).parent / "server" / "page"
_SOURCE = _PAGE / "source"


@pytest.fixture
def document(plain_url: str) -> Answer:
    return ask(f"{plain_url}/")


def _assets(document: Answer) -> Iterator[str]:
    yield from re.findall(r'(?:href|src)="(/assets/[^"]+)"', document.text)


def test_the_document_names_assets_that_are_there(plain_url: str, document: Answer) -> None:
    assert document.status == 200
    assert document.media_type == "text/html"
    kinds = {name.rpartition(".")[2]: ask(plain_url + name) for name in _assets(document)}
    assert {kind: (answer.status, answer.media_type) for kind, answer in kinds.items()} == {
        "js": (200, "text/javascript"),
        "css": (200, "text/css"),
        "svg": (200, "image/svg+xml"),
    }


def test_a_server_keeps_its_page_when_another_version_is_installed(tmp_path: Path) -> None:
    """Its document and its assets go together."""
    folder = tmp_path / "page"
    shutil.copytree(_PAGE, folder, ignore=shutil.ignore_patterns("source"))
    app = FastAPI()
    app.include_router(page_routes(folder))
    with fake_server(app) as url:
        (folder / "index.html").write_text("another")
        shutil.rmtree(folder / "assets")
        names = list(_assets(ask(url)))
        assert len(names) == 3
        assert [ask(url + name).status for name in names] == [200, 200, 200]


def test_nothing_runs_that_does_not_come_from_this_server(document: Answer) -> None:
    policy = dict(one.split(" ", 1) for one in document.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert "script-src" not in policy  # what default-src says holds of scripts and styles as well
    assert "style-src" not in policy
    assert policy["frame-ancestors"] == "'none'"
    assert policy["base-uri"] == "'none'"
    assert document.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bon\w+=|\bstyle=", document.text)


def test_assets_are_kept_for_good_and_the_document_is_asked_for_anew(plain_url: str, document: Answer) -> None:
    """The name of an asset changes with its content."""
    assert document.headers["cache-control"] == "no-cache"
    tag = document.headers["etag"]
    assert ask(f"{plain_url}/", If_None_Match=tag).status == 304
    assert ask(f"{plain_url}/", If_None_Match='"another"').status == 200
    for name in _assets(document):
        assert "immutable" in ask(plain_url + name).headers["cache-control"]


def test_what_is_text_is_compressed_for_those_who_take_it(plain_url: str, document: Answer) -> None:
    name = next(name for name in _assets(document) if name.endswith(".js"))
    plain = ask(plain_url + name, Accept_Encoding="identity").body
    packed = ask(plain_url + name, Accept_Encoding="gzip")
    assert "content-encoding" not in ask(plain_url + name, Accept_Encoding="identity").headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.body in (plain, gzip.compress(plain, mtime=0))  # clients may unpack it


@pytest.mark.parametrize("name", ["nothing.js", "..%2Findex.html", "%2e%2e/page_endpoint.py", "..%2Fpage_endpoint.py"])
def test_no_other_file_is_given(plain_url: str, name: str) -> None:
    assert ask(f"{plain_url}/assets/{name}").status == 404


def test_the_assets_are_those_of_the_sources() -> None:
    """Whoever edits a source builds again: `make page`."""
    told = [*(p.relative_to(_SOURCE).as_posix() for p in (_SOURCE / "src").rglob("*") if p.is_file())]
    digest = sha256()
    for name in sorted([*told, "index.html", "build.js", "package-lock.json"]):
        digest.update(f"{name}\n".encode())
        digest.update((_SOURCE / name).read_bytes())
    assert (_PAGE / "sources.sha256").read_text(encoding="utf-8").strip() == digest.hexdigest(), "run: make page"


def test_each_bundled_package_has_its_licence() -> None:
    licences = (_PAGE / "LICENCES.txt").read_text(encoding="utf-8")
    named = re.findall(r'"node_modules/((?:@[\w-]+/)?[\w-]+)": \{', (_SOURCE / "package-lock.json").read_text("utf-8"))
    bundled = [name for name in named if "esbuild" not in name]
    assert len(bundled) > 10
    assert [name for name in bundled if f"\n{name} " not in licences] == ["@lezer/lr"]  # of which nothing is bundled


def test_no_registry_is_named() -> None:
    """Whoever builds takes packages from where he takes packages."""
    assert "http" not in re.sub(r'"url": "https://[^"]+"', "", (_SOURCE / "package-lock.json").read_text("utf-8"))
