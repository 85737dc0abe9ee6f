/* The socket: says what the page shows, hears what changes, comes back when it is lost. */
import { newsSoon, partsSoon, refresh, wholeSoon } from "./fetching.js";
import { isFresh, showLine, startPolling, stopPolling } from "./freshness.js";
import { config } from "./page.js";
import { apply, watched } from "./rows.js";

const LONGEST_PAUSE_MS = 30000;
const SIGNED_OUT = 4401;

let socket = null;
let pause = 1000;

function tellWatched() {
  if (socket?.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({ watch: watched(), lists: config.lists ? [config.lists] : [] }));
}

async function hear(message) {
  if (message.type === "watching") {
    if (!message.hearing) return;
    stopPolling();
    await refresh();
  } else if (message.type === "deaf") {
    startPolling();
  } else {
    if (message.type === "resync") {
      stopPolling();
      await refresh();
    }
    apply(message.rows);
    if (message.rows.length) partsSoon();
    if (message.rows.length || message.others.length) { newsSoon(); wholeSoon(); }
  }
  isFresh();
}

async function heard(mine, event) {
  const message = JSON.parse(event.data);
  try { await hear(message); } catch { startPolling(); }
  if (message.type !== "watching" && mine.readyState === WebSocket.OPEN) mine.send('{"ack":true}');
  pause = 1000;
}

function lost(code) {
  socket = null;
  if (code === SIGNED_OUT) {
    stopPolling();
    showLine("signedOut");
    return;
  }
  if (!document.hidden) startPolling();
  // 44xx: coming back would change nothing; polling, if it is allowed, goes on. Jitter keeps tabs from returning together.
  if (code >= 4400 && code < 4500) return;
  if (!document.hidden) setTimeout(() => { if (!document.hidden) connect(); }, pause * (1 + Math.random()));
  pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
}

/* Nothing, if there is one. */
export function connect() {
  if (socket) return;
  const mine = new WebSocket(new URL(config.socket, location.href.replace(/^http/, "ws")));
  socket = mine;
  mine.addEventListener("open", tellWatched);
  mine.addEventListener("message", (event) => heard(mine, event));
  mine.addEventListener("close", (event) => { if (socket === mine) lost(event.code); });
}

export function disconnect() {
  const old = socket;
  socket = null;
  old?.close();
}

document.addEventListener("live-rows", tellWatched);
