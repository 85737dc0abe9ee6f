/* The three views of one recipe: the layer that is written in, the other one, and what both compile to. */
import { $, state, texts } from "./page.js";
import { host, view, write } from "./text.js";

const TABS = ["human", "technical", "compiled"];

export function showView() {
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

export function choose(tab, focus = false) {
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
