/* The log on a job's page: follows while the job runs, can be paused, searched and scrolled; always only text. */
const box = document.querySelector("[data-log]");
const find = (name) => box.querySelector(`[data-log-${name}]`);
const job = box.closest("[data-live]");
const [text, follow, pause, search, count, empty, omitted] =
  ["text", "follow", "pause", "search", "count", "empty", "omitted"].map(find);

const EVERY_MS = 2000;
let whole = text.textContent;
let paused = false;
let last = null;

/* What is shown: all of it, or the lines that hold what is searched for. */
function show() {
  const wanted = search.value.toLowerCase();
  const lines = whole.split("\n");
  const found = wanted ? lines.filter((line) => line.toLowerCase().includes(wanted)) : lines;
  const shown = found.join("\n");
  if (text.textContent !== shown) text.textContent = shown;
  count.textContent = wanted ? `${found.length} / ${lines.length}` : "";
  empty.hidden = whole !== "";
  if (follow.checked) text.scrollTop = text.scrollHeight;
}

async function fetchLog() {
  const headers = last ? { "If-None-Match": last } : {};
  const answer = await fetch(box.dataset.log, { headers, cache: "no-store" });
  if (answer.status !== 200 || answer.redirected) return;
  last = answer.headers.get("ETag");
  const log = await answer.json();
  whole = log.text;
  omitted.hidden = !log.omitted;
  show();
}

/* While it runs, and once more after it has ended: the last lines come with the end. */
let ran = job.dataset.status === "running";
async function tick() {
  const runs = job.dataset.status === "running";
  if (!paused && !document.hidden && (runs || ran)) {
    ran = runs;
    try { await fetchLog(); } catch { /* the next tick tries again */ }
  }
  setTimeout(tick, EVERY_MS);
}

pause.addEventListener("click", () => {
  paused = !paused;
  pause.setAttribute("aria-pressed", String(paused));
});
search.addEventListener("input", show);
follow.addEventListener("change", show);
/* Whoever scrolls up wants to read; at the end it follows again. */
text.addEventListener("scroll", () => {
  follow.checked = text.scrollTop + text.clientHeight >= text.scrollHeight - 4;
});
show();
tick();
