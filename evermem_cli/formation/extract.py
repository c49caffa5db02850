"""From one MemCell to its traces: everything is asked of the model in one batch, and then grounded."""

from collections.abc import Sequence
from dataclasses import dataclass

from evermem_cli.config import Settings
from evermem_cli.engines import Completion, Llm, Request
from evermem_cli.errors import GenerationError
from evermem_cli.formation import episodes, facts, foresights, rows
from evermem_cli.formation.episodes import Narrative, View
from evermem_cli.formation.facts import Telling
from evermem_cli.formation.statements import find_statements
from evermem_cli.memory import ChatKind, MemCell, Policy, Role, Traces

_TEMPLATE_TOKENS = 32  # what the chat template adds


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is asked of the model about a MemCell: facts message by message, and a title."""

    facts: tuple[tuple[Telling, Request], ...]
    episode: Request | None

    @property
    def requests(self) -> list[Request]:
        """All of it, in order."""
        return [request for _, request in self.facts] + ([self.episode] if self.episode else [])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """The model's words, not grounded yet: facts by message id, and the episode's title."""

    facts: dict[str, list[str]]
    episode: str


def form_traces(cell: MemCell, llm: Llm, settings: Settings) -> Traces:
    """Everything the policy wants of the MemCell.

    A chat with an assistant yields one episode, owned by the user, and facts and foresights of what the user said. A
    chat of people yields an episode for all and one for each speaker; facts and foresights under v1.0 only. `dropped`
    counts sentences that yield no fact and words of the model that the messages do not support. Raises GenerationError
    when none of the replies is of any use, and ModelError as the model does.
    """
    wants_facts = cell.kind is ChatKind.ASSISTANT or cell.policy is Policy.V1_0
    tellings = _tellings(cell)
    views = _views(cell, tellings, settings)
    asked = _ask(tellings if wants_facts else [], views[0], llm)
    completions = _complete(asked.requests, llm)
    answered = _read(asked, [completion.text if completion else "" for completion in completions])
    if asked.requests and not _is_usable(answered, views[0]):
        raise GenerationError("the model gave no usable reply", "try another model, or a larger context_tokens")

    grounded = [
        facts.ground_facts(telling, answered.facts.get(telling.statement.message.id, ())) for telling in tellings
    ]
    claims = [claim for held, _ in grounded for claim in held] if wants_facts else []
    expected = foresights.expectations(claims, settings.condition_days)
    narratives, untold = _narrate(views, answered.episode)
    made = rows.make_rows(cell, views, narratives, claims, expected, settings.condition_days)
    return Traces(
        summary=narratives[0].summary,
        episodes=made.episodes,
        facts=made.facts,
        foresights=made.foresights,
        dropped=(sum(lost for _, lost in grounded) if wants_facts else 0) + untold,
        llm_calls=sum(completion is not None for completion in completions),
        prompt_tokens=sum(completion.prompt_tokens for completion in completions if completion),
        output_tokens=sum(completion.output_tokens for completion in completions if completion),
    )


def _tellings(cell: MemCell) -> list[Telling]:
    """The people's statements. "You" is sure to be one person when there are but two who talk."""
    tellings = []
    for statement in find_statements(cell.messages):
        if statement.message.role is not Role.ASSISTANT:
            others = [name for name in cell.participants if name != statement.message.speaker]
            tellings.append(facts.tell_statement(statement, others[0] if len(others) == 1 else ""))
    return tellings


def _views(cell: MemCell, tellings: Sequence[Telling], settings: Settings) -> list[View]:
    """Whose narratives the MemCell gets: everyone's first."""
    views = [episodes.view(cell, tellings, None, first_person=False)]
    if cell.kind is ChatKind.GROUP:
        first_person = settings.personal_voice == "first"
        views += [episodes.view(cell, tellings, name, first_person=first_person) for name in cell.participants]
    return views


def _ask(tellings: Sequence[Telling], whole: View, llm: Llm) -> _Asked:
    return _Asked(
        facts=tuple((telling, request) for telling in tellings for request in facts.fact_requests(telling)),
        episode=episodes.episode_request(whole, llm),
    )


def _complete(requests: Sequence[Request], llm: Llm) -> list[Completion | None]:
    """Replies in the order of the requests; None for one that does not fit the context: it is not sent."""
    fitting = [request for request in requests if _fits(request, llm)]
    replies = iter(llm.complete(fitting) if fitting else [])
    return [next(replies) if request in fitting else None for request in requests]


def _fits(request: Request, llm: Llm) -> bool:
    size = llm.count_tokens(request.system) + llm.count_tokens(request.user)
    return size + request.max_tokens + _TEMPLATE_TOKENS <= llm.context_tokens


def _read(asked: _Asked, replies: list[str]) -> _Answered:
    rest = replies[len(asked.facts) :]
    proposed: dict[str, list[str]] = {}
    for (telling, _), reply in zip(asked.facts, replies, strict=False):
        proposed.setdefault(telling.statement.message.id, []).extend(facts.bullets(reply))
    return _Answered(
        facts=proposed,
        episode=rest.pop(0) if asked.episode else "",
    )


def _is_usable(answered: _Answered, whole: View) -> bool:
    return any(answered.facts.values()) or episodes.is_readable(answered.episode, whole.language)


def _narrate(views: Sequence[View], head: str) -> tuple[list[Narrative], int]:
    """The narratives of the views, and how much of the model's words was dropped. They head everyone's alone."""
    told = [episodes.narrate(views[0], head), *(episodes.narrate(view) for view in views[1:])]
    return [narrative for narrative, _ in told], sum(dropped for _, dropped in told)
