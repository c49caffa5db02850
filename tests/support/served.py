"""A server on this machine that speaks OpenAI's chat completions over real HTTP, and says or fails as it is told."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHAT = "/v1/chat/completions"
Reply = str | Callable[[dict[str, Any]], str]


@dataclass
class Failure:
    """An answer in place of the right one: a status, what stands in it, its headers. Status 0 hangs up."""

    status: int
    content: str | dict[str, Any] = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Served:
    """What the server has and does. `failures` come first, each once, at a path; `reply` is said to every request.

    Requests without the key `wants` are refused, if there is one. `asked` holds each request as (path, body), `keys`
    the keys that came along, `most` how many were worked on at once.
    """

    reply: Reply = "Yes."
    models: list[dict[str, Any]] = field(default_factory=lambda: [{"id": "small"}])
    pages: dict[str, Any] = field(default_factory=dict)
    failures: dict[str, list[Failure]] = field(default_factory=dict)
    finish: str = "stop"
    message: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    wants: str = ""
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""
    most: int = 0
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def chats(self) -> list[dict[str, Any]]:
        """The bodies of the requests for a reply."""
        return [body for path, body in self.asked if path == CHAT]

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Counts how many are worked on at once."""
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self.seconds)
        try:
            yield
        finally:
            with self._lock:
                self._now -= 1


class Handler(BaseHTTPRequestHandler):
    """One connection. `served` is what it serves."""

    protocol_version = "HTTP/1.1"
    served: Served

    def log_message(self, *_: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        """A page."""
        self._answer({})

    def do_POST(self) -> None:
        """A reply, or a page."""
        self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _answer(self, body: dict[str, Any]) -> None:
        served = self.served
        served.asked.append((self.path, body))
        served.keys.append(self.headers.get("authorization"))
        if waiting := served.failures.get(self.path):
            self._fail(waiting.pop(0))
        elif served.wants and served.keys[-1] != f"Bearer {served.wants}":
            self._send(401, {"error": {"message": "no key"}})
        elif self.path == "/v1/models":
            self._send(200, {"object": "list", "data": served.models})
        elif self.path == CHAT:
            with served.at_work():
                self._chat(body)
        elif self.path in served.pages:
            page = served.pages[self.path]
            self._send(200, page(body) if callable(page) else page)
        else:
            self._send(404, {"error": {"message": "page not found"}})

    def _chat(self, body: dict[str, Any]) -> None:
        served = self.served
        text = served.reply if isinstance(served.reply, str) else served.reply(body)
        usage = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5}}
        if body["stream"]:
            pieces = [{"choices": [{"delta": {"content": text[i : i + 4]}}]} for i in range(0, len(text), 4)]
            last = [{"choices": [{"delta": {}, "finish_reason": served.finish}]}, {"choices": [], "usage": usage}]
            events = [f"data: {json.dumps(piece, ensure_ascii=False)}\n\n" for piece in [*pieces, *last]]
            self._send(200, "".join([*events, "data: [DONE]\n\n"]), {"content-type": "text/event-stream"})
        else:
            message = {"role": "assistant", "content": text} | served.message
            self._send(200, {"choices": [{"message": message, "finish_reason": served.finish}], "usage": usage})

    def _fail(self, failure: Failure) -> None:
        if failure.status:
            self._send(failure.status, failure.content, failure.headers)
        else:
            self.close_connection = True

    def _send(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    """A thread for each connection; none keeps the tests from ending."""

    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Whoever asked has gone."""


@contextmanager
def serving(served: Served) -> Iterator[Served]:
    """The server on a free port, while the block runs."""
    handler = type("ServedHandler", (Handler,), {"served": served})
    with Server(("127.0.0.1", 0), handler) as server:
        served.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
