"use strict";
// The page is whole without this: it adds the day, the chart and the calendar. Texts are only ever set as text.
(() => {
  const DAY = 86400000;
  const find = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const number = (date) => Math.round(Date.parse(date + "T00:00:00Z") / DAY);
  const date = (count) => new Date(count * DAY).toISOString().slice(0, 10);
  const told = (count, how) => new Date(count * DAY).toLocaleDateString("en-GB", { timeZone: "UTC", ...how });
  const words = (count) => told(count, { day: "numeric", month: "short", year: "numeric" });
  const { first, today, last } = document.body.dataset;
  const [begin, now, end] = [first, today, last].map(number);
  const [leftmost, rightmost] = document.body.dataset.scale.split(" ").map(number);  // of the slider: without far outliers
  const watchers = [];
  let chosen = now;

  // ---- the day, which profile, people, chart and calendar follow
  const slider = find("day");
  const held = all(".held");
  const turns = [...new Set(held.flatMap((each) => [each.dataset.from, each.dataset.until]))]
    .filter((each) => each && number(each) >= begin && number(each) <= end).map(number).sort((a, b) => a - b);

  function choose(day) {
    chosen = Math.min(Math.max(day, begin), end);
    slider.value = chosen - leftmost;  // which stays within the slider
    slider.setAttribute("aria-valuetext", words(chosen));
    find("shown").textContent = words(chosen);
    const iso = date(chosen);
    for (const each of held) {
      const { from, until } = each.dataset;
      each.toggleAttribute("hidden", (from && from > iso) || (until && until <= iso));
    }
    for (const group of all(".attribute")) group.hidden = !group.querySelector("dd:not([hidden])");
    for (const profile of all(".profile"))
      profile.querySelector(".nothing").hidden = Boolean(profile.querySelector(".attribute:not([hidden])"));
    for (const watch of watchers) watch();
  }

  slider.max = rightmost - leftmost;
  slider.addEventListener("input", () => choose(leftmost + Number(slider.value)));
  find("earlier").addEventListener("click", () => choose(turns.findLast((each) => each < chosen) ?? begin));
  find("later").addEventListener("click", () => choose(turns.find((each) => each > chosen) ?? end));
  find("clock").hidden = begin === end;

  // ---- whose profile
  const who = find("who");
  if (who) {
    const show = () => all(".profile").forEach((each) => { each.hidden = each.dataset.person !== who.value; });
    who.addEventListener("change", show);
    find("whose").hidden = false;
    show();
  }

  // ---- the chart
  const bars = find("bars");
  if (bars) {
    const days = Object.entries(JSON.parse(find("days").textContent)).map(([day, count]) => [number(day), count]);
    const entries = all(".entry").map((each) => [number(each.dataset.day), each.dataset.kind, each]);
    const [oldest, newest] = [find("chart").dataset.first, find("chart").dataset.last].map(number);
    const stepOf = (length) => [1, 7, 14, 30, 90, 365].find((size) => (size / length) * (bars.clientWidth || 300) >= 5) ?? 730;
    const margin = Math.max(stepOf(newest - oldest + 1), 3);  // so that the first and the last bar are whole
    const whole = [oldest - margin, newest + 1 + margin];
    const HEIGHT = 176, FLOOR = 128, LANE = { event: 140, change: 152 };
    const FEWEST = 7;  // days
    const NOTCH = 100, LINE = 30;  // pixels of a wheel that double the days, and of a line
    let [left, length] = [whole[0], whole[1] - whole[0]];  // what is seen, to a part of a day
    let [from, to] = whole;

    const shape = (name, attributes, text) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      if (text) made.textContent = text;
      bars.append(made);
    };

    function draw() {
      const width = bars.clientWidth || 300;
      const at = (day) => ((day - from) / (to - from)) * width;
      const step = stepOf(to - from);
      const bins = new Map();
      for (const [day, count] of days)
        if (day >= from && day < to) {
          const bin = Math.floor(day / step) * step;
          bins.set(bin, (bins.get(bin) ?? 0) + count);
        }
      const most = [...bins.values()].reduce((a, b) => Math.max(a, b), 1);
      bars.replaceChildren();
      bars.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
      shape("line", { class: "axis", x1: 0, x2: width, y1: FLOOR, y2: FLOOR });
      for (const [bin, count] of bins) {
        const high = Math.max(2, (count / most) * (FLOOR - 16));
        shape("rect", { class: "bar", x: at(bin) + 0.5, y: FLOOR - high, width: Math.max(1.5, at(bin + step) - at(bin) - 1), height: high });
      }
      const drawn = new Set();  // one dot a place: a long life has thousands
      for (const [day, kind] of entries)
        if (day >= from && day < to) {
          const x = Math.round(at(day + 0.5) / 4) * 4;
          if (!drawn.has(kind + x)) shape("circle", { class: kind, cx: x, cy: LANE[kind], r: 3.5 });
          drawn.add(kind + x);
        }
      if (chosen >= from && chosen < to) shape("line", { class: "now", x1: at(chosen + 0.5), x2: at(chosen + 0.5), y1: 0, y2: 158 });
      const ticks = Math.max(2, Math.floor(width / 130));
      const how = to - from > 900 ? { month: "short", year: "numeric" } : { day: "numeric", month: "short", year: "2-digit" };
      for (let tick = 0; tick < ticks; tick++) {
        const day = Math.round(from + ((to - from) * (tick + 0.5)) / ticks);
        shape("text", { x: at(day), y: 172, "text-anchor": "middle" }, told(day, how));
      }
      shape("text", { x: 4, y: 12 }, `${most} a ${{ 1: "day", 7: "week", 14: "fortnight", 30: "month", 90: "quarter", 365: "year" }[step] ?? "two years"}`);
    }

    function look(first, days) {
      length = Math.min(Math.max(days, FEWEST), whole[1] - whole[0]);
      left = Math.min(Math.max(first, whole[0]), whole[1] - length);
      [from, to] = [Math.round(left), Math.round(left + length)];
      let shown = 0;
      const isWhole = length >= whole[1] - whole[0];  // then the list has what lies outside of the chart, too
      for (const [day, , each] of entries) {
        each.hidden = !isWhole && (day < from || day >= to);
        shown += each.hidden ? 0 : 1;
      }
      find("span").textContent = `${words(from)} to ${words(to - 1)}`;
      if (find("within")) find("within").textContent = `${shown} of ${entries.length} entries in these days`;
      draw();
    }

    // Zooms about a place of the chart, a share of its width, whose day stays where it is.
    function zoom(factor, share = 0.5) {
      const days = Math.min(Math.max(length * factor, FEWEST), whole[1] - whole[0]);
      look(left + share * (length - days), days);
    }

    const moves = {
      in: () => zoom(1 / 2),
      out: () => zoom(2),
      left: () => look(left - length / 4, length),
      right: () => look(left + length / 4, length),
      all: () => look(whole[0], whole[1] - whole[0]),
    };
    const keys = { "+": "in", "=": "in", "-": "out", ArrowLeft: "left", ArrowRight: "right", Home: "all", 0: "all" };
    for (const button of all("[data-zoom]")) button.addEventListener("click", moves[button.dataset.zoom]);
    bars.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
      event.preventDefault();
      moves[keys[event.key]]();
    });

    const width = () => bars.clientWidth || 300;
    const place = (event) => event.clientX - bars.getBoundingClientRect().left;
    bars.addEventListener("wheel", (event) => {  // a pinch on a touchpad is a wheel with Ctrl
      const unit = event.deltaMode ? LINE : 1;
      const sideways = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) zoom(2 ** Math.min(Math.max((event.deltaY * unit) / NOTCH, -1), 1), place(event) / width());
      else if (event.shiftKey || Math.abs(sideways) > Math.abs(event.deltaY)) look(left + (sideways * unit * length) / width(), length);
      else return;  // the page scrolls
      event.preventDefault();
    }, { passive: false });

    const fingers = new Map();  // where each pointer on the chart is, by its id
    const middle = (places) => places.reduce((a, b) => a + b, 0) / places.length;
    const spread = (places) => (places.length > 1 ? Math.max(Math.abs(places[0] - places[1]), 8) : 8);
    let grip;
    let taps = false;
    function grab() {
      grip = { places: [...fingers.values()], left, length };
    }
    bars.addEventListener("pointerdown", (event) => {
      bars.setPointerCapture(event.pointerId);
      taps = fingers.size === 0;
      fingers.set(event.pointerId, place(event));
      grab();
    });
    bars.addEventListener("pointermove", (event) => {
      if (!fingers.has(event.pointerId)) return;
      fingers.set(event.pointerId, place(event));
      const places = [...fingers.values()];
      taps &&= Math.abs(places[0] - grip.places[0]) < 4;
      if (taps) return;
      const days = Math.min(Math.max((grip.length * spread(grip.places)) / spread(places), FEWEST), whole[1] - whole[0]);
      look(grip.left + (middle(grip.places) * grip.length - middle(places) * days) / width(), days);
    });
    for (const ending of ["pointerup", "pointercancel"])
      bars.addEventListener(ending, (event) => {
        if (taps && ending === "pointerup") choose(Math.floor(from + (place(event) / width()) * (to - from)));
        taps = false;
        fingers.delete(event.pointerId);
        grab();
      });
    find("chart").hidden = false;
    moves.all();
    watchers.push(draw);
    new ResizeObserver(draw).observe(bars);
  }

  // ---- the calendar
  const weeks = find("weeks");
  if (weeks) {
    const items = all("#foresights > li").map((each) => ({
      each, text: each.querySelector(".text").textContent, tongue: each.querySelector(".text").lang, from: each.dataset.from, to: each.dataset.to,
    }));
    const short = (item) => item.to && number(item.to) - number(item.from) <= 31;
    const on = (item, iso) => item.from <= iso && (!item.to || item.to >= iso);
    const begins = (item, iso) => item.from === iso || (short(item) && on(item, iso));  // what goes on is told once

    function cell(day) {
      const made = document.createElement("td");
      const iso = date(day);
      const found = items.filter((item) => begins(item, iso));
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = String(Number(iso.slice(8)));
      button.setAttribute("aria-label", `${words(day)}: ${found.length} expected`);
      button.setAttribute("aria-pressed", String(day === chosen));
      button.dataset.day = day;
      made.append(button);
      made.classList.toggle("chosen", day === chosen);
      for (const item of found.slice(0, 2)) {
        const line = document.createElement("small");
        line.className = "title";
        line.textContent = item.text;
        line.lang = item.tongue;
        line.dir = "auto";
        made.append(line);
      }
      const rest = document.createElement("small");
      if (found.length > 2) rest.textContent = `and ${found.length - 2} more`;
      rest.className = "title";
      const count = document.createElement("small");
      count.className = "count";
      count.textContent = found.length ? `● ${found.length}` : "";
      made.append(rest, count);
      return made;
    }

    function fill() {
      const month = date(chosen).slice(0, 7);
      find("month").textContent = told(chosen, { month: "long", year: "numeric" });
      const start = number(month + "-01");
      const monday = start - ((new Date(start * DAY).getUTCDay() + 6) % 7);
      const focused = weeks.contains(document.activeElement);
      weeks.replaceChildren();
      for (let week = monday; week === monday || date(week).slice(0, 7) === month; week += 7) {
        const row = weeks.insertRow();
        for (let day = week; day < week + 7; day++)
          row.append(date(day).slice(0, 7) === month ? cell(day) : document.createElement("td"));
      }
      if (focused) weeks.querySelector(".chosen button")?.focus();
      const iso = date(chosen);
      const holding = items.filter((item) => { item.each.hidden = !on(item, iso); return on(item, iso); });
      find("on").textContent = holding.length
        ? `Expected or under way on ${words(chosen)}: ${holding.length} of ${items.length}`
        : `Nothing is expected on ${words(chosen)}; memory holds ${items.length} for other days.`;
    }

    weeks.addEventListener("click", (event) => {
      const button = event.target.closest("td")?.querySelector("button");
      if (button) choose(Number(button.dataset.day));
    });
    weeks.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
      if (!step) return;
      event.preventDefault();
      choose(Number(event.target.dataset.day) + step);
      weeks.querySelector(".chosen button")?.focus();
    });
    for (const button of all("[data-month]"))
      button.addEventListener("click", () => {
        const moved = new Date(chosen * DAY);
        moved.setUTCDate(1);
        moved.setUTCMonth(moved.getUTCMonth() + Number(button.dataset.month));
        choose(Math.round(moved / DAY));
      });
    const starts = [...new Set(items.map((item) => number(item.from)))].sort((a, b) => a - b);
    const jumps = {
      "-1": () => starts.findLast((day) => day < chosen) ?? chosen,
      1: () => starts.find((day) => day > chosen) ?? chosen,
    };
    for (const button of all("[data-jump]")) button.addEventListener("click", () => choose(jumps[button.dataset.jump]()));
    find("calendar").hidden = false;
    watchers.push(fill);
  }

  choose(now);
})();
