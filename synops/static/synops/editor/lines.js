/* The list below the text: ✓ or ✗ per line, what it compiles to, what is wrong, and what to write instead. */
import { button, config, element, filled, state, texts } from "./page.js";
import { changes } from "./places.js";
import { ask } from "./server.js";
import { view } from "./text.js";

export const MAX_FIXES = 3;

export function lineItems(record) {
  const numbers = new Set([...record.lines.map((one) => one.line), ...record.diagnostics.map((one) => one.range.start.line)]);
  return [...numbers].sort((a, b) => a - b).map((number) => lineItem(record, number));
}

function lineItem(record, number) {
  const line = record.lines.find((one) => one.line === number);
  const wrong = record.diagnostics.filter((one) => one.range.start.line === number);
  const failed = wrong.some((one) => one.severity === "error");
  const item = element("li", failed ? "line-error" : wrong.length ? "line-warning" : "line-ok");
  const head = element("p");
  head.append(element("span", "mark", failed ? "✗" : wrong.length ? "!" : "✓"), " ", filled(texts.line, { line: number }));
  if (line) head.append(": ", element("span", "said", line.text));
  item.append(head);
  if (line?.chosen && !failed) item.append(element("p", "chosen", `→ ${line.chosen}`));
  for (const one of wrong) item.append(complaint(one, line));
  return item;
}

function complaint(one, line) {
  const part = element("div", "complaint");
  part.append(element("p", "", `${one.message} – ${one.help} (${one.code})`));
  const buttons = element("p", "fixes");
  for (const fix of one.suggestions.filter((each) => each.edits.length).slice(0, MAX_FIXES)) {
    buttons.append(button(fix.label, () => {
      if (view.state.doc.toString() !== state.checked) return;
      view.dispatch({ changes: changes(view.state.doc, fix.edits), userEvent: "input.fix" });
      view.focus();
    }));
  }
  if (["ORK-301", "ORK-701"].includes(one.code)) buttons.append(button(texts.want, (event) => want(event.target, line?.text ?? one.message)));
  if (buttons.childNodes.length) part.append(buttons);
  for (const note of one.notes) part.append(element("p", "note", note));
  return part;
}

export async function want(pressed, phrase) {
  if (!config.recipe) {
    pressed.replaceWith(element("span", "note", texts.save_first));
    return;
  }
  try {
    await ask("want", { recipe_id: config.recipe, phrase });
    pressed.replaceWith(element("span", "note", texts.wanted));
  } catch (error) {
    pressed.replaceWith(element("span", "note", error.message));
  }
}
