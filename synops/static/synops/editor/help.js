/* Help beside the editor: the language reference itself, fetched when it is opened. Without it the link stays. */
import { $ } from "./page.js";

const help = $("editor-help");

help.addEventListener("toggle", async () => {
  if (!help.open || help.dataset.loaded) return;
  const response = await fetch(help.dataset.page).catch(() => null);
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html"); // our own page: nothing in it runs
  const article = page.querySelector("article.prose");
  if (!article) return;
  help.querySelector("div").replaceChildren(article);
  help.dataset.loaded = "yes";
});
