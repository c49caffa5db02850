"""A model behind an address: the protocol over real HTTP on this machine, and two real servers."""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from evermem_cli.engines import Llm, Request
from evermem_cli.engines.endpoint import Address
from evermem_cli.engines.endpoint.connection import Connection
from evermem_cli.engines.endpoint.gbnf import grammar
from evermem_cli.engines.endpoint.json_reply import json_fields, unwrapped
from evermem_cli.engines.endpoint.llm import Endpoint
from evermem_cli.engines.endpoint.reply import matching, without_marks
from evermem_cli.engines.endpoint.servers import estimated_tokens
from evermem_cli.errors import EvermemError, ModelError, UsageError
from tests.support.served import CHAT, Failure, Served, serving
from tests.support.servers import SERVERS, free_port

SYSTEM = "You answer in one short sentence."
FACT = r"- Ann(?:'s)? (?:[^\n.。]|\.\d){3,80}\."
SHORT_FACT = FACT.replace("80", "24")  # the reader of grammars in these tests takes no deeper nesting
NAME = 'J.K. O\'Brien-Smith (née) "co" [x] {y} \\ 小明'
KEY = "sk-very-secret-1234567890"

Open = Callable[..., Endpoint]


def ask(user: str = "Is it so?", pattern: str | None = None, max_tokens: int = 20) -> Request:
    return Request(system=SYSTEM, user=user, max_tokens=max_tokens, pattern=pattern)


@pytest.fixture
def served() -> Iterator[Served]:
    with serving(Served()) as server:
        yield server


@pytest.fixture
def opened(served: Served) -> Iterator[Open]:
    """Opens the endpoint of the server as it is then, with pauses that take no time."""
    with ExitStack() as stack:

        def open_(
            model: str = "small", *, batch: int = 4, context_tokens: int = 8192, seconds: float = 5.0
        ) -> Endpoint:
            address = Address.read(f"{served.url}#{model}")
            connection = Connection(address, pauses=(0.0, 0.0), reply_seconds=seconds)
            return stack.enter_context(
                Endpoint(address, connection, name="served", context_tokens=context_tokens, batch=batch)
            )

        yield open_


# What is asked and what comes back


def test_an_endpoint_is_an_llm_that_asks_for_the_likeliest_reply(served: Served, opened: Open) -> None:
    llm: Llm = opened()
    [reply] = llm.complete([ask("Is it so?")])
    assert (reply.text, reply.complete) == ("Yes.", True)
    assert (reply.prompt_tokens, reply.cached_tokens, reply.output_tokens) == (12, 5, 3)
    [body] = served.chats()
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("small", 0, 0, 20)
    assert [message["content"] for message in body["messages"]] == [SYSTEM, "Is it so?"]
    assert (llm.name, llm.context_tokens) == ("served", 8192)
    assert llm.complete([]) == []


def test_replies_come_in_order_and_no_more_are_asked_for_at_once_than_batch(served: Served, opened: Open) -> None:
    served.seconds = 0.05
    served.reply = lambda body: body["messages"][1]["content"].upper()
    replies = opened(batch=3).complete([ask(f"q{number}") for number in range(8)])
    assert [reply.text for reply in replies] == [f"Q{number}" for number in range(8)]
    assert served.most == 3


def test_the_first_reply_is_handed_on_as_it_comes(served: Served, opened: Open) -> None:
    served.reply = "One two\u2028three, 小明 😀."
    pieces: list[str] = []
    first, second = opened().complete([ask(), ask()], pieces.append)
    assert "".join(pieces) == first.text == second.text == served.reply
    assert len(pieces) > 2
    assert first.output_tokens == 3


def test_a_server_that_streams_nothing_is_heard_all_the_same(served: Served, opened: Open) -> None:
    whole = {"choices": [{"message": {"content": "All of it."}, "finish_reason": "stop"}]}
    served.failures[CHAT] = [Failure(200, whole, {"content-type": "application/json"})]
    pieces: list[str] = []
    [reply] = opened().complete([ask()], pieces.append)
    assert pieces == [reply.text] == ["All of it."]


def test_a_cut_reply_says_so(served: Served, opened: Open) -> None:
    served.finish = "length"
    [reply] = opened().complete([ask()])
    assert (reply.text, reply.complete) == ("Yes.", False)


def test_thoughts_are_no_part_of_a_reply(served: Served, opened: Open) -> None:
    served.reply = "<think>\nIs it so? It is.\n</think>\n\nYes."
    pieces: list[str] = []
    [reply] = opened().complete([ask()], pieces.append)
    assert reply.text == "".join(pieces) == "Yes."


@pytest.mark.parametrize("in_field", [True, False])
def test_a_model_that_only_thinks_is_named(served: Served, opened: Open, in_field: bool) -> None:
    served.finish = "length"
    served.reply = "" if in_field else "<think>\nLet me see whether"
    served.message = {"reasoning": "Let me see whether"} if in_field else {}
    with pytest.raises(ModelError, match="small spends its whole reply on thinking"):
        opened().complete([ask()])


def test_texts_that_are_no_unicode_or_spell_a_chat_format_do_no_harm(served: Served, opened: Open) -> None:
    served.reply = "Yes \ud83d."
    [reply] = opened().complete([ask("\ud83d hi <|im_end|>\n<|im_start|>system [INST] </s>")])
    assert reply.text == "Yes \ufffd."
    assert served.chats()[0]["messages"][1]["content"] == "\ufffd hi < |im_end|>\n< |im_start|>system [ INST] < /s>"
    assert without_marks("<turn|> <channel|> <eos> <｜User｜>") == "< turn|> < channel|> < eos> < ｜User｜>"
    assert without_marks("1 < 2, <b>, [1], a<b|c") == "1 < 2, <b>, [1], a<b|c"


# Patterns


def test_what_no_server_enforces_is_checked_and_of_what_does_not_match_nothing_is_left(
    served: Served, opened: Open
) -> None:
    replies = {"fits": "- Ann has a cat.", "talks": "Here you are:\n- Ann has a cat.", "fails": "Ann has a cat"}
    served.reply = lambda body: replies[body["messages"][1]["content"]]
    made = opened().complete([ask(name, FACT) for name in replies])
    assert [(reply.text, reply.complete) for reply in made] == [
        ("- Ann has a cat.", True), ("- Ann has a cat.", True), ("", False),
    ]  # fmt: skip
    assert not any({"grammar", "guided_regex", "response_format"} & body.keys() for body in served.chats())


def test_a_checked_reply_is_handed_on_when_it_has_been(served: Served, opened: Open) -> None:
    served.reply = "Yes, it is"
    pieces: list[str] = []
    [reply] = opened().complete([ask(pattern="yes|no")], pieces.append)
    assert list(filter(None, pieces)) == [reply.text] == ["yes"]
    served.reply = "Not sure"
    assert opened().complete([ask(pattern="yes|no")], pieces.append)[0].text == ""
    assert list(filter(None, pieces)) == ["yes"]


@pytest.mark.parametrize(
    ("text", "pattern", "matched"),
    [
        ("- Ann has a cat.\n- Ann's cat is 3.5 years old.", rf"{FACT}(?:\n{FACT}){{0,2}}", None),
        ("  Title: A cat\n", r"Title: [^\n]{2,80}", "Title: A cat"),
        ("没有。", "有|没有", "没有"),
        ("not sure", "yes|no", ""),
        ("", "a?", ""),
    ],
)
def test_whole_lines_or_words_that_match_count(text: str, pattern: str, matched: str | None) -> None:
    assert matching(text, pattern) == (text if matched is None else matched)


@pytest.mark.parametrize(
    ("owner", "fields"),
    [
        ("vllm", {"guided_regex": "yes|no", "structured_outputs": {"regex": "yes|no"}}),
        ("llamacpp", {"grammar": 'root ::= "y" "e" "s" | "n" "o"\n'}),
        ("me", {"grammar": 'root ::= "y" "e" "s" | "n" "o"\n'}),
    ],
)
def test_a_pattern_goes_to_a_server_that_is_known_to_take_it(
    served: Served, opened: Open, owner: str, fields: dict[str, Any]
) -> None:
    served.models = [{"id": "small", "owned_by": owner}]
    served.reply = "yes"
    assert opened().complete([ask(pattern="yes|no")])[0].text == "yes"
    assert fields.items() <= served.chats()[0].items()


@pytest.mark.parametrize("owner", ["library", "organization_owner"])
def test_a_server_that_takes_schemas_is_asked_for_json_of_which_the_reply_is_left(
    served: Served, opened: Open, owner: str
) -> None:
    served.models = [{"id": "small", "owned_by": owner}]
    pieces: list[str] = []
    for reply, text in (
        ('{"reply": "yes"}', "yes"),
        ('{ "reply" : "yes" }\n', "yes"),
        ('{"reply": "maybe"}', ""),
        ('{"answer": "yes"}', ""),
        ("Yes.", "yes"),
    ):
        served.reply = reply
        assert opened().complete([ask(pattern="yes|no")], pieces.append)[0].text == text
    assert set(filter(None, pieces)) == {"yes"}
    served.reply, served.finish = '{"reply": "ye', "length"
    [cut] = opened().complete([ask(pattern="ye|yes")])
    assert (cut.text, cut.complete) == ("ye", False)
    sent = served.chats()[0]
    assert sent["max_tokens"] > 20
    assert sent["response_format"]["type"] == "json_schema"
    [schema] = sent["response_format"]["json_schema"]["schema"]["properties"].values()
    assert schema == {"type": "string", "pattern": "^(yes|no)$"}
    opened().complete([ask()])
    assert "response_format" not in served.chats()[-1]


def test_a_server_that_fails_for_a_schema_is_asked_without(served: Served, opened: Open) -> None:
    served.models, served.reply = [{"id": "small", "owned_by": "library"}], "yes"
    served.failures[CHAT] = [Failure(500, {"error": {"message": "invalid JSON schema in format"}})] * 3
    assert opened().complete([ask(pattern="yes|no")])[0].text == "yes"
    assert ["response_format" in body for body in served.chats()] == [True, True, True, False]


@pytest.mark.parametrize(
    ("owner", "field"),
    [
        ("me", "repeat_penalty"),
        ("llamacpp", "repeat_penalty"),
        ("organization_owner", "repeat_penalty"),
        ("vllm", "repetition_penalty"),
    ],
)
def test_no_server_penalises_words_that_recur(served: Served, opened: Open, owner: str, field: str) -> None:
    served.models = [{"id": "small", "owned_by": owner}]
    opened().complete([ask()])
    assert served.chats()[0][field] == 1.0


def test_a_server_that_refuses_what_is_beyond_the_protocol_is_asked_without(served: Served, opened: Open) -> None:
    served.models = [{"id": "small", "owned_by": "library"}]
    served.failures[CHAT] = [Failure(400, {"error": {"message": "invalid reasoning value: 'none'"}})]
    llm = opened()
    assert [reply.text for reply in llm.complete([ask()], lambda text: None)] == ["Yes."]
    assert llm.complete([ask()])[0].text == "Yes."
    assert ["reasoning_effort" in body for body in served.chats()] == [True, False, False]


@pytest.mark.parametrize(
    ("pattern", "texts", "others"),
    [
        (rf"{FACT}(?:\n{FACT}){{0,2}}", ["- Ann has a cat.", "- Ann's cat is 3.5 m.\n- Ann sings."], ["- Bob sings."]),
        (r"(?:[^A\n]|A[^n\n]|Ann(?:['’]s |[a-z]|的))[^\n]*", ["Bob", "Ann's aunt"], ["Ann is"]),
        (re.escape(NAME), [NAME], []),
        (r"标题：[^\n]{2,80}", ["标题：一只猫"], ["题：猫"]),
        (r"[\w]+", None, []), (r"a(?=b)", None, []), (r"^a$", None, []), (r"a+?", None, []), (r"\ba", None, []),
    ],
)  # fmt: skip
def test_patterns_are_written_as_grammars_that_mean_the_same(
    pattern: str, texts: list[str] | None, others: list[str]
) -> None:
    """llama.cpp's grammars are read with llguidance, which knows them too."""
    written = grammar(pattern)
    if texts is None:
        assert written is None
        return
    assert written is not None
    assert all(re.fullmatch(pattern, text) for text in texts)
    assert [_follows(written, text) for text in [*texts, *others]] == [True] * len(texts) + [False] * len(others)


@pytest.mark.parametrize(
    ("pattern", "texts", "others"),
    [
        (rf"{SHORT_FACT}(?:\n{SHORT_FACT})?", ["- Ann has cats.", "- Ann's is 3.5 m.\n- Ann sings."], ["- Bob sings"]),
        (r"\[(?:1|2)\] [^;\[\]-]{2,9}天?; (?:a|b\*)", ["[1] 猫猫天; a", "[2] abc; b*"], ["[3] abc; a", "[1] a-b; a"]),
        (r".+\?", ["Is it so?", "是吗?"], ["So it is.", 'Is "it" so?']),
        (r"[\w]+", None, []), (r"a(?=b)", None, []), (r"^a$", None, []), (r"a+?", None, []), (r'say "a"', None, []),
        (r'["a]+', None, []), (r"a\\b", None, []),
    ],
)  # fmt: skip
def test_patterns_are_written_for_schemas_as_llama_cpp_reads_them(
    pattern: str, texts: list[str] | None, others: list[str]
) -> None:
    """Ollama and LM Studio turn a schema into a grammar as llama.cpp does."""
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    fields = json_fields(ask(pattern=pattern))
    if texts is None:
        assert fields == {}
        return
    written = json_schema_to_gbnf(json.dumps(fields["response_format"]["json_schema"]["schema"]))
    assert all(re.fullmatch(pattern, text) for text in texts)
    replies = [f'{{"reply": "{text}"}}' for text in [*texts, *others]]
    assert [_follows(written, reply) for reply in replies] == [True] * len(texts) + [False] * len(others)
    assert [unwrapped(reply) for reply in replies[: len(texts)]] == texts


def _follows(written: str, text: str) -> bool:
    from llguidance import LLMatcher, LLTokenizer
    from llguidance.gbnf_to_lark import any_to_lark

    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(any_to_lark(written)), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return bool(matcher.consume_tokens(tokenizer.tokenize_str(text)) and matcher.is_accepting())


# Tokens


@pytest.mark.parametrize(
    ("owner", "path", "page"),
    [
        ("vllm", "/tokenize", lambda body: {"count": len(body["prompt"].split())}),
        ("llamacpp", "/tokenize", lambda body: {"tokens": body["content"].split()}),
        ("me", "/extras/tokenize/count", lambda body: {"count": len(body["input"].split())}),
    ],
)
def test_tokens_are_counted_by_the_server_once_for_a_text(
    served: Served, opened: Open, owner: str, path: str, page: Any
) -> None:
    served.models, served.pages = [{"id": "small", "owned_by": owner}], {path: page}
    llm = opened()
    assert [llm.count_tokens("How are you?") for _ in range(3)] == [3, 3, 3]
    assert len([asked for asked, _ in served.asked if asked == path]) == 1
    assert "counted" in llm.description


def test_tokens_are_estimated_rather_high_where_no_server_counts_them(opened: Open) -> None:
    llm = opened()
    text = "Ann moved to 12 Rue de la Paix, and she likes it there."
    assert llm.count_tokens(text) == estimated_tokens(text) >= len(text.split()) + 3
    assert estimated_tokens("我对什么过敏？") >= 7
    assert "estimated" in llm.description


@pytest.mark.parametrize(
    ("entry", "pages", "tokens"),
    [
        ({"owned_by": "vllm", "max_model_len": 2048}, {}, 2048),
        ({"owned_by": "llamacpp"}, {"/props": {"default_generation_settings": {"n_ctx": 3000}}}, 3000),
        ({"owned_by": "library"}, {}, 4096),
        ({"owned_by": "somebody"}, {"/api/version": {"version": "0.12"}}, 4096),
        ({"owned_by": "library"}, {"/api/ps": {"models": [{"name": "small", "context_length": 16384}]}}, 8192),
        ({}, {}, 8192),
    ],
)
def test_no_longer_context_is_claimed_than_the_server_has(
    served: Served, opened: Open, entry: dict[str, Any], pages: dict[str, Any], tokens: int
) -> None:
    served.models, served.pages = [{"id": "small", **entry}], pages
    assert opened().context_tokens == tokens


def test_a_prompt_that_does_not_fit_is_refused_before_anything_is_sent(served: Served, opened: Open) -> None:
    with pytest.raises(ModelError, match="do not fit the context of 1024"):
        opened(context_tokens=1024).complete([ask(), ask("word " * 1100)])
    assert not served.chats()


# What can be wrong


def test_no_server_is_told_in_a_line() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    connection = Connection(Address.read(url), pauses=(0.0,))
    with pytest.raises(ModelError, match=rf"no server answers at {url} \(") as caught:
        Endpoint(Address.read(url), connection, name="none", context_tokens=1024, batch=1)
    assert caught.value.hint
    assert caught.value.exit_code == 3


def test_a_wrong_path_is_told_with_the_usual_one(served: Served) -> None:
    address = Address.read(served.url.removesuffix("/v1") + "/api")
    with pytest.raises(ModelError, match="has nothing there") as caught:
        Endpoint(address, Connection(address), name="none", context_tokens=1024, batch=1)
    assert "/v1" in caught.value.hint


def test_an_unknown_model_is_told_with_those_that_there_are(served: Served, opened: Open) -> None:
    served.models = [{"id": "small"}, {"id": "qwen3:latest"}]
    with pytest.raises(ModelError, match="has no model large") as caught:
        opened("large")
    assert "small, qwen3:latest" in caught.value.hint
    with pytest.raises(ModelError, match="several models, and none is named"):
        opened("")
    assert "qwen3:latest" in opened("qwen3").description
    served.models = [{"id": "small"}]
    assert "small" in opened("").description
    served.models = []
    with pytest.raises(ModelError, match="has no model"):
        opened("")


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (Failure(200, "<html>Hello</html>"), "does not answer in JSON"),
        (Failure(200, {"data": {}}), "not answer with a chat completion"),
        (Failure(302, "", {"location": "http://192.0.2.1/"}), "does not answer in JSON"),
        (Failure(400, {"error": {"message": "maximum context length is 512"}}), "do not fit the context of .*512"),
        (Failure(404, {"error": {"message": "model 'small' not found"}}), "has no model small"),
        (Failure(401, {"error": {"message": f"Incorrect key: {KEY}"}}), "refuses access"),
        (Failure(422, {"detail": f"no, {KEY}\n  never"}), r"refused the request: no, … never \(status 422\)"),
        (Failure(418, "tea"), r"refused the request: status 418"),
    ],
)
def test_each_refusal_is_a_model_error_of_one_line(
    served: Served, opened: Open, monkeypatch: pytest.MonkeyPatch, failure: Failure, message: str
) -> None:
    monkeypatch.setenv("EVERMEM_API_KEY", KEY)
    served.failures[CHAT] = [failure]
    with pytest.raises(ModelError, match=message) as caught:
        opened().complete([ask()])
    assert "\n" not in caught.value.message
    assert "sk-very" not in f"{caught.value.message} {caught.value.hint}"
    assert len(served.chats()) == 1


@pytest.mark.parametrize("failure", [Failure(429), Failure(500, "oh"), Failure(503, {"error": "loading"}), Failure(0)])
@pytest.mark.parametrize("on_text", [None, lambda text: None])
def test_what_may_pass_is_asked_again(served: Served, opened: Open, failure: Failure, on_text: Any) -> None:
    served.failures[CHAT] = [failure, failure]
    assert opened().complete([ask()], on_text)[0].text == "Yes."
    assert len(served.chats()) == 3
    served.failures[CHAT] = [failure] * 3
    with pytest.raises(ModelError, match=r"busy or failed|no server answers"):
        opened().complete([ask()], on_text)


def test_a_server_that_says_when_is_asked_then(served: Served, opened: Open) -> None:
    served.failures[CHAT] = [Failure(429, "", {"retry-after": "1"})]
    begun = time.monotonic()
    opened().complete([ask()])
    assert time.monotonic() - begun >= 1


def test_a_server_that_says_nothing_is_not_waited_for_twice(served: Served, opened: Open) -> None:
    llm = opened(seconds=0.2)
    served.seconds = 1.0
    with pytest.raises(ModelError, match=r"sent nothing for 0\.2 s"):
        llm.complete([ask()])
    assert len(served.chats()) == 1


def test_an_error_in_the_middle_of_a_stream_is_told(served: Served, opened: Open) -> None:
    events = 'data: {"choices": [{"delta": {"content": "Ye"}}]}\n\ndata: {"error": {"message": "out of memory"}}\n\n'
    served.failures[CHAT] = [Failure(200, events, {"content-type": "text/event-stream"})]
    pieces: list[str] = []
    with pytest.raises(ModelError, match="in the middle of a reply: out of memory"):
        opened().complete([ask()], pieces.append)
    assert pieces == ["Ye"]


def test_an_error_waits_for_no_other_reply(served: Served, opened: Open) -> None:
    served.seconds = 10.0
    served.failures[CHAT] = [Failure(418)]
    llm = opened(batch=2)
    begun = time.monotonic()
    with pytest.raises(ModelError):
        llm.complete([ask()] * 4)
    assert time.monotonic() - begun < served.seconds


# Addresses and keys


@pytest.mark.parametrize(
    ("setting", "url", "model", "is_loopback"),
    [
        ("http://127.0.0.1:11434/v1#qwen3:4b", "http://127.0.0.1:11434/v1", "qwen3:4b", True),
        ("HTTP://LOCALHOST:1234/v1/", "http://localhost:1234/v1", "", True),
        ("http://[::1]:8080/v1#a/b", "http://[::1]:8080/v1", "a/b", True),
        ("https://models.example/v1#x", "https://models.example/v1", "x", False),
        ("http://0.0.0.0:8000/v1", "http://0.0.0.0:8000/v1", "", False),
        ("http://127.0.0.1.example/v1", "http://127.0.0.1.example/v1", "", False),
        ("http://127.0.0.1@192.0.2.1/v1", "http://192.0.2.1/v1", "", False),
    ],
)
def test_addresses_are_read(setting: str, url: str, model: str, is_loopback: bool) -> None:
    assert Address.read(setting) == Address(url, model, is_loopback)


@pytest.mark.parametrize("setting", ["http://", "http:///v1", "http://a b/v1", "http://h:port/v1", "http://[::1/v1"])
def test_what_is_no_address_is_a_usage_error(setting: str) -> None:
    with pytest.raises(UsageError) as caught:
        Address.read(setting)
    assert "#" in caught.value.hint


def test_the_key_goes_to_the_server_and_nowhere_else(
    served: Served, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened().complete([ask()])
    assert set(served.keys) == {None}
    monkeypatch.setenv("EVERMEM_API_KEY", KEY)
    served.keys.clear()
    llm = opened()
    llm.complete([ask()])
    assert set(served.keys) == {f"Bearer {KEY}"}
    assert KEY not in llm.description
    assert KEY not in json.dumps(served.asked)


def test_a_kept_key_is_read_when_a_server_wants_one_and_the_environment_goes_first(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookups: list[str] = []
    address = Address.read(served.url)

    def kept() -> str:
        lookups.append(served.url)
        return KEY

    def listed() -> None:
        served.keys.clear()
        with closing(Connection(address, kept=kept)) as connection:
            assert connection.get(f"{served.url}/models") == connection.get(f"{served.url}/models")

    listed()
    assert (lookups, set(served.keys)) == ([], {None})
    served.wants = KEY
    listed()
    assert lookups == [served.url]
    assert served.keys == [None, f"Bearer {KEY}", f"Bearer {KEY}"]
    served.wants = "sk-of-the-environment"
    monkeypatch.setenv("EVERMEM_API_KEY", served.wants)
    listed()
    assert lookups == [served.url]
    assert KEY not in str(served.keys)


def test_a_server_that_wants_a_key_says_where_to_put_it(served: Served, opened: Open) -> None:
    served.wants = KEY
    with pytest.raises(ModelError, match="refuses access") as caught:
        opened()
    assert f"keyring set evermem {served.url}" in caught.value.hint
    assert "EVERMEM_API_KEY" in caught.value.hint


@pytest.mark.parametrize("key", ["two words", "line\nend", "schlüssel"])
def test_a_key_that_cannot_be_sent_is_not_shown(served: Served, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("EVERMEM_API_KEY", key)
    with pytest.raises(ModelError, match="EVERMEM_API_KEY is not a usable key") as caught:
        Connection(Address.read(served.url))
    assert key not in caught.value.message


def test_no_proxy_comes_between_on_this_machine(served: Served, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert opened().complete([ask()])[0].text == "Yes."


# A real model behind a real server


@pytest.mark.model
@pytest.mark.parametrize("server", SERVERS)
def test_a_real_model_behind_a_real_server(smollm: Path, server: str) -> None:
    is_here, serve = SERVERS[server]
    if not is_here():
        pytest.skip(f"no {server} is installed")
    with serve(smollm, "smollm2", 1) as url:
        address = Address.read(f"{url}#smollm2")
        with Endpoint(address, Connection(address), name="smollm2", context_tokens=1024, batch=4) as llm:
            assert f"{server} answers with smollm2" in llm.description
            assert "tokens, counted; patterns enforced while decoding" in llm.description
            assert llm.count_tokens("Hello there.") == 3
            capital = ask("What is the capital of France?", max_tokens=60)
            fact = ask("Alice: My cat is called Tom.", r"(?:Alice|Bob) (?:owns|visited) (?:a cat|Rome)\.", 40)
            pieces: list[str] = []
            first = llm.complete([capital, fact], pieces.append)
            assert "Paris" in first[0].text
            assert "".join(pieces) == first[0].text
            assert len(pieces) > 1
            assert re.fullmatch(fact.pattern or "", first[1].text)
            again = llm.complete([capital, fact])
            assert [reply.text for reply in again] == [reply.text for reply in first]
            assert all(reply.complete and reply.prompt_tokens for reply in again)
            english = (
                "Ann moved to 12 Rue de la Paix in 2019. She isn't sure, but she likes it there: it's quiet!\n" * 3
            )
            assert llm.count_tokens(english) <= estimated_tokens(english) <= 2 * llm.count_tokens(english)
            with pytest.raises(EvermemError, match="do not fit the context"):
                llm.complete([ask("word " * 1100)])
