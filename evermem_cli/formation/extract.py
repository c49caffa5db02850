"""From MemCells to their traces: what code reads, what is asked of the model, and what of its replies holds.

The requests of several MemCells may go to the model together: it decodes many replies at once faster than in turn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evermem_cli.config import Settings
from evermem_cli.engines import Completion, Llm, Request
from evermem_cli.errors import GenerationError
from evermem_cli.formation import episodes, facts, foresights, rows
from evermem_cli.formation.episodes import Narrative, View
from evermem_cli.formation.facts import Claim, Telling
from evermem_cli.formation.sentences.ownership import own_remark
from evermem_cli.formation.sentences.statements import find_statements
from evermem_cli.memory import ChatKind, MemCell, Policy, Role, Statement, Traces

_TEMPLATE_TOKENS = 32  # what the chat template adds
Read = Mapping[str, Sequence[Statement]]  # what was read of messages, by their ids
NOTHING_READ: Read = MappingProxyType({})
_STILL_SPOKEN_OF = 2  # messages: what one's last statement was about may still be left out after another's "And?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A MemCell before the model has answered.

    `tellings` are the people's statements, `views` whose narratives it gets, everyone's first; `unclear` are requests
    to make statements clear, and `title` the request for the episode's title, None when nothing was stated.
    """

    cell: MemCell
    tellings: tuple[Telling, ...]
    views: tuple[View, ...]
    unclear: tuple[tuple[Telling, Request], ...]
    title: Request | None

    @property
    def requests(self) -> list[Request]:
        """All of it, in order."""
        return [request for _, request in self.unclear] + ([self.title] if self.title else [])


def form_traces(cell: MemCell, llm: Llm, settings: Settings, read: Read = NOTHING_READ) -> Traces:
    """Everything the policy wants of one MemCell. Raises GenerationError as `finish`, and ModelError as the model."""
    made = draft(cell, settings, read)
    [replies] = complete([made], llm)
    return finish(made, replies, settings)


def draft(cell: MemCell, settings: Settings, read: Read) -> Draft:
    """What code reads of a MemCell, and what is to be asked; what is nobody's, by what was `read`, is left out."""
    tellings = _tellings(cell, read)
    views = _views(cell, tellings, settings)
    return Draft(
        cell=cell,
        tellings=tuple(tellings),
        views=tuple(views),
        unclear=tuple(
            (telling, request)
            for telling in (tellings if _wants_facts(cell) else [])
            for request in facts.fact_requests(telling)
        ),
        title=episodes.title_request(views[0]),
    )


def complete(drafts: Sequence[Draft], llm: Llm) -> list[list[Completion | None]]:
    """The replies to each draft's requests; None for one that does not fit the context: it is not sent."""
    asked = [[(request, _fits(request, llm)) for request in each.requests] for each in drafts]
    fitting = [request for requests in asked for request, fits in requests if fits]
    replies: Iterator[Completion] = iter(llm.complete(fitting) if fitting else [])
    return [[next(replies) if fits else None for _, fits in requests] for requests in asked]


def finish(made: Draft, completions: Sequence[Completion | None], settings: Settings) -> Traces:
    """The traces of a draft, of its replies in order.

    A chat with an assistant yields one episode, owned by the user, and facts and foresights of what the user said. A
    chat of people yields the same, its episode for all; the documents' policies have one for each speaker beside it,
    and v1.1 neither facts nor foresights. `dropped` counts sentences that yield no fact and words of the model that the
    messages do not support. Raises GenerationError when none of the replies is of any use.
    """
    replies = [completion.text if completion else "" for completion in completions]
    title = replies[-1] if made.title else ""
    proposed: dict[str, list[str]] = {}
    for (telling, _), reply in zip(made.unclear, replies, strict=False):
        proposed.setdefault(telling.statement.message.id, []).extend(facts.bullets(reply))
    if replies and not any(proposed.values()) and not episodes.is_readable(title, made.views[0].language):
        raise GenerationError("the model gave no usable reply", "try another model, or a larger context_tokens")

    claims, lost = _claims(made, proposed)
    expected = foresights.expectations(claims, settings.condition_days)
    narratives, untold = _narrate(made.views, title, claims)
    stored = rows.make_rows(made.cell, made.views, narratives, claims, expected, settings.condition_days)
    return Traces(
        summary=narratives[0].summary,
        episodes=stored.episodes,
        facts=stored.facts,
        foresights=stored.foresights,
        dropped=lost + untold,
        llm_calls=sum(completion is not None for completion in completions),
        prompt_tokens=sum(completion.prompt_tokens for completion in completions if completion),
        output_tokens=sum(completion.output_tokens for completion in completions if completion),
    )


def _wants_facts(cell: MemCell) -> bool:
    return cell.kind is ChatKind.ASSISTANT or cell.policy is not Policy.V1_1


def _tellings(cell: MemCell, read: Read) -> list[Telling]:
    """The people's statements. "You" is sure to be one person when there are but two who talk."""
    places = {message.id: place for place, message in enumerate(cell.messages)}
    latest: dict[str, Telling] = {}
    tellings = []
    found = (own_remark(each, read.get(each.message.id, ())) for each in find_statements(cell.messages))
    for statement in filter(None, found):
        speaker = statement.message.speaker
        if statement.message.role is not Role.ASSISTANT:
            others = [name for name in cell.participants if name != speaker]
            before = latest.get(speaker)
            near = before and places[statement.message.id] - places[before.statement.message.id] <= _STILL_SPOKEN_OF
            known = before.subjects[-1] if before and near else None
            latest[speaker] = facts.tell_statement(statement, others[0] if len(others) == 1 else "", known)
            tellings.append(latest[speaker])
    return tellings


def _views(cell: MemCell, tellings: Sequence[Telling], settings: Settings) -> list[View]:
    """Whose narratives the MemCell gets: everyone's first, and under the documents' policies each speaker's."""
    views = [episodes.view(cell, tellings, None, first_person=False)]
    if cell.kind is ChatKind.GROUP and cell.policy is not Policy.ALL:
        first_person = settings.personal_voice == "first"
        views += [episodes.view(cell, tellings, name, first_person=first_person) for name in cell.participants]
    return views


def _fits(request: Request, llm: Llm) -> bool:
    size = llm.count_tokens(request.system) + llm.count_tokens(request.user)
    return size + request.max_tokens + _TEMPLATE_TOKENS <= llm.context_tokens


def _claims(made: Draft, proposed: dict[str, list[str]]) -> tuple[list[Claim], int]:
    """The facts that hold of what was proposed by message id, and how many sentences yield none."""
    if not _wants_facts(made.cell):
        return [], 0
    found = [facts.ground_facts(each, proposed.get(each.statement.message.id, ())) for each in made.tellings]
    return [claim for claims, _ in found for claim in claims], sum(lost for _, lost in found)


def _narrate(views: Sequence[View], head: str, claims: Sequence[Claim]) -> tuple[list[Narrative], int]:
    """The narratives of the views, and how much of the model's words was dropped. They head everyone's alone."""
    told = [episodes.narrate(views[0], head, claims), *(episodes.narrate(view, "", claims) for view in views[1:])]
    return [narrative for narrative, _ in told], sum(dropped for _, dropped in told)
