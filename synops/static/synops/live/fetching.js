/* What the page asks the server for: rows, news of the list, and its own parts as they are rendered now. */
import { config, filled, setText } from "./page.js";
import { adoptRows, apply, watched } from "./rows.js";

const parts = () => document.querySelectorAll("[data-live-part]");

async function getJson(address, query) {
  const answer = await fetch(`${address}?${query}`, { headers: { Accept: "application/json" } });
  if (!answer.ok || answer.redirected) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

async function fetchRows() {
  const ids = Object.entries(watched());
  if (!ids.length) return;
  const query = new URLSearchParams(ids.map(([kind, list]) => [kind, list.join(",")]));
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
  setText(button, news.new === 1 ? config.texts.one : filled(config.texts.many, { count: news.new }));
}

/* Parsed, not executed; taken over only where they differ. */
async function fetchParts() {
  if (!parts().length) return;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const changed = [...parts()].filter((part) => {
    const twin = fresh.querySelector(`[data-live-part="${part.dataset.livePart}"]`);
    return twin && takeOver(part, twin);
  });
  if (changed.length) document.dispatchEvent(new Event("live-parts"));
  adoptRows(fresh);
}

/* What the reader has scrolled to and opened stays so; what has the focus is left alone. */
function takeOver(part, twin) {
  if (part.isEqualNode(twin) || part.contains(document.activeElement)) return false;
  const scrolled = [...part.querySelectorAll("pre")].map((pre) => pre.scrollTop);
  const opened = [...part.querySelectorAll("details")].map((details) => details.open);
  [...twin.querySelectorAll("details")].forEach((details, index) => { details.open = opened[index] ?? false; });
  if (part.isEqualNode(twin)) return false;
  part.replaceChildren(...twin.childNodes);
  [...part.querySelectorAll("pre")].forEach((pre, index) => { pre.scrollTop = scrolled[index] ?? 0; });
  return true;
}

let refreshing = null;

/* Everything, once at a time. Parts first: what the rows say is newer than what the server renders into a part. */
export function refresh() {
  const everything = async () => { await fetchParts(); await Promise.all([fetchRows(), fetchNews()]); };
  refreshing ??= everything().finally(() => { refreshing = null; });
  return refreshing;
}

/* At most once in so many milliseconds, however much happens. */
function soon(work, milliseconds) {
  let timer = null;
  return () => {
    timer ??= setTimeout(async () => {
      timer = null;
      try { await work(); } catch { /* the next change or poll tries again */ }
    }, milliseconds);
  };
}

export const newsSoon = soon(fetchNews, 1000);
/* The front page shows everything at once: it is fetched again after whatever has changed, but rarely. */
export const wholeSoon = config.whole ? soon(fetchParts, 2000) : () => {};
export const partsSoon = soon(async () => { await fetchParts(); await fetchRows(); }, 500);
