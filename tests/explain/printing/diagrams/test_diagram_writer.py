"""Diagrams of plans and reasons as Mermaid and DOT; automata have tests of their own."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from kaicep.explain import Diagram, DiagramFormat, write_diagram
from kaicep.explain.printing.diagrams.diagram import Arrow, Box, Tone

TWO = Diagram("plan", (Box("a", ("?e from air", 'x > "1"')), Box("b", ("y",), Tone.FAILS)), (Arrow("a", "b", "via"),))


def test_mermaid() -> None:
    assert write_diagram(TWO, DiagramFormat.MERMAID).splitlines() == [
        "flowchart LR",
        '    a["?e from air<br/>x #gt; #quot;1#quot;"]:::plain',
        '    b["y"]:::fails',
        '    a -->|"via"| b',
        "    classDef plain fill:#ffffff,stroke:#555555,color:#000000,text-align:left",
        "    classDef fails fill:#fbdcd9,stroke:#555555,color:#000000,text-align:left",
    ]


def test_dot() -> None:
    assert write_diagram(TWO, DiagramFormat.DOT).splitlines() == [
        "digraph plan {",
        "    rankdir=LR;",
        '    node [shape=box, style="rounded,filled"];',
        '    a [label="?e from air\\lx > \\"1\\"\\l", fillcolor="#ffffff"];',
        '    b [label="y\\l", fillcolor="#fbdcd9"];',
        '    a -> b [label="via"];',
        "}",
    ]


def test_long_lines_are_broken_and_indented() -> None:
    words = " ".join(["word"] * 30)
    text = write_diagram(Diagram("plan", (Box("a", (words,)),), ()), DiagramFormat.DOT)
    lines = text.splitlines()[3].split('"')[1].split("\\l")
    assert max(len(line) for line in lines) <= 64
    assert lines[1].startswith("    word")
    broken = write_diagram(Diagram("plan", (Box("a", (words,)),), ()), DiagramFormat.MERMAID)
    assert "<br/>#nbsp;#nbsp;#nbsp;#nbsp;word" in broken


def test_svg_has_every_text() -> None:
    root = ET.fromstring(write_diagram(TWO, DiagramFormat.SVG).encode())  # noqa: S314 - our own
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["?e from air", 'x > "1"', "y", "via"]
