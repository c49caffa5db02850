"""Errors for the refusals of a server: the reason in one line, and what to do about it."""

import re
from collections.abc import Sequence

from evermem_cli.engines.endpoint import Address
from evermem_cli.engines.endpoint.connection import IN_V1, KEY, NEED_KEY, SERVER_ERROR, TOO_MANY_REQUESTS, Refusal
from evermem_cli.errors import ModelError

_MOST_NAMES = 12
_NOT_FOUND = 404
_NOT_UNDERSTOOD = (400, 422)
_OF_FORM = ("format", "grammar", "schema")
_OF_CONTEXT = re.compile(r"context|too long|too large|n_ctx|maximum.{0,20}(?:length|tokens)", re.IGNORECASE)
_OF_MODEL = re.compile(r"model\b.*\b(?:not found|not exist|not loaded|unknown|invalid)|no such model", re.IGNORECASE)


def unknown_model(address: Address, models: Sequence[str]) -> ModelError:
    """The error for a name that the server does not list, or for a missing name if the server lists several."""
    known = ", ".join(models[:_MOST_NAMES]) + (f" and {len(models) - _MOST_NAMES} more" if models[_MOST_NAMES:] else "")
    problem = f"has no model {address.model}" if address.model else "has several models, and none is named"
    if not models:
        return ModelError(f"{address.url} has no model", "load one there first")
    return ModelError(f"{address.url} {problem}", f"name one after #: {known}")


def too_long(tokens: str, context: str) -> ModelError:
    """The error for a prompt that does not fit the context."""
    return ModelError(
        f"{tokens} do not fit the context{context}", "give the model a longer context in the server, and context_tokens"
    )


def explained(refusal: Refusal, address: Address, models: Sequence[str]) -> ModelError:
    """The error that a refusal means."""
    status, said = refusal.status, refusal.message
    if status in NEED_KEY:
        return ModelError(
            f"{address.url} refuses access (status {status})",
            f"set its key as {KEY}, or run `keyring set evermem {address.url}`",
        )
    if _is_of_context(refusal):
        return too_long("the prompt and its reply", f" of {address.url}: {said}")
    if _OF_MODEL.search(said):
        return unknown_model(address, models)
    if status == _NOT_FOUND:
        return ModelError(f"{address.url} has nothing there (status {status})", IN_V1)
    if status == TOO_MANY_REQUESTS or status >= SERVER_ERROR:
        return ModelError(f"{address.url} is busy or failed: {refusal}", "try again later, or with a smaller batch")
    return ModelError(f"{address.url} refused the request: {refusal}", "another model or server may accept it")


def may_be_of_extras(refusal: Refusal) -> bool:
    """Whether the server may have refused a field that is not in the protocol, or the form of replies.

    Ollama fails (status 500) for a JSON schema that it cannot use.
    """
    is_known = _is_of_context(refusal) or _OF_MODEL.search(refusal.message)
    is_of_form = any(word in refusal.message.casefold() for word in _OF_FORM)
    return (refusal.status in _NOT_UNDERSTOOD and not is_known) or (refusal.status >= SERVER_ERROR and is_of_form)


def _is_of_context(refusal: Refusal) -> bool:
    of_request = refusal.status < SERVER_ERROR and refusal.status != TOO_MANY_REQUESTS
    return of_request and bool(_OF_CONTEXT.search(refusal.message))
