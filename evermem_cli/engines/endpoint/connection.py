"""HTTP to a server: what is sent again, how long a reply is awaited, and the error if none comes."""

import json
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import httpx

from evermem_cli.engines.endpoint import Address
from evermem_cli.errors import ModelError

CONNECT_SECONDS = 5.0
REPLY_SECONDS = 300.0  # seconds until the first or the next byte of a reply: a server may have to load the model first
PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds before a failed request is sent again
LONGEST_PAUSE = 30.0  # even if a server asks for more
NEED_KEY = (401, 403)
TOO_MANY_REQUESTS, SERVER_ERROR = 429, 500
KEY = "EVERMEM_API_KEY"
IN_V1 = "the address of an OpenAI-compatible server usually ends in /v1"
_START = "start it, or correct the setting llm"
_LONGEST_TELLING = 200  # characters of a server's error message


class Refusal(Exception):
    """A server answered with an error: the status and the message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{message} (status {status})" if message else f"status {status}")
        self.status = status
        self.message = message


class Connection:
    """JSON to and from one server; several threads may use it. A key is sent to this server only.

    The key is that of the environment. Without one, `kept` is asked for the key as soon as the server wants one.
    No redirection is followed, and no proxy is used for this machine, so a request reaches this server or nobody.
    Raises ModelError when the key or a proxy's setting cannot be used.
    """

    def __init__(
        self,
        address: Address,
        *,
        kept: Callable[[], str] = str,
        pauses: Sequence[float] = PAUSES,
        reply_seconds: float = REPLY_SECONDS,
    ) -> None:
        self._address = address
        self._pauses = pauses
        self._seconds = reply_seconds
        self._auth = _Key(_usable(os.environ.get(KEY, ""), KEY), kept)
        try:
            self._client = httpx.Client(
                auth=self._auth,
                timeout=httpx.Timeout(reply_seconds, connect=CONNECT_SECONDS),
                limits=httpx.Limits(max_connections=None),
                trust_env=not address.is_loopback,
            )
        except (ImportError, ValueError) as error:
            raise ModelError(f"the proxy of the environment cannot be used: {error}", "correct HTTPS_PROXY") from error

    def close(self) -> None:
        """Closes the connection."""
        self._client.close()

    def get(self, url: str) -> Any:
        """The JSON document at a path. Raises ModelError, Refusal."""
        return self._document(self._send("GET", url), url)

    def post(self, url: str, body: Mapping[str, Any]) -> Any:
        """The server's answer to `body`. Raises ModelError, Refusal."""
        return self._document(self._send("POST", url, body), url)

    def stream(self, url: str, body: Mapping[str, Any]) -> Iterator[Any]:
        """The documents of an event stream, or the one document of a server that does not stream. Raises as `post`."""
        response = self._send("POST", url, body)
        if "text/event-stream" not in response.headers.get("content-type", ""):
            yield self._document(response, url)
            return
        with closing(response):
            try:
                for line in _lines(response.iter_bytes()):
                    data = line.removeprefix(b"data:").strip()
                    if data == b"[DONE]":
                        return
                    if line.startswith(b"data:"):
                        yield self._piece(json.loads(data))
            except (httpx.TransportError, ValueError) as error:
                raise ModelError(f"{self._address.url} broke off in the middle of a reply", "try again") from error

    def _piece(self, document: Any) -> Any:
        if isinstance(document, dict) and document.get("error"):
            raise ModelError(f"{self._address.url} broke off in the middle of a reply: {self._said(document)}")
        return document

    def _send(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        """The response, of which only the head is read. A request is sent again if its failure may pass."""
        for pause in (*self._pauses, None):
            request = self._client.build_request(method, url, json=body)
            try:
                response = self._client.send(request, stream=True)
            except httpx.TransportError as error:
                self._give_up(error, is_last=pause is None)
                time.sleep(pause or 0)
                continue
            if pause is None or not _may_pass(response.status_code):
                return response
            response.close()
            time.sleep(_asked_for(response, pause))
        raise AssertionError("the last attempt returns or raises")

    def _give_up(self, error: httpx.TransportError, *, is_last: bool) -> None:
        """Raises ModelError if trying again is of no use, as with a slow server."""
        if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout | httpx.PoolTimeout):
            raise ModelError(f"{self._address.url} sent nothing for {self._seconds:g} s", _START) from error
        if is_last:
            reason = next(iter(str(error).splitlines()), "") or type(error).__name__
            raise ModelError(f"no server answers at {self._address.url} ({reason})", _START) from error

    def _document(self, response: httpx.Response, url: str) -> Any:
        with closing(response):
            try:
                content = response.read()
                document = json.loads(content)
            except httpx.TransportError as error:
                raise ModelError(f"{self._address.url} broke off in the middle of a reply", "try again") from error
            except ValueError as error:
                if response.status_code >= httpx.codes.BAD_REQUEST:
                    raise Refusal(response.status_code, "") from error
                raise ModelError(f"{url} does not answer in JSON", IN_V1) from error
        if response.is_success:
            return document
        raise Refusal(response.status_code, self._said(document))

    def _said(self, document: Any) -> str:
        """A server's error message, on one line and without the key."""
        said = document
        while isinstance(said, dict):
            said = next((said[name] for name in ("error", "message", "detail") if said.get(name)), "")
        text = " ".join(str(said).split())
        return (text.replace(self._auth.key, "…") if self._auth.key else text)[:_LONGEST_TELLING]


class _Key(httpx.Auth):
    """Adds the key to requests. A kept key is looked up when the server first wants one: most servers want none."""

    def __init__(self, key: str, kept: Callable[[], str]) -> None:
        self.key = key
        self._kept = kept

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """The request, and once more with the kept key if it is refused without one. Raises what `kept` raises."""
        sent = self.key
        response = yield self._signed(request)
        if response.status_code in NEED_KEY and not sent:
            self.key = self.key or _usable(self._kept(), "what the keyring has for this server")
            if self.key:
                yield self._signed(request)

    def _signed(self, request: httpx.Request) -> httpx.Request:
        if self.key:
            request.headers["Authorization"] = f"Bearer {self.key}"
        return request


def _usable(given: str, source: str) -> str:
    """A key, "" if there is none. Raises ModelError, without the key, for one that cannot be sent."""
    key = given.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelError(f"{source} is not a usable key: it has characters that cannot be sent", "set it again")
    return key


def _may_pass(status: int) -> bool:
    return status == TOO_MANY_REQUESTS or status >= SERVER_ERROR


def _asked_for(response: httpx.Response, pause: float) -> float:
    """How many seconds to wait: what the server asks for, up to a limit."""
    asked = response.headers.get("retry-after", "")
    return min(max(float(asked), pause), LONGEST_PAUSE) if asked.isascii() and asked.isdecimal() else pause


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines with the ends that the protocol has. A reply may contain other characters that end lines in Python."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    yield rest
