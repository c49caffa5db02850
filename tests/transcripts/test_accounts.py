"""Account exports that are big, hostile or broken: nothing is lost silently, and nothing else is lost with it."""

import io
import json
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evermem_cli.errors import InputError
from evermem_cli.memory import Finding, Problem, Skipped
from evermem_cli.transcripts import ReadOptions, find, read
from tests.support.exports import chatgpt, reading, zipped

# Whole files


def test_an_export_folder_is_one_input_among_others(tmp_path: Path) -> None:
    for name in ("me.txt", "gpt/conversations.json", "gpt/user.json", "slack/channels.json", "slack/users.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert list(find([tmp_path])) == [tmp_path / name for name in ("gpt", "me.txt", "slack")]


def test_many_conversations_come_one_by_one() -> None:
    data = json.dumps([chatgpt(f"question {n}", "answer") for n in range(5_000)]).encode()
    stream = io.BytesIO(data)
    first = next(read(stream, ReadOptions(tz=UTC), print))
    assert first.turns[0].text == "question 0"
    assert stream.tell() < len(data)
    assert len(reading(data)[0]) == 10_000


def test_bytes_that_are_no_utf_8_do_not_lose_the_file() -> None:
    data = json.dumps([chatgpt("cafe"), chatgpt("tea")]).encode().replace(b"cafe", b"caf\xe9")
    assert reading(data) == (["café", "tea"], 0, [])


@pytest.mark.parametrize("form", ["chatgpt", "claude", "slack", "claude-code"])
def test_what_holds_no_messages_is_an_error(form: str) -> None:
    for text in ("[]", "{}", "[{}]", '{"a": 1}\n{"b": 2}\n', "just words\n"):
        with pytest.raises(InputError):
            reading(text.encode(), form)


def test_spaces_between_values_that_json_does_not_know_are_no_break() -> None:
    items = ",\u2028\v\u202e\u00a0".join(json.dumps(chatgpt(text)) for text in ("one", "two", "three"))
    assert reading(f"[{items}]".encode()) == (["one", "two", "three"], 0, [])


def test_what_fuzzing_found_stays_mended() -> None:
    conversation = chatgpt("\0", "said")
    conversation["mapping"]["1"]["message"]["id"] = "\0"
    found = list(read(io.BytesIO(json.dumps([conversation]).encode()), ReadOptions(tz=UTC), print))
    assert (found[0].key, found[0].turns[0].external_id) == (None, None)  # not "", which all such would share
    nobody = {"uuid": "u", "chat_messages": [{"sender": "\0", "text": "x"}, {"sender": "human", "text": "y"}]}
    texts, _, problems = reading(json.dumps([nobody]).encode())
    assert (texts, [problem.reason for problem in problems]) == (["y"], ["a message without a sender"])
    assert reading(b'{"sessionId": "s", "type": [1]}\n{"role": "user", "content": "x"}\n')[0] == ["x"]
    empty = zipped({"chat.json": json.dumps([chatgpt("a")]).encode()})
    with pytest.raises(InputError):
        reading(empty.replace(b"chat.json", b"\0hat.json"))


# Properties: what is read, left out and reported is at least what was there.

TEXT = st.text(st.characters(codec=None), max_size=8)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
STAMP = st.sampled_from([None, 0, 1714546800.5, 1e300, "2026-02-14T10:04:22Z", "soon", "", "1714546800.000100"]) | JUNK
ID = st.sampled_from(["a", "b", "c", "d", "e", None, "", "\ud800"]) | JUNK


def objects(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Records of these fields, each of which may be junk or missing."""
    return st.fixed_dictionaries({}, optional={name: value | JUNK for name, value in fields.items()})


BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "thinking", "tool_use", "image", "odd"])}, optional={"text": TEXT | JUNK}
)
GPT_PART = TEXT | st.fixed_dictionaries(
    {"content_type": st.sampled_from(["audio_transcription", "image_asset_pointer", "audio_asset_pointer"])},
    optional={"text": TEXT | JUNK},
)
GPT_MESSAGE = objects(
    author=objects(role=st.sampled_from(["user", "assistant", "system", "tool"])),
    content=objects(
        content_type=st.sampled_from(["text", "multimodal_text", "code", "thoughts", "user_editable_context", "odd"]),
        parts=st.lists(GPT_PART | JUNK, max_size=3),
    ),
    create_time=STAMP,
    weight=st.sampled_from([0, 1, None]),
    recipient=st.sampled_from(["all", "python", None]),
    metadata=objects(is_visually_hidden_from_conversation=st.booleans()),
)
GPT_MAPPING = st.dictionaries(st.sampled_from("abcde"), objects(parent=ID, message=GPT_MESSAGE), max_size=5)
CLAUDE_MESSAGES = st.lists(
    objects(
        uuid=ID,
        parent_message_uuid=ID,
        sender=st.sampled_from(["human", "assistant", ""]),
        text=TEXT,
        content=st.lists(BLOCK | JUNK, max_size=3),
        created_at=STAMP,
    ),
    max_size=5,
)
SLACK_MESSAGE = objects(
    type=st.just("message"),
    user=st.sampled_from(["U1", "U2"]),
    text=TEXT | st.sampled_from(["<@U1> &amp;", "<https://x|y>", "<!here", "<<>|>"]),
    ts=st.sampled_from(["1714546800.000100", "1714546801.000100", "1.2.3", "NaN"]),
    subtype=st.sampled_from(["channel_join", "bot_message", "thread_broadcast"]),
    blocks=st.lists(objects(type=st.just("rich_text"), elements=st.lists(objects(type=st.just("user")), max_size=2))),
)
EVENT = objects(
    type=st.sampled_from(["user", "assistant"]),
    sessionId=st.sampled_from(["s1", "s2"]),
    uuid=ID,
    timestamp=STAMP,
    isSidechain=st.booleans(),
    message=objects(role=st.just("user"), content=TEXT | st.lists(BLOCK | JUNK, max_size=3)),
)


def accounted(data: str, form: str, messages: int) -> None:
    """Reads `data` and checks that every message is read, left out or reported, or the whole is refused."""
    try:
        texts, skipped, problems = reading(data.encode("utf-8", "surrogatepass"), form)
    except InputError as error:
        assert error.hint
        return
    assert len(texts) + skipped + len(problems) >= messages
    assert all(text.strip() and text.encode() for text in texts)


@given(st.lists(GPT_MAPPING, min_size=1, max_size=3), ID)
def test_no_chatgpt_message_is_lost_silently(mappings: list[dict[str, Any]], leaf: object) -> None:
    data = json.dumps([{"id": "x", "current_node": leaf, "mapping": mapping} for mapping in mappings])
    usable = leaf is None or isinstance(leaf, str | int | float)
    said = [
        node for mapping in mappings for node in mapping.values() if not isinstance(node, dict) or node.get("message")
    ]
    accounted(data, "chatgpt", len(said) if usable else len(mappings))


@given(st.lists(CLAUDE_MESSAGES, min_size=1, max_size=3), ID)
def test_no_claude_message_is_lost_silently(chats: list[list[Any]], leaf: object) -> None:
    data = json.dumps([{"uuid": "x", "current_leaf_message_uuid": leaf, "chat_messages": chat} for chat in chats])
    usable = leaf is None or isinstance(leaf, str | int | float)
    accounted(data, "claude", sum(map(len, chats)) if usable else len(chats))


@given(st.lists(SLACK_MESSAGE | JUNK, min_size=1, max_size=6))
def test_no_slack_message_is_lost_silently(messages: list[Any]) -> None:
    accounted(json.dumps(messages), "slack", len(messages))


@given(st.lists(EVENT, min_size=2, max_size=6))
def test_no_claude_code_message_is_lost_silently(events: list[dict[str, Any]]) -> None:
    said = [event for event in events if event.get("type") in ("user", "assistant")]
    accounted("".join(json.dumps(event) + "\n" for event in events), "claude-code", len(said))


@given(st.binary(max_size=200), st.integers(0, 400), st.sampled_from(["chatgpt", "claude", "slack", "claude-code"]))
def test_any_damage_to_a_file_or_zip_is_survived(noise: bytes, place: int, form: str) -> None:
    data = json.dumps(
        [chatgpt("one", "two"), {"uuid": "u", "chat_messages": [{"sender": "human", "text": "x"}]}]
    ).encode()
    for whole in (data, zipped({"conversations.json": data, "user.json": b"{}"})):
        damaged = whole[:place] + noise + whole[place + len(noise) :]
        for chosen in (None, form):
            try:
                reading(damaged, chosen)
            except InputError as error:
                assert error.message


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ("<!DOCTYPE html>\n<html><body>Ann: hi", "web page"),
        ('{"type": "memory", "schema_version": 18, "embedder": "e"}\n', "`evermem import` reads exports"),
        ('{"type": "sync", "format": 1, "schema_version": 18}\n', "`evermem sync` the files of a shared folder"),
        ("AuthorID,Author,Date,Content,Attachments,Reactions\n", "DiscordChatExporter's CSV; export it again"),
        (f"{'=' * 62}\nGuild: G\nChannel: Team / general\n", "plain text; export it again in the format JSON"),
        ("0:00:00.599,0:00:04.160\nWe ship on Friday\n", "SBV"),
    ],
)
def test_an_export_in_a_shape_that_is_not_read_says_what_to_export(data: str, hint: str) -> None:
    with pytest.raises(InputError) as refused:
        reading(data.encode())
    assert hint in refused.value.hint


def test_an_account_of_web_pages_says_so(tmp_path: Path) -> None:
    for folder in ("messages/inbox/ann_1", "messages/inbox/bo_2"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "message_1.html").write_text("<html></html>")
    with pytest.raises(InputError) as refused:
        reading(tmp_path)
    assert refused.value.hint == "its chats are web pages; export it again in the format JSON"


@pytest.mark.parametrize(
    "title",
    ["Eingegeben: {}", "Eingegebener Prompt: {}", "Envoyé\xa0: {}", "プロンプト：{}"],
)
def test_a_prompt_to_gemini_is_known_by_its_form_in_any_language(title: str) -> None:
    entry = {"header": "Gemini Apps", "time": "2025-03-08T11:08:00Z", "products": ["Gemini Apps"]}
    log = [entry | {"title": title.format("Reise: im Mai nach Wien")}, entry | {"title": "Gemini-Apps verwendet"}]
    assert reading(json.dumps(log).encode())[:2] == (["Reise: im Mai nach Wien"], 1)


PROMPT = {"header": "Gemini Apps", "title": "Prompted Hi", "time": "2026-02-14T10:04:22Z", "products": ["Gemini Apps"]}
TAKEOUT = {
    "My Activity/Gemini Apps/MyActivity.json": json.dumps([PROMPT]),
    "My Activity/Search/MyActivity.json": json.dumps([PROMPT | {"header": "Search", "products": ["Search"]}]),
    "Google Photos/a.jpg": "a picture",
    "Google Photos/a.jpg.json": '{"title": "a.jpg"}',
    "Keep/Labels.txt": "home",
}


def findings_of(path: Path) -> tuple[list[str], list[Finding]]:
    findings: list[Finding] = []
    chats = list(read(path, ReadOptions(tz=UTC), findings.append))
    return [turn.text for chat in chats for turn in chat.turns], findings


def test_of_an_account_of_google_the_files_of_other_products_are_counted_and_no_fault(tmp_path: Path) -> None:
    for name, text in TAKEOUT.items():
        file = tmp_path / "Takeout" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "2.zip").write_bytes(zipped({f"Takeout/{name}": text.encode() for name, text in TAKEOUT.items()}))
    inputs = list(find([tmp_path]))
    assert inputs == [tmp_path / "2.zip", tmp_path / "Takeout"]
    for path in inputs:
        texts, findings = findings_of(path)
        assert texts == ["Hi"]
        assert {(each.reason, each.messages) for each in findings if isinstance(each, Skipped)} == {
            ("files of Google Photos", 2),
            ("files of My Activity", 1),
            ("files of Keep", 1),
        }
        assert len(findings) == 3


def test_of_an_account_of_google_only_the_chosen_format_is_read(tmp_path: Path) -> None:
    note = b'{"isTrashed":false,"isArchived":false,"title":"","textContent":"hello"}'
    members = {f"Takeout/{name}": text.encode() for name, text in TAKEOUT.items()} | {"Takeout/Keep/a.json": note}
    texts = {form: reading(zipped(members), form)[0] for form in ("gemini", "keep")}
    assert texts == {"gemini": ["Hi"], "keep": ["hello"]}


def test_an_account_of_google_with_the_log_of_gemini_as_a_page_says_so(tmp_path: Path) -> None:
    (path := tmp_path / "takeout.zip").write_bytes(
        zipped(
            {
                "Takeout/Mein Drive/a.html": b"<html>",
                "Takeout/Meine Aktivit\u00e4ten/Gemini-Apps/MeineAktivit\u00e4ten.html": b"<html>",
                "Takeout/Keep/a.json": b'{"isTrashed":false,"isArchived":false,"title":"","textContent":"hello"}',
            }
        )
    )
    texts, findings = findings_of(path)
    assert texts == ["hello"]
    [problem] = [each for each in findings if isinstance(each, Problem)]
    assert problem.reason == "its chats are web pages; export it again in the format JSON"
