/* What may be written here, and what a line means under the pointer. */
import { hoverTooltip } from "../vendor/codemirror/codemirror.js";
import { element, isScript, state } from "./page.js";
import { ask } from "./server.js";

const BEGINNING = /^\s*(?:[0-9]{1,3}\s*[.)]\s*|(?:ved[ _]feil|on failure|on error)\s*:?\s*|(?:NÅR|HVIS|VISS|WHEN|IF|OG|AND)\s+)/iu;

export async function completions(context) {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  if (!isScript() || (!context.explicit && !/[\p{L}(]$/u.test(before))) return null;
  const begun = before.match(BEGINNING)?.[0].length ?? before.match(/^\s*/)[0].length;
  const inside = Math.max(before.lastIndexOf("("), before.lastIndexOf(","));
  const open = before.lastIndexOf("(") > before.lastIndexOf(")");
  const from = line.from + (open ? inside + 1 + before.slice(inside + 1).match(/^\s*/)[0].length : begun);
  try {
    const answer = await ask("complete", { text: context.state.doc.toString(), line: line.number, col: [...before].length });
    if (context.aborted) return null;
    return { from, options: answer.proposals.map((one) => ({ label: one.text, detail: one.detail })), validFor: /^[^\n(),]*$/ };
  } catch {
    return null;
  }
}

export const hovers = hoverTooltip((target, pos) => {
  const line = target.state.doc.lineAt(pos);
  const said = target.state.doc.toString() === state.checked ? state.record?.hovers[line.number] : "";
  if (!said) return null;
  return {
    pos: line.from,
    end: line.to,
    create: () => {
      const dom = element("div", "recipe-hover");
      for (const part of said.split("\n\n")) dom.append(element("p", "", part.replace(/```\n?|\*\*/g, "").trim()));
      return { dom };
    },
  };
});
