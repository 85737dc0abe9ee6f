/* What the page gives the editor: its form, its words, and the small parts that everything is built of.
 *
 * Everything that the server says is put in as text, never as markup.
 */
export { filled } from "../words.js";

export const config = JSON.parse(document.getElementById("editor-config").textContent);
export const texts = config.texts;

export const $ = (id) => document.getElementById(id);
export const area = $("id_content");
export const form = area.form;
export const mode = $("id_executor");
export const isScript = () => mode.value === "script";

/* `record` is the compiler's last answer, `checked` the text that it is about; `layer` the one that is written in. */
export const state = { record: null, checked: "", tab: "human", layer: config.layer, dirty: false, leaving: false };

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export function button(text, act) {
  const made = element("button", "button quiet", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}
