"""Sections of plain lines as a page: Markdown, or HTML that asks nobody else for anything."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from big2.rulepage import Section

_STYLE = "body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:2rem auto;padding:0 1rem}h2{margin-top:2rem}"
_SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "\\`*_[]<>#|"})


def markdown(title: str, sections: Iterable[Section]) -> str:
    """The page as Markdown.

    >>> print(markdown("A_1", [Section("Entry", ("Free.",))]))
    # A\\_1
    <BLANKLINE>
    ## Entry
    <BLANKLINE>
    - Free.
    <BLANKLINE>
    """
    lines = [f"# {title.translate(_SPECIAL)}", ""]
    for section in sections:
        told = (f"- {line.translate(_SPECIAL)}" for line in section.lines)
        lines += [f"## {section.title}", "", *told, ""]
    return "\n".join(lines)


def html(title: str, sections: Iterable[Section]) -> str:
    """The page as one HTML document, in which nothing of the texts is taken for markup.

    >>> "<h2>Entry</h2><ul><li>A &lt; B.</li></ul>" in html("A", [Section("Entry", ("A < B.",))])
    True
    """
    parts = [
        f"<h2>{escape(section.title)}</h2><ul>{''.join(f'<li>{escape(line)}</li>' for line in section.lines)}</ul>"
        for section in sections
    ]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    body = f"<h1>{escape(title)}</h1>{''.join(parts)}"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>\n'
