/* The live view of an open page: job list, job page, run page.
 *
 * Rows carry data-live (kind) and data-id; their cells data-field. Changes arrive over the socket as codes and numbers
 * and are put into the cells as text. Nothing is inserted or moved under the pointer: new rows are offered by a button.
 * Parts that grow (data-live-part) are taken anew from the page itself, as the server renders it.
 * Without a socket the page asks every five seconds; a hidden tab asks for nothing and hears nothing.
 */
const config = JSON.parse(document.getElementById("live-config").textContent);
const rows = [...document.querySelectorAll("[data-live]")];
const parts = () => document.querySelectorAll("[data-live-part]");

const POLL_MS = 5000;
const LONGEST_PAUSE_MS = 30000;
const SAY_AT_MOST_EVERY_MS = 10000;

/* Words and formats */

function filled(template, values) {
  return template.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
}

const time = new Intl.DateTimeFormat(config.language, {
  timeZone: config.timeZone, hour: "2-digit", minute: "2-digit", second: "2-digit",
});

function duration(seconds) {
  if (seconds < 10) {
    const digits = seconds < 1 ? 2 : 1;
    const text = new Intl.NumberFormat(config.language, { maximumFractionDigits: digits }).format(seconds);
    return filled(config.texts.seconds, { seconds: text });
  }
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  if (whole < 60) return filled(config.texts.seconds, { seconds: whole });
  if (minutes < 60) return filled(config.texts.minutes, { minutes, seconds: whole % 60 });
  return filled(config.texts.hours, { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/* Cells */

function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

const clockDifference = Date.parse(config.now) - Date.now();

function showDuration(row) {
  const cell = row.querySelector('[data-field="duration"]');
  if (!cell || !row.dataset.started || ["pending", "retry"].includes(row.dataset.status)) return;
  const end = row.dataset.finished ? Date.parse(row.dataset.finished) : Date.now() + clockDifference;
  setText(cell, duration(Math.max(0, (end - Date.parse(row.dataset.started)) / 1000)));
}

function showState(row, state) {
  row.dataset.state = state;
  for (const cell of row.querySelectorAll('[data-field="state"]')) {
    cell.className = `state state-${state}`;
    setText(cell, config.states[state] ?? state);
  }
}

const WRITERS = {
  state: showState,
  progress: (row, percent) => {
    for (const cell of row.querySelectorAll('[data-field="progress"]')) {
      setText(cell, percent === null ? "" : `${percent} %`);
    }
    for (const bar of row.querySelectorAll("[data-bar]")) {
      bar.value = percent ?? 0;
      bar.hidden = percent === null;
    }
  },
  status: (row, status) => {
    row.dataset.status = status;
  },
  started: (row, moment) => {
    if (moment) row.dataset.started = moment;
  },
  finished: (row, moment) => {
    if (moment) row.dataset.finished = moment;
    else delete row.dataset.finished;
  },
};

function write(row, fields) {
  for (const [name, value] of Object.entries(fields)) {
    const writer = WRITERS[name];
    if (writer) writer(row, value);
    else for (const cell of row.querySelectorAll(`[data-field="${name}"]`)) setText(cell, String(value ?? ""));
  }
  showDuration(row);
  showButtons(row);
}

function showButtons(row) {
  for (const button of row.querySelectorAll("[data-when]")) {
    const fits = button.dataset.when.split(" ").includes(row.dataset.status);
    const asked = row.dataset.state === "cancelling";
    const hide = !fits || asked;
    if (hide && button === document.activeElement) row.querySelector("a")?.focus();
    button.hidden = hide;
  }
}

/* What is fetched */

let refreshing = null;

async function getJson(address, query) {
  const answer = await fetch(`${address}?${query}`, { headers: { Accept: "application/json" } });
  if (!answer.ok || answer.redirected) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

async function fetchRows() {
  const ids = {};
  for (const row of rows) (ids[row.dataset.live] ??= []).push(row.dataset.id);
  if (!rows.length) return;
  const query = new URLSearchParams(Object.entries(ids).map(([kind, list]) => [kind, list.join(",")]));
  apply((await getJson(config.rows, query)).rows);
}

async function fetchNews() {
  if (!config.news) return;
  const query = new URLSearchParams(config.query);
  query.set("since", config.since);
  const news = await getJson(config.news, query);
  for (const [status, count] of Object.entries(news.counts)) {
    setText(document.querySelector(`[data-count="${status}"]`), count > 10000 ? "10 000+" : String(count));
  }
  const button = document.getElementById("live-new");
  button.hidden = news.new === 0;
  const text = news.new === 1 ? config.texts.one : filled(config.texts.many, { count: news.new });
  setText(button, text);
}

/* The parts of this page as the server renders them now. Parsed, not executed; taken over only where they differ. */
async function fetchParts() {
  if (!parts().length) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  let changed = false;
  for (const part of parts()) {
    const twin = fresh.querySelector(`[data-live-part="${part.dataset.livePart}"]`);
    if (!twin || part.isEqualNode(twin) || part.contains(document.activeElement)) continue;
    const scrolled = [...part.querySelectorAll("pre")].map((pre) => pre.scrollTop);
    const opened = [...part.querySelectorAll("details")].map((details) => details.open);
    [...twin.querySelectorAll("details")].forEach((details, index) => { details.open = opened[index] ?? false; });
    if (part.isEqualNode(twin)) continue;
    part.replaceChildren(...twin.childNodes);
    [...part.querySelectorAll("pre")].forEach((pre, index) => { pre.scrollTop = scrolled[index] ?? 0; });
    changed = true;
  }
  if (changed) document.dispatchEvent(new Event("live-parts"));
  adoptRows(fresh);
}

/* A run page gets rows for steps that have begun since. */
function adoptRows(fresh) {
  const known = new Set(rows.map((row) => row.dataset.id));
  const added = [...document.querySelectorAll("[data-live]")].filter((row) => !known.has(row.dataset.id));
  rows.splice(0, rows.length, ...document.querySelectorAll("[data-live]"));
  for (const row of rows) {
    const twin = fresh.querySelector(`[data-live][data-id="${row.dataset.id}"]`);
    if (twin) Object.assign(row.dataset, { ...twin.dataset });
  }
  if (added.length) tellWatched();
}

/* At most once a second, however much happens. */
function soon(work, milliseconds) {
  let timer = null;
  return () => {
    timer ??= setTimeout(async () => {
      timer = null;
      try { await work(); } catch { /* the next change or poll tries again */ }
    }, milliseconds);
  };
}

const newsSoon = soon(fetchNews, 1000);
/* The front page shows everything at once: it is fetched again after whatever has changed, but rarely. */
const wholeSoon = config.whole ? soon(fetchParts, 2000) : () => {};
const partsSoon = soon(async () => { await fetchParts(); await fetchRows(); }, 500);

async function refresh() {
  // Parts first: what the rows say is newer than what the server renders into a part.
  const everything = async () => { await fetchParts(); await Promise.all([fetchRows(), fetchNews()]); };
  refreshing ??= everything().finally(() => { refreshing = null; });
  return refreshing;
}

let lastSaid = 0;

function apply(changes) {
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

/* The line that says how fresh the page is */

let freshAt = new Date();

function showLine(kind) {
  const line = document.getElementById("live-state");
  if (!line) return;
  line.hidden = false;
  line.dataset.kind = kind;
  setText(line, filled(config.texts[kind], { time: time.format(freshAt) }));
}

/* The socket */

let socket = null;
let pause = 1000;
let polling = null;

function tellWatched() {
  if (socket?.readyState !== WebSocket.OPEN) return;
  const watch = {};
  for (const row of rows) (watch[row.dataset.live] ??= []).push(row.dataset.id);
  socket.send(JSON.stringify({ watch, lists: config.lists ? [config.lists] : [] }));
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
  freshAt = new Date();
  if (!polling) showLine("live");
}

function connect() {
  socket = new WebSocket(new URL(config.socket, location.href.replace(/^http/, "ws")));
  const mine = socket;
  mine.addEventListener("open", tellWatched);
  mine.addEventListener("message", async (event) => {
    const message = JSON.parse(event.data);
    try { await hear(message); } catch { startPolling(); }
    if (message.type !== "watching" && mine.readyState === WebSocket.OPEN) mine.send('{"ack":true}');
    pause = 1000;
  });
  mine.addEventListener("close", (event) => {
    if (socket !== mine) return;
    socket = null;
    if (event.code === 4401) return stopForGood();
    if (!document.hidden) startPolling();
    // 44xx: coming back would change nothing; polling, if it is allowed, goes on. Jitter keeps tabs from returning together.
    if (event.code >= 4400 && event.code < 4500) return;
    if (!document.hidden) setTimeout(() => { if (!socket && !document.hidden) connect(); }, pause * (1 + Math.random()));
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  });
}

function stopForGood() {
  stopPolling();
  showLine("signedOut");
}

/* Polling, and pausing */

async function poll() {
  try {
    await refresh();
    freshAt = new Date();
    if (polling) showLine("polling");
  } catch {
    showLine("paused");
  }
}

function startPolling() {
  if (polling) return;
  polling = setInterval(poll, POLL_MS);
  poll();
}

function stopPolling() {
  clearInterval(polling);
  polling = null;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    stopPolling();
    const old = socket;
    socket = null;
    old?.close();
    showLine("paused");
  } else if (!socket) {
    connect();
  }
});

document.getElementById("live-new")?.addEventListener("click", () => location.reload());
setInterval(() => { if (!document.hidden) rows.filter((row) => ["running"].includes(row.dataset.status)).forEach(showDuration); }, 1000);
if (document.hidden) showLine("paused");
else connect();
