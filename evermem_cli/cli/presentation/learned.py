"""The output of the commands on interactions and rules, as JSON documents and screens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding

from evermem_cli.cli.presentation.documents import SCORE_DIGITS, Document, cited, pick
from evermem_cli.cli.presentation.listings import entry
from evermem_cli.cli.shared.formatting import DIM, day, excerpt
from evermem_cli.cli.shared.terminal import styled
from evermem_cli.memory import Interaction, Message, Rule

if TYPE_CHECKING:
    from evermem_cli.recollection.experience import Example, Experience

PROMPT_HEAD = "What the user has taught {} assistants:"


def examples_document(situation: str, known: Experience) -> Document:
    """`examples --json`."""
    return {
        "situation": situation,
        "examples": [_interaction_document(item, known.messages) for item in known.items],
    }


def interactions_document(experience: Experience) -> Document:
    """`list interactions --json`."""
    return {"interactions": [_interaction_document(item, experience.messages) for item in experience.items]}


def experience_screen(experience: Experience, zone: tzinfo) -> RenderableType:
    """Interactions: the request, what was done, and the user's reaction."""
    if not experience.items:
        return styled("none" if experience.archived else "none; `evermem enrich` finds them in chats with assistants")
    return Group(*(_interaction_screen(item.interaction, zone) for item in experience.items))


def rules_document(rules: Sequence[Rule]) -> Document:
    """`rules --json`, and the output of the commands that change one."""
    names = ("id", "agent_type", "rule", "derived_from", "confidence", "offered")
    life = ("created_at", "last_validated", "override_count", "retired_at")
    return {"rules": [pick(rule, *names, *life) for rule in rules]}


def rules_screen(rules: Sequence[Rule], zone: tzinfo) -> RenderableType:
    """Rules, each with its support and state."""
    if not rules:
        return styled("no rules")
    return Group(*(_rule(rule, zone) for rule in rules))


def prompt(rules: Sequence[Rule]) -> str:
    """Rules as part of a prompt, by type of assistant."""
    kinds = dict.fromkeys(rule.agent_type for rule in rules)
    parts = [
        [PROMPT_HEAD.format(kind), *(f"- {rule.rule}" for rule in rules if rule.agent_type is kind)] for kind in kinds
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def _interaction_document(item: Example, messages: Mapping[str, Message]) -> Document:
    interaction = item.interaction
    words = pick(interaction, "id", "situation", "reasoning", "action", "outcome", "user_feedback")
    about = pick(interaction, "agent_type", "mission_id", "timestamp", "tags")
    score = {} if item.score is None else {"score": round(item.score, SCORE_DIGITS)}
    return words | about | cited(messages[name] for name in interaction.message_ids) | score


def _interaction_screen(item: Interaction, zone: tzinfo) -> RenderableType:
    head = styled(f"{item.agent_type}, {item.outcome}", "bold")
    parts = (("", item.situation), ("→ ", item.action), ("← ", item.user_feedback))
    lines = [Padding(styled(sign + excerpt(text)), (0, 0, 0, 2), expand=False) for sign, text in parts if text]
    note = Padding(styled(f"{day(item.timestamp, zone)} · {item.id}", DIM), (0, 0, 0, 4), expand=False)
    return Group(head, *lines, note)


def _rule(rule: Rule, zone: tzinfo) -> RenderableType:
    overridden = f", overridden {rule.override_count}×" if rule.override_count else ""
    retired = ", retired" if rule.retired_at else ""
    note = f"{len(rule.derived_from)} interactions, last on {day(rule.last_validated, zone)}{overridden}{retired}"
    return entry(f"{rule.agent_type}: {rule.rule}", f"{rule.confidence:.2f}; {note}", rule.id)
