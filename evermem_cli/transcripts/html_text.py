"""The visible text of a web page or an HTML mail."""

import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evermem_cli.terminal.visible import whole

if TYPE_CHECKING:
    from bs4.element import NavigableString, Tag

# elements that begin a line, or mark a quote with ">"
_SHOWN = ["p", "br", "div", "li", "ul", "ol", "tr", "blockquote", "pre"]
_UNSEEN = ["script", "style", "head", "title", "template", "noscript"]
_SPACE = re.compile(r"[ \t\r\n]+")
_BLANKS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def html_text(page: str) -> str:
    """The visible text of `page`, with ">" before quotes. Raises RecursionError for endless nesting."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns about text that looks like an address or like XML
        soup = BeautifulSoup(whole(page), "html.parser")
    for unseen in soup(_UNSEEN):
        unseen.decompose()
    for text in list(_outside_pre(soup)):
        text.replace_with(_SPACE.sub(" ", text))
    converter = MarkdownConverter(
        convert=_SHOWN, escape_asterisks=False, escape_underscores=False, escape_misc=False, bullets="-"
    )
    shown: str = converter.convert_soup(soup)
    return _BLANKS.sub("\n\n", "\n".join(map(str.rstrip, shown.split("\n")))).strip()


def _outside_pre(page: "Tag") -> "Iterator[NavigableString]":
    """The texts in which the number of spaces and line ends means nothing."""
    from bs4.element import NavigableString, Tag

    inside: list[Tag] = [page]
    while inside:
        for child in inside.pop().children:
            if isinstance(child, Tag) and child.name != "pre":
                inside.append(child)
            elif type(child) is NavigableString:  # no comment
                yield child
