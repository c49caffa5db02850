"""From MemCells to their memories. Code forms them; the model proposes titles, and more where it is trusted with that.

Requests of several MemCells can go to the model together, since it decodes many replies at once faster.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from evermem_cli.config import Settings
from evermem_cli.engines import Completion, Llm, Request
from evermem_cli.errors import GenerationError
from evermem_cli.formation import episodes, facts, foresights, predictions, rows
from evermem_cli.formation.episodes import TITLE, Narrative, View
from evermem_cli.formation.facts import Retelling
from evermem_cli.formation.foresights import Expectation
from evermem_cli.formation.narratives import NARRATIVE, model_narrative, narrative_request
from evermem_cli.formation.sentences.ownership import own_remark
from evermem_cli.formation.sentences.statements import NOTHING_READ, Remark, TaggedStatements, read_remarks
from evermem_cli.formation.titles import TitleCandidate, candidates
from evermem_cli.memory import ChatKind, MemCell, Policy, Role, Traces
from evermem_cli.reading.highlighter import Highlighter

_TEMPLATE_TOKENS = 32  # tokens that the chat template adds


@dataclass(frozen=True, slots=True, kw_only=True)
class CellDraft:
    """A MemCell before the model has answered.

    `read` has what the tagger reads in its messages. `retellings` are the people's statements, `views` the narratives
    to write, everybody's first. `title` is the request for the title, None where nothing was stated or code writes it;
    `predictions` likewise for what may follow, `narrative` for everybody's narrative.
    """

    cell: MemCell
    read: TaggedStatements
    retellings: tuple[Retelling, ...]
    views: tuple[View, ...]
    title: Request | None
    predictions: Request | None
    narrative: Request | None

    @property
    def requests(self) -> tuple[Request | None, ...]:
        """The requests in the order of the replies."""
        return self.title, self.predictions, self.narrative


class CellReplies(NamedTuple):
    """The replies to a draft's requests; None where nothing was asked, or the request exceeds the context."""

    title: Completion | None = None
    predictions: Completion | None = None
    narrative: Completion | None = None

    @property
    def given(self) -> list[Completion]:
        """Those that came."""
        return [reply for reply in self if reply]


def draft(
    cells: Sequence[MemCell], settings: Settings, highlighter: Highlighter, read: TaggedStatements = NOTHING_READ
) -> list[CellDraft]:
    """The statements of MemCells, and the requests for the title, predictions and a narrative of each.

    Statements that `read` attributes to nobody are left out. An illness whose end the settings know is always told: "I
    have a cold" is over some day.
    """
    is_ill = partial(foresights.names_condition, conditions=settings.condition_days)
    remarks = read_remarks([cell.messages for cell in cells], highlighter, read, is_ill)
    return [_draft(cell, own, settings, read) for cell, own in zip(cells, remarks, strict=True)]


def _draft(cell: MemCell, remarks: Sequence[Remark], settings: Settings, read: TaggedStatements) -> CellDraft:
    retellings = _tellings(cell, remarks, read)
    views = _views(cell, retellings, [*candidates(remarks, read, retellings)], settings)
    return CellDraft(
        cell=cell,
        read=read,
        retellings=tuple(retellings),
        views=tuple(views),
        title=None if settings.tasks.get("titles") == "code" else TITLE.request(views[0]),
        predictions=predictions.predictions_request(views[0]) if _wants_predictions(cell, settings) else None,
        narrative=narrative_request(views[0]) if settings.tasks.get("narratives") == "model" else None,
    )


def complete(drafts: Sequence[CellDraft], llm: Llm) -> list[CellReplies]:
    """The replies to each draft's requests."""
    asked = [[request if request and _fits(request, llm) else None for request in made.requests] for made in drafts]
    fitting = [request for requests in asked for request in requests if request]
    replies: Iterator[Completion] = iter(llm.complete(fitting) if fitting else [])
    return [CellReplies(*(next(replies) if request else None for request in requests)) for requests in asked]


def finish(cell_draft: CellDraft, replies: CellReplies, settings: Settings) -> Traces:
    """The memories of a draft, with the title, the predictions and the narrative that the model proposes.

    A chat with an assistant yields one episode, owned by the user, and facts and foresights of what the user said. A
    chat between people yields the same, with an episode for everybody. The policies v1.0 and v1.1 add one per speaker,
    and v1.1 drops facts and foresights. `dropped` counts titles, predictions and sentences of narratives that the
    messages do not support. What the user forgot by its id is not formed again. `failure` tells that the narrative is
    unusable, and code's is in its place. Raises GenerationError when the title is unusable.
    """
    title = replies.title.text if replies.title else ""
    if cell_draft.title and not episodes.title_of(title, cell_draft.views[0].language):
        raise GenerationError("the model gave no usable reply", "try another model, or a larger context_tokens")

    stating = cell_draft.retellings if _wants_facts(cell_draft.cell) else ()
    claims = [claim for retelling in stating for claim in facts.form_facts(retelling)]
    expected = foresights.expectations(claims, cell_draft.read, settings.condition_days)
    predicted, unfounded = _predict(cell_draft, replies.predictions, expected)
    expected += predicted
    story, unsaid, failure = _retell(cell_draft.views[0], replies.narrative)
    written, dropped = _narrate(cell_draft.views, title, story)
    made = rows.make_rows(cell_draft.cell, cell_draft.views, written, claims, expected, settings.condition_days)
    kept = rows.without_forgotten(made, cell_draft.cell)
    return Traces(
        summary=written[0].summary,
        episodes=kept.episodes,
        facts=kept.facts,
        foresights=kept.foresights,
        dropped=dropped + unfounded + unsaid,
        failure=failure,
        llm_calls=len(replies.given),
        prompt_tokens=sum(reply.prompt_tokens for reply in replies.given),
        output_tokens=sum(reply.output_tokens for reply in replies.given),
    )


def _wants_facts(cell: MemCell) -> bool:
    return cell.kind is ChatKind.ASSISTANT or cell.policy is not Policy.V1_1


def _wants_predictions(cell: MemCell, settings: Settings) -> bool:
    return _wants_facts(cell) and settings.tasks.get("foresights") == "model"


def _predict(
    cell_draft: CellDraft, reply: Completion | None, stated: Sequence[Expectation]
) -> tuple[list[Expectation], int]:
    """The model's predictions beside the stated foresights, and how many were dropped."""
    if reply is None:
        return [], 0
    return predictions.predictions(cell_draft.views[0], reply.text, stated)


def _retell(view: View, reply: Completion | None) -> tuple[str, int, str]:
    """The model's narrative, empty where code's stays; how many of its sentences were dropped; why it is unusable."""
    if reply is None:
        return "", 0, ""
    failure = "" if NARRATIVE.text(reply.text, view.language) else "the model gave no usable narrative"
    return *model_narrative(view, reply), failure


def _tellings(cell: MemCell, remarks: Sequence[Remark], read: TaggedStatements) -> list[Retelling]:
    """The people's statements. "You" refers to one known person only where exactly two people talk."""
    retellings = []
    stating = (own_remark(remark, read.get(remark.message.id, ())) for remark in remarks if remark.stated)
    for statement in filter(None, stating):
        if statement.message.role is not Role.ASSISTANT:
            others = [name for name in cell.participants if name != statement.message.speaker]
            retellings.append(facts.retell(statement, others[0] if len(others) == 1 else ""))
    return retellings


def _views(
    cell: MemCell, retellings: Sequence[Retelling], titles: Sequence[TitleCandidate], settings: Settings
) -> list[View]:
    """The views of a MemCell: everybody's first, and one per speaker under the policies v1.0 and v1.1."""
    views = [episodes.view(cell, retellings, titles, None, first_person=False)]
    if cell.kind is ChatKind.GROUP and cell.policy is not Policy.ALL:
        first_person = settings.personal_voice == "first"
        views += [
            episodes.view(cell, retellings, titles, name, first_person=first_person) for name in cell.participants
        ]
    return views


def _fits(request: Request, llm: Llm) -> bool:
    size = llm.count_tokens(request.system) + llm.count_tokens(request.user)
    return size + request.max_tokens + _TEMPLATE_TOKENS <= llm.context_tokens


def _narrate(views: Sequence[View], title: str, story: str) -> tuple[list[Narrative], int]:
    """The narratives of the views, and how many titles of the model were dropped.

    Only the first view gets the model's title and narrative.
    """
    narratives = [episodes.narrate(views[0], title, story), *map(episodes.narrate, views[1:])]
    return [narrative for narrative, _ in narratives], sum(dropped for _, dropped in narratives)
