"""From bytes to text: the encoding of a stream, recognition of binary data, and rewinding."""

import codecs
import io
from typing import BinaryIO

HEAD_BYTES = 1 << 16  # bytes examined to distinguish text from binary data
MAX_CONTROLS = 3  # control characters that any text may have, also one of two lines
MAX_CONTROL_SHARE = 0.01  # a damaged line of a log has a few control characters, a binary file many
# share of bytes above 127 that are not UTF-8: low in Western text, high in other old code pages
MAX_FOREIGN_SHARE = 0.25

_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b") | {127})


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Decodes invalid UTF-8 as Windows-1252, so that one odd byte does not garble the rest of the file."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("evermem.cp1252", _as_cp1252)


def why_no_text(head: bytes) -> tuple[str, str] | None:
    """Why a stream that begins with `head` is not readable text, with a hint; None if it is text."""
    if _is_utf16(head):
        return None
    controls = len(head) - len(head.translate(None, _CONTROL_BYTES))
    if controls > max(MAX_CONTROLS, len(head) * MAX_CONTROL_SHARE):
        return "not a text file", "give a chat exported as text, Markdown or JSON"
    foreign = len(head) - len(head.decode("utf-8", "ignore").encode())
    if foreign > len(head) * MAX_FOREIGN_SHARE:
        return "neither UTF-8, UTF-16 nor Windows-1252 text", "convert the file to UTF-8"
    return None


def decoded(stream: "Replay") -> io.TextIOWrapper:
    r"""`stream` as text with "\n" for all line ends."""
    encoding, errors = ("utf-16", "replace") if _is_utf16(stream.taken) else ("utf-8-sig", "evermem.cp1252")
    return io.TextIOWrapper(io.BufferedReader(stream, HEAD_BYTES), encoding, errors)


def _is_utf16(head: bytes | bytearray) -> bool:
    return head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


class Replay(io.RawIOBase):
    """A stream that was read up to the end of `head`. Closing this one does not close it.

    `taken` is what was read until `forget`, so that it can be read again.
    """

    def __init__(self, head: bytes | bytearray, rest: BinaryIO) -> None:
        self.taken = bytearray(head)
        self._head = io.BytesIO(head)
        self._rest = rest
        self._records = True

    def forget(self) -> None:
        """Stops keeping what is read."""
        self._records = False

    def again(self) -> io.BufferedReader:
        """The stream from its first byte. Only valid if nothing was read after `forget`."""
        return io.BufferedReader(Replay(self.taken, self._rest), HEAD_BYTES)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        block = self._head.read(len(buffer))
        if not block:
            block = self._rest.read(len(buffer))
            if self._records:
                self.taken += block
        buffer[: len(block)] = block
        return len(block)
