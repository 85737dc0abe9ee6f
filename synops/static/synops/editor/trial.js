/* Testkjør: conditions and commands against an event or a node, with the text as it stands. */
import { $, config, element, filled, texts } from "./page.js";
import { ask } from "./server.js";
import { view } from "./text.js";

$("trial-go")?.addEventListener("click", async () => {
  const result = $("trial-result");
  result.replaceChildren(element("p", "", texts.trying));
  try {
    const [kind, id] = $("trial-node").value.trim() ? ["node", $("trial-node").value.trim()] : $("trial-on").value.split(/:(.*)/s);
    const chosen = { [`${kind || "node"}_id`]: id ?? null };
    showTrial(await ask("trial", { text: view.state.doc.toString(), recipe_id: config.recipe, ...chosen }));
  } catch (error) {
    result.replaceChildren(element("p", "errornote", error.message));
  }
});

function verdictOf(answer) {
  if (answer.starts === null) return texts.by_hand;
  if (answer.inactive) return texts.starts_once_active;
  return answer.starts ? texts.starts : filled(texts.starts_not, { reason: answer.reason });
}

function showTrial(answer) {
  const list = element("ol", "trial-steps");
  for (const step of answer.steps) {
    const item = element("li", step.problem ? "line-error" : "line-ok");
    const role = step.step === 0 ? `${texts.common_fallback}: ` : step.alternative ? `${texts.fallback}: ` : "";
    item.append(element("p", "", role + step.text), element("pre", "command", step.command.join(" ")));
    if (step.unresolved.length) item.append(element("p", "note", filled(texts.unresolved, { names: step.unresolved.join(", ") })));
    if (step.problem) item.append(element("p", "", step.problem));
    list.append(item);
  }
  $("trial-result").replaceChildren(element("p", "verdict", verdictOf(answer)), list);
}
