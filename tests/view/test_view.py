"""The page as a browser shows it: the file, what it leaves out, and the server that changes memory for its owner.

A real Chromium is needed for most of it; where there is none, those tests are skipped and say so.
"""

import http.client
import json
import re
import shutil
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, sync_playwright

from evermem_cli.cli.shared.session import Session
from evermem_cli.memory import Mode
from evermem_cli.store import Store
from evermem_cli.view.answers import AnsweredQuestion, reply
from evermem_cli.view.page import write_reply
from evermem_cli.view.server import PageBackend, Server
from tests.cli.test_main import Shell

HARM = "</script><script>window.harmed=1</script><img src=x onerror='harm()'>"
FILLER = "那里的冬天又冷又湿，我每天早上都坐地铁去上班，晚上常常自己做饭，周末和朋友一起去公园散步。"
CHAT = f"""[2025-03-01 09:00] Maya: I moved to Leeds with my cat Miso.
[2025-03-01 09:01] Ruben: How is the new flat?
[2025-03-01 09:02] Maya: I have two rooms near the station, and I eat pescatarian now.
[2025-03-01 09:03] Ruben: I am a baker in York. \u202eevil\u202c
[2025-05-01 10:00] Maya: I have been vegan since yesterday.
[2025-05-01 10:05] 小雨: 我住在上海。{FILLER}
[2025-05-01 10:10] Maya: I take antibiotics for my sinus infection, the doctor said.
[2025-05-01 10:12] Ruben: My cat is called Pip <script>window.harmed=1
[2025-05-01 10:13] 小雨: {HARM}
"""
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NO_BROWSER = "no Chromium here: install Debian's package chromium"
# Of each text and graphic that is seen: its colour, that of the nearest ground behind it, and the least contrast.
DRAWN = """() => {
    const hex = (colour) => "#" + colour.match(/[\\d.]+/g).slice(0, 3)
        .map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");
    const solid = (colour) => !/^rgba\\(.*, 0\\)$/.test(colour) && colour !== "transparent";
    const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (solid(colour)) return hex(colour);
        }
        return "#ffffff";
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement, style = getComputedStyle(element);
        if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script, style")) continue;
        const size = parseFloat(style.fontSize), bold = style.fontWeight >= 700;
        const drawn = element.closest("svg") ? style.fill : style.color;
        found.push({
            text: walker.currentNode.data.trim().slice(0, 40), ink: hex(drawn), ground: ground(element),
            least: size >= 24 || (bold && size >= 18.66) ? 3 : 4.5,
        });
    }
    for (const shape of document.querySelectorAll("svg line, svg rect, svg circle, .key i")) {
        if (!shape.checkVisibility()) continue;
        const style = getComputedStyle(shape);
        const drawn = shape.matches("i") ? style.backgroundColor : shape.matches("line") ? style.stroke : style.fill;
        found.push({ text: shape.outerHTML, ink: hex(drawn), ground: ground(shape.parentElement), least: 3 });
    }
    return found;
}"""
SMALL = """() => [...document.querySelectorAll("button, summary, select, input, nav a, textarea")]
    .filter((element) => element.checkVisibility())
    .map((element) => [element.outerHTML.slice(0, 80), element.getBoundingClientRect().height])
    .filter(([_, height]) => height < 24)"""
# The colours of the system, and those of what the chart, its key and the picture of people are made of.
FORCED = """() => {
    const paint = (name) => {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style.setProperty("forced-color-adjust", "none");
        probe.style.color = name;
        const colour = getComputedStyle(probe).color;
        probe.remove();
        return colour;
    };
    const drawn = {};
    for (const [selector, property] of [
        ["#bars .bar", "fill"], ["#bars .change", "fill"], ["#bars .axis", "stroke"], ["#bars text", "fill"],
        [".key .bar", "backgroundColor"], [".key .event", "backgroundColor"], [".key .change", "backgroundColor"],
        ["#bars", "outlineColor"], [".circle.small circle", "fill"],
    ])
        drawn[selector] = getComputedStyle(document.querySelector(selector))[property];
    return [{ canvas: paint("Canvas"), inks: [paint("CanvasText"), paint("LinkText")] }, drawn];
}"""
EXPECTED = """
    insert into foresights by name
    select 'fs-1' as id, memcell_id, 'A day at the sea' as foresight, text as evidence, user_id,
           timestamp '2025-06-07' as start_time, timestamp '2025-06-07' as end_time, 1 as duration_days,
           'fixed' as duration_type, 'memcell' as parent_type, memcell_id as parent_id, said_at,
           said_at as created_at, 0.9 as confidence, 'general' as domain
    from messages where text like '%pescatarian%';
    insert into sources select 'fs-1', 1, id from messages where text like '%pescatarian%'"""
SUMMARISED = """
    insert into episodes by name
    select 'ep-1' as id, memcell_id, null as user_id, 'Talk of nothing' as subject, '' as summary, text as episode,
           said_at, said_at as created_at
    from messages where text like '%How is the new flat%';
    insert into sources select 'ep-1', 1, id from messages where text like '%How is the new flat%';
    insert into documents select documents.* replace ('ep-1' as memory_id, 'episode' as kind)
    from documents join messages on memory_id = id where text like '%How is the new flat%'"""
PATIENCE = 120_000  # milliseconds: a busy machine is no failure
SETTLED = 300  # milliseconds in which a page shows a reply that it has got
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, minilm: Path) -> Shell:
    folder = tmp_path_factory.mktemp("seen")
    (folder / "<b onclick=harm()>moving.txt").write_text(CHAT)
    shell = Shell(folder / "memory.duckdb")
    done = shell("ingest", "--no-llm", "--me", "Maya", str(folder / "<b onclick=harm()>moving.txt"))
    assert done.returncode == 0, done.stderr
    return shell


@pytest.fixture(scope="module")
def written(filled: Shell) -> Path:
    """The page of that memory."""
    return Path(filled.json("view")["page"])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip(NO_BROWSER)
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@dataclass
class Screen:
    """A page in a browser, with all that it complains of and asks for from elsewhere."""

    page: Page
    complaints: list[str]


@contextmanager
def opened(browser: Browser, address: str, width: int = 768, scheme: str = "light", **options: Any) -> Iterator[Screen]:
    """An address in a window of its own; nothing may go wrong in it or leave the machine."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)  # type: ignore[arg-type]
    page, complaints = context.new_page(), list[str]()
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith((address, "data:")) else complaints.append(asked.url))
    page.goto(address)
    yield Screen(page, complaints)
    assert complaints == []
    context.close()


@contextmanager
def serving(db: Path) -> Iterator[Server]:
    """A server of this memory, in a thread."""
    owner = Session.open(db=db)
    over = threading.Event()
    with Server(PageBackend(owner, owner.without_private()), 0) as server:
        thread = threading.Thread(target=server.run, args=(60.0, over.is_set))
        thread.start()
        try:
            yield server
        finally:
            over.set()
            thread.join()


@pytest.fixture
def copied(filled: Shell, tmp_path: Path) -> Path:
    """A memory of its own, for what changes it."""
    return Path(shutil.copy(filled.db, tmp_path / "memory.duckdb"))


def test_bars_of_disk_usage_are_as_long_as_the_bytes_beside_them(written: Path, filled: Shell) -> None:
    usage = written.read_text(encoding="utf-8").partition('id="disk-usage"')[2]
    chats, parts = (
        [(int(most), int(size)) for most, size in re.findall(r'<meter min="0" max="(\d+)" value="(\d+)"', table)]
        for table in usage.split("<table>")[1:3]
    )
    assert [{most for most, _ in bars} for bars in (chats, parts)] == [{max(bars)[1]} for bars in (chats, parts)]
    assert len({size for _, size in parts}) == len(parts) > 4
    assert 0 < sum(size for _, size in parts) < filled.db.stat().st_size


def test_a_value_that_begins_when_another_ended_by_itself_is_a_change_and_no_conflict(
    tmp_path: Path, minilm: Path
) -> None:
    (tmp_path / "chat.txt").write_text(
        "[2026-03-10 09:00] Anna: I'm still at Stadtwerke until the end of August, then we'll see\n"
        "[2026-09-02 09:00] Anna: I started work at Terravis on 1 September\n"
    )
    shell = Shell(tmp_path / "memory.duckdb")
    assert shell("ingest", "--no-llm", "--me", "Anna", str(tmp_path / "chat.txt")).returncode == 0
    assert "Stadtwerke → Terravis" in shell("timeline").stdout
    assert shell.json("conflicts")["conflicts"] == []
    assert shell("view").returncode == 0
    section = (tmp_path / "memory.duckdb.html").read_text(encoding="utf-8").partition('id="changes-title"')[2]
    assert re.search("<del[^>]*>Stadtwerke</del>.*<ins[^>]*>Terravis</ins>", section)
    assert "still at Stadtwerke" in section.partition("</details>")[0]


def test_the_page_is_one_file_that_names_no_other_place(filled: Shell, written: Path) -> None:
    text = written.read_text(encoding="utf-8")
    assert written == filled.db.with_name("memory.duckdb.html").resolve()
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert set(re.findall(r"https?://[^\s\"']+", text)) == {"http://www.w3.org/2000/svg"}
    assert re.search(r"default-src &#39;none&#39;; script-src &#39;sha256-", text)
    assert not re.search(r"\sstyle=|\son[a-z]+=\"", re.sub(r"<p [^>]*>.*?</p>", "", text))


def test_what_is_private_is_left_out_unless_it_is_asked_for(filled: Shell, written: Path, tmp_path: Path) -> None:
    assert "antibiotics" not in written.read_text(encoding="utf-8")
    document = filled.json("view", "--include-private", "-o", str(tmp_path / "all.html"))
    assert document["private"] == 0
    assert "antibiotics" in (tmp_path / "all.html").read_text(encoding="utf-8")


def test_a_page_for_an_agent_is_logged_and_holds_nothing_private(filled: Shell, tmp_path: Path) -> None:
    target = tmp_path / "agent.html"
    assert filled("view", "--as", "travel", "-o", str(target)).returncode == 0
    assert "antibiotics" not in target.read_text(encoding="utf-8")
    assert [entry["command"] for entry in filled.json("access-log", "--as", "travel")["accesses"]] == ["view"]
    assert filled("view", "--as", "travel", "--include-private").returncode == 2
    assert filled("view", "--as", "travel", "--serve").returncode == 2


def test_a_page_for_an_agent_tells_apart_what_is_private_and_what_a_reason_opens(filled: Shell, tmp_path: Path) -> None:
    target, tiers = tmp_path / "agent.html", '{"work": "sensitive"}'
    done = filled("view", "--as", "travel", "-o", str(target), EVERMEM_PRIVACY=tiers)
    assert done.returncode == 0, done.stderr
    assert "1 message left out as private; 2 messages left out as sensitive" in done.stdout
    assert "are shown if you ask again with --reason" in done.stderr
    text = target.read_text(encoding="utf-8")
    assert "Left out as private: 1 message," in text
    assert "Left out as sensitive: 2 messages," in text
    given = ["--as", "travel", "--reason", "the user wants to book a table"]
    reasoned = filled("view", *given, "-o", str(target), "--force", "--json", EVERMEM_PRIVACY=tiers)
    assert (json.loads(reasoned.stdout)["private"], json.loads(reasoned.stdout)["sensitive"]) == (1, 0)


def test_a_file_that_is_there_stays_unless_it_is_evermems_own_place(filled: Shell, tmp_path: Path) -> None:
    target = tmp_path / "mine.html"
    target.write_text("mine")
    done = filled("view", "-o", str(target))
    assert (done.returncode, target.read_text()) == (2, "mine")
    assert filled("view", "-o", str(target), "--force").returncode == 0
    assert filled("view").returncode == filled("view").returncode == 0


def test_without_a_memory_there_is_no_page(tmp_path: Path) -> None:
    done = Shell(tmp_path / "none.duckdb")("view")
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert list(tmp_path.iterdir()) == []


def test_forgetting_takes_the_page_beside_the_memory_with_it(copied: Path) -> None:
    shell = Shell(copied)
    page = Path(shell.json("view")["page"])
    assert "baker" in page.read_text(encoding="utf-8")
    assert shell("forget", "--matching", "baker", "--yes").returncode == 0
    assert not page.exists()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 768, 1400])
def test_hostile_texts_are_shown_as_text_at_every_width(
    written: Path, browser: Browser, width: int, scheme: str
) -> None:
    with opened(browser, written.as_uri(), width, scheme) as screen:
        page = screen.page
        assert page.evaluate("window.harmed") is None
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        told = page.content()
        assert "&lt;script&gt;window.harmed" in told
        assert "\u202e" not in told
        assert "上海" in told


def test_what_would_turn_a_line_round_is_shown_escaped() -> None:
    said = AnsweredQuestion("\u202eevil <b>", "\u2066x", "en", True, "1 May 2025", ())
    told = write_reply(said)
    assert "\\u202eevil &lt;b&gt;" in told and "\\u2066x" in told
    assert not {"\u202e", "\u2066"} & set(told)


def test_the_profile_follows_the_day(written: Path, browser: Browser) -> None:
    with opened(browser, written.as_uri()) as screen:
        page, diet = screen.page, screen.page.locator(".profile:not([hidden]) .attribute", has_text="diet")
        assert "vegan" in diet.locator("dd:not([hidden])").inner_text()
        page.evaluate("""() => {
            const slider = document.getElementById("day");
            slider.value = 3;
            slider.dispatchEvent(new Event("input"));
        }""")
        assert page.inner_text("#shown") == "4 Mar 2025"
        assert "pescatarian" in diet.locator("dd:not([hidden])").inner_text()


def test_a_far_day_is_told_beside_the_chart_and_stretches_neither_it_nor_the_slider(
    tmp_path: Path, browser: Browser, minilm: Path
) -> None:
    said = [f"[2026-{month:02}-{day:02} 09:00] Ann: It rains." for month in range(1, 4) for day in range(1, 11)]
    shell = Shell(tmp_path / "memory.duckdb")
    chat = "\n".join(["[1990-05-04 09:00] Ann: I was born.", *said])
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=chat).returncode == 0
    with opened(browser, Path(shell.json("view")["page"]).as_uri()) as screen:
        assert "1990" not in screen.page.locator("#span").inner_text()
        assert screen.page.get_by_text("Outside of the chart: 1 message and 1 entry, 4 May 1990.").is_visible()
        assert int(screen.page.locator("#day").get_attribute("max") or 0) < 3650
        assert screen.page.locator("#bars .bar").count() > 10


def test_the_timeline_zooms_by_keyboard(written: Path, browser: Browser) -> None:
    with opened(browser, written.as_uri()) as screen:
        page, shown = screen.page, screen.page.locator(".entry:not([hidden])")
        every = shown.count()
        page.focus("#bars")
        page.keyboard.press("+")
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        assert 0 < shown.count() < every
        page.keyboard.press("Home")
        assert shown.count() == every


def test_the_timeline_zooms_by_wheel_about_the_pointer_and_moves_sideways(written: Path, browser: Browser) -> None:
    with opened(browser, written.as_uri(), 320) as screen:
        page, span = screen.page, screen.page.locator("#span")
        whole = span.inner_text()
        box = page.locator("#bars").bounding_box()
        assert box
        page.mouse.move(box["x"] + 2, box["y"] + 40)
        page.mouse.wheel(0, 40)
        assert span.inner_text() == whole, "the wheel alone scrolls the page"
        page.locator("#bars").scroll_into_view_if_needed()
        page.keyboard.down("Control")
        page.mouse.wheel(0, -100)
        page.keyboard.up("Control")
        start, end = span.inner_text().split(" to ")
        assert start == whole.split(" to ")[0], "the day under the pointer stays there"
        assert end != whole.split(" to ")[1]
        page.mouse.wheel(150, 0)
        assert not span.inner_text().startswith(start)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.get_by_role("button", name="All days").click()
        assert span.inner_text() == whole


def test_the_timeline_zooms_by_two_fingers(written: Path, browser: Browser) -> None:
    with opened(browser, written.as_uri(), 320, has_touch=True) as screen:
        page, span = screen.page, screen.page.locator("#span")
        whole, day = span.inner_text(), page.inner_text("#shown")
        page.locator("#bars").scroll_into_view_if_needed()
        box = page.locator("#bars").bounding_box()
        assert box
        device = page.context.new_cdp_session(page)

        def touch(kind: str, *places: float) -> None:
            fingers = [{"x": box["x"] + at, "y": box["y"] + 60, "id": number} for number, at in enumerate(places)]
            device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

        touch("touchStart", 120)
        touch("touchStart", 120, 160)
        for apart in (40, 60, 80):
            touch("touchMove", 140 - apart, 140 + apart)
        assert span.inner_text() != whole
        touch("touchEnd")
        assert page.inner_text("#shown") == day, "a pinch chooses no day"
        assert page.evaluate("[document.documentElement.scrollWidth, visualViewport.scale]") == [320, 1]
        page.get_by_role("button", name="All days").click()
        assert span.inner_text() == whole


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_chart_and_its_key_are_seen_in_the_colours_of_the_system(
    written: Path, browser: Browser, scheme: str
) -> None:
    """Forced colours, as in the high contrast of Windows: the page's own colours may not be those of the system."""
    with opened(browser, written.as_uri(), 320, scheme, forced_colors="active") as screen:
        page = screen.page
        page.locator("#bars").evaluate("(chart) => chart.focus({ focusVisible: true })")
        system, drawn = page.evaluate(FORCED)
        assert [name for name, colour in drawn.items() if colour not in system["inks"]] == []
        assert system["inks"] and system["canvas"] not in system["inks"]
        assert page.locator("#bars").evaluate("(chart) => getComputedStyle(chart).outlineStyle") == "solid"


def test_a_memory_of_nothing_says_so(tmp_path: Path, browser: Browser) -> None:
    db = tmp_path / "empty.duckdb"
    Store(db, 10.0).create("all-minilm-l6-v2", 384)
    page = Path(Shell(db).json("view")["page"])
    with opened(browser, page.as_uri(), 320) as screen:
        assert "Nothing yet." in screen.page.inner_text("#timeline")
        assert "Nobody yet." in screen.page.inner_text("#people")


def test_an_answer_marks_its_evidence_in_the_chat(filled: Shell, tmp_path: Path, browser: Browser) -> None:
    target = tmp_path / "asked.html"
    done = filled("view", "--ask", "What is my cat called?", "--no-llm", "-o", str(target))
    assert done.returncode == 0, done.stderr
    with opened(browser, target.as_uri()) as screen:
        assert "Miso" in " ".join(screen.page.locator(".evidence mark").all_inner_texts())
        titles = screen.page.locator(".passage h4").all_inner_texts()
        assert titles and all("Maya" in title for title in titles), "a title that is hidden is told by who speaks"


def test_a_page_without_private_memories_says_how_its_owner_is_answered_from_them(filled: Shell) -> None:
    owner = Session.open(db=filled.db)
    for mode in (Mode.STANDARD, Mode.LIGHT):
        asked = write_reply(reply(owner.without_private(), "What do I take for my sinus infection?", mode))
        assert "does not say" not in asked
        assert "Private memories are left out here." in asked
        assert "<code>evermem view --include-private --serve</code>" in asked
        own = write_reply(reply(owner, "What do I take for my sinus infection?", mode))
        assert "antibiotics" in own
        assert "left out" not in own
    agent = Session.open(db=filled.db, agent="travel")
    asked = write_reply(reply(agent, "What do I take for my sinus infection?", Mode.LIGHT))
    assert "What travel may not read is left out here." in asked
    assert "--include-private" not in asked


def test_without_the_model_the_page_says_what_code_knows(filled: Shell, tmp_path: Path) -> None:
    target = tmp_path / "asked.html"
    done = filled("view", "--ask", "Where do I live?", "--no-llm", "-o", str(target))
    assert done.returncode == 0, done.stderr
    answers = re.findall(r'<p class="answer"[^>]*>([^<]*)</p>', target.read_text(encoding="utf-8"))
    assert answers == ["Leeds (since 1 March 2025)"]


def test_evidence_alone_is_told_as_what_it_is(tmp_path: Path, browser: Browser, minilm: Path) -> None:
    lines = [{"name": name, "content": f"The cat ate {number} mice."} for number in range(30) for name in ("Ann", "Bo")]
    shell, target = Shell(tmp_path / "memory.duckdb"), tmp_path / "asked.html"
    chat = "\n".join(map(json.dumps, lines))
    assert shell("ingest", "--no-llm", "--me", "Ann", "-", stdin=chat).returncode == 0
    assert shell("view", "--ask", "What did the cat eat?", "--no-llm", "-o", str(target)).returncode == 0
    with opened(browser, target.as_uri()) as screen:
        assert "no model has read it" in screen.page.inner_text(".reply")
        assert screen.page.locator(".reply .answer").count() == 0
        assert 0 < screen.page.locator(".reply mark").count() <= 5


@pytest.mark.parametrize("width", [320, 1280])
def test_everybody_drawn_and_every_bar_is_within_the_screen(written: Path, browser: Browser, width: int) -> None:
    with opened(browser, written.as_uri(), width) as screen:
        page = screen.page
        assert page.locator(".circle:visible").count() == 1
        for name in page.locator(".circle:visible .node text").all():
            box = name.bounding_box()
            assert box and box["x"] >= 0 and box["x"] + box["width"] <= width, name.inner_text()
        cut = page.evaluate("""() => {
            const chart = document.getElementById("bars"), wide = chart.clientWidth;
            const bars = [...chart.querySelectorAll(".bar")].map((bar) => bar.getBBox());
            return bars.filter((bar) => bar.x < 0 || bar.x + bar.width > wide).length;
        }""")
        assert cut == 0
        hidden = page.evaluate(
            "[...document.querySelectorAll('.wide')].filter((part) => part.scrollWidth > part.clientWidth)"
        )
        assert hidden == []


def test_the_calendar_goes_to_the_next_thing_that_is_expected(copied: Path, browser: Browser) -> None:
    with duckdb.connect(str(copied)) as connection:
        connection.execute("delete from foresights")
        connection.execute(EXPECTED)
    page_file = Path(Shell(copied).json("view")["page"])
    with opened(browser, page_file.as_uri()) as screen:
        page = screen.page
        page.get_by_role("button", name="Earlier one").click()
        assert page.inner_text("#month") == "June 2025"
        assert "A day at the sea" in page.inner_text("#foresights")
        page.get_by_role("button", name="Earlier one").click()
        assert page.inner_text("#shown") == "7 Jun 2025", "there is nothing earlier"


@pytest.mark.parametrize("scheme", [0, 1])
def test_every_text_has_enough_contrast(scheme: int) -> None:
    style = (resources.files("evermem_cli.view") / "assets" / "page.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--(\w+): (#\w+);", style.split(":root {")[scheme + 1]))
    texts = [(text, ground) for text in ("ink", "faint", "accent", "grave") for ground in ("paper", "sheet")]
    for text, ground in [*texts, ("ink", "mark")]:
        assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    for line in ("edge", "change"):
        assert _contrast(colours[line], colours["sheet"]) >= 3, line


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("serves", [False, True])
def test_what_the_browser_draws_has_enough_contrast(
    filled: Shell, written: Path, browser: Browser, scheme: str, serves: bool
) -> None:
    """Each text and graphic as it is computed, on the ground that is behind it, in all parts opened (WCAG 2.2, AA)."""
    with ExitStack() as stack:
        address = stack.enter_context(serving(filled.db)).address if serves else written.as_uri()
        page = stack.enter_context(opened(browser, address, 320, scheme)).page
        page.evaluate("""() => {
            document.querySelectorAll("details").forEach((part) => { part.open = true; });
            document.querySelector("dialog")?.showModal();
        }""")
        drawn = page.evaluate(DRAWN)
        assert len(drawn) > 30
        low = [each for each in drawn if _contrast(each["ink"], each["ground"]) < each["least"]]
        assert low == []


def test_the_server_turns_away_whoever_does_not_come_from_its_page(filled: Shell) -> None:
    with serving(filled.db) as server:
        path, host = f"/{server.desk.token}/", server.origin.removeprefix("http://")
        own = JSON | {"Origin": server.origin}
        assert _asked(server, "GET", path, Host=host) == 200
        assert _asked(server, "GET", "/", Host=host) == 404
        assert _asked(server, "GET", "/guessed/", Host=host) == 404
        assert _asked(server, "GET", f"{path}else", Host=host) == 404
        assert _asked(server, "GET", path, Host="evil.example") == 421
        assert _asked(server, "POST", f"{path}look", b"{}", Host=host, **JSON) == 403
        assert _asked(server, "POST", f"{path}look", b"{}", Host=host, **JSON, Origin="http://evil.example") == 403
        assert _asked(server, "POST", "/guessed/look", b"{}", Host=host, **own) == 404
        assert _asked(server, "POST", f"{path}look", b"{}", Host=host, **own) == 400
        assert _asked(server, "POST", f"{path}look", b'{"id": "msg-none"}', Host=host, **own) == 409
        assert _asked(server, "POST", f"{path}look", b'{"id": 1, "more": 2}', Host=host, **own) == 400
        assert _asked(server, "POST", f"{path}look", b" " * 20_000, Host=host, **own) == 413
        assert _asked(server, "POST", f"{path}nothing", b"{}", Host=host, **own) == 404
        assert _asked(server, "POST", f"{path}look", b"{}", Host=host, Origin=server.origin) == 404
        assert _asked(server, "PUT", path, Host=host) == 501


@pytest.mark.parametrize("piece", [b"GET /", b"POST /{token}/look HTTP/1.1\r\n{head}Content-Length: 99\r\n\r\n{"])
def test_a_browser_that_breaks_off_leaves_no_traceback(
    piece: bytes, filled: Shell, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(filled.db) as server:
        head = f"Host: {server.origin[7:]}\r\nOrigin: {server.origin}\r\nContent-Type: application/json\r\n"
        sent = piece.replace(b"{token}", server.desk.token.encode()).replace(b"{head}", head.encode())
        with socket.create_connection(("127.0.0.1", int(server.server_address[1]))) as client:
            client.sendall(sent)
            time.sleep(0.5)  # so that the server waits for the rest
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing is a reset
        assert _asked(server, "GET", f"/{server.desk.token}/") == 200
    assert capfd.readouterr().err == ""


def test_the_server_listens_on_loopback_and_ends_when_nobody_asks(filled: Shell) -> None:
    done = filled("view", "--serve", "--idle", "0.02")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{43}/\n", done.stdout)


def test_a_port_in_use_is_one_line(filled: Shell) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        done = filled("view", "--serve", "--port", str(held.getsockname()[1]))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_options_of_a_file_are_refused_by_the_server(filled: Shell) -> None:
    assert filled("view", "--serve", "-o", "x.html").returncode == 2
    assert filled("view", "--serve", "--json").returncode == 2


def test_on_the_served_page_a_message_is_forgotten_after_what_would_go_was_shown(
    copied: Path, browser: Browser
) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        value = page.locator("dd:not([hidden])", has_text="Leeds").first
        value.locator("summary").click()
        value.locator("blockquote .action").first.click()
        page.locator("#known", has_text="Leeds").wait_for()
        assert page.evaluate("document.activeElement.id") == "tier"
        assert not page.locator("#correct").is_visible()
        assert not page.locator("[data-action=restore]").is_visible(), "it has not faded"
        assert not page.locator("[data-action=forget]").is_visible()
        page.click("[data-action=preview]")
        page.get_by_text("This would forget 1 message").wait_for()
        assert "Leeds" in Shell(copied)("search", "Leeds").stdout
        page.click("[data-action=forget]")
        page.get_by_text("Forgotten: 1 message").wait_for(timeout=PATIENCE)
        assert page.locator("#known").inner_text() == "", "it is gone"
        assert not page.locator("[data-action=preview]").is_visible()
        with page.expect_navigation(timeout=PATIENCE):
            page.click("[data-action=close]")
        assert "Leeds" not in page.content()
    assert "Leeds" not in Shell(copied)("search", "Leeds", "--json").stdout.partition('"results"')[2]


def test_on_the_served_page_each_thing_to_press_has_a_name_of_its_own_and_is_large_enough(
    copied: Path, browser: Browser
) -> None:
    with duckdb.connect(str(copied)) as connection:
        connection.execute(f"{EXPECTED}; {SUMMARISED}")
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        buttons = page.evaluate("[...document.querySelectorAll('.action')].map((b) => [b.dataset.id, b.ariaLabel])")
        names = {(memory_id, name) for memory_id, name in buttons}
        assert len(names) > 10
        assert len({memory_id for memory_id, _ in names}) == len({name for _, name in names}) == len(names)
        assert "Change this value: location, Leeds, since 1 Mar 2025" in {name for _, name in names}
        assert page.get_by_label("who said so: location, Leeds").count() == 1
        page.evaluate(
            "for (const part of document.querySelectorAll('details, [hidden]')) part.open = !(part.hidden = false)"
        )
        small = page.evaluate(SMALL)
        assert small == []


def test_on_the_served_page_a_value_is_corrected(copied: Path, browser: Browser) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        page.locator("dd:not([hidden])", has_text="Leeds").first.locator(".action").first.click()
        page.locator("#known", has_text="location: Leeds").wait_for()
        assert page.evaluate("document.activeElement.id") == "right"
        assert not page.locator("[data-action=preview]").is_visible()
        page.fill("#right", "I live in York.")
        page.click("#correct button")
        page.get_by_text("Leeds → I live in York.").wait_for(timeout=PATIENCE)
        with page.expect_navigation(timeout=PATIENCE):
            page.click("[data-action=close]")
        held = page.locator(".profile:not([hidden]) dd:not([hidden]) .value")
        assert held.filter(has_text="York").count() == 1
        assert held.filter(has_text="Leeds").count() == 0
    assert "York" in Shell(copied)("profile").stdout


def test_on_the_served_page_what_has_faded_is_restored(copied: Path, browser: Browser) -> None:
    with duckdb.connect(str(copied)) as connection:
        connection.execute(f"{EXPECTED}; update foresights set strength = 0.01")
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        page.get_by_role("button", name="Earlier one").click()
        page.locator(".ahead:visible", has_text="· faded").locator("p > .action").click()
        page.locator("#status", has_text="faded, left out of answers").wait_for()
        page.click("[data-action=restore]")
        page.locator("#outcome", has_text="restored").wait_for()
        with page.expect_navigation(timeout=PATIENCE):
            page.click("[data-action=close]")
        page.get_by_role("button", name="Earlier one").click()
        assert page.locator(".ahead:visible", has_text="A day at the sea").count() == 1
        assert "· faded" not in page.content()


def test_on_the_served_page_a_topic_gets_another_title(copied: Path, browser: Browser) -> None:
    with duckdb.connect(str(copied)) as connection:
        connection.execute(SUMMARISED)
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        page.locator(".entry.event", has_text="Talk of nothing").locator("p > .action").first.click()
        page.locator("#known", has_text="Talk of nothing").wait_for()
        assert page.inner_text("#correct label") == "A better title"
        assert page.locator("[data-action=preview]").is_visible()
        page.fill("#right", "The flat in Leeds")
        page.click("#correct button")
        page.get_by_text("Talk of nothing → The flat in Leeds").wait_for(timeout=PATIENCE)
        with page.expect_navigation(timeout=PATIENCE):
            page.click("[data-action=close]")
        assert page.locator(".entry.event", has_text="The flat in Leeds").count() == 1
        assert "Talk of nothing" not in page.content()


def test_on_the_served_page_tiers_are_set_names_merged_and_questions_answered(copied: Path, browser: Browser) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        page.fill("#question", "Where did I move?")
        page.check("#light")
        page.keyboard.press("Enter")  # in a form it sends, whatever has the focus
        page.locator(".reply mark", has_text="I moved to Leeds").wait_for(timeout=PATIENCE)
        assert page.locator("#one option").count() >= 2
        _choose(page, "Maya", "Ruben")
        page.click("#merge button")
        page.get_by_text("They would be one person").wait_for(timeout=PATIENCE)
        page.click("[data-action=merge]")
        page.get_by_text("is also Ruben now").wait_for(timeout=PATIENCE)
        with page.expect_navigation(timeout=PATIENCE):
            page.click("[data-action=close]")
        assert page.locator(".split").count() == 1
        page.locator("#disk-usage .action").first.click()
        page.select_option("#tier", "private")
        page.click("[data-action=privacy]")
        page.get_by_text("it is private now").wait_for()
        with page.expect_navigation(timeout=PATIENCE):
            page.click("[data-action=close]")
        assert "Miso" not in page.content()


@dataclass
class Delay:
    """Holds the first request of a name back until it is over; others pass."""

    page: Page
    name: str
    held: list[Route]

    @classmethod
    def of(cls, page: Page, name: str) -> "Delay":
        delay = cls(page, name, [])
        page.route(f"**/{name}", lambda route: route.continue_() if delay.held else delay.held.append(route))
        return delay

    def end(self) -> None:
        """Lets the request go, and waits until the page has got its reply and had time to show it."""
        [route] = self.held
        with self.page.expect_response(f"**/{self.name}", timeout=PATIENCE) as reply:
            route.continue_()
        reply.value.finished()
        self.page.unroute(f"**/{self.name}")
        self.page.wait_for_timeout(SETTLED)

    def close_early(self, press: Locator) -> None:
        """Presses what sends the request, and closes the dialog before the reply."""
        with self.page.expect_request(f"**/{self.name}", timeout=PATIENCE):
            press.click()
        self.page.keyboard.press("Escape")
        self.page.locator("#dialog").wait_for(state="hidden")


def _choose(page: Page, one: str, other: str) -> None:
    """Chooses two names to merge."""
    page.select_option("#one", one)
    page.select_option("#other", other)


def _message(page: Page, text: str) -> Locator:
    """The button of a message that is quoted somewhere on the page, with what is around it opened."""
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    return page.locator("blockquote:visible", has_text=text).first.locator(".action")


def test_what_would_be_forgotten_is_shown_for_the_memory_that_was_asked_about(copied: Path, browser: Browser) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        delay = Delay.of(page, "preview")
        _message(page, "Leeds").click()
        delay.close_early(page.locator("[data-action=preview]"))
        _message(page, "baker").click()
        page.locator("#known", has_text="baker").wait_for()
        delay.end()
        assert page.inner_text("#outcome") == ""
        assert not page.locator("[data-action=forget]").is_visible()
        page.click("[data-action=preview]")
        page.get_by_text("This would forget 1 message").wait_for()
        page.click("[data-action=forget]")
        page.get_by_text("Forgotten: 1 message").wait_for(timeout=PATIENCE)
    assert "Leeds" in Shell(copied)("search", "Leeds").stdout


def test_a_late_description_of_a_memory_does_not_describe_another(copied: Path, browser: Browser) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        delay = Delay.of(page, "look")
        delay.close_early(_message(page, "Leeds"))
        _message(page, "baker").click()
        page.locator("#known", has_text="baker").wait_for()
        delay.end()
        assert "baker" in page.inner_text("#known")


def test_a_correction_that_is_made_after_its_dialog_was_closed_is_shown_once_no_dialog_is_open(
    copied: Path, browser: Browser
) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        delay = Delay.of(page, "correct")
        page.locator("dd:not([hidden])", has_text="Leeds").first.locator(".action").first.click()
        page.fill("#right", "I live in York.")
        delay.close_early(page.locator("#correct button"))
        _message(page, "baker").click()
        page.locator("#known", has_text="baker").wait_for()
        delay.end()
        assert page.inner_text("#outcome") == ""
        assert "baker" in page.inner_text("#known")
        with page.expect_navigation(timeout=PATIENCE):
            page.click("[data-action=close]")
        held = page.locator(".profile:not([hidden]) dd:not([hidden]) .value")
        assert held.filter(has_text="York").count() == 1


def test_a_merge_that_is_made_after_its_dialog_was_closed_is_shown_and_spoils_no_other_dialog(
    copied: Path, browser: Browser
) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        _choose(page, "Maya", "Ruben")
        delay = Delay.of(page, "merge")
        page.click("#merge button")
        delay.close_early(page.locator("[data-action=merge]"))
        _message(page, "baker").click()
        page.locator("[data-action=preview]").wait_for()
        page.keyboard.press("Escape")
        with page.expect_navigation(timeout=PATIENCE):
            delay.end()
        page.locator(".split").wait_for()


def test_a_change_that_fails_after_its_dialog_was_closed_is_told_on_the_page(copied: Path, browser: Browser) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        delay = Delay.of(page, "correct")
        page.locator("dd:not([hidden])", has_text="Leeds").first.locator(".action").first.click()
        page.fill("#right", "bananas")
        delay.close_early(page.locator("#correct button"))
        delay.end()
        assert "has failed: nothing about “location” was understood" in page.inner_text("#late")
        [complaint] = screen.complaints
        assert "409" in complaint
        screen.complaints.clear()


def test_merging_names_shows_whom_it_makes_one_and_is_done_by_keyboard(copied: Path, browser: Browser) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        _choose(page, "Maya", "Ruben")
        page.focus("#merge button")
        page.keyboard.press("Enter")
        page.get_by_text("They would be one person").wait_for(timeout=PATIENCE)
        shown = page.inner_text("#outcome").splitlines()
        assert shown[0].startswith("Maya · you · 4 messages") and shown[1].startswith("Ruben · ")
        assert page.inner_text("#dialog-title") == "Two names of one person"
        assert len(Shell(copied).json("people")["people"]) == len(page.locator("#people .person").all())
        page.keyboard.press("Escape")
        assert page.locator(".split").count() == 0, "nothing is merged yet"
        page.click("#merge button")
        page.get_by_text("They would be one person").wait_for(timeout=PATIENCE)
        page.keyboard.press("Enter")  # on the button that has the focus
        page.locator("#outcome", has_text="Maya is also Ruben now").wait_for(timeout=PATIENCE)
        assert page.evaluate("document.activeElement.dataset.action") == "close"
        assert not page.locator("[data-action=merge]").is_visible()
        with page.expect_navigation(timeout=PATIENCE):
            page.keyboard.press("Enter")
        assert page.locator(".split").count() == 1


def test_names_that_cannot_be_merged_are_refused_by_an_alert_before_anything_is_merged(
    copied: Path, browser: Browser
) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        _choose(page, "Ruben", "Ruben")
        page.click("#merge button")
        page.get_by_role("alert").filter(has_text="are one person already").wait_for(timeout=PATIENCE)
        assert page.inner_text("#outcome") == ""
        assert not page.locator("[data-action=merge]").is_visible()
        assert "409" in screen.complaints.pop()


def test_what_is_no_page_says_why_in_words_and_not_in_json(filled: Shell, browser: Browser) -> None:
    with serving(filled.db) as server:
        page = browser.new_page()
        page.goto(f"{server.origin}/guessed/")
        assert page.get_by_role("alert").inner_text() == "open the whole address that evermem printed"
        assert "{" not in page.inner_text("body")
        assert page.evaluate("getComputedStyle(document.body).fontFamily") != ""
        page.close()


class FaultyBackend(PageBackend):
    """A page with a bug."""

    def page(self) -> str:
        raise KeyError("words of a chat")


def test_a_bug_is_told_without_its_words_and_its_traceback_is_shown(
    filled: Shell, capfd: pytest.CaptureFixture[str]
) -> None:
    owner, over = Session.open(db=filled.db), threading.Event()
    with Server(FaultyBackend(owner, owner.without_private()), 0) as server:
        thread = threading.Thread(target=server.run, args=(60.0, over.is_set))
        thread.start()
        client = http.client.HTTPConnection("127.0.0.1", int(server.server_address[1]))
        client.request("GET", f"/{server.desk.token}/")
        reply = client.getresponse()
        assert (reply.status, b"words of a chat" in reply.read()) == (500, False)
        client.close()
        over.set()
        thread.join()
    assert "KeyError: 'words of a chat'" in capfd.readouterr().err


def test_a_memory_that_cannot_be_read_is_told_where_the_page_would_be(copied: Path, browser: Browser) -> None:
    with serving(copied) as server:
        copied.write_text("no memory")
        page = browser.new_page()
        page.goto(server.address)
        assert "not a usable DuckDB file" in page.get_by_role("alert").inner_text()
        page.close()


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (500, "<html>Bad gateway</html>", "evermem gave no answer that this page can read."),
        (409, '{"error": "another program holds the memory"}', "another program holds the memory"),
    ],
)
def test_an_answer_that_fails_is_told_by_an_alert_beside_the_question(
    status: int, body: str, told: str, copied: Path, browser: Browser
) -> None:
    with serving(copied) as server, opened(browser, server.address) as screen:
        page = screen.page
        page.route("**/ask", lambda route: route.fulfill(status=status, body=body))
        page.fill("#question", "Where did I move?")
        page.keyboard.press("Enter")
        page.locator("#unasked", has_text=told).wait_for(timeout=PATIENCE)
        assert page.get_by_role("alert").filter(has_text=told).count() == 1
        assert page.inner_text("#asking") == ""
        assert str(status) in screen.complaints.pop()


def test_the_command_line_loads_no_templates_for_other_commands() -> None:
    code = "import sys, evermem_cli.cli.main; print({'jinja2', 'http.server'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def _asked(server: Server, method: str, path: str, body: bytes = b"", **headers: str) -> int:
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=60)  # type: ignore[arg-type]
    connection.request(method, path, body or None, headers)
    reply = connection.getresponse()
    if method == "POST":
        json.loads(reply.read())
    connection.close()
    return reply.status


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2 between two colours as "#rrggbb" or "#rgb"."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(each * 2 for each in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
