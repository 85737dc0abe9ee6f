/* The rows of the page: data-live is a row's kind, data-id names it. Nothing is inserted or moved under the pointer. */
import { showDuration, write } from "./cells.js";
import { config, setText } from "./page.js";

const SAY_AT_MOST_EVERY_MS = 10000;

let rows = [...document.querySelectorAll("[data-live]")];
let lastSaid = 0;

/* kind → ids */
export function watched() {
  const ids = {};
  for (const row of rows) (ids[row.dataset.live] ??= []).push(row.dataset.id);
  return ids;
}

export function apply(changes) {
  for (const change of changes) {
    for (const row of rows) {
      if (row.dataset.live === change.kind && row.dataset.id === change.id) write(row, change.fields);
    }
  }
  if (changes.length && Date.now() - lastSaid > SAY_AT_MOST_EVERY_MS) {
    lastSaid = Date.now();
    setText(document.getElementById("live-said"), config.texts.changed);
  }
}

/* A run page gets rows for steps that have begun since. Whoever watches rows is told of new ones. */
export function adoptRows(fresh) {
  const known = new Set(rows.map((row) => row.dataset.id));
  rows = [...document.querySelectorAll("[data-live]")];
  for (const row of rows) {
    const twin = fresh.querySelector(`[data-live][data-id="${row.dataset.id}"]`);
    if (twin) Object.assign(row.dataset, { ...twin.dataset });
  }
  if (rows.some((row) => !known.has(row.dataset.id))) document.dispatchEvent(new Event("live-rows"));
}

export function countOn() {
  rows.filter((row) => row.dataset.status === "running").forEach(showDuration);
}
