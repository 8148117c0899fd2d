"""What the documentation site has beside the files in `docs/` (mkdocs hook).

The start page is the README; notebooks are pages with their pictures; the decisions are a part of the navigation. Links
to files outside of `docs/` go to the source repository when the environment names it (KAICEP_SOURCE), else they are
text.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = {"notebook.md": ROOT / "examples" / "robod" / "stale_air.ipynb"}
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the decisions into the navigation, in order."""
    decisions = sorted(Path(config.docs_dir, "decisions").glob("*.md"))
    section = next((part for part in config.nav or [] if isinstance(part, dict) and "Decisions" in part), None)
    if section is not None:
        section["Decisions"] = [f"decisions/{path.name}" for path in decisions]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the start page and the notebooks."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "index.md", content=moved(readme, "README.md", "docs/index.md")))
    for name, path in NOTEBOOKS.items():
        files.append(File.generated(config, name, content=notebook_page(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links that leave the folder go where there is something."""
    del config, files
    text = markdown
    if page.file.src_uri == "language.md":
        text = text.replace("## Grammar\n", "## Grammar\n\nAlso [in pictures](railroad.md).\n", 1)
    return "".join(
        part if part.startswith("```") else _LINK.sub(lambda link: _linked(link, page.file.src_uri), part)
        for part in _FENCE.split(text)
    )


def _linked(link: re.Match[str], page: str) -> str:
    target, _, place = link["target"].partition("#")
    if not target or "://" in target or target.startswith(("mailto:", "data:")):
        return link[0]
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
    for name, notebook in NOTEBOOKS.items():
        if ROOT / path == notebook:
            return f"[{link['text']}]({posixpath.relpath(f'docs/{name}', posixpath.dirname(f'docs/{page}'))})"
    if path == "docs/decisions":
        return f"[{link['text']}]({posixpath.relpath('docs/decisions/README.md', posixpath.dirname(f'docs/{page}'))})"
    if path.startswith("docs/"):
        return link[0]
    source = os.environ.get("KAICEP_SOURCE", "").rstrip("/")
    return f"[{link['text']}]({source}/{path}{'#' * bool(place)}{place})" if source else link["text"]


def moved(text: str, from_file: str, to_file: str) -> str:
    """Return a page whose links stay right when it is moved to another file."""

    def relative(link: re.Match[str]) -> str:
        target = link["target"]
        if "://" in target or target.startswith("#"):
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(from_file), target))
        return f"{link['picture']}[{link['text']}]({posixpath.relpath(path, posixpath.dirname(to_file))})"

    return _LINK.sub(relative, text)


def notebook_page(path: Path) -> str:
    """Return a notebook as a page: its texts, its code, and what the code has shown."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    folder = path.parent.relative_to(ROOT)
    return "\n\n".join(part for cell in cells for part in _cell(cell, str(folder))) + "\n"


def _cell(cell: Mapping[str, Any], folder: str) -> Iterator[str]:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield moved(text, f"{folder}/notebook.ipynb", "docs/notebook.md")
        return
    yield f"```python\n{text}\n```"
    for output in cell["outputs"]:
        yield _output(output)


def _output(output: Mapping[str, Any]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        return f'<img alt="what the code above draws" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">'
    if "text/html" in data:
        return f'<div class="rows">{"".join(data["text/html"])}</div>'
    text = "\n".join(output.get("traceback", ())) or "".join(data.get("text/plain", output.get("text", "")))
    return f"```text\n{text.rstrip()}\n```"
