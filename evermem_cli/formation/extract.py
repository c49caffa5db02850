"""From MemCells to their memories: what code reads, what the model is asked, and which replies are supported.

Requests of several MemCells can go to the model together, since it decodes many replies at once faster.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from evermem_cli.config import Settings
from evermem_cli.engines import Completion, Llm, Request
from evermem_cli.errors import GenerationError
from evermem_cli.formation import episodes, facts, foresights, rows
from evermem_cli.formation.episodes import Narrative, View
from evermem_cli.formation.facts import Claim, Retelling
from evermem_cli.formation.sentences.ownership import own_remark
from evermem_cli.formation.sentences.statements import find_statements
from evermem_cli.memory import ChatKind, MemCell, Policy, Role, Statement, Traces
from evermem_cli.reading.highlighter import Highlighter

_TEMPLATE_TOKENS = 32  # tokens that the chat template adds
# messages within which a speaker may still omit the subject of their previous statement
_STILL_SPOKEN_OF = 2
TaggedStatements = Mapping[str, Sequence[Statement]]  # the tagger's statements of each message, by its id
NOTHING_READ: TaggedStatements = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class CellDraft:
    """A MemCell before the model has answered.

    `retellings` are the people's statements, `views` the narratives to write, everybody's first. `unclear` are requests
    to clarify statements, `title` the request for the title, None where nothing was stated.
    """

    cell: MemCell
    retellings: tuple[Retelling, ...]
    views: tuple[View, ...]
    unclear: tuple[tuple[Retelling, Request], ...]
    title: Request | None

    @property
    def requests(self) -> list[Request]:
        """All requests, in order."""
        return [request for _, request in self.unclear] + ([self.title] if self.title else [])


def form_traces(cell: MemCell, llm: Llm, settings: Settings, read: TaggedStatements = NOTHING_READ) -> Traces:
    """Forms everything that the policy asks of one MemCell. Raises GenerationError as `finish`, and ModelError."""
    cell_draft = draft(cell, settings, Highlighter(), read)
    [replies] = complete([cell_draft], llm)
    return finish(cell_draft, replies, settings)


def draft(
    cell: MemCell, settings: Settings, highlighter: Highlighter, read: TaggedStatements = NOTHING_READ
) -> CellDraft:
    """The statements that code finds in a MemCell, and the requests for the model.

    Statements that `read` attributes to nobody are left out.
    """
    retellings = _tellings(cell, highlighter, read)
    views = _views(cell, retellings, settings)
    return CellDraft(
        cell=cell,
        retellings=tuple(retellings),
        views=tuple(views),
        unclear=tuple(
            (retelling, request)
            for retelling in (retellings if _wants_facts(cell) and settings.tasks.get("sentences") != "code" else [])
            for request in facts.fact_requests(retelling)
        ),
        title=None if settings.tasks.get("titles") == "code" else episodes.title_request(views[0]),
    )


def complete(drafts: Sequence[CellDraft], llm: Llm) -> list[list[Completion | None]]:
    """The replies to each draft's requests; None for a request that exceeds the context and is not sent."""
    asked = [[(request, _fits(request, llm)) for request in cell_draft.requests] for cell_draft in drafts]
    fitting = [request for requests in asked for request, fits in requests if fits]
    replies: Iterator[Completion] = iter(llm.complete(fitting) if fitting else [])
    return [[next(replies) if fits else None for _, fits in requests] for requests in asked]


def finish(cell_draft: CellDraft, completions: Sequence[Completion | None], settings: Settings) -> Traces:
    """The memories of a draft, from its replies in order.

    A chat with an assistant yields one episode, owned by the user, and facts and foresights of what the user said. A
    chat between people yields the same, with an episode for everybody. The policies v1.0 and v1.1 add one per speaker,
    and v1.1 drops facts and foresights. `dropped` counts sentences that yield no fact and words of the model that the
    messages do not support. Raises GenerationError when no reply is usable.
    """
    replies = [completion.text if completion else "" for completion in completions]
    title = replies[-1] if cell_draft.title else ""
    proposed: dict[str, list[str]] = {}
    for (retelling, _), reply in zip(cell_draft.unclear, replies, strict=False):
        proposed.setdefault(retelling.statement.message.id, []).extend(facts.bullets(reply))
    readable = episodes.is_readable(title, cell_draft.views[0].language)
    if cell_draft.title and not readable and not any(proposed.values()):
        raise GenerationError("the model gave no usable reply", "try another model, or a larger context_tokens")

    claims, dropped_facts = _claims(cell_draft, proposed)
    expected = foresights.expectations(claims, settings.condition_days)
    narratives, dropped_titles = _narrate(cell_draft.views, title, claims)
    stored = rows.make_rows(cell_draft.cell, cell_draft.views, narratives, claims, expected, settings.condition_days)
    return Traces(
        summary=narratives[0].summary,
        episodes=stored.episodes,
        facts=stored.facts,
        foresights=stored.foresights,
        dropped=dropped_facts + dropped_titles,
        llm_calls=sum(completion is not None for completion in completions),
        prompt_tokens=sum(completion.prompt_tokens for completion in completions if completion),
        output_tokens=sum(completion.output_tokens for completion in completions if completion),
    )


def _wants_facts(cell: MemCell) -> bool:
    return cell.kind is ChatKind.ASSISTANT or cell.policy is not Policy.V1_1


def _tellings(cell: MemCell, highlighter: Highlighter, read: TaggedStatements) -> list[Retelling]:
    """The people's statements. "You" refers to one known person only where exactly two people talk."""
    places = {message.id: place for place, message in enumerate(cell.messages)}
    latest: dict[str, Retelling] = {}
    retellings = []
    remarks = find_statements(cell.messages, highlighter)
    for statement in filter(None, (own_remark(remark, read.get(remark.message.id, ())) for remark in remarks)):
        speaker = statement.message.speaker
        if statement.message.role is not Role.ASSISTANT:
            others = [name for name in cell.participants if name != speaker]
            before = latest.get(speaker)
            near = before and places[statement.message.id] - places[before.statement.message.id] <= _STILL_SPOKEN_OF
            known = before.subjects[-1] if before and near else None
            latest[speaker] = facts.retell(statement, others[0] if len(others) == 1 else "", known)
            retellings.append(latest[speaker])
    return retellings


def _views(cell: MemCell, retellings: Sequence[Retelling], settings: Settings) -> list[View]:
    """The views of a MemCell: everybody's first, and one per speaker under the policies v1.0 and v1.1."""
    views = [episodes.view(cell, retellings, None, first_person=False)]
    if cell.kind is ChatKind.GROUP and cell.policy is not Policy.ALL:
        first_person = settings.personal_voice == "first"
        views += [episodes.view(cell, retellings, name, first_person=first_person) for name in cell.participants]
    return views


def _fits(request: Request, llm: Llm) -> bool:
    size = llm.count_tokens(request.system) + llm.count_tokens(request.user)
    return size + request.max_tokens + _TEMPLATE_TOKENS <= llm.context_tokens


def _claims(cell_draft: CellDraft, proposed: dict[str, list[str]]) -> tuple[list[Claim], int]:
    """The facts, some from the proposals by message id, and how many proposals nothing supports."""
    if not _wants_facts(cell_draft.cell):
        return [], 0
    grounded = [
        facts.ground_facts(retelling, proposed.get(retelling.statement.message.id, ()))
        for retelling in cell_draft.retellings
    ]
    return [claim for claims, _ in grounded for claim in claims], sum(dropped for _, dropped in grounded)


def _narrate(views: Sequence[View], head: str, claims: Sequence[Claim]) -> tuple[list[Narrative], int]:
    """The narratives of the views, and how much of the model's text was dropped.

    Only the first view gets the model's title.
    """
    narratives = [episodes.narrate(views[0], head, claims), *(episodes.narrate(view, "", claims) for view in views[1:])]
    return [narrative for narrative, _ in narratives], sum(dropped for _, dropped in narratives)
