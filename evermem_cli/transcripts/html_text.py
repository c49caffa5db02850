"""The visible text of a web page or an HTML mail."""

import re
import warnings

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
