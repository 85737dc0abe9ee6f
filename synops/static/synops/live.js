/* The live view of an open page: lists, the page of a job, of a run, the front page.
 *
 * Changes arrive over the socket and are put into the cells of rows (live/rows.js, live/cells.js); new rows are offered
 * by a button. Parts that grow (data-live-part) are taken anew from the page itself, as the server renders it
 * (live/fetching.js). Without a socket the page asks every five seconds; a hidden tab asks for nothing and hears nothing.
 */
import { showLine, stopPolling } from "./live/freshness.js";
import { countOn } from "./live/rows.js";
import { connect, disconnect } from "./live/socket.js";

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) return connect();
  stopPolling();
  disconnect();
  showLine("paused");
});

document.getElementById("live-new")?.addEventListener("click", () => location.reload());
setInterval(() => { if (!document.hidden) countOn(); }, 1000);
if (document.hidden) showLine("paused");
else connect();
