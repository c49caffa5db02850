"""From bytes to text: the encoding of a stream, what is no text at all, and the stream from its beginning again."""

import codecs
import io
from typing import BinaryIO

HEAD_BYTES = 1 << 16  # what is looked at to tell text from binary
MAX_CONTROL_SHARE = 0.01  # a broken line of a log holds a few control characters, a binary file many
MAX_FOREIGN_SHARE = 0.25  # bytes above 127 that are not UTF-8: a few in Western text, most in other old code pages

_CONTROL_BYTES = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b") | {127})


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Decodes what is not UTF-8 as Windows-1252, so that one odd byte does not garble the rest of the file."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("evermem.cp1252", _as_cp1252)


def why_no_text(head: bytes) -> tuple[str, str] | None:
    """Why a stream that begins with `head` is no text that can be read, and what to do; None if it is."""
    if _is_utf16(head):
        return None
    controls = len(head) - len(head.translate(None, _CONTROL_BYTES))
    if controls > len(head) * MAX_CONTROL_SHARE:
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
    """A stream that was read from as far as `head`; it is not closed with this one.

    `taken` is what came out of it until `forget`, for whoever wants to read it again.
    """

    def __init__(self, head: bytes | bytearray, rest: BinaryIO) -> None:
        self.taken = bytearray(head)
        self._head = io.BytesIO(head)
        self._rest = rest
        self._records = True

    def forget(self) -> None:
        """Keeps no more of what is read from here on."""
        self._records = False

    def again(self) -> io.BufferedReader:
        """The stream from its first byte. Right only as long as nothing was read since `forget`."""
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
