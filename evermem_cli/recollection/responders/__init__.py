"""Responders: functions that answer a question without a language model, in the order in which they are tried."""

from collections.abc import Callable

from evermem_cli.recollection.generation.answers import Answer
from evermem_cli.recollection.questions.question import Question
from evermem_cli.recollection.recollection import Recollection
from evermem_cli.recollection.responders.confirm_value import confirm_value
from evermem_cli.recollection.responders.deny_ended import deny_ended
from evermem_cli.recollection.responders.describe_asker import describe_asker
from evermem_cli.recollection.responders.introduce_person import introduce_person
from evermem_cli.recollection.responders.list_upcoming import list_upcoming
from evermem_cli.recollection.responders.look_up_value import look_up_value
from evermem_cli.recollection.responders.name_doer import name_doer
from evermem_cli.recollection.responders.name_holder import name_holder
from evermem_cli.recollection.responders.tell_age import tell_age
from evermem_cli.recollection.responders.tell_duration import tell_duration
from evermem_cli.recollection.responders.tell_permission import tell_permission
from evermem_cli.recollection.responders.tell_plan_change import tell_plan_change
from evermem_cli.recollection.responders.tell_preferences import tell_preferences
from evermem_cli.recollection.responders.tell_story import tell_story

Responder = Callable[[Question, Recollection], Answer | None]

# These tell what was said in some message, which another may contradict.
FROM_MESSAGES: list[Responder] = [deny_ended, tell_plan_change, name_holder, name_doer]
RESPONDERS: list[Responder] = [
    introduce_person,
    list_upcoming,
    describe_asker,
    tell_preferences,
    tell_age,
    tell_duration,
    tell_permission,
    confirm_value,
    look_up_value,
    *FROM_MESSAGES,
    tell_story,
]
