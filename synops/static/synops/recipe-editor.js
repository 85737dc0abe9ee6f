/* The recipe editor: the form's text area becomes CodeMirror, with diagnostics, completion, views and trials.
 *
 * The text area stays the form's field and always holds the text, so that saving works whatever happens here. Everything
 * that the server says is put in as text, never as markup. It lives in a shadow root, whose styles the page's policy
 * allows. Places come as line and UTF-16 column: CodeMirror joins lines with one character, forms with two.
 */
import {
  EditorState, EditorView, StreamLanguage, HighlightStyle, autocompletion, completionKeymap, defaultKeymap, drawSelection,
  forceLinting, highlightActiveLine, highlightSpecialChars, history, historyKeymap, hoverTooltip, keymap, lineNumbers,
  lintGutter, lintKeymap, linter, syntaxHighlighting, tags, Compartment,
} from "./vendor/codemirror/codemirror.js";

const config = JSON.parse(document.getElementById("editor-config").textContent);
const texts = config.texts;
const CHECK_AFTER_MS = 300;
const MAX_FIXES = 3;

const $ = (id) => document.getElementById(id);
const area = $("id_content");
const form = area.form;
const mode = $("id_executor");
const state = { record: null, checked: "", tab: "human", layer: config.layer, dirty: false, leaving: false };

function filled(template, values) {
  return template.replace(/%\((\w+)\)s/g, (_, name) => values[name] ?? "");
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/* The server */

class Unanswered extends Error {}

async function ask(question, body) {
  let response;
  try {
    response = await fetch(config.urls[question], {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
      body: JSON.stringify({ language: config.language, ...body }),
      redirect: "manual",
    });
  } catch {
    throw new Unanswered(texts.away);
  }
  if (response.type === "opaqueredirect" || response.status === 403) throw new Unanswered(texts.signed_out);
  const answer = await response.json().catch(() => null);
  if (answer === null) throw new Unanswered(texts.away);
  if (!response.ok) throw new Unanswered(answer.error ?? texts.away);
  return answer;
}

/* Places */

function offset(doc, place) {
  const line = doc.line(Math.min(Math.max(place.line, 1), doc.lines));
  return Math.min(line.from + place.col16, line.to);
}

function range(doc, span) {
  const from = offset(doc, span.start);
  const to = Math.max(offset(doc, span.end), from);
  if (from < to) return { from, to };
  return { from: Math.max(from - 1, doc.lineAt(from).from), to: from };
}

function changes(doc, edits) {
  return edits.map((edit) => ({ from: offset(doc, edit.range.start), to: offset(doc, edit.range.end), insert: edit.text }));
}

/* Checking */

const isScript = () => mode.value === "script";

async function check(view) {
  const text = view.state.doc.toString();
  if (!isScript()) return [];
  if (!text.trim()) {
    show(null);
    return [];
  }
  try {
    const record = await ask("check", { text, layer: "auto" });
    if (view.state.doc.toString() !== text) return []; // typed on meanwhile: another check is on its way
    show(record, text);
    return record.diagnostics.map((item) => diagnostic(view, item));
  } catch (error) {
    say(error instanceof Unanswered ? error.message : texts.away, "away");
    return [];
  }
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

function show(record, text = "") {
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

function lineItems(record) {
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

function button(text, act) {
  const made = element("button", "button quiet", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

async function want(pressed, phrase) {
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

/* The text */

const KEYWORDS = /^(?:NÅR|HVIS|VISS|OG|ELLER|IKKE|IKKJE|UTEN|UTAN|WHEN|IF|AND|OR|NOT|UNLESS|VED_FEIL|ved feil|on failure|on error)(?![\p{L}\p{M}])/iu;
const language = StreamLanguage.define({
  name: "recipe",
  token(stream) {
    if (stream.sol() && stream.match(/^\s*(?:#|\/\/).*/)) return "comment";
    if (stream.sol() && stream.match(/^\s*[0-9]{1,3}\s*[.)]/)) return "number";
    if (stream.match(KEYWORDS)) return "keyword";
    if (stream.match(/^["“”„«»][^"“”„«»]*["“”„«»]?/)) return "string";
    if (stream.match(/^\{[^}]*\}?/)) return "variableName";
    if (stream.match(/^--[a-z-]+/)) return "propertyName";
    if (stream.match(/^[\p{L}\p{M}\d-]+/u)) return null;
    stream.next();
    return null;
  },
});
const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: tags.string, class: "tok-string" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.number, class: "tok-number" },
  { tag: tags.variableName, class: "tok-variable" },
  { tag: tags.propertyName, class: "tok-flag" },
]);
const look = EditorView.theme({
  "&": { backgroundColor: "var(--body-bg)", color: "var(--body-fg)", border: "1px solid var(--border-color)", borderRadius: "6px", fontSize: "0.9375rem" },
  "&.cm-focused": { outline: "2px solid var(--link-fg)", outlineOffset: "1px" },
  ".cm-content": { caretColor: "var(--body-fg)", minHeight: "14em", fontFamily: "ui-monospace, Menlo, Consolas, monospace" },
  ".cm-gutters": { backgroundColor: "var(--darkened-bg)", color: "var(--body-quiet-color)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--darkened-bg)" },
  ".cm-cursor": { borderLeftColor: "var(--body-fg)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--link-fg) 25%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--body-bg)", color: "var(--body-fg)", border: "1px solid var(--border-color)", maxWidth: "min(32rem, 90vw)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--link-fg)", color: "var(--body-bg)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.8" },
  ".cm-diagnosticAction": { backgroundColor: "var(--button-bg)", color: "var(--button-fg)", padding: "4px 10px", font: "inherit", cursor: "pointer" },
  ".cm-diagnostic": { fontFamily: "inherit" },
  ".tok-keyword": { color: "var(--link-fg)", fontWeight: "600" },
  ".tok-number": { color: "var(--body-quiet-color)" },
  ".tok-string": { color: "var(--recipe-string)" },
  ".tok-comment": { color: "var(--body-quiet-color)", fontStyle: "italic" },
  ".tok-variable": { color: "var(--recipe-variable)" },
  ".tok-flag": { color: "var(--recipe-variable)" },
});

const BEGINNING = /^\s*(?:[0-9]{1,3}\s*[.)]\s*|(?:ved[ _]feil|on failure|on error)\s*:?\s*|(?:NÅR|HVIS|VISS|WHEN|IF|OG|AND)\s+)/iu;

async function completions(context) {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  if (!isScript() || (!context.explicit && !/[\p{L}(]$/u.test(before))) return null;
  const begun = before.match(BEGINNING)?.[0].length ?? before.match(/^\s*/)[0].length;
  const inside = Math.max(before.lastIndexOf("("), before.lastIndexOf(","));
  const open = before.lastIndexOf("(") > before.lastIndexOf(")");
  const from = line.from + (open ? inside + 1 + before.slice(inside + 1).match(/^\s*/)[0].length : begun);
  try {
    const answer = await ask("complete", { text: context.state.doc.toString(), line: line.number, col: [...before].length });
    if (context.aborted) return null;
    return { from, options: answer.proposals.map((one) => ({ label: one.text, detail: one.detail })), validFor: /^[^\n(),]*$/ };
  } catch {
    return null;
  }
}

const hovers = hoverTooltip((target, pos) => {
  const line = target.state.doc.lineAt(pos);
  const said = target.state.doc.toString() === state.checked ? state.record?.hovers[line.number] : "";
  if (!said) return null;
  return {
    pos: line.from,
    end: line.to,
    create: () => {
      const dom = element("div", "recipe-hover");
      for (const part of said.split("\n\n")) dom.append(element("p", "", part.replace(/```\n?|\*\*/g, "").trim()));
      return { dom };
    },
  };
});

const editable = new Compartment();
const host = element("div", "editor-host");
area.before(host);
const root = host.attachShadow({ mode: "open" });
const view = new EditorView({
  root,
  parent: root,
  state: EditorState.create({
    doc: area.value,
    extensions: [
      lineNumbers(), history(), drawSelection(), highlightActiveLine(), highlightSpecialChars(), language, syntaxHighlighting(colours),
      look, linter(check, { delay: CHECK_AFTER_MS }), lintGutter(), autocompletion({ override: [completions] }), hovers,
      keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (form.requestSubmit(), true) }, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.lineWrapping, EditorView.contentAttributes.of({ "aria-label": texts.editor, spellcheck: "false", lang: config.language }),
      editable.of(EditorView.editable.of(true)),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        area.value = update.state.doc.toString();
        state.dirty = true;
      }),
    ],
  }),
});

function write(text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

/* Trigger and condition: the header as two lists */

const WHEN = /^\s*(?:NÅR|WHEN)(?![\p{L}])/iu;
const IF = /^\s*(?:HVIS|VISS|IF)(?![\p{L}])/iu;
const eventList = $("editor-event");
const conditionList = $("editor-condition");

for (const [phrase, meaning] of config.events) eventList.append(new Option(phrase, meaning));
for (const [phrase, meaning] of config.conditions) conditionList.append(new Option(phrase, meaning));

function lineOf(pattern) {
  for (let number = 1; number <= view.state.doc.lines; number++) {
    const line = view.state.doc.line(number);
    if (pattern.test(line.text)) return line;
  }
  return null;
}

function project(record) {
  const trigger = record?.trigger;
  if (!trigger) return;
  eventList.value = trigger.event;
  const plain = trigger.conditions.filter((one) => Object.keys(one).length === 1 && !("not" in one) && !("any" in one));
  const [name, value] = plain.length === 1 && trigger.conditions.length === 1 ? Object.entries(plain[0])[0] : ["", ""];
  const meaning = name ? `${name} ${value}` : "";
  conditionList.value = [...conditionList.options].some((one) => one.value === meaning) ? meaning : "";
}

function putLine(pattern, text, behind) {
  const old = lineOf(pattern);
  if (old) view.dispatch({ changes: { from: old.from, to: old.to, insert: text } });
  else {
    const at = behind ? behind.to : 0;
    view.dispatch({ changes: { from: at, insert: behind ? `\n${text}` : `${text}\n` } });
  }
}

eventList.addEventListener("change", () => {
  const phrase = eventList.selectedOptions[0].text;
  if (eventList.value) putLine(WHEN, `${config.keywords.when} ${phrase}`, null);
});

conditionList.addEventListener("change", () => {
  const old = lineOf(IF);
  if (!conditionList.value) {
    if (old) view.dispatch({ changes: { from: Math.max(old.from - 1, 0), to: old.to } });
    return;
  }
  const text = `${config.keywords.if} ${conditionList.selectedOptions[0].text}`;
  const several = (state.record?.trigger?.conditions.length ?? 0) > 1;
  if (several && old) view.dispatch({ changes: { from: old.to, insert: `\n${text}` } });
  else putLine(IF, text, lineOf(WHEN));
});

/* Views */

const TABS = ["human", "technical", "compiled"];

function showView() {
  const own = state.layer === "technical" ? "technical" : "human";
  const writing = state.tab === own;
  host.hidden = !writing;
  const pane = $("editor-view");
  pane.hidden = writing;
  $("write-here").hidden = writing || state.tab === "compiled" || !state.record?.ok;
  if (writing) return;
  const fresh = state.record?.ok;
  if (!fresh) pane.textContent = texts.not_yet;
  else pane.textContent = state.tab === "compiled" ? JSON.stringify(state.record.compiled, null, 2) : state.record.forms[state.tab];
}

function choose(tab, focus = false) {
  state.tab = tab;
  for (const name of TABS) {
    const each = $(`tab-${name}`);
    each.setAttribute("aria-selected", String(name === tab));
    each.tabIndex = name === tab ? 0 : -1;
    if (name === tab && focus) each.focus();
  }
  $("editor-pane").setAttribute("aria-labelledby", `tab-${tab}`);
  showView();
}

for (const [place, name] of TABS.entries()) {
  $(`tab-${name}`).addEventListener("click", () => choose(name));
  $(`tab-${name}`).addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const open = TABS.filter((each) => !$(`tab-${each}`).hidden);
    if (step) choose(open[(open.indexOf(TABS[place]) + step + open.length) % open.length], true);
  });
}

$("show-compiled").addEventListener("click", (event) => {
  $("tab-compiled").hidden = false;
  event.target.hidden = true;
  choose("compiled", true);
});

$("write-here").addEventListener("click", () => {
  if (!window.confirm(texts.switch)) return;
  const wanted = state.tab;
  write(state.record.forms[wanted]);
  state.layer = wanted;
  choose(wanted);
  view.focus();
});

/* Mode and drafts */

function showMode() {
  const script = isScript();
  for (const part of document.querySelectorAll(".for-wishes")) part.hidden = script;
  for (const id of ["editor-lines", "editor-verdict"]) $(id).hidden = !script;
  document.querySelector(".editor-tabs").hidden = !script;
  for (const list of [eventList, conditionList]) list.closest("label").hidden = !script;
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
  $("draft-approve").onclick = () => take(draft, wish);
  $("draft-adjust").onclick = () => {
    take(draft, wish);
    $("draft-result").hidden = true;
    view.focus();
  };
}

function take(draft, wish) {
  form.elements.wish.value = wish;
  mode.value = "script";
  state.layer = "human";
  write(draft.text);
  showMode();
}

/* Trial */

$("trial-go")?.addEventListener("click", async () => {
  const result = $("trial-result");
  result.replaceChildren(element("p", "", texts.trying));
  try {
    const chosen = { event_id: $("trial-event").value || null, node_id: $("trial-node").value.trim() || null };
    showTrial(await ask("trial", { text: view.state.doc.toString(), recipe_id: config.recipe, ...chosen }));
  } catch (error) {
    result.replaceChildren(element("p", "errornote", error.message));
  }
});

function showTrial(answer) {
  const verdict = answer.starts === null ? texts.by_hand : answer.starts ? texts.starts : filled(texts.starts_not, { reason: answer.reason });
  const list = element("ol", "trial-steps");
  for (const step of answer.steps) {
    const item = element("li", step.problem ? "line-error" : "line-ok");
    const role = step.step === 0 ? `${texts.common_fallback}: ` : step.alternative ? `${texts.fallback}: ` : "";
    item.append(element("p", "", role + step.text), element("pre", "command", step.command.join(" ")));
    if (step.unresolved.length) item.append(element("p", "note", filled(texts.unresolved, { names: step.unresolved.join(", ") })));
    if (step.problem) item.append(element("p", "", step.problem));
    list.append(item);
  }
  $("trial-result").replaceChildren(element("p", "verdict", verdict), list);
}

/* Begin */

area.hidden = true;
$("content-label").hidden = true;
for (const part of document.querySelectorAll(".needs-script")) part.hidden = false;
for (const part of document.querySelectorAll(".without-script")) part.hidden = true;
$("tab-compiled").hidden = true;
form.addEventListener("submit", () => (state.leaving = true));
window.addEventListener("beforeunload", (event) => {
  if (state.dirty && !state.leaving) event.preventDefault();
});
choose(config.layer === "technical" ? "technical" : "human");
showMode();
show(null);
