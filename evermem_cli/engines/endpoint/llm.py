"""The language model behind an address: requests in, replies out, several at a time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import lru_cache
from itertools import chain
from types import TracebackType
from typing import Any, Self

from evermem_cli.engines import Completion, Request
from evermem_cli.engines.endpoint import Address
from evermem_cli.engines.endpoint.complaints import explained, may_be_of_extras, too_long, unknown_model
from evermem_cli.engines.endpoint.connection import IN_V1, Connection, Refusal
from evermem_cli.engines.endpoint.messages import PartialReply, body
from evermem_cli.engines.endpoint.servers import Fields, estimated_tokens, recognize
from evermem_cli.errors import ModelError

TEMPLATE_TOKENS = 24  # the most tokens that a chat format adds to two texts
COUNTED = 1024  # texts whose token counts are remembered, since system prompts recur
_LATEST = ":latest"  # Ollama adds it to a name without a tag


class Endpoint:
    """A model of an OpenAI-compatible server as an `Llm`: temperature 0, one seed, `batch` requests at a time.

    Asks the server for its models first. `context_tokens` is less than given if the server reports less.
    A server that is known to support it enforces patterns while decoding. Each reply is checked against its pattern,
    and one that does not match is returned empty, which the caller treats as unusable. `close` closes the connection.
    Raises ModelError.
    """

    def __init__(self, address: Address, connection: Connection, *, name: str, context_tokens: int, batch: int) -> None:
        self.name = name
        self._address = address
        self._connection = connection
        self._batch = batch
        with ExitStack() as resources:
            resources.callback(connection.close)
            entry = self._listed()
            self._model = str(entry["id"])
            self._server = recognize(entry, self._beside)
            self._takes_more = True  # whether the server accepts fields beyond the protocol
            known = self._server.context(self._beside, self._model, entry)
            self.close = resources.pop_all().close
        self.context_tokens = min(context_tokens, known or context_tokens)
        self._count = lru_cache(COUNTED)(self._counted)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def description(self) -> str:
        """The model and the kind of server, in a few words."""
        tokens = "counted" if self._counted_there("a") is not None else "estimated"
        return (
            f"{self._server.name} answers with {self._model}: a context of {self.context_tokens} tokens, {tokens}; "
            f"patterns {self._server.patterns}"
        )

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` alone: the server's count if it has one, else an estimate that tends to be too high."""
        return self._count(text)

    def complete(self, requests: Sequence[Request], on_text: Callable[[str], None] | None = None) -> list[Completion]:
        """Replies in the order of `requests`; see `Llm.complete`. A streamed one is finished before others are sent.

        A reply that must match a pattern goes to `on_text` when the match is certain.
        """
        for request in requests:
            self._check_fit(request)
        streamed = [self._streamed(requests[0], on_text)] if on_text and requests else []
        return streamed + self._all_at_once(requests[len(streamed) :])

    def _all_at_once(self, requests: Sequence[Request]) -> list[Completion]:
        pool = ThreadPoolExecutor(self._batch)
        try:
            return list(pool.map(self._asked, requests))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # an error or Ctrl-C does not wait for replies

    def _asked(self, request: Request) -> Completion:
        [document] = self._answers(request, stream=False)
        return self._completion(request, PartialReply().then(document))

    def _streamed(self, request: Request, on_text: Callable[[str], None]) -> Completion:
        partial, handed = PartialReply(), 0
        for document in self._answers(request, stream=True):
            partial = partial.then(document)
            new = partial.text[handed:] if request.pattern is None else ""
            handed += len(new)
            on_text(new)
        made = self._completion(request, partial)
        if request.pattern is not None and made.text:
            on_text(made.text)
        return made

    def _completion(self, request: Request, partial: PartialReply) -> Completion:
        if partial.is_thought_alone:
            raise ModelError(
                f"{self._model} spends its whole reply on thinking",
                "name a model that does not think, or switch thinking off in the server",
            )
        return partial.completion(request)

    def _answers(self, request: Request, *, stream: bool) -> Iterable[Any]:
        """The server's answer. If it may have refused an extra field, the request is sent again without such fields."""
        url = f"{self._address.url}/chat/completions"
        while True:
            extras = self._extras(request)
            sent = body(self._model, request, stream=stream) | extras
            try:
                return _begun(self._connection.stream(url, sent)) if stream else [self._connection.post(url, sent)]
            except Refusal as refusal:
                if not (extras and may_be_of_extras(refusal)):
                    raise explained(refusal, self._address, self._names()) from refusal
                self._takes_more = False

    def _extras(self, request: Request) -> dict[str, Any]:
        if not self._takes_more:
            return {}
        return {**self._server.always, **(self._server.constrain(request) if request.pattern else {})}

    def _check_fit(self, request: Request) -> None:
        read = self.count_tokens(request.system) + self.count_tokens(request.user) + TEMPLATE_TOKENS
        if read + request.max_tokens > self.context_tokens:
            raise too_long(
                f"a prompt of {read} tokens and a reply of up to {request.max_tokens}", f" of {self.context_tokens}"
            )

    def _counted(self, text: str) -> int:
        counted = self._counted_there(text)
        return estimated_tokens(text) if counted is None else counted

    def _counted_there(self, text: str) -> int | None:
        """The server's count; None if it has none."""
        counting = self._server.counting
        if counting is None:
            return None
        try:
            return counting.read(
                self._connection.post(self._address.root + counting.path, counting.body(self._model, text))
            )
        except (Refusal, KeyError, TypeError, ValueError):
            return None

    def _listed(self) -> Fields:
        """The entry of the chosen model in the server's list. Raises ModelError."""
        listed = self._list()
        wanted = self._address.model
        named = {str(entry["id"]): entry for entry in listed}
        if entry := named.get(wanted) or named.get(wanted + _LATEST):
            return entry
        if not wanted and len(listed) == 1:
            return listed[0]
        raise unknown_model(self._address, [*named])

    def _list(self) -> list[Fields]:
        """The models that the server has. Raises ModelError."""
        try:
            document = self._connection.get(f"{self._address.url}/models")
        except Refusal as refusal:
            raise explained(refusal, self._address, []) from refusal
        listed = document.get("data") if isinstance(document, dict) else None
        if not isinstance(listed, list) or not all(isinstance(entry, Mapping) and "id" in entry for entry in listed):
            raise ModelError(f"{self._address.url} does not list its models", IN_V1)
        return listed

    def _names(self) -> list[str]:
        return [str(entry["id"]) for entry in self._list()]

    def _beside(self, path: str) -> Any:
        """The server's document at a path outside the protocol; None if there is none."""
        try:
            document = self._connection.get(self._address.root + path)
        except (Refusal, ModelError):
            return None
        return document if isinstance(document, dict) else None


def _begun(documents: Iterator[Any]) -> Iterator[Any]:
    """The same documents, with the first already fetched, so that a refusal shows before any text is handed on."""
    return chain([first] if (first := next(documents, None)) else [], documents)
