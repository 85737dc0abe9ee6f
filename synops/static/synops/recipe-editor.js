/* The recipe editor: the form's text area becomes CodeMirror, with diagnostics, completion, views, drafts and trials. */
import { autocompletion, lintGutter, linter } from "./vendor/codemirror/codemirror.js";
import { CHECK_AFTER_MS, check, show } from "./editor/checking.js";
import { completions, hovers } from "./editor/completion.js";
import { showMode } from "./editor/drafts.js";
import { $, area, config, form, state } from "./editor/page.js";
import { openText } from "./editor/text.js";
import { choose } from "./editor/views.js";
import "./editor/help.js";
import "./editor/trial.js";

openText([linter(check, { delay: CHECK_AFTER_MS }), lintGutter(), autocompletion({ override: [completions] }), hovers]);
area.hidden = true;
$("content-label").hidden = true;
for (const part of document.querySelectorAll(".needs-script")) part.hidden = false;
for (const part of document.querySelectorAll(".without-script")) part.hidden = true;
$("tab-compiled").hidden = true;
form.addEventListener("submit", () => (state.leaving = true));
window.addEventListener("beforeunload", (event) => {
  if (state.dirty && !state.leaving) event.preventDefault();
});
if (location.hash === "#trial" && $("trial")) $("trial").open = true; // the first steps lead here
choose(config.layer === "technical" ? "technical" : "human");
showMode();
show(null);
