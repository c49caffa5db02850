"""The items of a trial, how replies are judged, and what follows from that."""

import json
import stat
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from evermem_cli.config import Settings
from evermem_cli.engines import Request
from evermem_cli.trial.items import Task, items
from evermem_cli.trial.trial import KEPT, Trial, decided, keep, results, run, shipped
from tests.support.scripted import ScriptedLlm

# What a good model replies, by words of the request.
GOOD: Mapping[str, str] = {
    "weave baskets": "Title: Lea learning to weave baskets from willow",
    "boiler broke": "Title: Our boiler broke",
    "harbour office": "Title: Rob applied for a job at the harbour office",
    "cat Pixel": "Title: Rob's cat Pixel has to lose weight",
    "Tatra mountains": "Title: A hut in the Tatra mountains for August",
    "sprained": "Title: Ola sprained her wrist at volleyball",
    "raises our rent": "Title: The landlord raises our rent",
    "aunt in Trieste": "Title: Bea visiting her aunt in Trieste until Friday",
    "laptop": "Title: Jon spilled tea over the keyboard",
    "organic chemistry": "Title: Mia passed the exam in organic chemistry",
    "choir": "Title: Choir sings in the old brewery",
    "gluten": "Title: Kim stopped eating gluten",
    "donkey": "Title: Ann bought a donkey at the market",
    "bakery": "Title: Bank refused the loan for the bakery",
    "violin": "Title: Sam found a violin in the attic",
    "Riga": "Title: Flight to Riga cancelled because of the strike",
    "the twins": "yes",
    "a vegetarian": "no",
    "avoids": "yes",
    "Bergen": "no",
    "the 14 tram": "yes",
    "call him Bosun": "no",
    "penicillin": "yes",
    "customs office": "no",
    "dye works": "yes",
    "has asthma": "no",
    "allotment": "yes",
    "Queen of Sheba": "no",
    "left knee": "yes",
    "signalman": "no",
    "coriander": "yes",
    "plays the harp": "no",
    "Where does Pia live?": "Graz",
    "allergic to?": "bees",
    "How many canoes": "three",
    "Which instrument": "the tuba",
    "by ferry?": "Gothenburg",
    "On which day": "Thursday",
    "Who follows Ulla": "Tarik",
    "in place of coffee?": "rooibos",
    "wear a cast": "[1] Lea may need help with shopping; within 6 weeks; likely\n"
    "[1] Lea may go to physiotherapy; within 3 months; likely\n"
    "[2] Lea may take a taxi to work; within 6 weeks; possible",
    "sells the house": "[1] Rob may look for a flat; within 3 months; likely\n"
    "[1] Rob may pack boxes; within 4 months; likely\n[1] Rob may call an agent; within 4 weeks; possible",
    "pregnant": "[1] Ida may tell her boss; within 4 weeks; likely\n"
    "[1] Ida may have a scan; within 3 weeks; likely\n[1] Ida may need other clothes; within 4 months; likely",
    "sold Pia's car": "[1] Pia may buy a monthly ticket; within 2 weeks; likely\n"
    "[1] Pia may get up earlier; within 2 weeks; possible\n[1] Pia may buy a bicycle; within 6 months; possible",
    "primary school": "[1] Sam may look for a flat in Malmö; within 5 months; likely\n"
    "[1] Sam may practise his Swedish; within 5 months; likely\n[1] Sam may prepare lessons; at that time; likely",
    "have separated": "[1] Max may tell the guests; within 2 weeks; likely\n"
    "[1] Max may fetch his belongings; within 2 months; likely\n[1] Max may look for a flat; within 2 months; likely",
    "old canoe": "Story: Lea sold her old canoe for 300 euros on Saturday. Kim wanted to buy a kayak in Leer but "
    "did not get the loan. Lea books the sailing course in August with the money.",
    "broke her hip": "Story: Rob's mother fell on the stairs on Sunday and broke her hip. Rob drives to Kassel on "
    "Friday and stays for two weeks. Ann's sister works as a physiotherapist in Kassel.",
    "pass the inspection": "Story: Ida says that the car did not pass the inspection and the repair costs 1,400 "
    "euros. Max's cousin in Halle repairs cars and would take 800. Ida will sell the car and take the bus to work "
    "from Monday.",
    "paper mill": "Story: Tom has given notice at the paper mill. Tom's last day is the thirtieth of April. Bea "
    "starts her training as a midwife in May. Tom walks 240 kilometres from Porto to Santiago in June.",
    "kitchen green": "Story: Jon wanted to paint the kitchen green, but Pia and Jon decided on yellow. Pia bought "
    "nine litres of paint for 72 euros. Jon's brother brings the ladder on Saturday at ten.",
    "dog Gustav": "Story: The vet took two stones out of Mia's dog Gustav yesterday. Mia says that the operation "
    "cost 650 euros and the insurance pays half of it. Sam will visit Gustav on Thursday and bring a bone.",
    "reunion": "Story: Eve can't come to the reunion on the ninth. Ola moved the reunion to the sixteenth. Eve has "
    "no shift on the sixteenth and will bring her accordion. Eve works in the clinic on the weekend.",
    "statistics exam": "Story: Pia's thesis is finished, and she handed it in on Monday. Jon failed his statistics "
    "exam again. Pia says that the defence is in Graz on the third of July. Jon will repeat the exam in September.",
}


def good(request: Request) -> str:
    return next((reply for words, reply in GOOD.items() if words in request.user), "Not mentioned.")


def tried(llm: ScriptedLlm, seconds: float | None = None) -> Trial:
    return run("mine.gguf", llm, lambda *_: None, seconds)


def test_a_model_that_replies_well_passes_every_item() -> None:
    trial = tried(ScriptedLlm(good))
    asked = {"titles": 16, "statements": 16, "answers": 8, "refusals": 6, "foresights": 6, "narratives": 8}
    assert trial.passed == trial.asked == asked
    assert trial.decisions == dict.fromkeys(("titles", "statements", "answers", "foresights", "narratives"), "model")
    assert trial.read_tokens > trial.written_tokens > 0


@pytest.mark.parametrize("reply", ["", "Title: The harbour of Emden", "I am happy to help!"])
def test_a_model_that_says_the_same_of_everything_passes_nothing(reply: str) -> None:
    trial = tried(ScriptedLlm(reply))
    assert not any(trial.passed.values()), trial.passed
    assert set(trial.decisions.values()) == {"code"}


@pytest.mark.parametrize("verdict", ["yes", "no"])
def test_a_model_of_one_verdict_judges_no_statements(verdict: str) -> None:
    trial = tried(ScriptedLlm(lambda request: verdict if good(request) in ("yes", "no") else good(request)))
    assert (trial.passed["statements"], trial.asked["statements"]) == (8, 16)
    assert trial.decisions["statements"] == "code"


def test_a_model_that_always_refuses_is_asked_no_questions() -> None:
    trial = tried(ScriptedLlm("Not mentioned."))
    assert (trial.share(Task.REFUSALS), trial.share(Task.ANSWERS)) == (1.0, 0.0)
    assert trial.decisions["answers"] == "code"


def test_a_model_that_never_refuses_is_asked_no_questions() -> None:
    trial = tried(ScriptedLlm(lambda request: good(request).replace("Not mentioned.", "Anna")))
    assert (trial.share(Task.REFUSALS), trial.share(Task.ANSWERS)) == (0.0, 1.0)
    assert trial.decisions["titles"] == "model"
    assert trial.decisions["answers"] == "code"


def test_a_model_that_predicts_what_is_absurd_predicts_nothing() -> None:
    absurd = "\n[1] {0} may go on a honeymoon; open; likely\n[1] {0} may run a marathon; open; likely"

    def fond_of_the_absurd(request: Request) -> str:
        reply = good(request)
        return reply + absurd.format(reply.split()[1]) if reply.startswith("[1]") else reply

    trial = tried(ScriptedLlm(fond_of_the_absurd))
    assert (trial.passed["foresights"], trial.passed["titles"]) == (4, 16)
    assert trial.decisions["foresights"] == "code"


def test_a_model_of_few_predictions_predicts_nothing() -> None:
    trial = tried(ScriptedLlm(lambda request: "\n".join(good(request).split("\n")[:2])))
    assert trial.share(Task.FORESIGHTS) == 0.0
    assert trial.decisions["titles"] == "model"


def test_a_model_whose_narratives_leave_out_what_matters_writes_none() -> None:
    trial = tried(ScriptedLlm(lambda request: good(request).rsplit(". ", 1)[0]))
    assert (trial.share(Task.NARRATIVES), trial.share(Task.TITLES)) == (0.0, 1.0)
    assert trial.decisions["narratives"] == "code"


def test_a_narrative_that_is_false_does_not_pass_though_its_words_were_said() -> None:
    def of_the_wrong_colour(request: Request) -> str:
        return good(request).replace(
            "green, but Pia and Jon decided on yellow", "yellow, but Pia and Jon decided on green"
        )

    trial = tried(ScriptedLlm(of_the_wrong_colour))
    assert trial.passed["narratives"] == 7


def test_every_item_asks_something() -> None:
    assert all(item.requests for item in items("mine.gguf"))


def test_the_default_model_is_asked_as_it_is_asked_elsewhere() -> None:
    adapted = {item.task for item in items("qwen2.5-coder-1.5b") for request in item.requests if request.adapter}
    assert adapted == {Task.ANSWERS, Task.REFUSALS}
    assert not any(request.adapter for item in items("mine.gguf") for request in item.requests)


def test_in_a_short_time_nothing_is_decided_of_what_was_not_tried() -> None:
    trial = tried(ScriptedLlm(good), seconds=0)
    assert trial.asked == {"titles": 4}
    assert trial.share(Task.ANSWERS) is None
    assert trial.decisions == {"titles": "model"}


def test_the_shipped_result_is_the_defaults_on_the_items_that_are_shipped() -> None:
    default = shipped()
    assert (default.model, default.elsewhere) == (Settings().llm, True)
    assert default.asked == Counter(item.task.value for item in items(default.model))
    assert all(0 < default.passed[task] <= asked for task, asked in default.asked.items())


def test_results_are_kept_by_model_for_the_user_alone(tmp_path: Path) -> None:
    first, second = Trial("first", {"titles": 1}, {"titles": 5}), Trial("second", {"titles": 5}, {"titles": 5})
    folder = tmp_path / "models"
    for trial in (first, second, first):
        keep(trial, folder)
    assert results(folder) == {"first": first, "second": second}
    assert stat.S_IMODE((folder / KEPT).stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == [KEPT]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"first": {"speed": 1}}', '{"first": 3}', '{"first": []}'])
def test_results_that_cannot_be_read_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / KEPT).write_text(text)
    assert results(tmp_path) == {}
    keep(Trial("first"), tmp_path)
    assert json.loads((tmp_path / KEPT).read_text()) == {"first": asdict(Trial("first"))}


def test_the_model_does_what_was_not_tried_and_the_user_overrules_what_was(tmp_path: Path) -> None:
    everything = {"titles": "model", "answers": "model"}
    everything |= dict.fromkeys(("statements", "foresights", "narratives"), "code")
    assert decided("first", {}, tmp_path) == everything
    keep(Trial("first", {"titles": 1}, {"titles": 5}), tmp_path)
    assert decided("first", {}, tmp_path) == everything | {"titles": "code"}
    assert decided("second", {}, tmp_path) == everything
    assert decided("first", {"titles": "model", "answers": "code"}, tmp_path) == everything | {"answers": "code"}
    keep(Trial("third", {"foresights": 5}, {"foresights": 6}), tmp_path)
    assert decided("third", {}, tmp_path) == everything | {"foresights": "model"}
    assert decided("second", {"foresights": "model"}, tmp_path) == everything | {"foresights": "model"}
