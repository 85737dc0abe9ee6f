/* Checks the text while it is written: markers in it, the list below it, one sentence for all. */
import { $, filled, isScript, state, texts } from "./page.js";
import { project } from "./header.js";
import { MAX_FIXES, lineItems } from "./lines.js";
import { changes, range } from "./places.js";
import { Unanswered, ask } from "./server.js";
import { showView } from "./views.js";

export const CHECK_AFTER_MS = 250;

export async function check(view) {
  const text = view.state.doc.toString();
  if (!isScript()) return [];
  if (!text.trim()) {
    show(null);
    return [];
  }
  try {
    const record = await ask("check", { text, layer: "auto" });
    if (view.state.doc.toString() !== text) return []; // typed on meanwhile: another check is on its way
    if (saysNothing(record)) {
      show(null);
      return [];
    }
    show(record, text);
    return record.diagnostics.map((item) => diagnostic(view, item));
  } catch (error) {
    say(error instanceof Unanswered ? error.message : texts.away, "away");
    return [];
  }
}

/* Nothing but comments: whoever begins with one has made no mistake yet. Saved, it is an incomplete draft all the same. */
function saysNothing(record) {
  return !record.lines.length && record.diagnostics.every((one) => one.code === "ORK-201");
}

function diagnostic(view, item) {
  const actions = item.suggestions.filter((one) => one.edits.length).slice(0, MAX_FIXES).map((one) => ({
    name: one.label,
    apply: (target) => target.dispatch({ changes: changes(target.state.doc, one.edits), userEvent: "input.fix" }),
  }));
  return {
    ...range(view.state.doc, item.range),
    severity: item.severity,
    source: item.code,
    message: `${item.message} – ${item.help}`,
    actions,
  };
}

function say(text, kind) {
  const verdict = $("editor-verdict");
  verdict.dataset.kind = kind;
  if (verdict.textContent !== text) verdict.textContent = text;
}

export function show(record, text = "") {
  state.record = record;
  state.checked = text;
  const lines = $("editor-lines");
  lines.replaceChildren(...(record ? lineItems(record) : []));
  if (!record) {
    say(texts.empty, "empty");
  } else {
    const errors = record.diagnostics.filter((one) => one.severity === "error").length + record.more;
    const said = errors === 0 ? texts.clean : errors === 1 ? texts.one_error : filled(texts.errors, { count: errors });
    say(said, errors ? "errors" : "clean");
    if (errors === 0) state.layer = record.layer;
  }
  project(record);
  showView();
}
