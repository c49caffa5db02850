"""Serves the page to the browser of its owner: on loopback, protected by a token, until no requests arrive.

A page of another site can send requests to this machine. So each request must name this host, which defeats DNS
rebinding, and must have the token in its path. A request that changes memory must also come from this page.
"""

import json
import secrets
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pydantic import ValidationError

from evermem_cli.cli.shared.session import Session
from evermem_cli.errors import EvermemError
from evermem_cli.memory import Mode
from evermem_cli.view import page
from evermem_cli.view.actions import ACTIONS, ActionResult

HOST = "127.0.0.1"
LONGEST = 16_384  # bytes of a request's body
PATIENCE = 10.0  # seconds to wait for the rest of a request
TICK = 0.5  # seconds between checks whether to stop
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass
class PageBackend:
    """The memory behind the page: `shown` as the page may see it, `owner` as its owner changes it.

    Each session does one thing at a time, so that a memory can be changed while a question is answered.
    """

    owner: Session
    shown: Session
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    reading: threading.Lock = field(default_factory=threading.Lock)
    changing: threading.Lock = field(default_factory=threading.Lock)

    def page(self) -> str:
        """The page as memory is now. Raises EvermemError."""
        with self.reading:
            return page.write(page.gather(self.shown, (), Mode.LIGHT), serves=True)

    def do(self, name: str, body: bytes) -> ActionResult:
        """Carries out an action of the page. Raises EvermemError, ValidationError."""
        kind, action = ACTIONS[name]
        request = kind.model_validate_json(body)
        session, turn = (self.shown, self.reading) if name == "ask" else (self.owner, self.changing)
        with turn:
            return action(session, request)


class Server(ThreadingHTTPServer):
    """Listens on loopback. `asked` is the time of the last request with the token."""

    daemon_threads = True
    timeout = TICK

    def __init__(self, desk: PageBackend, port: int) -> None:
        super().__init__((HOST, port), Handler)
        self.desk = desk
        self.asked = time.monotonic()
        self.busy = 0

    @property
    def origin(self) -> str:
        """The origin of the page."""
        return f"http://{HOST}:{self.server_address[1]}"

    @property
    def address(self) -> str:
        """The address to open; it contains the token."""
        return f"{self.origin}/{self.desk.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing about a browser that has disconnected; any other error is a bug, and its traceback is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def run(self, idle: float, stops: Callable[[], bool]) -> None:
        """Serves until no request has arrived for `idle` seconds, or until it is stopped."""
        while not stops() and (self.busy or time.monotonic() - self.asked < idle):
            self.handle_request()


class Handler(BaseHTTPRequestHandler):
    """Handles one request."""

    server: Server
    timeout = PATIENCE
    server_version, sys_version = "evermem", ""

    def do_GET(self) -> None:
        """Sends the page; no other path exists."""
        if self._is_let_in() == "":
            self._answered(lambda: (self.server.desk.page(), "text/html"))

    def do_POST(self) -> None:
        """Carries out an action."""
        name = self._is_let_in()
        if name is None:
            return
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Origin") != self.server.origin:
            self._refuse(HTTPStatus.FORBIDDEN, "this comes from another page")
        elif name not in ACTIONS or self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such action")
        elif not length.isdecimal() or int(length) > LONGEST:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too much, or of unknown length")
        else:
            body = self.rfile.read(int(length))
            self._answered(lambda: (json.dumps(self.server.desk.do(name, body)), "application/json"))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Logs nothing, because the address contains the token."""

    def _is_let_in(self) -> str | None:
        """The path behind the token; None where the request was refused."""
        if self.headers.get("Host") != self.server.origin.removeprefix("http://"):
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "ask by the address that evermem printed")
            return None
        token, slash, name = self.path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), self.server.desk.token.encode()):
            self._refuse(HTTPStatus.NOT_FOUND, "open the whole address that evermem printed")
            return None
        if self.command == "GET" and name:
            self._refuse(HTTPStatus.NOT_FOUND, "there is one page")
            return None
        self.server.asked = time.monotonic()
        return name

    def _answered(self, work: Callable[[], tuple[str, str]]) -> None:
        """Sends the result of `work`, or the error and its hint."""
        self.server.busy += 1
        try:
            body, kind = work()
            self._send(HTTPStatus.OK, body, kind)
        except ValidationError:
            self._refuse(HTTPStatus.BAD_REQUEST, "this is not what the page sends")
        except EvermemError as error:
            self._refuse(HTTPStatus.CONFLICT, error.explanation)
        except Exception:
            self.server.handle_error(self.request, self.client_address)  # before the page sends anybody to look at it
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, "evermem has a fault; the terminal that serves says which")
        finally:
            self.server.busy -= 1
            self.server.asked = time.monotonic()

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Says why nothing is done: to whoever opens an address as a page, to the page's script as JSON."""
        if self.command == "GET":
            self._send(status, page.write_refusal(why), "text/html")
        else:
            self._send(status, json.dumps({"error": why}), "application/json")

    def _send(self, status: HTTPStatus, body: str, kind: str) -> None:
        sent = body.encode()
        with suppress(ConnectionError, TimeoutError):  # the client has disconnected
            self._send_whole(status, sent, kind)

    def _send_whole(self, status: HTTPStatus, sent: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", f"{page.policy(serves=True)}; frame-ancestors 'none'")
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)
