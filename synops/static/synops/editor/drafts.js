/* Mode, and drafts: free text becomes a script that a person approves or adjusts. */
import { forceLinting } from "../vendor/codemirror/codemirror.js";
import { $, button, element, filled, form, isScript, mode, state, texts } from "./page.js";
import { want } from "./lines.js";
import { ask } from "./server.js";
import { view, write } from "./text.js";
import { choose } from "./views.js";

export function showMode() {
  const script = isScript();
  for (const part of document.querySelectorAll(".for-wishes")) part.hidden = script;
  for (const id of ["editor-lines", "editor-verdict"]) $(id).hidden = !script;
  document.querySelector(".editor-tabs").hidden = !script;
  for (const list of [$("editor-event"), $("editor-condition")]) list.closest("label").hidden = !script;
  if (!script) choose(state.layer === "technical" ? "technical" : "human");
  forceLinting(view);
}

mode.addEventListener("change", showMode);

$("draft-now").addEventListener("click", async (event) => {
  const result = $("draft-result");
  const wish = view.state.doc.toString();
  event.target.disabled = true;
  $("draft-notes").textContent = texts.drafting;
  result.hidden = false;
  try {
    const level = (name) => Number(form.elements[name].value);
    const draft = await ask("draft", { text: wish, executor: mode.value, intelligence: level("intelligence"), effort: level("effort") });
    showDraft(draft, wish);
  } catch (error) {
    $("draft-notes").textContent = error.message;
  } finally {
    event.target.disabled = false;
  }
});

function showDraft(draft, wish) {
  $("draft-text").textContent = draft.text;
  const names = { tools: texts.check_tools, variables: texts.check_variables, syntax: texts.check_syntax };
  $("draft-checks").replaceChildren(...draft.checks.map((one) => {
    const item = element("li", one.ok ? "line-ok" : "line-error", `${one.ok ? "✓" : "✗"} ${names[one.name]}`);
    for (const problem of one.problems) item.append(element("p", "note", problem));
    return item;
  }));
  const notes = [draft.advice, draft.failure && filled(texts.failed, { why: draft.failure })];
  if (draft.by === "model") notes.push(filled(texts.by_model, { model: draft.model, rounds: draft.rounds }));
  if (draft.not_understood.length) notes.push(filled(texts.not_understood, { what: draft.not_understood.join(" · ") }));
  if (draft.missing.length) notes.push(filled(texts.missing, { what: draft.missing.map((one) => one.tool || one.phrase).join(" · ") }));
  $("draft-notes").textContent = notes.filter(Boolean).join(" ");
  $("draft-approve").hidden = !draft.compiles;
  offerWhatExists(draft);
  $("draft-approve").onclick = () => take(draft, wish);
  $("draft-adjust").onclick = () => {
    take(draft, wish);
    $("draft-result").hidden = true;
    view.focus();
  };
}

/* Dream mode: what is missing can be asked for, and what there is can be run once, by hand. Neither happens unasked. */
function offerWhatExists(draft) {
  const what = draft.missing.map((one) => one.phrase || one.tool);
  $("draft-missing").replaceChildren(...what.map((phrase) => button(`${texts.want}: ${phrase}`, (event) => want(event.target, phrase))));
  const run = $("draft-run");
  if (!run) return;
  run.hidden = draft.compiles || !draft.missing.length;
  run.value = draft.text;
}

function take(draft, wish) {
  form.elements.wish.value = wish;
  mode.value = "script";
  state.layer = "human";
  write(draft.text);
  showMode();
}
