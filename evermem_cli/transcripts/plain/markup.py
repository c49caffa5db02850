"""What a note in Markdown has beside words: comments, queries, ids of blocks and fields of Obsidian and its plugins."""

import re
from collections import Counter
from collections.abc import Sequence

from evermem_cli.transcripts.plain.dialogue import Page
from evermem_cli.transcripts.plain.heads import fenced

HIDDEN = "comments in notes"
QUERIES = "queries in notes"

_COMMENT = re.compile(r"^%%.*?%%|%%[^\n]*?%%", re.DOTALL | re.MULTILINE)  # Obsidian hides it
_QUERY = re.compile(r"\s*(?:`{3,}|~{3,})\s*(?:dataview|dataviewjs|query|tasks)\s*\Z")
_INLINE_QUERY = re.compile(r"`\$?=(?![=>~])[^`\n]+`")
_CODE = re.compile(r"`[^`\n]*`")
_BLOCK_ID = re.compile(r"(?:^|\s+)\^[A-Za-z0-9-]+\s*$")
# Fields of Dataview: `[mood:: good]` and `(mood:: good)` anywhere, or a line `mood:: good`.
_BOXED_FIELD = re.compile(r"[\[(]([^\[\]()`:\n]{1,60})::\s*([^\[\]()`\n]*)[\])]")
_FIELD_LINE = re.compile(r"^([^`:\n]{1,60})::(?=\s|$)")
# What the core plugin for templates, and Templater, replace when a note is made of a template.
_PLACEHOLDER = re.compile(r"\{\{\s*(?:date|time|title)\b[^{}\n]*\}\}|<%[^%]*%>")

_LABEL = 3  # words beside a placeholder in a line of a template: "# Meeting on {{date}}"


def is_template(text: Page) -> bool:
    """Whether a note is one to make notes of: a line outside of code is nothing but a placeholder and marks or a label.

    "Our pages use {{ title }} in the header." is a sentence about one.
    """
    code = fenced(text.lines)
    lines = [_CODE.sub("", line) for index, line in enumerate(text.lines) if index not in code]
    return any(map(_is_placeholder, [*text.matter.splitlines(), *lines]))


def _is_placeholder(line: str) -> bool:
    left, count = _PLACEHOLDER.subn("", line)
    return bool(count) and len(left.split()) <= _LABEL


def without_markup(lines: Sequence[str]) -> tuple[list[str | None], Counter[str]]:
    """As many lines, None for those without words, and how many comments and queries were left out, by kind.

    Code stays as it is, and so do the names and values of fields.
    """
    queries = _queries(lines)
    queried = {index for query in queries for index in query}
    text, comments = _without_comments(["" if index in queried else line for index, line in enumerate(lines)])
    code = fenced(text)
    left_out = Counter({HIDDEN: comments, QUERIES: len(queries)})
    shown: list[str | None] = []
    for index, line in enumerate(text):
        if index in queried:
            shown.append(None)
        elif index in code:
            shown.append(line)
        else:
            bare, inline = _INLINE_QUERY.subn("", line)
            left_out[QUERIES] += inline
            bare = _BOXED_FIELD.sub(r"\1: \2", _BLOCK_ID.sub("", bare))
            shown.append(_FIELD_LINE.sub(r"\1:", bare))
    return shown, left_out


def _queries(lines: Sequence[str]) -> list[range]:
    """The indexes of the lines of each query in a fence, which is included."""
    code = fenced(lines)
    queries = []
    for start, line in enumerate(lines):
        if start not in code and start + 1 in code and _QUERY.match(line):
            fence = line.strip()[:3]
            end = next(end for end in range(start + 1, len(lines)) if lines[end].strip().startswith(fence))
            queries.append(range(start, end + 1))
    return queries


def _without_comments(lines: Sequence[str]) -> tuple[list[str], int]:
    """As many lines without the comments outside of code, and how many comments there are."""
    code = fenced(lines)
    text, uncoded = (
        "\n".join(lines),
        "\n".join(" " * len(line) if index in code else line for index, line in enumerate(lines)),
    )
    comments = [*_COMMENT.finditer(uncoded)]
    for comment in reversed(comments):
        text = text[: comment.start()] + "\n" * comment[0].count("\n") + text[comment.end() :]
    return text.split("\n"), len(comments)
