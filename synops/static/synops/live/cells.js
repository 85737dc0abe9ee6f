/* The cells of a row (data-field): changes are codes and numbers, and are put in as text only. */
import { clockDifference, config, duration, setText } from "./page.js";

function showState(row, state) {
  row.dataset.state = state;
  for (const cell of row.querySelectorAll('[data-field="state"]')) {
    cell.className = `state state-${state}`;
    setText(cell, config.states[state] ?? state);
  }
}

function showProgress(row, percent) {
  for (const cell of row.querySelectorAll('[data-field="progress"]')) {
    setText(cell, percent === null ? "" : `${percent} %`);
  }
  for (const bar of row.querySelectorAll("[data-bar]")) {
    bar.value = percent ?? 0;
    bar.hidden = percent === null;
  }
}

/* Fields that are more than the text of a cell. */
const WRITERS = {
  state: showState,
  progress: showProgress,
  status: (row, status) => { row.dataset.status = status; },
  started: (row, moment) => { if (moment) row.dataset.started = moment; },
  finished: (row, moment) => {
    if (moment) row.dataset.finished = moment;
    else delete row.dataset.finished;
  },
};

export function write(row, fields) {
  for (const [name, value] of Object.entries(fields)) {
    const writer = WRITERS[name];
    if (writer) writer(row, value);
    else for (const cell of row.querySelectorAll(`[data-field="${name}"]`)) setText(cell, String(value ?? ""));
  }
  showDuration(row);
  showButtons(row);
}

export function showDuration(row) {
  const cell = row.querySelector('[data-field="duration"]');
  if (!cell || !row.dataset.started || ["pending", "retry"].includes(row.dataset.status)) return;
  const end = row.dataset.finished ? Date.parse(row.dataset.finished) : Date.now() + clockDifference;
  setText(cell, duration(Math.max(0, (end - Date.parse(row.dataset.started)) / 1000)));
}

/* Buttons that fit the row's state. One that goes while it has the focus leaves it in the row. */
function showButtons(row) {
  for (const button of row.querySelectorAll("[data-when]")) {
    const fits = button.dataset.when.split(" ").includes(row.dataset.status);
    const hide = !fits || row.dataset.state === "cancelling";
    if (hide && button === document.activeElement) row.querySelector("a")?.focus();
    button.hidden = hide;
  }
}
