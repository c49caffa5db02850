"use strict";
// What changes memory: each is posted to the server that the page came from, under the token in its address.
(() => {
  const find = (id) => document.getElementById(id);
  const dialog = find("dialog");
  const READS = new Set(["look", "preview", "preview_merge"]);
  const CHANGE = find("dialog-title").textContent;
  let opening = null;  // of the dialog: the memory whose choices it shows, if any. A reply is shown in its own opening alone
  let unanswered = 0;  // requests of the dialog, also of openings that are over
  let stale = false;  // whether memory has changed since the page was written

  async function post(name, request) {
    let response;
    try {
      response = await fetch(name, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) });
    } catch {
      throw new Error("evermem has stopped: run evermem view --serve again.");
    }
    let reply;
    try {
      reply = await response.json();
    } catch {
      throw new Error("evermem gave no answer that this page can read.");
    }
    if (reply.error) throw new Error(reply.error);
    return reply;
  }

  // Loads the page again where it is stale, but not under an open dialog nor before every change has been made.
  function refresh() {
    if (stale && !unanswered && !dialog.open) location.reload();
  }

  // What the server says of the memory; nothing where it is gone, so that nothing more can be done with it.
  function describe(memory) {
    find("known").textContent = memory?.text ?? "";
    find("status").textContent = memory?.status ?? "";
    find("correct").hidden = !memory?.corrects;
    find("asked").textContent = memory?.corrects ?? "";
    find("stored").hidden = !memory?.stored;
    find("faded").hidden = !memory?.faded;
  }

  function start(id = null, names = null) {
    opening = { id, names };
    find("dialog-title").textContent = names ? "Two names of one person" : CHANGE;
    find("choices").hidden = id === null;
    find("right").value = "";
    describe(null);
    dialog.showModal();
  }

  // Shows the reply if the opening that asked is still there. A change that fails later is told on the page.
  async function send(name, request, show) {
    const asking = opening;
    find("outcome").textContent = name === "look" ? "" : "…";
    find("fault").textContent = "";
    find("sure").hidden = true;
    find("same").hidden = true;
    unanswered += 1;
    try {
      const reply = await post(name, request);
      stale ||= Boolean(reply.changed);
      if (asking === opening) show(reply);
    } catch (problem) {
      if (asking === opening) {
        find("outcome").textContent = "";
        find("fault").textContent = problem.message;
      } else if (!READS.has(name)) find("late").textContent = `A change that you sent has failed: ${problem.message}`;
    }
    unanswered -= 1;
    refresh();
  }

  function look(id) {
    start(id);
    send("look", { id }, (memory) => {
      describe(memory);
      if (memory.corrects) find("right").focus();
      else if (memory.stored) find("tier").focus();
    });
  }

  function act(name, extra = {}) {
    send(name, { id: opening.id, ...extra }, (reply) => {
      find("outcome").textContent = reply.told;
      find("sure").hidden = !reply.some;
      if (reply.known !== undefined) describe(reply.known);
      if (reply.known === null) dialog.querySelector("[data-action=close]").focus();
    });
  }

  function split(name) {
    start();
    send("split", { name }, (reply) => { find("outcome").textContent = reply.told; });
  }

  // Shows what merging two names would do; the button that then appears merges them.
  function previewMerge(names) {
    start(null, names);
    send("preview_merge", names, (reply) => {
      find("outcome").textContent = reply.told;
      find("same").hidden = false;
      find("same").querySelector("button").focus();
    });
  }

  function merge() {
    send("merge", opening.names, (reply) => {
      find("outcome").textContent = reply.told;
      dialog.querySelector("[data-action=close]").focus();
    });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const action = button?.dataset.action;
    if (button?.matches(".action")) look(button.dataset.id);
    else if (action === "close") dialog.close();
    else if (action === "merge") merge();
    else if (action) act(action, action === "privacy" ? { tier: find("tier").value } : {});
    else if (button?.matches(".split")) split(button.dataset.name);
  });
  dialog.addEventListener("close", () => {  // which comes a moment after the closing
    if (!dialog.open) opening = null;
    refresh();
  });

  find("correct").addEventListener("submit", (event) => {
    event.preventDefault();
    act("correct", { text: find("right").value });
  });

  find("merge")?.addEventListener("submit", (event) => {
    event.preventDefault();
    previewMerge({ one: find("one").value, other: find("other").value });
  });

  find("ask").addEventListener("submit", async (event) => {
    event.preventDefault();
    find("asking").textContent = "Looking…";
    find("unasked").textContent = "";
    try {
      const reply = await post("ask", { question: find("question").value, light: find("light").checked });
      const piece = document.createElement("template");
      piece.innerHTML = reply.html;  // written by the server, which escapes every text in it
      find("replies").prepend(piece.content);
      find("asking").textContent = "";
    } catch (problem) {
      find("asking").textContent = "";
      find("unasked").textContent = problem.message;
    }
  });
})();
