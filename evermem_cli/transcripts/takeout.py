"""An account of Google's Takeout: the products with the owner's words are read, and the files of others counted."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath

from evermem_cli.errors import InputError
from evermem_cli.memory import Transcript
from evermem_cli.transcripts.assistants import gemini
from evermem_cli.transcripts.bundle import Bundle
from evermem_cli.transcripts.mail import calendar, mail
from evermem_cli.transcripts.plain import keep
from evermem_cli.transcripts.source import Format, Source
from evermem_cli.transcripts.unsupported import PAGES

ROOT = "Takeout"  # the folder of every account, in any language
INDEX = "archive_browser.html"
PRODUCTS: tuple[Format, ...] = (gemini.FORMAT, keep.FORMAT, mail.FORMAT, calendar.FORMAT)

_SUFFIXES = frozenset().union(*(known.suffixes for known in PRODUCTS))


def is_account(folder: str, names: frozenset[str]) -> bool:
    """Whether a folder of this name, with these files and folders, is an account; its second zip has no index."""
    return folder == ROOT or INDEX in names


def is_takeout(files: Bundle) -> bool:
    """Whether a folder or zip is an account, or holds one in its folder `ROOT`."""
    top = frozenset(name.partition("/")[0] for name in files.names)
    return is_account(files.path.name, top) or ROOT in top


def read_takeout(files: Bundle, products: Sequence[Format] = PRODUCTS) -> Iterator[Transcript]:
    """What the account has of these products. The files of other products are counted as left out."""
    pages = {f"{name.removesuffix('.json')}.html" for name in files.names}  # Keep writes a note as a page, too
    for name in files.names:
        path = PurePosixPath(name.removeprefix(f"{ROOT}/"))
        if path.name == INDEX or name in pages:
            continue
        if _is_chat_as_page(path):
            files.problem(InputError(PAGES, path=files.path / name))
        elif path.suffix.lower() in _SUFFIXES:
            yield from files.each([name], partial(_known, products, _product(path)))
        else:
            files.reading.skipped[_product(path)] += 1


def _known(products: Sequence[Format], product: str, source: Source) -> Iterator[Transcript]:
    """What one file holds, if it is of one of `products`; else it is counted as a file of `product`."""
    known = next((known for known in products if known.matches(source)), None)
    if known is None or (known is gemini.FORMAT and not gemini.is_of_gemini(source)):
        source.skip(product)
    else:
        yield from known.read(source)


def _product(path: PurePosixPath) -> str:
    return f"files of {path.parts[0]}" if len(path.parts) > 1 else "other files"


def _is_chat_as_page(path: PurePosixPath) -> bool:
    """Whether a file is the log of Gemini as a web page, which is what Takeout writes unless told otherwise."""
    return path.suffix.lower() == ".html" and any(map(gemini.is_named, path.parts))
