"""The text that a web page or an HTML mail shows."""

import re
import warnings

_SHOWN = ["p", "br", "div", "li", "ul", "ol", "tr", "blockquote", "pre"]  # what begins a line, or ">" before it
_UNSEEN = ["script", "style", "head", "title", "template", "noscript"]
_SPACE = re.compile(r"[ \t\r\n]+")
_BLANKS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def html_text(page: str) -> str:
    """What `page` shows, with ">" before what it quotes. Raises RecursionError where it is nested without end."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns of text that looks like an address or like XML
        soup = BeautifulSoup(page, "html.parser")
    for unseen in soup(_UNSEEN):
        unseen.decompose()
    for text in soup.find_all(string=True):
        if text.find_parent("pre") is None:
            text.replace_with(_SPACE.sub(" ", text))
    converter = MarkdownConverter(
        convert=_SHOWN, escape_asterisks=False, escape_underscores=False, escape_misc=False, bullets="-"
    )
    shown: str = converter.convert_soup(soup)
    return _BLANKS.sub("\n\n", "\n".join(map(str.rstrip, shown.split("\n")))).strip()
