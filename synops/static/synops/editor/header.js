/* Trigger and condition: the header of the text as two lists, both ways. */
import { $, config, state } from "./page.js";
import { view } from "./text.js";

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

export function project(record) {
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
