/* How fresh the page is, and the polling that keeps it so without a socket: every five seconds. */
import { refresh } from "./fetching.js";
import { clock, config, filled, setText } from "./page.js";

const POLL_MS = 5000;

let freshAt = new Date();
let polling = null;

export function showLine(kind) {
  const line = document.getElementById("live-state");
  if (!line) return;
  line.hidden = false;
  line.dataset.kind = kind;
  setText(line, filled(config.texts[kind], { time: clock(freshAt) }));
}

/* Something was heard over the socket. */
export function isFresh() {
  freshAt = new Date();
  if (!polling) showLine("live");
}

async function poll() {
  try {
    await refresh();
    freshAt = new Date();
    if (polling) showLine("polling");
  } catch {
    showLine("paused");
  }
}

export function startPolling() {
  if (polling) return;
  polling = setInterval(poll, POLL_MS);
  poll();
}

export function stopPolling() {
  clearInterval(polling);
  polling = null;
}
