"""Every prompt file is used by a step, and every placeholder of it is filled there."""

from string import Template

import pytest

from evermem_cli import prompts
from evermem_cli.config import Settings
from evermem_cli.memory import Policy
from evermem_cli.recollection.questions.form import Form
from tests.support.chats import cell
from tests.support.formed import form_traces
from tests.support.scripted import ScriptedLlm

CHATS = {
    "en": cell(
        ("Ann", "How is the new flat?"),
        ("Bob", "It is too small. I will move out next month."),
        ("Ann", "I moved to Leeds in May."),
        policy=Policy.V1_0,
    ),
    "zh": cell(
        ("小王", "新房子怎么样？"),
        ("李娜", "它太小了。我下个月会搬走。"),
        ("小王", "我五月搬到了利兹。"),
        policy=Policy.V1_0,
    ),
}
STEPS = ("title", "foresights", "narrative")


def test_the_files_are_those_of_the_steps_in_both_languages() -> None:
    found = {path.name for path in prompts.prompt_dir().glob("*.txt")}
    assert {f"{step}.{language}.txt" for step in (*STEPS, "statement") for language in CHATS} <= found


@pytest.mark.parametrize("language", CHATS)
def test_each_formation_prompt_is_sent_with_every_placeholder_filled(language: str) -> None:
    llm = ScriptedLlm({"en": "Title: A flat", "zh": "标题：房子"}[language])
    form_traces(CHATS[language], llm, Settings(tasks={"foresights": "model", "narratives": "model"}))
    systems = {prompts.fill(step, language, **dict.fromkeys(_placeholders(step, language), ""))[0] for step in STEPS}
    assert {request.system for request in llm.history} == systems
    assert not any("$" in request.system + request.user for request in llm.history)


def _placeholders(step: str, language: str) -> list[str]:
    text = (prompts.prompt_dir() / f"{step}.{language}.txt").read_text(encoding="utf-8")
    return Template(text).get_identifiers()


@pytest.mark.parametrize("language", CHATS)
@pytest.mark.parametrize("form", Form)
def test_each_form_of_an_answer_has_a_prompt(form: Form, language: str) -> None:
    blanks = dict.fromkeys(_placeholders(f"answer-{form}", language), "")
    assert "question" in blanks
    assert prompts.fill(f"answer-{form}", language, **blanks)[0] == ""
