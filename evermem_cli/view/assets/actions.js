"use strict";
// What changes memory: each is posted to the server that the page came from, under the token in its address.
(() => {
  const find = (id) => document.getElementById(id);
  const dialog = find("dialog");
  let id = "";
  let changed = false;

  async function post(name, request) {
    let reply;
    try {
      reply = await fetch(name, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) });
    } catch {
      throw new Error("evermem has stopped: run evermem view --serve again.");
    }
    const told = await reply.json();
    if (told.error) throw new Error(told.error);
    return told;
  }

  function again() {
    changed = false;
    location.reload();
  }

  // What the server says of the memory; nothing where it is gone, so that nothing more can be done with it.
  function describe(told) {
    find("known").textContent = told?.text ?? "";
    find("status").textContent = told?.status ?? "";
    find("correct").hidden = !told?.corrects;
    find("asked").textContent = told?.corrects ?? "";
    find("stored").hidden = !told?.stored;
    find("faded").hidden = !told?.faded;
  }

  async function open(button) {
    id = button.dataset.id;
    find("outcome").textContent = "";
    find("sure").hidden = true;
    find("right").value = "";
    describe(null);
    dialog.showModal();
    try {
      const told = await post("look", { id });
      describe(told);
      if (told.corrects) find("right").focus();
      else if (told.stored) find("tier").focus();
    } catch (problem) {
      find("outcome").textContent = problem.message;
    }
  }

  async function act(name, extra = {}) {
    if (name === "close") return dialog.close();
    find("outcome").textContent = "…";
    find("sure").hidden = true;
    try {
      const told = await post(name, { id, ...extra });
      find("outcome").textContent = told.told;
      find("sure").hidden = !told.some;
      changed ||= told.changed;
      if (told.known !== undefined) describe(told.known);
      if (told.known === null) dialog.querySelector("[data-action=close]").focus();
    } catch (problem) {
      find("outcome").textContent = problem.message;
    }
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.matches(".action")) open(button);
    else if (button?.dataset.action) act(button.dataset.action, button.dataset.action === "privacy" ? { tier: find("tier").value } : {});
    else if (button?.matches(".split")) join("split", { name: button.dataset.name });
  });
  dialog.addEventListener("close", () => { if (changed) again(); });

  async function join(name, request) {
    dialog.showModal();
    find("choices").hidden = true;
    find("sure").hidden = true;
    describe(null);
    find("outcome").textContent = "…";
    try {
      const told = await post(name, request);
      find("outcome").textContent = told.told;
      changed = told.changed;
    } catch (problem) {
      find("outcome").textContent = problem.message;
    }
    dialog.addEventListener("close", () => { find("choices").hidden = false; }, { once: true });
  }

  find("correct").addEventListener("submit", (event) => {
    event.preventDefault();
    act("correct", { text: find("right").value });
  });

  find("merge")?.addEventListener("submit", (event) => {
    event.preventDefault();
    join("merge", { one: find("one").value, other: find("other").value });
  });

  find("ask").addEventListener("submit", async (event) => {
    event.preventDefault();
    find("asking").textContent = "Looking…";
    try {
      const told = await post("ask", { question: find("question").value, light: find("light").checked });
      const piece = document.createElement("template");
      piece.innerHTML = told.html;  // written by the server, which escapes every text in it
      find("replies").prepend(piece.content);
      find("asking").textContent = "";
    } catch (problem) {
      find("asking").textContent = problem.message;
    }
  });
})();
