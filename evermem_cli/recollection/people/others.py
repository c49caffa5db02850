"""Histories of people who do not speak themselves, from what others say about them: "My sister has moved to York"."""

from dataclasses import replace

from evermem_cli.config import CONDITION_DAYS
from evermem_cli.consolidation.history import histories
from evermem_cli.consolidation.statements import ATTRIBUTES, assert_statements
from evermem_cli.languages.words import words_of
from evermem_cli.memory import Message, Statement, Whose
from evermem_cli.recollection.memory_view import MemoryView
from evermem_cli.recollection.people.histories import Histories, as_seen, local_histories
from evermem_cli.recollection.questions.question import Question
from evermem_cli.store import Searcher

MOST = 2000  # statements about other people that are looked at, the latest
_MINE = frozenset({"my", "our"})
_MINE_ZH = ("我们的", "我们", "我的", "我")


def histories_of_other(question: Question, memory: MemoryView, user_id: str) -> Histories:
    """What the user may know of the person whom the question names, if somebody spoke of them; else nothing.

    Who is somebody's own, as "my sister", is meant only by that speaker. Raises StoreError, StoreBusy.
    """
    asked = question.profile
    if not (asked.called and asked.likely):
        return {}
    kinds = [kind for kind, attribute in ATTRIBUTES.items() if attribute in asked.likely] + [*asked.likely]

    def read(reader: Searcher) -> dict[str, Histories]:
        statements = reader.statements.of_others(kinds, memory.known_by, user_id, MOST)
        said = reader.candidates.evidence_of({statement.message_id for statement in statements})
        messages = {message.id: message for evidence in said for message in evidence.messages}
        by_message: dict[str, list[Statement]] = {}
        for statement in statements:
            message = messages.get(statement.message_id)
            if message and is_meant(asked.called, statement, message, memory):
                by_message.setdefault(message.id, []).append(replace(statement, whose=Whose.ME))
        assertions = [
            assertion
            for message_id, meant in by_message.items()
            for assertion in assert_statements(messages[message_id], meant, CONDITION_DAYS)
        ]
        return {asked.called: histories(assertions)}

    return local_histories(as_seen(memory.store, read, memory.now)[asked.called], memory.now.tzinfo)


def is_meant(called: str, statement: Statement, message: Message, memory: MemoryView) -> bool:
    """Whether a statement is about whoever the asker calls so.

    "My sister Ellie" is as well "my sister" and "Ellie", but neither "my sister's friend" nor "Ellie and Tom".
    """
    mine, asked = _apart(called)
    theirs, stated = _apart(statement.person)
    if not asked or not stated or (mine and not (theirs and message.user_id == memory.user_id)):
        return False
    shorter, longer = sorted((asked, stated), key=len)
    known, words = set(words_of(shorter)), longer.split()
    extra = [word for word in words if not known.issuperset(words_of(word))]
    is_name = all(word[0].isupper() for word in shorter.split()) or all(word[0].isupper() for word in extra)
    return known <= set(words_of(longer)) and is_name and not any("'" in word or word == "and" for word in words)


def _apart(person: str) -> tuple[bool, str]:
    """Whether somebody is called the speaker's own, and what else they are called."""
    first, _, rest = person.strip().replace("’", "'").partition(" ")
    if rest and first.casefold() in _MINE:
        return True, rest
    own = next((own for own in _MINE_ZH if person.startswith(own)), "")
    return bool(own), person.removeprefix(own)
